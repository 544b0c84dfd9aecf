//! A run resumes only with the same settings: other weights, rows, labels, engines and versions are refused by name,
//! and a file that is not as it was written is noticed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::support::{atelier, copy, line, printed, refused, refuses, two_options};
use crate::common::{copy_folder, succeeded};

/// Another number in the last tensor: the same names and shapes.
fn change_weights(model: &str) {
    let path = Path::new(model).join("model.safetensors");
    let mut bytes = std::fs::read(&path).expect("weights");
    let last = bytes.len() - 2;
    bytes[last] ^= 1;
    std::fs::write(&path, bytes).expect("written");
}

const OPTIONS: [&str; 2] = ["good", "bad"];

const ROWS: &str = "The soup is bad. So it is,1\nThe soup is good. So it is,0\n";

struct Survey {
    folder: tempfile::TempDir,
    model: String,
    task: [String; 2],
}

impl Survey {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let model = copy("scholar-2", &folder.path().join("mine"));
        let task = two_options(folder.path(), OPTIONS, ROWS);
        Self { folder, model, task }
    }

    fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    fn args(&self, more: &[&str]) -> Vec<String> {
        let out = self.out().display().to_string();
        let [task, data] = &self.task;
        let tasks = format!("mood,{task}");
        let own = ["survey", "--models", &self.model, "--tasks", &tasks];
        line(&own, &[&["--data", data, "--rows", "96", "--out", &out], more].concat())
    }

    /// Resumes it though something has changed: refused in a sentence with these words.
    #[track_caller]
    fn refuses(&self, says: &str) {
        refuses(&self.args(&["--resume"]), says);
    }
}

#[test]
fn a_survey_is_gone_on_with_by_what_began_it_alone() {
    let survey = Survey::new();
    let first = printed(&survey.args(&[]));
    assert_eq!(printed(&survey.args(&["--resume"])), first);

    change_weights(&survey.model);
    survey.refuses("begun with another model.safetensors of mine");
    change_weights(&survey.model);
    assert_eq!(printed(&survey.args(&["--resume"])), first);

    two_options(survey.folder.path(), OPTIONS, &ROWS.replace("bad. So it is,1", "bad. So it is,0"));
    survey.refuses("begun with other questions or right answers of two");
    two_options(survey.folder.path(), OPTIONS, &ROWS.replace("soup is bad", "soup is dull"));
    survey.refuses("begun with other questions or right answers of two");
    two_options(survey.folder.path(), OPTIONS, &format!("{ROWS}The soup is fine. So it is,0\n"));
    survey.refuses("begun with 2 rows of two, and now they are 3");
    two_options(survey.folder.path(), OPTIONS, ROWS);

    let path = survey.out().join("survey.json");
    let asked = std::fs::read_to_string(&path).expect("what was asked");
    let edited = |field: &str, value: Value, says: &str| {
        let mut edited: Value = serde_json::from_str(&asked).expect("JSON");
        edited[field] = value;
        std::fs::write(&path, edited.to_string()).expect("written");
        survey.refuses(says);
    };
    edited("program", "0.0.9".into(), "begun with another version of atelier (0.0.9, and this is");
    edited("engine", "webgpu".into(), "begun with another engine (webgpu, and now it is cpu)");
    edited("program", Value::Null, "not what a survey wrote");
}

/// Every tenth byte or so of what a resumed survey reads: the report is the same, or the run is
/// refused.
#[test]
fn no_flipped_bit_changes_a_report_unseen() {
    let survey = Survey::new();
    printed(&survey.args(&[]));
    let report = survey.out().join("survey.atelier.json");
    let whole = std::fs::read(&report).expect("a report");
    let mut seen = 0;
    let model = survey.out().join("rows/mine");
    let files =
        [("two.parquet", 151), ("two.sha256", 7), ("mood.parquet", 1009), ("model.json", 31)];
    for (file, step) in files {
        let path = model.join(file);
        let bytes = std::fs::read(&path).expect(file);
        for at in (0..bytes.len()).step_by(step) {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (at % 8);
            std::fs::write(&path, &flipped).expect("written");
            let output = atelier(&survey.args(&["--resume"]));
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            match output.status.code() {
                // Spaces between numbers, and a name that nobody reads: the numbers are checked.
                Some(0) if !file.ends_with(".parquet") => {
                    let now = std::fs::read(&report).expect("a report");
                    assert!(now == whole, "{file}: byte {at} changed the report unseen");
                }
                Some(1) => {
                    assert_eq!(errors.lines().count(), 1, "{file}, byte {at}: {errors}");
                    seen += 1;
                }
                other => panic!("{file}, byte {at}: {other:?} {errors}"),
            }
        }
        std::fs::write(&path, &bytes).expect("as it was");
    }
    assert!(seen > 20, "only {seen} were seen");
    printed(&survey.args(&["--resume"]));
    assert!(std::fs::read(&report).expect("a report") == whole);
}

#[test]
fn a_journal_that_was_touched_is_run_again() {
    let survey = Survey::new();
    printed(&survey.args(&[]));
    let report = survey.out().join("survey.atelier.json");
    let whole = std::fs::read(&report).expect("a report");
    // What a killed run leaves: a journal, one number of which is another.
    let rows = survey.out().join("rows/mine");
    std::fs::remove_file(rows.join("mood.parquet")).expect("removed");
    printed(&survey.args(&["--resume"]));
    assert!(std::fs::read(&report).expect("a report") == whole);
    let line = "0123456789abcdef {\"row\":0,\"line\":1,\"tokens\":9,\"answer\":3,\"answered\":3,\"correct\":true}\n";
    std::fs::remove_file(rows.join("mood.parquet")).expect("removed");
    std::fs::write(rows.join("mood.rows.part"), line).expect("written");
    printed(&survey.args(&["--resume"]));
    assert!(std::fs::read(&report).expect("a report") == whole);
}

#[test]
fn parts_are_merged_as_what_they_are() {
    let survey = Survey::new();
    let out = survey.out();
    let merge = |says: &str| refuses(&["survey", "merge", out.to_str().expect("UTF-8")], says);
    let run = |part: &str| {
        let output = atelier(&survey.args(&["--shard", part]));
        succeeded(&output);
    };
    let part = |name: &str| out.join(name);
    run("1/2");
    merge("part 2 of 2 is missing");
    // A part under another part's name: 128 rows of the 96 that were asked.
    copy_folder(&part("shard-1-of-2"), &part("shard-2-of-2"));
    merge("shard-2-of-2 holds part 1 of 2, not part 2 of 2: it was copied or renamed");
    // The rows of another part in a part of the right name.
    std::fs::remove_dir_all(part("shard-2-of-2")).expect("removed");
    run("2/2");
    let rows = "rows/mine/mood.parquet";
    let own = std::fs::read(part("shard-2-of-2").join(rows)).expect("rows");
    for file in [rows, "rows/mine/mood.sha256"] {
        std::fs::copy(part("shard-1-of-2").join(file), part("shard-2-of-2").join(file))
            .expect("a copy");
    }
    merge("is not shard 2 of mine's rows on mood, but shard 1 of mine on mood");
    std::fs::write(part("shard-2-of-2").join(rows), own).expect("written");
    // Parts that belong to another division, or to none.
    for (name, piece) in [
        ("shard-1-of-0", "shard-1-of-0 is no part of a survey"),
        ("shard-3-of-2", "shard-3-of-2 is no part of a survey"),
        ("shard-x", "shard-x is no part of a survey"),
        ("shard-1-of-3", "holds parts of 3 and of 2"),
    ] {
        std::fs::create_dir(part(name)).expect("a folder");
        merge(piece);
        std::fs::remove_dir(part(name)).expect("removed");
    }
    let alone = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(alone.path().join("shard-1-of-0")).expect("a folder");
    let merge_alone = ["survey", "merge", alone.path().to_str().expect("UTF-8")];
    refuses(&merge_alone, "shard-1-of-0 is no part of a survey");
    // A part of another survey.
    change_weights(&survey.model);
    std::fs::remove_dir_all(part("shard-2-of-2")).expect("removed");
    run("2/2");
    merge(
        "are no parts of one survey: the second was begun with another model.safetensors of mine",
    );
}

#[test]
fn a_sweep_is_gone_on_with_by_what_began_it_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = copy("scholar-2", &folder.path().join("mine"));
    let [task, data] = two_options(folder.path(), OPTIONS, ROWS);
    let out = folder.path().join("sweep.atelier.json");
    let path = out.display().to_string();
    let args = |tasks: &str, more: &[&str]| {
        let own = ["orders", "--model", &model, "--task", tasks, "--data", &data];
        line(&own, &[&["--strategy", "drop", "--rows", "20", "--out", &path], more].concat())
    };
    let both = format!("mood,{task}");
    let first = printed(&args(&both, &[]));
    let whole = std::fs::read(&out).expect("a report");
    assert_eq!(printed(&args(&both, &["--resume"])), first);
    assert!(std::fs::read(&out).expect("a report") == whole);

    let why = refused(&args(&both, &[]));
    assert!(why.contains("is there already") && why.contains("--force"), "{why}");
    refuses(&args("mood", &["--resume"]), "begun with two too, which is not asked now");
    let other = ["orders", "--model", "scholar-4", "--task", "mood", "--out", &path, "--resume"];
    refuses(&other, "was written for mine");
    change_weights(&model);
    refuses(&args(&both, &["--resume"]), "begun with another model.safetensors");
    change_weights(&model);
    two_options(folder.path(), OPTIONS, &ROWS.replace("bad. So it is,1", "bad. So it is,0"));
    refuses(&args(&both, &["--resume"]), "begun with other questions or right answers of two");
    two_options(folder.path(), OPTIONS, ROWS);

    let edited = |change: &dyn Fn(&mut Value), says: &str| {
        let mut report: Value = serde_json::from_slice(&whole).expect("JSON");
        change(&mut report["orders"][0]);
        std::fs::write(&out, report.to_string()).expect("written");
        refuses(&args(&both, &["--resume"]), says);
    };
    let engine = "begun with another engine (WebGPU, and now it is CPU (f16))";
    edited(&|orders| orders["fingerprint"]["engine"] = "WebGPU".into(), engine);
    let version = "begun with another version of atelier (0.0.9";
    edited(&|orders| orders["fingerprint"]["program"] = "0.0.9".into(), version);
    let text = String::from_utf8(whole.clone()).expect("UTF-8");
    let newer = text.replacen("{\"atelier\":1,", "{\"atelier\":2,", 1);
    assert_ne!(newer, text);
    std::fs::write(&out, newer).expect("written");
    refuses(&args(&both, &["--resume"]), "it was written by a newer atelier (layout 2");
    let none = "begun with an atelier that kept no fingerprints";
    edited(&|orders| drop(orders.as_object_mut().expect("a sweep").remove("fingerprint")), none);
    // A list of another length than there are rows.
    let cut = |orders: &mut Value| {
        orders["original"]["rows"]["kl"].as_array_mut().expect("a list").pop();
    };
    edited(
        &cut,
        "the sweep on “mood” does not fit the rest of the file (original: kl has 19 entries for 20 rows)",
    );

    printed(&args(&both, &["--force"]));
    assert!(std::fs::read(&out).expect("a report") == whole);
    let held = std::fs::File::open(&out).expect("a file");
    held.try_lock().expect("held");
    refuses(&args(&both, &["--resume"]), "another atelier is writing to ");
}

#[test]
fn strays_of_killed_surveys_are_taken_away() {
    let survey = Survey::new();
    printed(&survey.args(&[]));
    let strays =
        ["survey.json", "rows/mine/mood.parquet", "rows/mine/mood.sha256", "rows/mine/model.json"];
    let strays = strays.map(|name| survey.out().join(format!("{name}.aB3xYz.part")));
    let others = ["backup.001.part", "film.aB3xYz.part", "rows/mine/mood.parquet.001.part"];
    let others = others.map(|name| survey.out().join(name));
    for path in strays.iter().chain(&others) {
        std::fs::write(path, "half").expect("written");
    }
    printed(&survey.args(&["--resume"]));
    assert_eq!(strays.iter().find(|path| path.exists()), None);
    assert_eq!(others.iter().find(|path| !path.exists()), None, "a reader's own");
}

/// A run that is killed when the rows are written, and before it took away what they were made of.
#[test]
fn what_a_killed_run_left_beside_its_rows_is_taken_away() {
    let survey = Survey::new();
    let first = printed(&survey.args(&[]));
    let left = ["rows/mine/mood.rows.part", "rows/mine/mood.failed"];
    for name in left {
        std::fs::write(survey.out().join(name), "left").expect("written");
    }
    assert_eq!(printed(&survey.args(&["--resume"])), first);
    for name in left {
        assert!(!survey.out().join(name).exists(), "{name}");
    }
}

/// A survey's folder may have come from others.
#[cfg(unix)]
#[test]
fn links_and_pipes_in_a_surveys_folder_are_not_followed() {
    let survey = Survey::new();
    printed(&survey.args(&[]));
    let own = survey.folder.path().join("own");
    let rows = survey.out().join("rows/mine/mood.parquet");
    let whole = std::fs::read(&rows).expect("rows");
    for name in [
        ".lock",
        "survey.json",
        "rows/mine/model.json",
        "rows/mine/mood.rows.part",
        "rows/mine/mood.parquet",
    ] {
        let path = survey.out().join(name);
        let before = std::fs::read(&path);
        if name.ends_with(".part") {
            std::fs::remove_file(&rows).expect("removed");
        }
        let refused_with = |what: &str| {
            let output = Command::new("timeout")
                .args(["120", env!("CARGO_BIN_EXE_atelier")])
                .args(survey.args(&["--resume"]))
                .output();
            let output = output.expect("atelier starts");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(1), "{what} at {name}: {said}");
        };
        let _ = std::fs::remove_file(&path);
        std::fs::write(&own, "a reader's own file").expect("written");
        std::os::unix::fs::symlink(&own, &path).expect("a link");
        refused_with("a link");
        let text = std::fs::read_to_string(&own).expect("a file");
        assert_eq!(text, "a reader's own file", "{name}");
        std::fs::remove_file(&path).expect("removed");
        let made = Command::new("mkfifo").arg(&path).status();
        assert!(made.expect("mkfifo").success());
        refused_with("a pipe");
        std::fs::remove_file(&path).expect("removed");
        if let Ok(before) = before {
            std::fs::write(&path, before).expect("put back");
        }
        std::fs::write(&rows, &whole).expect("put back");
    }
    printed(&survey.args(&["--resume"]));
}

/// A number that changed in a sweep's file is seen, and what is not asked again stays.
#[test]
fn a_sweep_is_gone_on_with_as_it_was_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("sweep.atelier.json");
    let path = out.display().to_string();
    let args = |more: &[&str]| {
        let own = ["orders", "--model", "scholar-2", "--task", "mood", "--strategy", "drop"];
        line(&own, &[&["--rows", "20", "--out", &path], more].concat())
    };
    printed(&args(&["--geometry"]));
    let whole = std::fs::read(&out).expect("a report");
    printed(&args(&["--resume"]));
    assert!(std::fs::read(&out).expect("a report") == whole, "its geometry stays");
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut report: Value = serde_json::from_slice(&whole).expect("JSON");
        change(&mut report["orders"][0]);
        std::fs::write(&out, report.to_string()).expect("written");
        refuses(&args(&["--resume"]), "begun with other numbers than it holds now");
    };
    changed(&|sweep| {
        let first = &mut sweep["original"]["rows"]["correct"][0];
        *first = Value::Bool(first != &Value::Bool(true));
    });
    changed(&|sweep| sweep["variants"][1]["rows"]["kl"][3] = 0.25.into());
    changed(&|sweep| sweep["geometry"][0]["cosine_map"][0][1] = 0.5.into());
    changed(&|sweep| sweep["variants"][0]["measures"]["accuracy"]["mean"] = 0.5.into());
    changed(&|sweep| sweep["fingerprint"]["found"] = "".into());
}

#[cfg(unix)]
fn after(args: &[&str], ignored: &str, milliseconds: u64, signal: &str) -> Option<i32> {
    let mut child = Command::new("sh")
        .args(["-c", &format!("{ignored} exec \"$0\" \"$@\"")])
        .arg(env!("CARGO_BIN_EXE_atelier"))
        .args(args)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a shell");
    std::thread::sleep(Duration::from_millis(milliseconds));
    let id = child.id().to_string();
    let sent = Command::new("kill").args([signal, &id]).status();
    assert!(sent.expect("kill").success());
    child.wait().expect("an end").code()
}

/// `nohup` and a shell's background jobs ask that a signal be ignored.
#[cfg(unix)]
#[test]
fn an_ignored_signal_stays_ignored() {
    let folder = tempfile::tempdir().expect("a folder");
    for (signal, ignored) in [("-HUP", "trap '' HUP;"), ("-INT", "trap '' INT;")] {
        let path = folder.path().join(signal).display().to_string();
        let ask = ["survey", "--models", "scholar-4", "--tasks", "mood"];
        let run = [&ask[..], &["--rows", "600", "--out", &path]].concat();
        assert_eq!(after(&run, ignored, 400, signal), Some(0), "{signal}");
    }
}
