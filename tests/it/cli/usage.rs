//! Command lines that are wrong, what ends a run, and what its exit code then says.

use std::process::Command;

use super::support::Folder;

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
        // So many tokens that it is not done before the signal comes.
        let model = Folder::copy_of("random-llama2");
        model.edit_config("max_position_embeddings", serde_json::json!(20_000));
        let mut command = Command::new(env!("CARGO_BIN_EXE_atelier"));
        command.args(["generate", "--ids", "1,5,9", "--tokens", "10000", "--model", &model.path()]);
        let out = std::process::Stdio::piped();
        let mut child = command.stdout(out).spawn().expect("atelier starts");
        // It listens once it writes.
        let mut first = [0; 4];
        let stdout = child.stdout.as_mut().expect("its words");
        std::io::Read::read_exact(stdout, &mut first).expect("words");
        let kill = Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(kill.expect("kill").success());
        let found = child.wait().expect("an end").code();
        assert_eq!(found, Some(code), "{signal}");
    }
}
