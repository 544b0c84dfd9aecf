//! Command lines that are wrong, what ends a run, and what its exit code then says.

use std::process::Command;

use super::support::{atelier, refused};

#[test]
fn what_was_meant_is_said() {
    let why = refused(&["lenz"]);
    assert!(
        why.starts_with("unrecognized subcommand 'lenz'; tip: ") && why.contains("'lens'"),
        "{why}"
    );
    let why = refused(&["survey", "merge", "--jsn"]);
    let tip = "tip: a similar argument exists: '--json'; see `atelier survey merge --help`";
    assert!(why.ends_with(tip), "{why}");
    let why = refused(&["orders", "--rows", "many"]);
    assert!(why.ends_with("; see `atelier orders --help`"), "{why}");
}

/// A failure is 1, a wrong command line 2.
#[test]
fn codes_tell_failures_from_mistakes() {
    let ask = ["--ids", "1", "--rows", "2,3", "--answer", "0"];
    let code = |model: &[&str]| atelier(&[&["lens"][..], model, &ask[..]].concat()).status.code();
    assert_eq!(code(&["--model", "no-such-model"]), Some(1));
    assert_eq!(code(&[]), Some(2));
}

#[test]
fn more_threads_than_a_machine_has_are_not_begun() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_atelier"));
    let output = command.arg("models").env("RAYON_NUM_THREADS", "100000").output();
    let output = output.expect("atelier starts");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "atelier: RAYON_NUM_THREADS asks for 100000 threads: give it at most 1024, or take it away\n"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_printed_is_a_failure() {
    for ask in ["--help", "--version"] {
        let full = std::fs::File::create("/dev/full").expect("a full device");
        let mut command = Command::new(env!("CARGO_BIN_EXE_atelier"));
        let output = command.arg(ask).stdout(full).output().expect("atelier starts");
        assert_eq!(output.status.code(), Some(1), "{ask}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.starts_with("atelier: the help could not be printed: "), "{said}");
    }
}

#[cfg(unix)]
#[test]
fn a_signal_is_told_by_its_number() {
    for (signal, code) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_atelier"));
        command.args(["generate", "--model", "scholar-12", "--prompt", "Ann", "--tokens", "100"]);
        let out = std::process::Stdio::piped();
        let mut child = command.stdout(out).spawn().expect("atelier starts");
        // It listens once it writes.
        let mut first = [0; 4];
        let stdout = child.stdout.as_mut().expect("its words");
        std::io::Read::read_exact(stdout, &mut first).expect("words");
        let kill = Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(kill.expect("kill").success());
        let found = child.wait().expect("an end").code();
        assert!(found == Some(code) || found == Some(0), "{signal}: {found:?}");
    }
}
