//! Studies that are stopped or killed at some moment and resumed: the bytes of a run that nobody stopped, and no stray
//! file. The ignored tests take minutes: `cargo xtask test --long` runs them, or
//! `cargo test --release --test it kills:: -- --ignored --nocapture`.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::common::files;

/// How much longer each run of a study goes on than the one before, until one ends by itself.
const LONGER: f64 = 1.6;

/// As [`LONGER`], where there are minutes.
const LITTLE_LONGER: f64 = 1.25;

/// A command that keeps what it finds: `first` are words of its beginning alone, `out` is where it keeps it, and the name of
/// a file with rows ends in `rows`.
struct Study {
    line: &'static str,
    first: &'static str,
    out: &'static str,
    rows: &'static str,
}

const SURVEY: Study = Study {
    line: "survey --models scholar-2,scholar-12-shared --tasks sum,often --rows 150",
    first: "",
    out: "survey",
    rows: ".rows.part",
};

const SWEEP: Study = Study {
    line: "orders --model scholar-4 --task mood --strategy drop --rows 320",
    first: "",
    out: "sweep.atelier.json",
    rows: ".json",
};

const COUPLING: Study = Study {
    line: "coupling --model scholar-4 --task topic,sum --rows 8 --top 4",
    first: "",
    out: "coupling.atelier.json",
    rows: ".json",
};

/// It resumes as a search, though no option says so again.
const SEARCH: Study = Study {
    line: "coupling --model scholar-4 --task sum --rows 30 --top 4",
    first: "--method lanczos",
    out: "search.atelier.json",
    rows: ".json",
};

#[test]
fn a_survey_killed_at_any_moment_goes_on() {
    assert!(SURVEY.goes_on("-KILL", LONGER) > 0);
}

#[test]
fn a_survey_stopped_at_any_moment_goes_on() {
    assert!(SURVEY.goes_on("-TERM", LONGER) > 0);
}

/// It saves by itself every few seconds: a short one keeps nothing.
#[test]
fn a_sweep_killed_at_any_moment_goes_on() {
    SWEEP.goes_on("-KILL", LONGER);
}

#[test]
fn a_sweep_stopped_at_any_moment_goes_on() {
    assert!(SWEEP.goes_on("-TERM", LONGER) > 0);
}

#[test]
fn a_coupling_stopped_at_any_moment_goes_on() {
    assert!(COUPLING.goes_on("-TERM", LONGER) > 0);
}

#[test]
fn a_search_stopped_at_any_moment_goes_on() {
    assert!(SEARCH.goes_on("-TERM", LONGER) > 0);
}

#[test]
#[ignore = "minutes: cargo xtask test --long"]
fn a_survey_killed_at_many_moments() {
    let line = "survey --models scholar-2,scholar-4 --tasks sum,topic,mood --rows 320";
    assert!(Study { line, ..SURVEY }.goes_on("-KILL", LITTLE_LONGER) > 0);
}

/// Long enough to be saved a few times.
#[test]
#[ignore = "minutes: cargo xtask test --long"]
fn a_sweep_killed_at_many_moments() {
    let line =
        "orders --model scholar-4 --task sum --strategy drop,swap,shuffle --seeds 12 --rows 1600";
    assert!(Study { line, ..SWEEP }.goes_on("-KILL", LITTLE_LONGER) > 0);
}

impl Study {
    /// Ends runs of it by a signal, each after a longer time, and every second one once more while it is resumed, until one
    /// ends by itself. Holds what they end with to a run that nobody stopped. Returns how many had kept a part of it.
    fn goes_on(&self, signal: &str, longer: f64) -> usize {
        let folder = tempfile::tempdir().expect("a folder");
        let whole = folder.path().join("whole");
        assert!(self.begin(&whole, self.first).wait().expect("an end").success());
        let whole = files(&whole);

        let (mut seconds, mut caught, mut kept) = (first_moment(), 0, 0);
        let to = folder.path().join("stopped");
        while stopped(self.begin(&to, self.first), seconds, signal) {
            if caught % 2 == 1 {
                stopped(self.begin(&to, &self.next(&to)), seconds / 2.0, signal);
            }
            caught += 1;
            kept += usize::from(self.next(&to) == "--resume" && self.has_rows(&to));
            self.cut_off(&to);

            let ended = self.begin(&to, &self.next(&to)).wait().expect("an end");
            let now = files(&to);
            let other = now.keys().chain(whole.keys());
            let other = other.filter(|name| now.get(*name) != whole.get(*name)).min();
            assert!(ended.success() && other.is_none(), "after {seconds:.2} s: {ended}, {other:?}");
            std::fs::remove_dir_all(&to).expect("removed");
            seconds *= longer;
        }
        eprintln!(
            "{}: stopped {caught} times within {seconds:.1} s, {kept} had kept a part",
            self.line
        );
        assert!(caught > 0, "no run was caught in the middle");
        kept
    }

    /// The words that resume what is there, or begin it where nothing is. Those of the beginning are said again until the
    /// rows that are kept say them.
    fn next(&self, to: &Path) -> String {
        let first = self.first.split(' ').next_back().unwrap_or_default();
        let is_kept =
            files(to).values().any(|bytes| String::from_utf8_lossy(bytes).contains(first));
        match (has_bytes(to), is_kept) {
            (false, _) => self.first.to_owned(),
            (true, false) => format!("{} --resume", self.first),
            (true, true) => "--resume".to_owned(),
        }
    }

    fn has_rows(&self, to: &Path) -> bool {
        let is_rows = |path: &Path| path.to_string_lossy().ends_with(self.rows);
        files(to).iter().any(|(path, bytes)| is_rows(path) && !bytes.is_empty())
    }

    fn begin(&self, to: &Path, more: &str) -> Child {
        std::fs::create_dir_all(to).expect("a folder");
        let mut command = Command::new(env!("CARGO_BIN_EXE_atelier"));
        command.args(self.line.split(' ')).args(more.split_whitespace());
        command.arg("--out").arg(to.join(self.out));
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("atelier starts")
    }

    /// Leaves what a write that was cut off leaves: half a line of a journal, or a file that was to take the report's place.
    fn cut_off(&self, to: &Path) {
        for (name, bytes) in files(to) {
            if name.to_string_lossy().ends_with(".rows.part") {
                std::fs::write(to.join(name), [&bytes[..], b"{\"row\":7,\"li"].concat())
                    .expect("half a line");
            }
        }
        if self.out.ends_with(".json") && has_bytes(to) {
            let stray = to.join(format!("{}.aB3xYz.part", self.out));
            std::fs::write(stray, "{\"atel").expect("half a report");
        }
    }
}

/// Sends a run a signal after so many seconds: whether it was still at work. It ends by the signal, or with the code that
/// stands for it.
fn stopped(mut run: Child, seconds: f64, signal: &str) -> bool {
    std::thread::sleep(Duration::from_secs_f64(seconds));
    if run.try_wait().expect("a state").is_some() {
        return false;
    }
    let sent = Command::new("kill").args([signal, &run.id().to_string()]).status();
    assert!(sent.expect("kill").success());
    let code = run.wait().expect("an end").code();
    let is_own = code.is_none() || signal == "-TERM" && code == Some(143);
    assert!(is_own || code == Some(0), "{signal}: {code:?}");
    code != Some(0)
}

/// Whether a folder holds anything but files that were to take the place of others.
fn has_bytes(folder: &Path) -> bool {
    let is_part = |path: &Path| path.extension().is_some_and(|end| end == "part");
    files(folder).iter().any(|(path, bytes)| !bytes.is_empty() && !is_part(path))
}

/// Seconds, others each time, in which a run hardly begins.
fn first_moment() -> f64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    0.02 + f64::from(now.expect("after 1970").subsec_millis()) / 50_000.0
}
