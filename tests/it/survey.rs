//! `atelier survey` as it is used: killed and gone on with, divided and merged, on every published
//! data set, and asked for what cannot be done.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use crate::cli::support::{shorten_context, two_options, words};
use crate::common::{self, copy_model, in_project, skipped, succeeded};
use atelier::study::survey::{SurveyReport, SurveyedOutcome};

fn atelier<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_atelier"));
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn output(mut command: Command) -> Output {
    command.output().expect("atelier starts")
}

#[track_caller]
fn done(command: Command) -> String {
    let output = output(command);
    succeeded(&output);
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The last sentence of a run that ends with code 1, or with 2 where the command line is wrong.
#[track_caller]
fn refused(command: Command) -> String {
    sentence(output(command))
}

#[track_caller]
fn refuses(command: Command, says: &str) {
    let sentence = refused(command);
    assert!(sentence.contains(says), "`{says}` is not in: {sentence}");
}

#[track_caller]
fn sentence(output: Output) -> String {
    let errors = String::from_utf8(output.stderr).expect("UTF-8");
    let last = errors.lines().last().expect("a sentence");
    let code = if last.ends_with(" --help`") { 2 } else { 1 };
    assert_eq!(output.status.code(), Some(code), "{errors}");
    last.strip_prefix("atelier: ").expect("who speaks").to_string()
}

/// A survey with these options, cut as a shell cuts them.
fn asked(options: &str, out: &Path) -> Command {
    let mut command = atelier(&words(&format!("survey {options}")));
    command.arg("--out").arg(out);
    command
}

fn survey(out: &Path, more: &[&str]) -> Command {
    let mut command =
        asked("--models scholar-2,scholar-12-shared --tasks sum,often --rows 150", out);
    command.args(more);
    command
}

fn merged(parts: &Path) -> Command {
    let mut command = atelier(&["survey", "merge"]);
    command.arg(parts);
    command
}

/// Every file below a folder but for locks and parts, by its path there.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = common::files(folder);
    let is_part = |name: &str| name.starts_with("shard-") || name == ".lock";
    all.retain(|path, _| !path.iter().any(|name| is_part(&name.to_string_lossy())));
    all
}

#[track_caller]
fn same(a: &Path, b: &Path) {
    let (a, b) = (files(a), files(b));
    let names: Vec<_> = a.keys().collect();
    assert_eq!(names, b.keys().collect::<Vec<_>>());
    for (name, bytes) in &a {
        assert!(bytes == &b[name], "{} differs", name.display());
    }
}

fn report(folder: &Path) -> SurveyReport {
    let text = std::fs::read_to_string(folder.join("survey.atelier.json")).expect("a report");
    SurveyReport::read(&text).expect("a survey")
}

/// A batch of numbers of two models was kept, under the SHA-256 of one.
#[test]
fn a_model_written_to_in_the_middle_is_not_certified() {
    let folder = tempfile::tempdir().expect("a folder");
    let [model, whole, changed] =
        ["model", "whole", "changed"].map(|name| folder.path().join(name));
    copy_model("scholar-12-shared", &model);
    let weights = model.join("model.safetensors");
    let long_ago = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let file = std::fs::File::options().write(true).open(&weights).expect("weights");
    file.set_modified(long_ago).expect("a time");
    let survey = |out: &Path, more: &[&str]| {
        let mut command = atelier(&["survey", "--tasks", "sum,often", "--rows", "150", "--models"]);
        command.arg(&model).arg("--out").arg(out).args(more);
        command
    };
    done(survey(&whole, &[]));

    // Once a batch is down, other numbers are written over the model's, in place.
    let stored = std::fs::read(&weights).expect("weights");
    let mut other = stored.clone();
    let header = u64::from_le_bytes(stored[..8].try_into().expect("eight bytes")) as usize;
    other[8 + header..].fill(0x3d);
    let part = changed.join("rows/model/sum.rows.part");
    let mut child = survey(&changed, &[]).spawn().expect("atelier starts");
    while std::fs::metadata(&part).map_or(0, |part| part.len()) == 0 {
        assert!(child.try_wait().expect("a child").is_none(), "it was not caught in the middle");
        std::thread::sleep(Duration::from_millis(2));
    }
    (&file).write_all(&other).expect("written in place");
    let last = sentence(child.wait_with_output().expect("an end"));
    assert!(last.starts_with("2 of 2 were not answered: model on sum: "), "{last}");
    assert!(last.contains("model.safetensors changed after this run opened it"), "{last}");
    assert!(!changed.join("rows/model/sum.parquet").exists());

    // The other model is no way on; the first one is, and the batches that were kept are its.
    refuses(survey(&changed, &["--resume"]), "begun with another model.safetensors of model");
    std::fs::write(&weights, &stored).expect("written back");
    done(survey(&changed, &["--resume"]));
    same(&whole, &changed);
}

#[test]
fn three_parts_merge_to_the_bytes_of_one_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let [whole, parts] = ["whole", "parts"].map(|name| folder.path().join(name));
    let printed = done(survey(&whole, &[]));
    for part in ["3/3", "1/3"] {
        done(survey(&parts, &["--shard", part]));
    }
    let merge = || merged(&parts);
    refuses(merge(), "part 2 of 3 is missing");
    done(survey(&parts, &["--shard", "2/3"]));
    assert_eq!(done(merge()), printed);
    same(&whole, &parts);
    // A part had failed when an earlier merge was made, and has its rows now.
    std::fs::write(parts.join("rows/scholar-2/sum.failed"), "it had no room").expect("written");
    assert_eq!(done(merge()), printed);
    same(&whole, &parts);
    let mut other = survey(&parts, &["--shard", "2/3", "--resume"]);
    other.args(["--shots", "1"]);
    refuses(other, "holds a survey that was begun with other --shots");
}

#[test]
fn one_folder_has_one_writer() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    std::fs::create_dir(&out).expect("a folder");
    let held = std::fs::File::create(out.join(".lock")).expect("a lock");
    held.try_lock().expect("held");
    assert!(refused(survey(&out, &[])).starts_with("another atelier is writing to "));
    // By its own word: a program that another test is about to start may hold it open yet.
    held.unlock().expect("let go");
    done(survey(&out, &["--json"]));
    refuses(survey(&out, &[]), "holds a survey already: continue it with --resume");
}

/// The accuracies on the scholars' card are of these rows.
#[test]
fn the_card_is_reproduced() {
    let folder = tempfile::tempdir().expect("a folder");
    done(asked("--models scholar-2 --tasks sum,fact,often", folder.path()));
    let report = report(folder.path());
    let found: Vec<(String, f64)> = report
        .survey
        .found()
        .map(|(_, task, found)| (task.name.clone(), found.averages.accuracy))
        .collect();
    let card = [("sum", 0.998), ("fact", 0.644), ("often", 1.0)];
    assert_eq!(found, card.map(|(task, accuracy)| (task.to_string(), accuracy)));
}

#[test]
fn what_a_survey_finds_adds_up() {
    let folder = tempfile::tempdir().expect("a folder");
    done(asked("--models scholar-2,scholar-4 --tasks mood,often,topic,sum", folder.path()));
    let report = report(folder.path());
    for (model, task, found) in report.survey.found() {
        let at = format!("{} on {}", model.name, task.name);
        let close =
            |a: f64, b: f64| assert!((a - b).abs() < 3e-6 * b.abs().max(1.0), "{at}: {a} {b}");
        let all = found.averages.columns();
        for column in [all.probability, all.logit, all.centred, all.offset] {
            let total = column.total;
            close(total.mse, total.bias - total.diversity);
            let by = column.by_kind;
            let kinds = [by.embedding, by.attention, by.mlp];
            close(kinds.iter().map(|kind| kind.bias).sum(), total.bias);
            close(kinds.iter().map(|kind| kind.diversity).sum(), total.diversity);
        }
        close(found.tradeoff.bias, all.logit.total.bias);
        close(found.tradeoff.diversity, all.logit.total.diversity);
        close(found.tradeoff.offset_diversity(), all.offset.total.diversity);
        let depth = &found.averages.by_depth;
        assert_eq!(depth.len(), model.members.len());
        close(depth[depth.len() - 1].accuracy, found.averages.accuracy);
        let uniform = match task.name.as_str() {
            "mood" => 0.25,
            "often" => 2.0 / 9.0,
            "topic" => 0.1875,
            _ => 0.09,
        };
        close(found.uniform, uniform);
        // Single tokens: the first word is right in no more rows than the options' likeliest.
        let [first, nats, perplexity, mass] =
            [found.first_word, found.log_likelihood, found.perplexity, found.mass]
                .map(|number| number.expect("the vocabulary was read"));
        assert!(first <= found.averages.accuracy && nats < 0.0 && 0.0 < mass && mass < 1.0, "{at}");
        close(perplexity, (-nats).exp());
        let information = found.information.as_ref().expect("two classes");
        let points = [&information.votes, &information.copula].into_iter();
        let points = points.flat_map(|estimate| estimate.curve.iter().chain(&estimate.kinds));
        for point in points {
            let sum = point.relevancy + point.conditional_redundancy - point.redundancy;
            close(sum, point.joint);
        }
        let stopped = &information.copula.stopped;
        match task.name.as_str() {
            "sum" => {
                assert!(stopped.as_ref().is_some_and(|why| why.contains("smallest class")), "{at}")
            }
            "mood" => assert_eq!(*stopped, None, "{at}"),
            _ => {}
        }
        assert_eq!(found.samples.len(), 8);
    }
    let correlations = &report.survey.correlations;
    assert_eq!(correlations.len(), 5);
    let mean = correlations[4].probability.minus_mse.pearson.expect("a mean");
    assert!(mean.r > 0.3 && mean.p.is_none(), "{mean:?}");
}

/// Rows say how hard they are; right answers are counted, told and drawn by that.
#[test]
fn right_answers_are_counted_by_level() {
    let folder = tempfile::tempdir().expect("a folder");
    let told = done(survey(folder.path(), &[]));
    assert!(told.contains("sum, digits") && told.contains("often, days"), "{told}");
    let report = report(folder.path());
    for (model, task, found) in report.survey.found() {
        let at = format!("{} on {}", model.name, task.name);
        let (counted, all) = match task.name.as_str() {
            "sum" => ("digits", 2..=9),
            _ => ("days", 2..=5),
        };
        assert_eq!(task.levels.as_deref(), Some(counted));
        let levels: Vec<usize> = found.levels.iter().map(|of| of.level).collect();
        assert_eq!(levels, all.collect::<Vec<_>>(), "{at}");
        // All levels in turn, but for sums of two digits, of which there are about ten.
        let rows: Vec<usize> = found.levels.iter().map(|of| of.rows).collect();
        assert_eq!(rows.iter().sum::<usize>(), found.averages.rows);
        let many = &rows[usize::from(task.name == "sum")..];
        let least = many.iter().min().expect("levels");
        assert!(many.iter().all(|rows| rows - least <= 1), "{at}: {rows:?}");
        assert!(rows[0] >= 8, "{at}: {rows:?}");
        let right: usize = found.levels.iter().map(|of| of.correct).sum();
        let share = right as f64 / found.averages.rows as f64;
        assert!((share - found.averages.accuracy).abs() < 1e-6, "{at}");
        assert!(found.samples.iter().all(|sample| sample.level.is_some()));
    }
    let mut figures = atelier(&["figures"]);
    let pictures = folder.path().join("pictures");
    figures.arg(folder.path()).arg("--out").arg(&pictures);
    done(figures);
    let table = std::fs::read_to_string(pictures.join("levels.csv")).expect("a table");
    assert!(table.starts_with("task,model,level,of,"), "{table}");
    // Two models, eight levels of one task and four of the other, under one line of names.
    assert_eq!(table.lines().count(), 1 + 2 * (8 + 4), "{table}");
    assert!(pictures.join("levels.svg").exists());
}

/// Three rows of each of the thirteen published sets, with two small models that know no such words.
#[test]
fn every_published_set_runs() {
    let data = in_project("../shared/data");
    let models = ["stories260k", "tinystories-656k"].map(common::model_folder);
    let ([Some(one), Some(two)], true) = (models, data.is_dir()) else { return };
    let tasks =
        "ag_news,arc_easy,boolq,mnli,qqp,rte,sst2,wic,lambada,hellaswag,winogrande,arc,gsm8k";
    let folder = tempfile::tempdir().expect("a folder");
    let models = format!("'{},{}'", one.display(), two.display());
    let options = format!("--models {models} --tasks {tasks} --data '{}'", data.display());
    let all = folder.path().join("all");
    done(asked(&format!("{options} --rows 3 --continuations"), &all));
    let report = report(&all);
    assert_eq!(report.survey.found().count(), 26);
    let mut own: Vec<String> = Vec::new();
    for (model, task, found) in report.survey.found() {
        let uniform = match task.name.as_str() {
            // Members vote among the right token and three rivals.
            _ if found.facts.rivals => 0.1875,
            "boolq" | "qqp" | "rte" | "sst2" | "wic" => 0.25,
            "mnli" => 2.0 / 9.0,
            _ => 0.1875,
        };
        let at = format!("{} on {}: {:?}", model.name, task.name, found.facts);
        assert!((found.uniform - uniform).abs() < 1e-6, "{at} {}", found.uniform);
        if !found.facts.rivals {
            own.push(format!("{} {}", model.name, task.name));
        }
    }
    // The options' tasks but those whose options begin alike for this tokenizer.
    assert_eq!(own.len(), 12, "{own:?}");
}

/// A question whose options are several tokens: refused with the way out, and others go on.
#[test]
fn a_model_that_cannot_answer_is_reported_and_others_go_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let [broken, short] = ["broken", "short"].map(|name| folder.path().join(name));
    [&broken, &short].into_iter().for_each(|folder| copy_model("scholar-2", folder));
    let weights = broken.join("model.safetensors");
    let bytes = std::fs::read(&weights).expect("weights");
    std::fs::write(&weights, &bytes[..bytes.len() / 2]).expect("half of them");
    shorten_context(&short);
    let out = folder.path().join("out");
    let models = format!("{},{},scholar-2", broken.display(), short.display());
    let said = refused(asked(&format!("--tasks topic --rows 40 --models '{models}'"), &out));
    assert!(said.starts_with("2 of 3 were not answered: broken on topic: "), "{said}");
    let report = report(&out);
    let why: Vec<&str> = report.survey.failed().map(|(_, _, why)| why).collect();
    assert!(why[0].contains("ends too early"), "{why:?}");
    assert!(why[1].contains("longer than the model's context of 8"), "{why:?}");
    let (model, _, found) = report.survey.found().next().expect("the last one");
    assert_eq!((model.name.as_str(), found.averages.rows), ("scholar-2", 40));
}

#[test]
fn options_of_several_tokens_are_refused_with_the_way_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = "The soup is bad. So it is,0\nThe soup is good. So it is,1\n";
    let [task, data] = two_options(folder.path(), ["not good", "bad"], rows);
    let ask = |out: &str, more: &str| {
        let options = format!("--models scholar-2 --tasks '{task}' --data '{data}' {more}");
        asked(&options, &folder.path().join(out))
    };
    let said = refused(ask("refused", ""));
    assert!(said.contains("is not one token but"), "{said}");
    assert!(said.contains("or give --continuations to score such options"), "{said}");
    let printed = done(ask("continuations", "--continuations"));
    assert!(printed.contains("scholar-2 on two: scored by continuation, since "), "{printed}");
    let report = report(&folder.path().join("continuations"));
    let (_, _, found) = report.survey.found().next().expect("a cell");
    // Two options that part at their first token: the votes are still about them.
    assert!(!found.facts.rivals);
    assert!((found.uniform - 0.25).abs() < 1e-9);
    // "not good" and "bad" exclude each other; one has two tokens.
    let (nats, perplexity) = (found.log_likelihood.expect("nats"), found.perplexity.expect("one"));
    assert!(found.mass.is_some_and(|mass| 0.0 < mass && mass < 1.0));
    assert!(1.0 < perplexity && perplexity < (-nats).exp(), "{perplexity} {nats}");
}

#[test]
fn few_rows_have_no_information_and_say_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let ask = |rows: &str, out: &str| {
        let [task, data] = two_options(folder.path(), ["bad", "good"], rows);
        let options = format!("--models scholar-2 --tasks '{task}' --data '{data}'");
        asked(&options, &folder.path().join(out))
    };
    let why = |out: &str| {
        let report = report(&folder.path().join(out));
        let (_, _, found) = report.survey.found().next().expect("a cell");
        found.information.clone().expect_err("a refusal")
    };
    assert!(refused(ask("", "none")).ends_with("two.csv: it holds no rows"));
    done(ask("The soup is bad. So it is,0\n", "one"));
    assert_eq!(why("one"), "1 rows carry no information to estimate: run at least two");
    let both = "The soup is bad. So it is,0\nThe soup is not good. So it is,0\n";
    done(ask(both, "class"));
    assert!(why("class").starts_with("all rows have the same right answer (option 0)"));
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_told_and_gone_on_with() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let run = format!(
        "ulimit -f 64; exec '{}' survey --models scholar-12 --tasks sum --rows 100 --out '{}'",
        env!("CARGO_BIN_EXE_atelier"),
        out.display()
    );
    let mut command = Command::new("sh");
    command.args(["-c", &run]).stdout(Stdio::piped()).stderr(Stdio::piped());
    refuses(command, "could not be written: make room, and continue with --resume");
    done(asked("--models scholar-12 --tasks sum --rows 100 --resume", &out));
    let report = report(&out);
    assert!(matches!(report.survey.cells[0].outcome, SurveyedOutcome::Found(_)));
}

#[test]
fn reports_that_were_touched_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    done(survey(folder.path(), &[]));
    let text =
        std::fs::read_to_string(folder.path().join("survey.atelier.json")).expect("a report");
    let report = SurveyReport::read(&text).expect("a survey");
    assert_eq!(report.json().expect("JSON"), text, "reading and writing change nothing");
    assert!(
        SurveyReport::read("{")
            .is_err_and(|error| error.to_string().starts_with("it is no atelier report ("))
    );
    let touched = text.replacen("\"rows\":150", "\"rows\":0", 1);
    assert_ne!(touched, text);
    let path = folder.path().join("touched.atelier.json");
    std::fs::write(&path, touched).expect("a file");
    let mut figures = atelier(&["figures"]);
    figures.arg(&path).arg("--out").arg(folder.path().join("pictures"));
    refuses(figures, "was it edited by hand?");
}

/// Read by another program than the one that wrote them: `cargo xtask test` prepares pyarrow.
#[test]
fn pyarrow_reads_the_rows() {
    let Some(python) = std::env::var_os("ATELIER_PYTHON") else {
        skipped(
            "no ATELIER_PYTHON with pyarrow (cargo xtask test prepares one); rows were not read back",
        );
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    done(survey(folder.path(), &[]));
    let script = r#"
import json, math, sys
import pyarrow.parquet as pq
file = pq.ParquetFile(sys.argv[1])
rows = file.read().to_pylist()
members = json.loads(file.schema_arrow.metadata[b"atelier.members"])
off = 0.0
for row in rows:
    k = len(row["logits"])
    assert len(row["member_logits"]) == k * len(members)
    for option, logit in enumerate(row["logits"]):
        off = max(off, abs(sum(row["member_logits"][option::k]) - logit))
    for column in ("probability", "logit", "centred", "offset"):
        mse, bias, diversity = (row[f"{column}_{part}"] for part in ("mse", "bias", "diversity"))
        assert abs(mse - (bias - diversity)) < 1e-9
    for part in ("mse", "bias", "diversity"):
        assert abs(row[f"logit_{part}"] - (row[f"centred_{part}"] + row[f"offset_{part}"])) < 1e-9
    for logit, nats in zip(row["logits"], row["log_likelihoods"]):
        assert abs(logit - row["log_partition"] - nats) < 1e-3
    assert abs(row["mass"] - sum(math.exp(nats) for nats in row["log_likelihoods"])) < 1e-9
    assert row["first_word"] == (row["option_ranks"][row["answer"]] == 1)
    assert row["answer_tokens"] == 1 and row["entropy"] > 0
    assert row["choices"][row["right"]] and row["prompt"]
    assert row["level"] in (2, 3, 4, 5)
assert off < 1e-3, off
print(len(rows), sum(row["correct"] for row in rows), [row["row"] for row in rows] == list(range(len(rows))))
"#;
    let read = Command::new(python)
        .args(["-c", script])
        .arg(folder.path().join("rows/scholar-12-shared/often.parquet"))
        .output()
        .expect("Python starts");
    succeeded(&read);
    let report = report(folder.path());
    let (_, _, found) = report
        .survey
        .found()
        .find(|(model, task, _)| model.name == "scholar-12-shared" && task.name == "often")
        .expect("the cell");
    let right = (found.averages.accuracy * 150.0).round();
    assert_eq!(String::from_utf8_lossy(&read.stdout).trim(), format!("150 {right} True"));
}

/// The scheduler's script as the scheduler runs it, for all parts of a small survey.
#[cfg(unix)]
#[test]
fn the_job_array_example_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let [whole, parts] = ["whole", "parts"].map(|name| folder.path().join(name));
    done(asked("--models scholar-2 --tasks mood,sum", &whole));
    let script = in_project("examples/survey.slurm.sh");
    for index in 1..=8 {
        let mut job = Command::new("sh");
        job.arg(&script)
            .env("ATELIER", env!("CARGO_BIN_EXE_atelier"))
            .env("MODELS", "scholar-2")
            .env("TASKS", "mood,sum")
            .env("OUT", &parts)
            .env("SLURM_ARRAY_TASK_ID", index.to_string())
            // As it is for `sbatch --array=3`, which repeats one part.
            .env("SLURM_ARRAY_TASK_COUNT", "1")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        done(job);
    }
    done(merged(&parts));
    same(&whole, &parts);
    // The other scheduler's example asks with the same options.
    let kubernetes = include_str!("../../examples/survey.kubernetes.yaml");
    for option in [
        "--models",
        "--tasks",
        "--data",
        "--out",
        "--shard $((JOB_COMPLETION_INDEX + 1))/8",
        "--resume",
    ] {
        assert!(kubernetes.contains(option), "{option}");
    }
}

/// A log file of a survey over night says how far it is.
#[test]
fn without_a_terminal_every_finished_cell_is_a_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let command = asked("--models scholar-2 --tasks sum,often --rows 20", folder.path());
    let errors = String::from_utf8(output(command).stderr).expect("UTF-8");
    let lines: Vec<&str> = errors.lines().collect();
    assert_eq!(
        lines,
        [
            "atelier: scholar-2 on sum is done: 20 of 40 rows in all",
            "atelier: scholar-2 on often is done: 40 of 40 rows in all",
        ]
    );
}
