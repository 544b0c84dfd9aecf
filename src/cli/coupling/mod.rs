//! `atelier coupling`: how alike the linearised blocks are.

mod args;
mod lines;
mod one;
mod rows;
mod several;
mod shown;

pub use args::CouplingArgs;

use std::sync::atomic::Ordering;

use anyhow::{Context, bail};

use self::rows::Stopped;
use super::begun::end_stopped;
use super::out_file::{OutFile, There};
use super::rows_source::NamedRows;
use super::{interrupt, output};
use crate::study::coupling::{ModelsCoupling, ModelsCouplingReport};
use crate::study::report::{Report, VERSION};

/// The input of every model: one prompt, or rows of tasks.
pub enum Input {
    Prompt(String),
    Ids(Vec<u32>),
    Rows(Vec<NamedRows>),
}

pub fn run(args: CouplingArgs) -> anyhow::Result<()> {
    // What needs no model is checked before one is loaded.
    args.check()?;
    let choice = args.engine.choice()?;
    let there = There::of(args.force, args.resume);
    let mut out =
        args.out.as_deref().map(|path| OutFile::new(path, there, &args.inputs())).transpose()?;
    // Before the place is held: standard input may be waited for.
    let input = args.input()?;
    let there_before = match &mut out {
        Some(out) => out.hold()?,
        None => false,
    };
    let before = match &mut out {
        Some(out) if args.resume && there_before => Some(Stopped::read(out)?),
        _ => None,
    };
    let models = several::files(args.models())?;
    let stop = interrupt::listen()?;
    if let (Some(before), Some(out)) = (&before, &out) {
        let is_asked = |name: &&str| models.iter().any(|files| files.name == *name);
        if let Some(name) = before.names().find(|name| !is_asked(name)) {
            bail!(
                "{} was written for {name}, which is not asked now: give --out another file",
                out.path().display()
            );
        }
    }
    let several = models.len() > 1;
    let mut reports: Vec<Report> = Vec::new();
    let mut is_stopped = false;
    for files in models {
        let hashes = match (&out, &input) {
            (Some(_), Input::Rows(_)) => super::fingerprint::files(&files),
            _ => super::fingerprint::Files::new(),
        };
        let model = super::known::load(&files, &choice)?;
        let report = match &input {
            Input::Prompt(_) | Input::Ids(_) => one::report(&model, &args, &input, stop)?,
            Input::Rows(tasks) => {
                let mut rows = tasks.clone();
                if args.skip_long {
                    rows.iter_mut().for_each(|rows| rows.drop_long(&model));
                }
                let own_before = before.as_ref().map(|before| before.of(&model));
                let asked = rows::AskedRows {
                    model: &model,
                    args: &args,
                    hashes: &hashes,
                    before: own_before.transpose()?.flatten(),
                    path: args.out.as_deref(),
                };
                let mut save = |report: &Report| -> anyhow::Result<()> {
                    let Some(out) = &mut out else { return Ok(()) };
                    let all: Vec<Report> = reports.iter().chain([report]).cloned().collect();
                    let kept = before.as_ref().map_or(Vec::new(), |before| before.beside(&all));
                    out.save(&file(all.into_iter().chain(kept).collect(), several)?)
                };
                asked.run(rows, stop, &mut save)?
            }
        };
        args.engine.say_cost(&model);
        is_stopped = stop.load(Ordering::Relaxed);
        reports.extend(report);
        if is_stopped {
            break;
        }
    }
    let is_empty = reports.is_empty();
    if !is_empty && (!is_stopped || matches!(input, Input::Rows(_))) {
        if let Some(out) = &mut out {
            let kept = before.as_ref().map_or(Vec::new(), |before| before.beside(&reports));
            let all = reports.iter().cloned().chain(kept).collect();
            out.write(&file(all, several)?)?;
        }
        if args.json {
            output::print(&file(reports, several)?)?;
        } else if args.csv {
            output::print(&lines::csv(&reports))?;
        } else {
            let mut text: Vec<String> = reports.iter().map(shown::report).collect();
            if several {
                text.push(shown::models(&ModelsCoupling::of(reports)));
            }
            output::show(&text.join("\n"))?;
        }
    }
    if is_stopped {
        // Before the process ends: what was held and has nothing in it goes.
        drop(out);
        if matches!(input, Input::Rows(_)) {
            end_stopped(args.out.as_deref(), is_empty);
        }
        output::say("atelier: stopped before the end: nothing of one prompt is kept");
        std::process::exit(interrupt::code());
    }
    Ok(())
}

/// One model's report, or the comparison of several.
fn file(reports: Vec<Report>, several: bool) -> anyhow::Result<String> {
    if several {
        let report =
            ModelsCouplingReport { atelier: VERSION, coupling_models: ModelsCoupling::of(reports) };
        let json = serde_json::to_string(&report);
        return Ok(json.context("the report could not be written as JSON")? + "\n");
    }
    let mut reports = reports.into_iter();
    let report = reports.next().context("no model was asked")?;
    output::json(&report)
}
