//! On a terminal of 80 columns: what stands there is what a pipe gets, and no sequence of characters that
//! moves a cursor or changes a colour is a part of it.

use std::process::Command;

use super::support::{in_project, printed};

const COMMANDS: [&str; 5] = [
    "tasks",
    "models",
    "lens --model scholar-2 --prompt 'The soup is bad. So it is' --option ' good' --option ' bad' --answer 1",
    "next --model scholar-2 --prompt 'The soup is bad. So it is'",
    "orders --model scholar-2 --task mood --rows 20 --strategy drop,swap",
];

/// What `script` wrote down of a command on a terminal, with more in its environment.
fn on_a_terminal(command: &str, environment: &[(&str, &str)]) -> String {
    let program = env!("CARGO_BIN_EXE_atelier");
    let run = format!("stty cols 80 rows 24; exec '{program}' {command} 2>/dev/null");
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", &run, "/dev/null"]);
    script.env("TERM", "xterm-256color").env_remove("NO_COLOR").envs(environment.iter().copied());
    script.env("ATELIER_MODELS", in_project("target/no-models"));
    let output = script.stdin(std::process::Stdio::null()).output().expect("script");
    let shown = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(output.status.success(), "{command}: {shown}");
    shown.replace("\r\n", "\n")
}

#[test]
fn tables_are_what_a_pipe_gets() {
    for command in COMMANDS {
        let words: Vec<String> = words(command);
        let piped = printed(&words);
        for environment in [&[][..], &[("NO_COLOR", "1")], &[("TERM", "dumb")]] {
            assert_eq!(on_a_terminal(command, environment), piped, "{command}: {environment:?}");
        }
    }
}

/// A line as a shell cuts it: blanks divide, but between quotes.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    let words = parts.flat_map(|(index, part)| -> Vec<String> {
        if index % 2 == 1 {
            return vec![part.to_string()];
        }
        part.split_whitespace().map(str::to_string).collect()
    });
    words.collect()
}

/// Help has colours where a terminal has them, and nowhere else.
#[test]
fn help_is_plain_where_it_is_asked_to_be() {
    assert!(on_a_terminal("lens --help", &[]).contains('\u{1b}'));
    let piped = printed(&["lens", "--help"]);
    for environment in [&[("NO_COLOR", "1")], &[("TERM", "dumb")]] {
        assert_eq!(on_a_terminal("lens --help", environment), piped, "{environment:?}");
    }
}
