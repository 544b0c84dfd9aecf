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
    let mut out = OutFile::new(args.out.as_deref(), there, &args.inputs())?;
    // Before the place is held: standard input may be waited for.
    let input = args.input()?;
    let there_before = out.hold()?;
    let before =
        if args.resume && there_before { Stopped::read(&mut out)? } else { Stopped::default() };
    let models = several::files(args.models())?;
    let stop = interrupt::listen()?;
    let is_asked = |name: &&str| models.iter().any(|files| files.name == *name);
    if let Some(name) = before.names().find(|name| !is_asked(name)) {
        bail!(
            "{} was written for {name}, which is not asked now: give --out another file",
            out.path().display()
        );
    }
    let several = models.len() > 1;
    let mut reports: Vec<Report> = Vec::new();
    let mut is_stopped = false;
    for files in models {
        let hashes = match &input {
            Input::Rows(_) if out.is_named() => super::fingerprint::files(&files),
            _ => super::fingerprint::Files::new(),
        };
        let model = super::known::load(&files, &choice)?;
        let report = match &input {
            Input::Prompt(_) | Input::Ids(_) => one::report(&model, &args, &input, stop)?,
            Input::Rows(tasks) => {
                let asked = rows::AskedRows {
                    model: &model,
                    args: &args,
                    hashes: &hashes,
                    before: before.of(&model)?,
                    path: args.out.as_deref(),
                };
                let mut save = |report: &Report| {
                    out.save(|| {
                        let all = reports.iter().chain([report]).cloned().collect();
                        file(before.beside(all), several)
                    })
                };
                asked.run(tasks.clone(), stop, &mut save)?
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
        if out.is_named() {
            out.write(&file(before.beside(reports.clone()), several)?)?;
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
        return output::json(&report);
    }
    let mut reports = reports.into_iter();
    let report = reports.next().context("no model was asked")?;
    output::json(&report)
}
