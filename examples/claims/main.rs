//! Claims of the papers about one model, from what the runs of docs/smollm2.md wrote.
//!
//! ```sh
//! cargo run --example claims -- runs/survey runs/text runs/plain
//! cargo run --example claims -- runs/coupling-1.atelier.json runs/coupling-2.atelier.json
//! cargo run --example claims -- runs/lambada.atelier.json runs/cosines.atelier.json
//! cargo run --example claims -- runs/need.atelier.json runs/survey/survey.atelier.json
//! ```
//!
//! Takes folders of surveys: the first holds the eight tasks of *Diversity of Transformer Layers*. The second holds
//! ARC-Easy with answers as text and the third tasks in plain English; either may be missing. Each holds one model.
//! Files hold the couplings of prompts or of rows, sweeps over orders, losses without parts, or the survey of the same
//! tasks: all of one model, and each task swept once.

mod painters;
mod rows;
mod shapes;
mod steps;
mod stream;
mod tokens;
mod verdict;
mod whole;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use atelier::study::need::Need;
use atelier::study::report::{Opened, Report};
use atelier::study::survey::Survey;
use painters::TaskOrders;
use rows::TaskRows;
use tokens::PromptCoupling;
use verdict::{Found, percent, spelled};

#[allow(dead_code)] // Its test calls `run`.
fn main() -> anyhow::Result<()> {
    let folders: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    print!("{}", run(&folders)?);
    Ok(())
}

/// The tables of all claims that these surveys, or these couplings, can speak to, as Markdown.
///
/// # Errors
/// No folder, a folder of several models, or rows that cannot be read.
pub fn run(folders: &[PathBuf]) -> anyhow::Result<String> {
    if folders.first().is_some_and(|first| first.is_file()) {
        return of_files(folders);
    }
    let [survey, others @ ..] = folders else {
        anyhow::bail!("name the folder of a survey");
    };
    let tasks = tasks(survey)?;
    let text = others.first().map(|folder| self::tasks(folder)).transpose()?;
    let plain = others.get(1).map(|folder| self::tasks(folder)).transpose()?.unwrap_or_default();

    let mut found = whole::claims(&tasks, text.iter().flatten().next());
    found.extend(stream::claims(&tasks, &plain));
    // D2 before D10.
    found.sort_by_key(|found| {
        let number = found.claim.trim_start_matches('D').split(' ').next();
        number.and_then(|number| number.parse::<usize>().ok())
    });
    let text_and_plain: Vec<&TaskRows> = text.iter().flatten().chain(&plain).collect();
    let all: Vec<&TaskRows> = tasks.iter().chain(text_and_plain).collect();
    Ok(format!("{}\n{}", table(&found), by_task(&all)))
}

/// The table of claims that reports can speak to, all of one model.
fn of_files(files: &[PathBuf]) -> anyhow::Result<String> {
    let mut reports: Vec<Report> = Vec::new();
    let mut surveys: Vec<Survey> = Vec::new();
    let mut prompts: Vec<PromptCoupling> = Vec::new();
    for file in files {
        let shown = file.display();
        let bytes = std::fs::read(file).with_context(|| format!("{shown} is unreadable"))?;
        match Opened::read(&bytes).with_context(|| shown.to_string())? {
            Opened::Survey(survey) => surveys.push(*survey),
            Opened::Lens(report)
            | Opened::Prompts(report)
            | Opened::Lab(report)
            | Opened::Orders(report)
            | Opened::Coupling(report) => {
                if report.coupling.is_some() {
                    prompts.push(PromptCoupling::read(file)?);
                }
                reports.push(*report);
            }
            Opened::CouplingModels(_) => anyhow::bail!("{shown} holds several models, not one"),
        }
    }
    let model = reports.first().map_or("", |report| &report.model.name);
    let is_one = reports.iter().all(|report| report.model.name == model);
    ensure!(is_one, "the reports are of several models");

    // A coupling's own orders are what its costs are made of.
    let swept = reports.iter().filter(|report| report.task_coupling.is_empty());
    let sweeps = swept.flat_map(|report| report.orders.iter().cloned().map(TaskOrders::of));
    let sweeps: Vec<TaskOrders> = sweeps.collect();
    // Two sweeps of one task have the same rows. A report of cosine maps alone has no other order.
    let mut tasks = BTreeSet::new();
    for orders in sweeps.iter().map(TaskOrders::orders) {
        let mut variants = orders.variants.iter();
        let is_swept = variants.any(|variant| variant.plan != orders.original.plan);
        ensure!(
            !is_swept || tasks.insert(&orders.task),
            "two sweeps are of {}: name one of them",
            orders.task
        );
    }
    let couplings = reports.iter().flat_map(|report| report.task_coupling.clone());
    let needs = reports.iter().flat_map(|report| report.need.clone());
    let needs: Vec<Need> = needs.collect();

    let mut found = painters::claims(&sweeps);
    found.extend(steps::of_couplings(&couplings.collect::<Vec<_>>()));
    found.extend(steps::of_needs(&needs));
    found.extend(steps::of_differences(model, &needs, &surveys));
    if !prompts.is_empty() {
        found.extend(tokens::claims(&prompts));
    }
    ensure!(!found.is_empty(), "these files hold nothing that a claim is about");
    Ok(table(&found))
}

/// The tasks of a survey of one model, in the order of their names.
fn tasks(survey: &Path) -> anyhow::Result<Vec<TaskRows>> {
    let folder = survey.join("rows");
    let models = files(&folder)?;
    ensure!(models.len() == 1, "{} holds {} models, not one", folder.display(), models.len());
    let mut rows = files(&models[0])?;
    rows.retain(|path| path.extension().is_some_and(|end| end == "parquet"));
    rows.iter().map(|path| TaskRows::read(path)).collect()
}

/// Lists a folder's entries, in the order of names.
fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let read = || format!("{} cannot be read", folder.display());
    let entries = std::fs::read_dir(folder).with_context(read)?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths.collect::<Result<Vec<PathBuf>, _>>().with_context(read)?;
    paths.sort();
    Ok(paths)
}

fn table(found: &[Found]) -> String {
    let mut text =
        "| claim | what | found | n | verdict | would decide |\n|---|---|---|---|---|---|\n"
            .to_owned();
    for Found { claim, text: what, found, rows, verdict, decides } in found {
        // Writing to a text cannot fail.
        let _ = writeln!(text, "| {claim} | {what} | {found} | {rows} | {verdict} | {decides} |");
    }
    text
}

/// Every task beside the means, as the paper's Table 1 has them.
fn by_task(tasks: &[&TaskRows]) -> String {
    let mut text = "| task | n | right, % | majority, % | first word, % | MSE x 100 | less uniform | bias x 100 \
                    | diversity, whole | centred | centred part, % | MLP, whole, % | MLP, centred, % |\n\
                    |---|---|---|---|---|---|---|---|---|---|---|---|---|\n"
        .to_owned();
    for task in tasks {
        let [whole, centred] = whole::mlp_shares(task);
        let cells = [
            task.name.clone(),
            task.rows.len().to_string(),
            percent(task.accuracy()),
            format!("{:.1}", 100.0 * task.majority()),
            percent(task.share(|row| row.is_first == Some(true))),
            format!("{:.2}", 100.0 * task.averages.paper.mse),
            spelled(whole::excess(task), 2),
            format!("{:.2}", 100.0 * task.averages.paper.bias),
            spelled(task.mean(|row| row.logit.diversity), 2),
            spelled(task.mean(|row| row.centred.diversity), 3),
            percent(whole::centred_part(task)),
            percent(whole),
            percent(centred),
        ];
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    text
}
