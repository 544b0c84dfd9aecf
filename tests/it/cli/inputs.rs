//! Inputs: no pipe is waited for, no device is read that never ends, no number is taken that is more than there is.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::support::{Folder, Tensor, atelier, printed, refuses, two_options, words};
use crate::common::succeeded;

fn model_of_words() -> Folder {
    Folder::with_words("random-llama2", &["the", "ball", "is", "red", "blue"])
}

/// Refused within seconds.
#[cfg(unix)]
#[track_caller]
fn soon(args: &[&str], piece: &str) {
    let began = Instant::now();
    let mut child = Command::new("timeout")
        .args(["60", env!("CARGO_BIN_EXE_atelier")])
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("atelier starts");
    let code = child.wait().expect("an end").code();
    let mut said = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().expect("stderr"), &mut said)
        .expect("UTF-8");
    assert_eq!(code, Some(1), "{args:?}: {said}");
    assert!(said.contains(piece), "{piece} is not in: {said}");
    assert!(began.elapsed() < Duration::from_secs(50));
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_not_read() {
    let folder = model_of_words();
    let pipe = folder.file("pipe.toml");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo").success());
    let (model, pipe) = (folder.path(), pipe.display().to_string());
    let device = "it is a pipe or a device, and only files are read";
    for input in [&pipe, "/dev/zero"] {
        soon(&["lens", "--model", &model, "--prompts", input], device);
        soon(&["orders", "--model", &model, "--prompts", input], device);
        soon(&["tasks", "check", "lambada", "--data", input], device);
        soon(&["figures", input, "--out", &folder.file("x").display().to_string()], device);
    }
    soon(&["tasks", "check", &pipe], device);
    folder.write("large.toml", &vec![b'#'; 2 << 20]);
    let large = folder.file("large.toml").display().to_string();
    soon(&["tasks", "check", &large], "larger than 1 MB");
}

#[test]
fn more_rows_than_there_are() {
    let folder = model_of_words();
    let row = r#"{"prompt": "the ball is", "options": [" red", " blue"], "answer": 1}"#;
    folder.write("rows.jsonl", format!("{row}\n{row}\n").as_bytes());
    let (path, file) = (folder.path(), folder.file("rows.jsonl").display().to_string());
    let orders = format!("orders --model '{path}' --prompts '{file}' --strategy drop");
    let text = printed(&words(&format!("{orders} --rows 1000000000")));
    assert!(text.contains("2 rows"), "{text}");
}

/// Needs and sweeps hold what is done before the row that the engine fails on.
#[test]
fn an_error_of_the_engine_keeps_the_rows_that_are_done() {
    // The first number of `huge` alone overflows in the first attention.
    let folder = Folder::with_words("random-llama2", &["the", "ball", "is", "red", "blue", "huge"]);
    folder.edit_tensors(|name, mut tensor| {
        let rows = tensor.data.chunks_exact_mut(4 * tensor.shape.last().expect("a width"));
        for (n, row) in rows.enumerate() {
            let first: f32 = match name {
                "model.embed_tokens.weight" => f32::from(u8::from(n == 6)),
                "model.layers.0.self_attn.v_proj.weight" => 3e38,
                _ => continue,
            };
            row[..4].copy_from_slice(&first.to_le_bytes());
        }
        Some(tensor)
    });
    let row = |first: &str| {
        format!(r#"{{"prompt": "{first} ball is", "options": [" red", " blue"], "answer": 1}}"#)
    };
    let rows = [vec![row("the"); 16], vec![row("huge")]].concat().join("\n");
    folder.write("rows.jsonl", rows.as_bytes());

    let (path, file) = (folder.path(), folder.file("rows.jsonl").display().to_string());
    for (command, part) in [("need", "need"), ("orders --strategy drop", "orders")] {
        let out = folder.file(&format!("{part}.atelier.json"));
        let line =
            format!("{command} --model '{path}' --prompts '{file}' --out '{}'", out.display());
        let ended = atelier(&words(&line));
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(1), "{said}");
        assert!(said.contains("a value overflowed in the attention of block 0"), "{said}");
        let report: serde_json::Value =
            serde_json::from_slice(&std::fs::read(&out).expect("a report")).expect("JSON");
        assert_eq!(report[part][0]["rows"], 16, "{said}");
    }
}

/// `--level` draws rows of that level alone, which run like any prompts.
#[test]
fn rows_are_of_the_level_that_is_asked_for() {
    let folder = model_of_words();
    let rows = folder.file("rows.jsonl").display().to_string();
    let draw = ["train", "rows", "--task", "sum", "--rows", "3"];
    let nine = [&draw[..], &["--level", "9", "--out", &rows]].concat();
    printed(&nine);
    let text = std::fs::read_to_string(&rows).expect("rows");
    for line in text.lines() {
        let row: serde_json::Value = serde_json::from_str(line).expect("a row");
        assert_eq!(row["level"], 9, "{line}");
        assert_eq!(line.matches(" + ").count(), 8, "{line}");
    }
    let table = printed(&["lens", "--model", "scholar-2", "--prompts", &rows]);
    assert!(table.contains("3 prompts"), "{table}");
    let mixed = printed(&draw);
    assert!(mixed.contains("\"level\":2") && mixed.contains("\"level\":4"));
}

#[cfg(unix)]
#[test]
fn a_listener_that_is_gone_ends_the_run_as_a_pipe_does() {
    let gone = |line: &str| {
        let line = format!("(trap '' PIPE; {line}; echo $? >&3) 2>&1 >/dev/null | true");
        let output = Command::new("sh")
            .args(["-c", &format!("exec 3>&1; {{ {line}; }}")])
            .output()
            .expect("sh");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let atelier = env!("CARGO_BIN_EXE_atelier");
    // Long enough after the reader is gone.
    let code =
        gone(&format!("sleep 0.3; '{atelier}' lens --model nothing --ids 1 --rows 1,2 --answer 0"));
    assert_eq!(code.trim(), "141");
    let code =
        gone(&format!("sleep 0.3; '{atelier}' orders --model scholar-2 --task topic --rows 8"));
    assert_eq!(code.trim(), "141");
}

/// Weights near the largest that f32 holds: no answer is made of what overflowed.
#[test]
fn numbers_out_of_range_stop_the_run_with_block_and_branch() {
    let folder = model_of_words();
    let row = r#"{"prompt": "the ball is", "options": [" red", " blue"], "answer": 1}"#;
    folder.write("rows.jsonl", format!("{row}\n{row}\n").as_bytes());
    let large = |_: &str, mut tensor: Tensor| {
        for (at, number) in tensor.data.chunks_exact_mut(4).enumerate() {
            let large = if at % 3 == 0 { -3e38f32 } else { 3e38 };
            number.copy_from_slice(&large.to_le_bytes());
        }
        Some(tensor)
    };
    let path = folder.path();
    let file = folder.file("rows.jsonl").display().to_string();
    let lens = ["lens", "--model", &path, "--prompts", &file];
    let sweep = ["orders", "--model", &path, "--prompts", &file, "--strategy", "drop"];
    for (tensor, branch) in [
        ("model.layers.3.mlp.down_proj.weight", "the MLP of block 3"),
        ("model.layers.2.self_attn.o_proj.weight", "the attention of block 2"),
    ] {
        let change = |name: &str, before: Tensor| match name == tensor {
            true => large(name, before),
            false => Some(before),
        };
        folder.edit_tensors(change);
        let says = format!("a value overflowed in {branch}. ");
        for command in [&lens[..], &sweep[..]] {
            refuses(command, &says);
        }
        // A GPU does not say where: its sentence names who does.
        #[cfg(feature = "webgpu")]
        {
            let why = super::support::refused(&[&lens[..], &["--engine", "webgpu"]].concat());
            assert!(why.contains("the GPU gave a number that is not finite"), "{why}");
            assert!(why.contains("--engine cpu says in which block"), "{why}");
        }
    }
    let out = folder.file("survey").display().to_string();
    let [task, data] = two_options(&folder.file(""), ["red", "blue"], "the ball is,0\n");
    let output =
        atelier(&["survey", "--models", &path, "--tasks", &task, "--data", &data, "--out", &out]);
    let why = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{why}");
    assert!(why.contains("a value overflowed in the attention of block 2. "), "{why}");
}

#[test]
fn words_that_the_model_does_not_know_are_said() {
    let folder = model_of_words();
    let path = folder.path();
    let ask = |prompt: &str, option: &str| {
        atelier(&[
            "lens", "--model", &path, "--prompt", prompt, "--option", " red", "--option", option,
            "--answer", "0",
        ])
    };
    let said =
        |output: &std::process::Output| String::from_utf8(output.stderr.clone()).expect("UTF-8");
    let known = ask("the ball is", " blue");
    assert!(known.status.success() && said(&known).is_empty());
    let strange = ask("the zeppelin is", " blue");
    assert!(strange.status.success());
    assert_eq!(
        said(&strange),
        "atelier: the model does not know \"zeppelin\" and reads it as [UNK]: the answer is to another prompt\n"
    );

    let good = r#"{"prompt": "the ball is", "options": [" red", " blue"], "answer": 1}"#;
    let rows = format!("{good}\n{}\n", good.replace("ball", "zeppelin"));
    folder.write("rows.jsonl", rows.as_bytes());
    let file = folder.file("rows.jsonl").display().to_string();
    for command in ["lens", "orders", "need"] {
        let output = atelier(&[command, "--model", &path, "--prompts", &file]);
        let said = said(&output);
        assert!(output.status.success(), "{said}");
        assert!(said.contains("1 rows have words that the model does not know"), "{said}");
    }
}

#[test]
fn surveys_refuse_options_that_are_not_known_and_count_such_prompts() {
    let folder = model_of_words();
    let run = |option: &str, out: &str| {
        let rows = "the ball is,0\nthe zeppelin is,1\n";
        let [task, data] = two_options(&folder.file(""), ["red", option], rows);
        let (path, out) = (folder.path(), folder.file(out).display().to_string());
        atelier(&["survey", "--models", &path, "--tasks", &task, "--data", &data, "--out", &out])
    };
    let output = run("blue", "known");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    succeeded(&output);
    assert!(text.contains("1 rows have words that the model does not know"), "{text}");
    let output = run("mauve", "unknown");
    let why = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1));
    assert!(why.contains("does not know the option \" mauve\""), "{why}");
}

/// Some tokenizers carry the dropout of their model's training.
#[test]
fn the_same_text_is_the_same_tokens() {
    let folder = model_of_words();
    let tokenizer = serde_json::json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
        "pre_tokenizer": null, "post_processor": null, "decoder": null,
        "model": {
            "type": "BPE", "dropout": 0.5, "unk_token": null, "continuing_subword_prefix": null,
            "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false,
            "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]
        }
    });
    folder.write("tokenizer.json", tokenizer.to_string().as_bytes());
    let path = folder.path();
    let text = ["lens", "--model", &path, "--prompt", "abababababab", "--json"];
    let options = ["--option", "a", "--option", "b", "--answer", "0"];
    let report = super::support::report(&[&text[..], &options[..]].concat());
    assert_eq!(report["lens"]["token_ids"], serde_json::json!([2, 2, 2, 2, 2, 2]));
}
