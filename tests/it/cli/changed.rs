//! A model's file that changes while a run reads it.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};

use super::support::copy;

/// A shipped model in a folder of its own, its weights written long ago, and 600 prompts for it.
struct Place {
    folder: tempfile::TempDir,
}

/// A run's two outputs and its exit code.
#[derive(Debug, PartialEq)]
struct Ended {
    printed: String,
    said: String,
    code: Option<i32>,
}

impl Place {
    fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().expect("a folder") };
        copy("scholar-2", &place.folder.path().join("model"));
        let weights = std::fs::File::options().write(true).open(place.weights());
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        weights.expect("weights").set_modified(long_ago).expect("a time");
        let ids = |row: u32| (0..40).map(|t| (row * 31 + t * 7) % 200).collect::<Vec<u32>>();
        let rows = (0..600).map(|row| {
            format!("{{\"ids\": {:?}, \"rows\": [1, 2, 3, 4], \"answer\": 0}}\n", ids(row))
        });
        let prompts: String = rows.collect();
        std::fs::write(place.folder.path().join("prompts.jsonl"), prompts).expect("prompts");
        place
    }

    fn weights(&self) -> PathBuf {
        self.folder.path().join("model/model.safetensors")
    }

    /// Its weights with other numbers, as many.
    fn other_weights(&self) -> Vec<u8> {
        let mut bytes = std::fs::read(self.weights()).expect("weights");
        let (length, rest) = bytes.split_at_mut(8);
        let header = u64::from_le_bytes(length.try_into().expect("eight bytes")) as usize;
        rest[header..].fill(0x3d);
        bytes
    }

    /// Asks all prompts.
    fn begin(&self) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_atelier"));
        command.args(["lens", "--json", "--model"]).arg(self.folder.path().join("model"));
        command.arg("--prompts").arg(self.folder.path().join("prompts.jsonl"));
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("atelier starts")
    }

    /// Asks all prompts, and does something to the model's file once the first ones are answered: the
    /// run waits then for a reader, since a pipe does not hold what it prints of them.
    fn run(&self, change: impl FnOnce()) -> Ended {
        let mut child = self.begin();
        let mut stdout = child.stdout.take().expect("a pipe");
        let mut printed = vec![0];
        stdout.read_exact(&mut printed).expect("an answer");
        change();
        stdout.read_to_end(&mut printed).expect("what it prints");
        let output = child.wait_with_output().expect("an end");
        let said = String::from_utf8(output.stderr).expect("UTF-8");
        Ended {
            printed: String::from_utf8(printed).expect("UTF-8"),
            said: said.replace(&self.folder.path().display().to_string(), "DIR"),
            code: output.status.code(),
        }
    }
}

/// Numbers of two models were printed as one's, with exit code 0; and a shorter file ended the run by
/// SIGBUS, without a word.
#[test]
fn a_file_that_is_written_to_ends_the_run_and_is_named() {
    let place = Place::new();
    let whole = place.run(|| ());
    assert_eq!((whole.said.as_str(), whole.code), ("", Some(0)));
    let overwrite = |place: &Place| {
        let weights = std::fs::File::options().write(true).open(place.weights());
        let written = weights.expect("weights").write_all(&place.other_weights());
        written.expect("written in place");
    };
    let shorten = |place: &Place| {
        let weights = std::fs::File::options().write(true).open(place.weights());
        weights.expect("weights").set_len(1000).expect("shorter");
    };
    for change in [&overwrite as &dyn Fn(&Place), &shorten] {
        let place = Place::new();
        let ended = place.run(|| change(&place));
        assert_eq!(ended.code, Some(1), "{}", ended.said);
        assert_eq!(
            ended.said,
            "atelier: DIR/model/model.safetensors changed after this run opened it. Start the run again, and leave the \
             file alone until it ends\n"
        );
        // What was printed before is the first model's.
        assert!(whole.printed.len() > ended.printed.len());
        assert!(whole.printed.starts_with(&ended.printed));
    }
}

/// A new file under the old name is another file: the run goes on with the one that it opened.
#[test]
fn a_file_that_is_replaced_or_removed_changes_nothing() {
    let place = Place::new();
    let whole = place.run(|| ());
    let renamed = place.run(|| {
        let new = place.folder.path().join("new");
        std::fs::write(&new, place.other_weights()).expect("another file");
        std::fs::rename(new, place.weights()).expect("renamed");
    });
    assert_eq!(renamed.printed.len(), whole.printed.len());
    assert!(renamed == whole);
    let place = Place::new();
    let removed = place.run(|| std::fs::remove_file(place.weights()).expect("removed"));
    assert!(removed == whole);
}
