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
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use atelier::study::coupling::TaskCoupling;
use atelier::study::need::Need;
use atelier::study::report::{Opened, Report};
use atelier::study::survey::Survey;
use painters::TaskOrders;
use rows::TaskRows;
use tokens::PromptCoupling;
use verdict::{Claim, Judgement, claim, percent, spelled};

#[allow(dead_code)] // Its test calls `run`.
fn main() -> anyhow::Result<()> {
    let folders: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    print!("{}", run(&folders)?);
    Ok(())
}

/// Tasks of surveys of one model.
pub struct Surveyed {
    /// The paper's own.
    tasks: Vec<TaskRows>,
    /// ARC-Easy with answers as text.
    text: Vec<TaskRows>,
    /// Tasks in plain English.
    plain: Vec<TaskRows>,
}

/// Sweeps, couplings, needs, surveys and prompts in reports of one model.
pub struct Reports {
    model: String,
    sweeps: Vec<TaskOrders>,
    couplings: Vec<TaskCoupling>,
    needs: Vec<Need>,
    surveys: Vec<Survey>,
    prompts: Vec<PromptCoupling>,
}

/// Judges a claim; `None` where the data hold nothing that it is about.
type Rule<Data> = fn(&Data) -> Option<Judgement>;

/// Claims that are judged by the rows of surveys.
const OF_ROWS: [Claim<Rule<Surveyed>>; 13] = [
    claim("D1", "accuracy stays near that of one constant answer", whole::majority),
    claim("D2", "the printed MSE hardly leaves the constant of a uniform answer", whole::constant),
    claim("D3", "our heading: the offset is most of the diversity", whole::offset),
    claim(
        "D4",
        "letters hide what a small model knows (ARC-Easy as text, less by letter)",
        whole::letters,
    ),
    claim(
        "D5",
        "accuracy goes highly with -MSE, moderately with -bias and diversity",
        stream::correlations,
    ),
    claim("D6", "Spearman's coefficients are lower than Pearson's", stream::ranks),
    claim(
        "D7",
        "shares of bias are as the numbers of layers; the embedding counts little",
        whole::shares_of_bias,
    ),
    claim("D8 whole", "the MLPs dominate diversity (Eq. 8)", whole::whole_diversity),
    claim("D8 centred", "the MLPs dominate the centred diversity", whole::centred_diversity),
    claim(
        "D10",
        "bias and diversity trade off where accuracy does not rise, and need not where it does",
        stream::trade_offs,
    ),
    claim("D11", "bias seldom comes near 0", stream::least_bias),
    claim("D12", "later layers bring less and less accuracy", stream::gains),
    claim("D14", "diversity matters most where layers are far from the truth", whole::worth),
];

/// Claims that are judged by reports, but those of sweeps.
const OF_REPORTS: [Claim<Rule<Reports>>; 11] = [
    claim("C1", "blocks are coupled across depth", steps::coupled),
    claim("C2", "neighbours couple most", steps::near),
    claim("C5", "paths are straighter than chance", steps::straight),
    claim("C6", "states grow exponentially with depth", steps::growth),
    claim("C8", "the less coupled a block, the more it costs to leave out", steps::dropped),
    claim(
        "C9",
        "the less coupled two neighbours, the more it costs to exchange them",
        steps::swapped,
    ),
    claim("D9", "many attention heads are not needed", steps::needed_heads),
    claim("D13", "layers help only where they differ", steps::differences),
    claim("C3", "a token's effect on itself is coupled with other tokens'", tokens::tokens),
    claim("C4", "coupling through context tokens is less consistent", tokens::context),
    claim("C7", "the top singular values follow no law 1/depth", tokens::depth),
];

const HEAD: &str =
    "| claim | what | found | n | verdict | would decide |\n|---|---|---|---|---|---|\n";

/// The tables of all claims that these surveys, or these reports, can speak to, as Markdown.
///
/// # Errors
/// No folder, a folder of several models, or rows that cannot be read.
pub fn run(folders: &[PathBuf]) -> anyhow::Result<String> {
    if folders.first().is_some_and(|first| first.is_file()) {
        let reports = Reports::read(folders)?;
        let lines = painters::lines(&reports.sweeps) + &lines(&OF_REPORTS, &reports);
        ensure!(!lines.is_empty(), "these files hold nothing that a claim is about");
        return Ok(HEAD.to_owned() + &lines);
    }
    ensure!(!folders.is_empty(), "name the folder of a survey");
    let group = |n: usize| folders.get(n).map_or(Ok(Vec::new()), |folder| tasks(folder));
    let survey = Surveyed { tasks: group(0)?, text: group(1)?, plain: group(2)? };
    Ok(format!("{HEAD}{}\n{}", lines(&OF_ROWS, &survey), by_task(&survey)))
}

fn lines<Data>(claims: &[Claim<Rule<Data>>], data: &Data) -> String {
    claims.iter().map(|claim| claim.lines((claim.rule)(data))).collect()
}

impl Reports {
    /// Reads files of one model.
    fn read(files: &[PathBuf]) -> anyhow::Result<Self> {
        let (mut reports, mut surveys, mut prompts) =
            (Vec::<Report>::new(), Vec::new(), Vec::new());
        for file in files {
            let shown = file.display().to_string();
            let bytes = std::fs::read(file).with_context(|| format!("{shown} is unreadable"))?;
            match Opened::read(&bytes).with_context(|| shown.clone())? {
                Opened::Survey(survey) => surveys.push(*survey),
                Opened::Lens(report)
                | Opened::Prompts(report)
                | Opened::Lab(report)
                | Opened::Orders(report)
                | Opened::Coupling(report) => {
                    if let Some(coupling) = &report.coupling {
                        prompts.push(PromptCoupling::new(coupling, &shown)?);
                    }
                    reports.push(*report);
                }
                Opened::CouplingModels(_) => bail!("{shown} holds several models, not one"),
            }
        }
        let model = reports.first().map_or("", |report| &report.model.name).to_owned();
        let is_one = reports.iter().all(|report| report.model.name == model);
        ensure!(is_one, "the reports are of several models");

        // A coupling's own orders are what its costs are made of.
        let swept = reports.iter().filter(|report| report.task_coupling.is_empty());
        let sweeps = swept.flat_map(|report| report.orders.iter().cloned().map(TaskOrders));
        let sweeps: Vec<TaskOrders> = sweeps.collect();
        // Two sweeps of one task have the same rows. A report of cosine maps alone has no other order.
        let mut tasks = BTreeSet::new();
        for TaskOrders(orders) in &sweeps {
            let mut variants = orders.variants.iter();
            let is_swept = variants.any(|variant| variant.plan != orders.original.plan);
            ensure!(
                !is_swept || tasks.insert(&orders.task),
                "two sweeps are of {}: name one of them",
                orders.task
            );
        }
        let couplings = reports.iter().flat_map(|report| report.task_coupling.clone()).collect();
        let needs = reports.iter().flat_map(|report| report.need.clone()).collect();
        Ok(Self { model, sweeps, couplings, needs, surveys, prompts })
    }
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

/// A column of the table of tasks: its heading, and a task's number.
type Column = (&'static str, fn(&TaskRows) -> String);

const COLUMNS: [Column; 13] = [
    ("task", |task| task.name.clone()),
    ("n", |task| task.rows.len().to_string()),
    ("right, %", |task| percent(task.accuracy())),
    ("majority, %", |task| format!("{:.1}", 100.0 * task.majority())),
    ("first word, %", |task| percent(task.first_words())),
    ("MSE x 100", |task| format!("{:.2}", 100.0 * task.averages.paper.mse)),
    ("less uniform", |task| spelled(whole::excess(task), 2)),
    ("bias x 100", |task| format!("{:.2}", 100.0 * task.averages.paper.bias)),
    ("diversity, whole", |task| spelled(task.mean(|row| row.found.logit.total.diversity), 2)),
    ("centred", |task| spelled(task.mean(|row| row.found.centred.total.diversity), 3)),
    ("centred part, %", |task| percent(whole::centred_part(task))),
    ("MLP, whole, %", |task| percent(whole::mlp_shares(task)[0])),
    ("MLP, centred, %", |task| percent(whole::mlp_shares(task)[1])),
];

/// Every task beside the means, as the paper's Table 1 has them.
fn by_task(Surveyed { tasks, text, plain }: &Surveyed) -> String {
    let names = COLUMNS.map(|(name, _)| name).join(" | ");
    let rows = tasks.iter().chain(text).chain(plain);
    let lines = rows.map(|task| {
        let cells = COLUMNS.map(|(_, cell)| cell(task));
        format!("| {} |\n", cells.join(" | "))
    });
    format!("| {names} |\n|{}\n{}", "---|".repeat(COLUMNS.len()), lines.collect::<String>())
}
