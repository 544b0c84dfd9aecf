//! How long each test took.
//!
//! A test program of a stable compiler reports times only where `RUSTC_BOOTSTRAP` is set. It is set for the program
//! alone: build scripts look at it too, and with it cargo would compile everything anew.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::Command;

/// How many of the slowest tests are shown.
const SHOWN: usize = 25;

/// Makes the test programs that `cargo test` runs report times, where there is an `env` to start them with.
pub fn ask(cargo: &mut Command) {
    if cfg!(unix) {
        let runner = r#"target."cfg(unix)".runner=["env", "RUSTC_BOOTSTRAP=1"]"#;
        cargo.args(["--config", runner, "--", "-Zunstable-options", "--report-time"]);
    }
}

/// Seconds of the tests of one program, by name.
#[derive(Default)]
pub struct Times(Vec<(f64, String)>);

impl Times {
    /// Takes a line that the program printed, if it has a test's time.
    pub fn read(&mut self, line: &str) {
        let Some((name, end)) =
            line.strip_prefix("test ").and_then(|line| line.split_once(" ... "))
        else {
            return;
        };
        let seconds = end.split_once('<').and_then(|(_, time)| time.strip_suffix("s>"));
        if let Some(Ok(seconds)) = seconds.map(str::parse) {
            self.0.push((seconds, name.to_string()));
        }
    }

    /// The slowest tests, and the sum of each module; nothing where no time was reported.
    pub fn table(&mut self, program: &str) -> String {
        let mut modules = BTreeMap::<&str, (f64, usize)>::new();
        for (seconds, name) in &self.0 {
            let module = name.split("::").next().unwrap_or(name);
            let (sum, count) = modules.entry(module).or_default();
            (*sum, *count) = (*sum + seconds, *count + 1);
        }
        let mut modules: Vec<(f64, String)> = modules
            .into_iter()
            .map(|(name, (sum, count))| (sum, format!("{name} ({count})")))
            .collect();
        if modules.is_empty() {
            return String::new();
        }
        let slowest = lines(&mut self.0, SHOWN);
        let sums = lines(&mut modules, usize::MAX);
        format!(
            "\nSeconds of the slowest tests of {program}:\n{slowest}\nSeconds per module of {program} (tests):\n{sums}"
        )
    }
}

/// A line each, the longest time first.
fn lines(times: &mut [(f64, String)], most: usize) -> String {
    times.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    times.iter().take(most).fold(String::new(), |mut text, (seconds, name)| {
        let _ = writeln!(text, "{seconds:9.2}  {name}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_and_the_sums() {
        let mut times = Times::default();
        for line in [
            "running 3 tests",
            "test plan::a ... ok <0.250s>",
            "test plan::b ... FAILED <1.500s>",
            "test cli::c ... ok <3.000s>",
            "test cli::d ... ignored",
        ] {
            times.read(line);
        }
        let table = "
Seconds of the slowest tests of it:
     3.00  cli::c
     1.50  plan::b
     0.25  plan::a

Seconds per module of it (tests):
     3.00  cli (1)
     1.75  plan (2)
";
        assert_eq!(times.table("it"), table);
        assert_eq!(Times::default().table("it"), "");
    }
}
