//! A survey in a folder that holds something already: nothing of others' is deleted or replaced, and nothing of its
//! own is lost in silence.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use super::support::{atelier, copy, printed, refused, refuses, shorten_context};
use crate::common::{files, succeeded};

/// A survey of one small model on two tasks.
struct Small {
    folder: tempfile::TempDir,
}

impl Small {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn put(&self, name: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, "a reader's own").expect("written");
    }

    fn args(&self, more: &[&str]) -> Vec<String> {
        let out = self.folder.path().display().to_string();
        let own = "survey --models scholar-2 --tasks sum,mood --rows 20 --out".split(' ');
        own.chain([&*out]).chain(more.iter().copied()).map(str::to_owned).collect()
    }

    /// Every file, by its place.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        files(self.folder.path())
    }
}

/// Split archives and downloads are called so.
#[test]
fn files_of_others_stay() {
    let survey = Small::new();
    let others = ["backup.tar.001.part", "film.002.part", "x.part", "film.aB3xYz.part"];
    others.iter().for_each(|name| survey.put(name));
    printed(&survey.args(&[]));
    printed(&survey.args(&["--resume"]));
    for name in others {
        let text = std::fs::read_to_string(survey.path(name)).expect("it is there");
        assert_eq!(text, "a reader's own", "{name}");
    }
}

/// A report that was downloaded or copied, and rows that somebody put there.
#[test]
fn a_report_that_no_survey_here_wrote_is_not_replaced() {
    for name in ["survey.atelier.json", "rows/scholar-2/sum.parquet", "rows/scholar-2/sum.failed"] {
        let survey = Small::new();
        survey.put(name);
        let before = survey.files();
        for more in [&[][..], &["--resume"], &["--shard", "1/2"]] {
            let why = refused(&survey.args(more));
            let end = "so no survey can be resumed";
            assert!(why.contains("is there but no survey.json") && why.contains(end), "{why}");
        }
        assert_eq!(survey.files(), before, "nothing is written");
    }
}

/// Each makes a file that other programs read another one: its header, its pages, its footer.
#[test]
fn damaged_rows_are_refused_by_name() {
    let survey = Small::new();
    let first = printed(&survey.args(&[]));
    let rows = survey.path("rows/scholar-2/sum.parquet");
    let whole = std::fs::read(&rows).expect("rows");
    let name = b"correct_per_byte";
    let column = whole.windows(name.len()).rposition(|bytes| bytes == name).expect("a column");
    for place in [0, column, whole.len() - 1] {
        let mut damaged = whole.clone();
        damaged[place] ^= 0x20;
        std::fs::write(&rows, damaged).expect("written");
        refuses(
            &survey.args(&["--resume"]),
            "sum.parquet is not as it was written: remove it and run",
        );
    }
    // The way on that is named is one.
    std::fs::remove_file(&rows).expect("removed");
    assert_eq!(printed(&survey.args(&["--resume"])), first);
    assert_eq!(std::fs::read(&rows).expect("rows"), whole);

    let hash = survey.path("rows/scholar-2/sum.sha256");
    std::fs::remove_file(&hash).expect("removed");
    refuses(&survey.args(&["--resume"]), "sum.sha256 cannot be read, and without it nothing shows");
}

#[cfg(target_os = "linux")]
#[test]
fn other_programs_check_the_rows() {
    let survey = Small::new();
    printed(&survey.args(&[]));
    let mut check = Command::new("sha256sum");
    check.args(["-c", "sum.sha256", "mood.sha256"]).current_dir(survey.path("rows/scholar-2"));
    let output = check.output().expect("sha256sum");
    succeeded(&output);
}

/// The report was replaced by one without the model, for ever.
#[test]
fn lost_facts_of_a_model_are_made_again() {
    let survey = Small::new();
    let first = printed(&survey.args(&[]));
    let report = survey.path("survey.atelier.json");
    let whole = std::fs::read(&report).expect("a report");
    std::fs::remove_file(survey.path("rows/scholar-2/model.json")).expect("removed");
    assert_eq!(printed(&survey.args(&["--resume"])), first);
    assert_eq!(std::fs::read(&report).expect("a report"), whole);
}

/// A folder may come from others, with a link in it that leads elsewhere.
#[cfg(unix)]
#[test]
fn rows_are_not_written_through_a_link() {
    for place in ["rows", "rows/scholar-2"] {
        let survey = Small::new();
        let elsewhere = tempfile::tempdir().expect("a folder");
        printed(&survey.args(&[]));
        std::fs::remove_dir_all(survey.path(place)).expect("removed");
        std::os::unix::fs::symlink(elsewhere.path(), survey.path(place)).expect("a link");
        refuses(&survey.args(&["--resume"]), " is a link, and no folder that a survey made");
        assert_eq!(std::fs::read_dir(elsewhere.path()).expect("a folder").count(), 0);
    }
}

/// A survey that is done has nothing to write, and took away what it took for its own leavings.
#[cfg(unix)]
#[test]
fn nothing_is_removed_through_a_link() {
    let survey = Small::new();
    let elsewhere = tempfile::tempdir().expect("a folder");
    printed(&survey.args(&[]));
    std::fs::rename(survey.path("rows"), elsewhere.path().join("rows")).expect("moved");
    std::os::unix::fs::symlink(elsewhere.path().join("rows"), survey.path("rows")).expect("a link");
    let names = ["sum.rows.part", "sum.parquet.aB3xYz.part"];
    names.iter().for_each(|name| survey.put(&format!("rows/scholar-2/{name}")));
    refuses(&survey.args(&["--resume"]), " is a link, and no folder that a survey made");
    for name in names {
        assert!(elsewhere.path().join("rows/scholar-2").join(name).exists(), "{name}");
    }
}

/// A part "was done", and the journal from which its rows could be made again was taken away.
#[test]
fn damaged_rows_are_not_done_and_their_journal_stays() {
    let part = ["--resume", "--shard", "1/1"];
    for (more, folder) in [(&part[..1], ""), (&part[..], "shard-1-of-1/")] {
        let survey = Small::new();
        let begun = atelier(&survey.args(&more[1..]));
        assert!(begun.status.success());
        let journal = format!("{folder}rows/scholar-2/sum.rows.part");
        survey.put(&journal);
        survey.put(&format!("{folder}rows/scholar-2/sum.parquet"));
        refuses(&survey.args(more), "sum.parquet is not as it was written: remove it and run");
        assert!(survey.path(&journal).exists());
    }
}

/// A cluster's job was over, and none of the jobs behind it knew.
#[test]
fn a_part_with_failures_fails() {
    let survey = Small::new();
    let model = survey.path("short");
    copy("scholar-2", &model);
    shorten_context(&model);
    let models = format!("{},scholar-2", model.display());
    let out = survey.path("out").display().to_string();
    let part = ["survey", "--models", &models, "--tasks", "topic", "--rows", "40", "--out", &out];
    let output = atelier(&[&part[..], &["--shard", "1/2"]].concat());
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let why = "atelier: part 1 of 2 is not done: 1 of 2 were not answered: short on topic: ";
    assert!(said.lines().last().is_some_and(|line| line.starts_with(why)), "{said}");
}
