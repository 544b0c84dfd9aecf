//! Running programs, timing steps, and the one way to stop.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Why a chore cannot go on: one sentence, and the exact command that helps.
#[derive(Debug)]
pub struct Stop {
    why: String,
    command: Option<String>,
    pub code: u8,
}

impl Stop {
    pub fn new(why: impl Into<String>) -> Self {
        Self { why: why.into(), command: None, code: 1 }
    }

    pub fn usage(why: impl Into<String>) -> Self {
        Self { why: why.into(), command: Some("cargo xtask help".into()), code: 2 }
    }

    /// The sentence without the command.
    pub fn why(&self) -> &str {
        &self.why
    }

    /// The error with another sentence behind it.
    pub fn or(mut self, sentence: &str) -> Self {
        self.why = format!("{} {sentence}", self.why);
        self
    }

    /// The command that gets past this.
    pub fn try_running(mut self, command: impl Into<String>) -> Self {
        self.command = Some(command.into());
        self
    }

    pub fn file(doing: &str, path: &Path, error: &std::io::Error) -> Self {
        Self::new(format!("Could not {doing} {}: {error}.", path.display()))
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.why)?;
        match &self.command {
            Some(command) => write!(f, " Run:\n\n    {command}"),
            None => Ok(()),
        }
    }
}

/// Says that a step begins, does it, and says how long it took.
pub fn step<T>(what: &str, work: impl FnOnce() -> Result<T, Stop>) -> Result<T, Stop> {
    println!("… {what}");
    let clock = Instant::now();
    let done = work()?;
    println!("✓ {what} ({})", spell(clock.elapsed()));
    Ok(done)
}

/// Says that there is nothing to do for a step.
pub fn ready(what: &str) {
    println!("✓ {what}");
}

/// A duration as people say it.
pub fn spell(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 10.0 {
        format!("{seconds:.1} s")
    } else if seconds < 60.0 {
        format!("{seconds:.0} s")
    } else {
        let whole = seconds.round() as u64;
        format!("{} min {:02} s", whole / 60, whole % 60)
    }
}

/// Runs a program to its end with this terminal's input and output; `why` is the sentence to stop
/// with when it fails.
pub fn run(command: &mut Command, why: &str) -> Result<(), Stop> {
    let shown = show(command);
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(Stop::new(why).try_running(shown)),
        Err(error) => {
            Err(Stop::new(format!("{why} (It did not start: {error}.)")).try_running(shown))
        }
    }
}

/// Runs a program to its end without showing its output; if it fails, prints all of its output and stops with
/// the sentence `why`.
pub fn run_quietly(command: &mut Command, why: &str) -> Result<(), Stop> {
    let shown = show(command);
    match command.stdin(Stdio::null()).output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            for said in [output.stdout, output.stderr] {
                println!("{}", String::from_utf8_lossy(&said));
            }
            Err(Stop::new(why).try_running(shown))
        }
        Err(error) => {
            Err(Stop::new(format!("{why} (It did not start: {error}.)")).try_running(shown))
        }
    }
}

/// Returns the trimmed standard output of a program, if it runs and succeeds.
pub fn output(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_string())
}

/// Runs a program quietly for at most `limit`; whether it succeeded.
pub fn succeeds_within(command: &mut Command, limit: Duration) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = quiet.spawn() else {
        return false;
    };
    let clock = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if clock.elapsed() < limit => std::thread::sleep(Duration::from_millis(50)),
            // Out of time, or the child cannot be asked: both end the attempt.
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return false;
            }
        }
    }
}

/// The first of `names` that is a file in a folder of `PATH`.
pub fn on_path(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    names.iter().find_map(|name| {
        let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        std::env::split_paths(&path)
            .map(|folder| folder.join(&file))
            .find(|program| program.is_file())
    })
}

/// `PATH` with `folder` before everything else.
pub fn path_starting_with(folder: &Path, path: Option<&OsStr>) -> std::ffi::OsString {
    let rest = path.map(std::env::split_paths).into_iter().flatten();
    // Joining fails only for a folder with the separator in its name, which PATH cannot hold.
    std::env::join_paths(std::iter::once(folder.to_path_buf()).chain(rest))
        .unwrap_or_else(|_| path.unwrap_or_default().to_owned())
}

/// A command as one would type it in a shell, with the variables set for it.
pub fn show(command: &Command) -> String {
    let mut words = Vec::new();
    for (key, value) in command.get_envs() {
        // The search path is long, and the same as one's own but for its first entry.
        if let (Some(value), false) = (value, key == "PATH") {
            words.push(format!("{}={}", key.display(), quote(&value.to_string_lossy())));
        }
    }
    words.push(quote(&command.get_program().to_string_lossy()));
    words.extend(command.get_args().map(|word| quote(&word.to_string_lossy())));
    words.join(" ")
}

fn quote(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_=./:,@+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_string();
    }
    // A quote ends what is quoted, stands by itself, and begins the rest.
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_people_say_them() {
        assert_eq!(spell(Duration::from_millis(340)), "0.3 s");
        assert_eq!(spell(Duration::from_secs(42)), "42 s");
        assert_eq!(spell(Duration::from_millis(222_400)), "3 min 42 s");
        assert_eq!(spell(Duration::from_millis(119_700)), "2 min 00 s");
    }

    #[test]
    fn a_failed_command_is_shown_as_one_would_type_it() {
        let mut command = Command::new("cargo");
        command.args(["clippy", "--", "-D", "warn ings"]).env("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(show(&command), "RUSTDOCFLAGS='-D warnings' cargo clippy -- -D 'warn ings'");
        let mut command = Command::new("ls");
        command.arg("/it's here");
        assert_eq!(show(&command), r"ls '/it'\''s here'");
    }

    #[test]
    fn a_stop_is_a_sentence_and_a_command() {
        let stop = Stop::new("npm is missing.").try_running("sudo apt-get install npm");
        assert_eq!(stop.to_string(), "npm is missing. Run:\n\n    sudo apt-get install npm");
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_hangs_is_given_up() {
        let clock = Instant::now();
        assert!(!succeeds_within(Command::new("sleep").arg("30"), Duration::from_millis(200)));
        assert!(clock.elapsed() < Duration::from_secs(10));
        assert!(succeeds_within(&mut Command::new("true"), Duration::from_secs(10)));
    }
}
