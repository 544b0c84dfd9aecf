//! Where results go: nothing is written over unasked, and nothing that is no file is replaced.

use super::support::{Folder, atelier, model, printed, refused, refuses};
use crate::common::skipped;

const IDS: [&str; 6] = ["--ids", "1,5,9", "--rows", "17,230", "--answer", "0"];

fn lens<'a>(model: &'a str, out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["lens", "--model", model], &IDS[..], &["--json", "--out", out], more].concat()
}

#[test]
fn what_is_there_is_replaced_by_force_alone() {
    let folder = Folder::copy_of("random-llama2");
    let model = model("random-llama2");
    folder.write("lens.atelier.json", b"what was there before");
    let out = folder.file("lens.atelier.json").display().to_string();
    let why = refused(&lens(&model, &out, &[]));
    assert!(why.contains("lens.atelier.json is there already") && why.contains("--force"), "{why}");
    assert_eq!(folder.read("lens.atelier.json"), b"what was there before");
    printed(&lens(&model, &out, &["--force"]));
    assert!(folder.read("lens.atelier.json").starts_with(b"{\"atelier\":1"));
    // An empty file is nothing that could be lost.
    folder.write("empty.atelier.json", b"");
    let empty = folder.file("empty.atelier.json").display().to_string();
    printed(&lens(&model, &empty, &[]));
}

/// A file that came there while a run was at work was replaced once.
#[test]
fn a_place_that_another_run_holds_is_left_to_it() {
    let folder = Folder::with_words("random-llama2", &["the", "ball", "is", "red", "blue"]);
    folder.write("held.json", b"");
    let held = std::fs::File::open(folder.file("held.json")).expect("a file");
    held.try_lock().expect("held");
    let rows = r#"{"prompt": "the ball is", "options": [" red", " blue"], "answer": 1}"#;
    folder.write("rows.jsonl", rows.as_bytes());
    let [model, out] = [folder.path(), folder.file("held.json").display().to_string()];
    let rows = folder.file("rows.jsonl").display().to_string();
    let many = ["lens", "--model", &model, "--prompts", &rows, "--out", &out];
    let need = ["need", "--model", "scholar-2", "--task", "sum", "--rows", "1", "--out", &out];
    for args in [&lens(&model, &out, &[])[..], &many, &need] {
        refuses(args, "another atelier is writing to ");
    }
    // Held only once standard input has come: who stops the waiting leaves no empty file.
    for command in ["orders", "coupling", "need", "lens"] {
        let why = refused(&[command, "--model", "scholar-2", "--prompts", "-", "--out", &out]);
        assert!(why.contains("holds no rows"), "{command}: {why}");
    }
}

#[test]
fn a_name_may_be_as_long_as_a_disk_takes() {
    let folder = Folder::with_words("random-llama2", &["the", "ball", "is", "red", "blue"]);
    let model = folder.path();
    let name = format!("{}.atelier.json", "a".repeat(242));
    printed(&lens(&model, &folder.file(&name).display().to_string(), &[]));
    assert!(folder.read(&name).starts_with(b"{\"atelier\":1"));
}

#[test]
fn what_is_read_is_not_written() {
    let folder = Folder::with_words("random-llama2", &["the", "ball", "is", "red", "blue"]);
    let rows = r#"{"prompt": "the ball is", "options": [" red", " blue"], "answer": 1}"#;
    folder.write("rows.jsonl", rows.as_bytes());
    let (path, file) = (folder.path(), folder.file("rows.jsonl").display().to_string());
    for out in [&file, &folder.file("config.json").display().to_string()] {
        refuses(
            &["lens", "--model", &path, "--prompts", &file, "--out", out],
            "is one of the files that are read",
        );
    }
    #[cfg(unix)]
    {
        let link = folder.file("link.jsonl");
        std::os::unix::fs::symlink(&file, &link).expect("a link");
        let link = link.display().to_string();
        refuses(
            &["lens", "--model", &path, "--prompts", &file, "--out", &link],
            "is one of the files that are read",
        );
    }
    assert_eq!(folder.read("rows.jsonl"), rows.as_bytes());
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_its_target_is_written() {
    let folder = Folder::copy_of("random-llama2");
    let model = model("random-llama2");
    folder.write("target.json", b"");
    for (link, target) in [("link.json", "target.json"), ("dangling.json", "new.json")] {
        let link = folder.file(link);
        std::os::unix::fs::symlink(target, &link).expect("a link");
        printed(&lens(&model, link.to_str().expect("UTF-8"), &[]));
        assert!(link.symlink_metadata().expect("a link").is_symlink());
        assert!(folder.read(target).starts_with(b"{\"atelier\":1"));
    }
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_written_into() {
    use std::os::unix::fs::FileTypeExt;
    let folder = Folder::copy_of("random-llama2");
    let model = model("random-llama2");
    let pipe = folder.file("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo").success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::read_to_string(pipe).expect("what came")
    });
    let said = printed(&lens(&model, pipe.to_str().expect("UTF-8"), &[]));
    assert_eq!(reader.join().expect("a reader"), said);
    assert!(pipe.symlink_metadata().expect("a pipe").file_type().is_fifo());
    // Through a link, so that a mistake here cannot replace the system's own.
    let null = folder.file("null");
    std::os::unix::fs::symlink("/dev/null", &null).expect("a link");
    printed(&lens(&model, null.to_str().expect("UTF-8"), &[]));
    let kind = std::fs::metadata(&null).expect("a device").file_type();
    assert!(kind.is_char_device() && null.is_symlink());
    let full = folder.file("full");
    std::os::unix::fs::symlink("/dev/full", &full).expect("a link");
    let output = atelier(&lens(&model, full.to_str().expect("UTF-8"), &[]));
    assert_eq!(output.status.code(), Some(1));
}

/// Before anything runs: the model is not even looked for.
#[cfg(unix)]
#[test]
fn a_place_that_cannot_be_written_is_told_first() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let closed = folder.path().join("closed");
    std::fs::create_dir(&closed).expect("a folder");
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o555)).expect("closed");
    if std::fs::write(closed.join("x"), "").is_ok() {
        skipped("this user may write anywhere");
        return;
    }
    let out = closed.join("lens.atelier.json").display().to_string();
    refuses(&lens("no-such-model", &out, &[]), "cannot be written");
}

#[test]
fn a_models_folder_is_not_written_into() {
    let folder = Folder::copy_of("random-llama2");
    let before = folder.read("model.safetensors");
    let out = folder.path();
    let why = refused(&["train", "--tokens", "1", "--blocks", "1", "--out", &out]);
    assert!(why.contains("holds a model already") && why.contains("--force"), "{why}");
    refuses(
        &["survey", "--models", "scholar-2", "--tasks", "mood", "--out", &out],
        "is a model's folder",
    );
    assert_eq!(folder.read("model.safetensors"), before);
    folder.write("rows.jsonl", b"mine");
    let rows = folder.file("rows.jsonl").display().to_string();
    let draw = ["train", "rows", "--task", "sum", "--rows", "2", "--out", &rows];
    refuses(&draw, "is there already");
    printed(&[&draw[..], &["--force"]].concat());
    assert_eq!(folder.read("rows.jsonl").split(|&c| c == b'\n').count(), 3);
}

/// Models kept along the way would be taken for those of the training that replaces theirs.
#[test]
fn a_training_that_is_replaced_leaves_nothing_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = |name: &str| folder.path().join(name).display().to_string();
    let train = |name: &str, rest: &[&str]| -> Vec<String> {
        let place = out(name);
        let small = ["train", "--blocks", "1", "--width", "32", "--snapshots"];
        let words = [&small[..], &["--out", &place], rest].concat();
        words.into_iter().map(str::to_owned).collect()
    };
    let steps = |name: &str| -> Vec<String> {
        let entries = std::fs::read_dir(out(name)).expect("a folder");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let mut names: Vec<String> = names.filter_map(|name| name.into_string().ok()).collect();
        names.retain(|name| name.starts_with("step-"));
        names.sort();
        names
    };
    let short = ["--seed", "2", "--tokens", "4000"];
    let trained = |line: &[String]| {
        let output = atelier(line);
        assert!(output.status.success(), "{line:?}");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    trained(&train("alone", &short));
    trained(&train("run", &["--tokens", "9000"]));
    assert_ne!(steps("run"), steps("alone"));
    let why = refused(&train("run", &["--tokens", "9000", "--resume"]));
    assert!(why.contains("no state to resume") && why.contains("--force"), "{why}");
    refuses(&train("new", &["--tokens", "9000", "--resume"]), "no training to resume");
    assert!(!folder.path().join("new").exists(), "nothing is made for it");
    std::fs::create_dir(folder.path().join("run/step-mine")).expect("a folder");
    let said = trained(&train("run", &[&short[..], &["--force"]].concat()));
    assert!(said.contains("tokens from seed 2;"), "{said}");
    std::fs::remove_dir(folder.path().join("run/step-mine")).expect("the reader's own stays");
    assert_eq!(steps("run"), steps("alone"));
}

#[test]
fn a_gguf_models_folder_is_not_written_into() {
    let folder = tempfile::tempdir().expect("a folder");
    let gguf = "tests/models/gguf/random-llama3-wide-q4_k.gguf";
    let there = folder.path().join("mine.gguf");
    std::fs::copy(super::support::in_project(gguf), there).expect("a copy");
    let out = folder.path().display().to_string();
    refuses(&["train", "--tokens", "1", "--blocks", "1", "--out", &out], "holds a model already");
    let survey = ["survey", "--models", "scholar-2", "--tasks", "mood"];
    refuses(&[&survey[..], &["--out", &out]].concat(), "is a model's folder");
    let names = std::fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(names, 1, "nothing is put beside it");
}

/// A second file of weights, or a tokenizer, makes another model of the folder, or none.
#[test]
fn nothing_is_added_to_a_model() {
    let folder = Folder::copy_of("random-llama2");
    let own = folder.path();
    for name in ["tokenizer.json", "x.safetensors", "x.gguf", "model.safetensors.index.json"] {
        let out = folder.file(name).display().to_string();
        for model in [own.as_str(), &model("random-llama2")] {
            refuses(&lens(model, &out, &[]), "would be taken for a part of the model");
        }
        assert!(!folder.file(name).exists());
    }
    printed(&lens(&own, &folder.file("x.json").display().to_string(), &[]));
}

#[cfg(unix)]
#[test]
fn sockets_and_links_without_an_end_are_told_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let [socket, link] = ["socket", "link"].map(|name| folder.path().join(name));
    let _listener = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
    std::os::unix::fs::symlink("link", &link).expect("a link");
    for (out, says) in [(socket, "is a socket"), (link, "is a link that leads to itself")] {
        refuses(&lens("no-such-model", out.to_str().expect("UTF-8"), &[]), says);
        assert!(out.symlink_metadata().is_ok());
    }
}
