//! `kill -9` at random moments, then `--resume`: twenty times a survey, twenty times a sweep. The bytes
//! must be those of a run that nobody stopped, and nothing else may lie beside them.
//!
//! Minutes of work, so `cargo xtask test --long` runs it: `cargo test --release --test kills -- --ignored`.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const KILLS: usize = 20;

fn atelier(words: &[&str], out: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_atelier"));
    command
        .args(words)
        .arg("--out")
        .arg(out)
        .args(more)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// Every file below a folder, by its path there.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut left = vec![folder.to_path_buf()];
    while let Some(here) = left.pop() {
        for entry in std::fs::read_dir(&here).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                left.push(path);
                continue;
            }
            let name = path.strip_prefix(folder).expect("below").to_path_buf();
            all.insert(name, std::fs::read(&path).expect("a file"));
        }
    }
    all
}

/// A share between 0 and 1, another one each time.
fn share() -> f64 {
    RandomState::new().hash_one(0) as f64 / u64::MAX as f64
}

/// Kills a run at a random moment and goes on with it, again and again. Both name what is asked and
/// where: `out`, in a folder of its own.
fn kill(what: &str, words: &[&str], out: &str) {
    let home = tempfile::tempdir().expect("a folder");
    let place = |name: &str| {
        let folder = home.path().join(name);
        std::fs::create_dir(&folder).expect("a folder");
        folder
    };
    let whole = place("whole");
    let began = Instant::now();
    let status = atelier(words, &whole.join(out), &[]).status();
    assert!(status.expect("atelier starts").success());
    let time = began.elapsed();
    let whole = files(&whole);
    let (mut killed, mut equal, mut strays) = (0, 0, 0);
    for round in 0..KILLS {
        let folder = place(&format!("killed-{round}"));
        let mut child = atelier(words, &folder.join(out), &[])
            .spawn()
            .expect("atelier starts");
        std::thread::sleep(Duration::from_secs_f64(time.as_secs_f64() * share()));
        let was_running = child.try_wait().expect("a child").is_none();
        child.kill().expect("a kill");
        child.wait().expect("an end");
        // One that had begun to write is gone on with; one that had not begins.
        let begun = folder.join(out).exists();
        let more: &[&str] = if begun { &["--resume"] } else { &[] };
        let status = atelier(words, &folder.join(out), more).status();
        assert!(status.expect("atelier starts").success(), "{what}, {round}");
        let again = files(&folder);
        killed += usize::from(was_running);
        strays += again
            .keys()
            .filter(|name| !whole.contains_key(*name))
            .count();
        equal += usize::from(
            whole
                .iter()
                .all(|(name, bytes)| again.get(name) == Some(bytes)),
        );
        std::fs::remove_dir_all(&folder).expect("removed");
    }
    println!("{what}: killed {killed} of {KILLS}, byte-equal {equal} of {KILLS}, strays {strays}");
    assert_eq!((equal, strays), (KILLS, 0), "{what}");
    assert!(killed > KILLS / 2, "{what} was killed {killed} times");
}

#[test]
#[ignore = "minutes: cargo xtask test --long"]
fn a_killed_survey_goes_on_to_the_same_bytes() {
    let models = "apprentice-2,apprentice-12-shared";
    let words = [
        "survey",
        "--models",
        models,
        "--tasks",
        "sum,often",
        "--rows",
        "150",
    ];
    kill("survey", &words, "survey");
}

#[test]
#[ignore = "minutes: cargo xtask test --long"]
fn a_killed_sweep_goes_on_to_the_same_bytes() {
    let words = [
        "orders",
        "--model",
        "apprentice-12",
        "--task",
        "sum",
        "--strategy",
        "drop,swap",
        "--rows",
        "96",
    ];
    kill("sweep", &words, "sweep.atelier.json");
}
