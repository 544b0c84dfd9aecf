//! A survey and a sweep, each killed twenty times at random moments and gone on with: the bytes of a run
//! that was never stopped, and no stray file. Minutes: `cargo xtask test --long` runs it, or
//! `cargo test --release --test it kills:: -- --ignored --nocapture`.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::files;

const KILLS: usize = 20;

/// Moments from 0 to 1, others each time.
struct Moments(u64);

impl Moments {
    fn new() -> Self {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        Self(now.expect("after 1970").as_nanos() as u64 | 1)
    }

    /// xorshift64
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Every second run is killed once more while it goes on.
fn killed(what: &str, args: &[&str], out: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |to: &Path, resume: bool| {
        std::fs::create_dir_all(to).expect("a folder");
        let mut command = Command::new(env!("CARGO_BIN_EXE_atelier"));
        command.args(args).arg("--out").arg(to.join(out));
        if resume {
            command.arg("--resume");
        }
        let command = command.stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().expect("atelier starts")
    };
    let whole = folder.path().join("whole");
    let began = Instant::now();
    assert!(run(&whole, false).wait().expect("an end").success());
    let takes = began.elapsed().as_secs_f64();
    let whole = files(&whole);
    let mut moments = Moments::new();
    let (mut middle, mut begun, mut wrong) = (0, 0, Vec::new());
    for kill in 0..KILLS {
        let to = folder.path().join(format!("killed-{kill}"));
        for again in 0..=kill % 2 {
            let mut child = run(&to, again > 0);
            std::thread::sleep(Duration::from_secs_f64(takes * moments.next()));
            let is_over = child.try_wait().expect("a state").is_some();
            child.kill().expect("a kill");
            child.wait().expect("an end");
            middle += usize::from(!is_over);
        }
        begun += usize::from(files(&to).values().any(|bytes| !bytes.is_empty()));
        let ended = run(&to, true).wait().expect("an end");
        let now = files(&to);
        let other = now.keys().chain(whole.keys());
        let other = other.filter(|name| now.get(*name) != whole.get(*name)).min();
        if !ended.success() || other.is_some() {
            wrong.push(format!("{kill}: {ended}, {other:?}"));
        }
        std::fs::remove_dir_all(&to).expect("removed");
    }
    let equal = KILLS - wrong.len();
    eprintln!(
        "{what}: {middle} kills in the middle of {takes:.1} s, {begun} with something on the disk; \
         byte-equal and no stray file {equal} of {KILLS}"
    );
    assert!(middle > 0, "no run was caught in the middle");
    assert!(wrong.is_empty(), "{what}: {wrong:#?}");
}

#[test]
#[ignore = "minutes: cargo xtask test --long"]
fn a_survey_killed_at_any_moment_ends_with_the_same_bytes() {
    let ask = "survey --models scholar-2,scholar-4 --tasks sum,topic,mood --rows 320";
    killed("survey", &ask.split(' ').collect::<Vec<_>>(), "survey");
}

/// Long enough to be saved a few times.
#[test]
#[ignore = "minutes: cargo xtask test --long"]
fn a_sweep_killed_at_any_moment_ends_with_the_same_bytes() {
    let ask =
        "orders --model scholar-4 --task sum --strategy drop,swap,shuffle --seeds 12 --rows 1600";
    killed("sweep", &ask.split(' ').collect::<Vec<_>>(), "sweep.atelier.json");
}
