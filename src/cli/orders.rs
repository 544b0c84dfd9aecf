//! `atelier orders`: the blocks in other orders, on many rows, beside the model's own.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};

use super::begun::{asked_rows, begun_alike, end_stopped, holds_rows_alone, put, seal};
use super::fingerprint::{self, Files};
use super::interrupt;
use super::orders_picture as picture;
use super::out_file::{OutFile, There};
use super::output::{self, Progress};
use super::rows_source::{NamedRows, RowsArgs};
use crate::plan::Plan;
use crate::study::geometry::{Averaging, Geometry};
use crate::study::orders::{self, Extent, Fingerprint, Order, Orders, Sweep, Sweeping};
use crate::study::report::Report;
use crate::study::{LoadedModel, Running, SEED, StudyError};

/// Run the blocks in other orders, on many rows
///
/// Skips, repeats, reverses, shuffles or loops blocks, or runs them in parallel. For every plan it shows the
/// accuracy, and the change of bias, diversity and MSE. After Ctrl-C, the same command with --resume continues.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("input").required(true).args(["task", "prompts"]))]
pub struct OrdersArgs {
    /// The model: a name from `atelier models`, or a folder with config.json and *.safetensors
    #[arg(long, short, value_name = "NAME|FOLDER")]
    model: String,

    #[command(flatten)]
    source: RowsArgs,

    /// Strategies: drop, swap, skip, repeat, reverse, shuffle, parallel, loop. `family` means the last six,
    /// `heads` every head off in turn [default: all but heads]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    strategy: Vec<String>,

    /// One more plan, written as for `atelier lens --plan`. May be repeated
    #[arg(long, value_name = "LINE")]
    plan: Vec<String>,

    /// Most rows per task
    #[arg(long, default_value_t = 100)]
    rows: usize,

    /// Shuffles per size
    #[arg(long, default_value_t = Extent::default().seeds)]
    seeds: u64,

    /// Most rounds of a loop
    #[arg(long, default_value_t = Extent::default().rounds)]
    rounds: usize,

    /// Random seed of the bootstrap intervals
    #[arg(long, default_value_t = SEED)]
    seed: u64,

    /// Leave out rows that are longer than the model's context, and report how many
    #[arg(long)]
    skip_long: bool,

    /// Also compute cosine maps, line-shape scores, expodistances and trajectories of the original order and
    /// every --plan
    #[arg(long)]
    geometry: bool,

    #[command(flatten)]
    engine: super::engine::EngineArgs,

    /// Print the report as JSON
    #[arg(long, conflicts_with = "csv", help_heading = "Output")]
    json: bool,

    /// Print one line per plan as CSV
    #[arg(long, help_heading = "Output")]
    csv: bool,

    /// Also write the report to a file, which the page can open and --resume continues
    #[arg(long, value_name = "FILE.atelier.json", help_heading = "Output")]
    out: Option<PathBuf>,

    /// Continue the sweep stored in --out
    #[arg(long, requires = "out", help_heading = "Output")]
    resume: bool,

    /// Replace the file that --out names
    #[arg(long, requires = "out", conflicts_with = "resume", help_heading = "Output")]
    force: bool,
}

const EXAMPLES: &str = r#"Examples:
  atelier orders --model scholar-12 --task sum,topic --strategy drop,swap
  atelier orders --model scholar-12 --prompts rows.jsonl --strategy family --out family.atelier.json
  atelier orders --model path/to/model --task lambada --data lambada_test.jsonl --rows 50 --strategy skip"#;

/// How often what is done is written to --out.
const SAVE_EVERY: Duration = Duration::from_secs(5);

pub fn run(args: OrdersArgs) -> anyhow::Result<()> {
    // What needs no model is checked before one is loaded.
    ensure!(args.rows > 0, "--rows 0 leaves nothing to run: give at least 1");
    let there = There::of(args.force, args.resume);
    let mut out = OutFile::new(args.out.as_deref(), there, &inputs(&args))?;
    let sweeps = sweeps(&args.strategy)?;
    let read = args.source.read(args.rows)?;
    // Only now: standard input may have been waited for.
    let there_before = out.hold()?;

    let files = super::known::files(&args.model)?;
    let keeps = out.is_named();
    let hashes = if keeps { fingerprint::files(&files) } else { Files::new() };
    let model = super::known::load(&files, &args.engine.choice()?)?;
    let mut report = Report::of(&model);
    if args.resume && there_before {
        report = Report { engine: report.engine, ..stopped(&mut out, &model)? };
    }
    let asked = asked_rows(&model, &hashes, read, args.skip_long);
    begun_alike(&report.orders, &asked, "sweep", out.path())?;
    let orders = every_order(&model, &args, sweeps)?;
    let stop = interrupt::listen()?;
    let mut save = |report: &mut Report| -> anyhow::Result<()> {
        seal(report)?;
        out.save(|| output::json(report))
    };
    let mut saving = Saving { stop, save: &mut save, saved: Instant::now() };
    let mut failure = None;
    for (fingerprint, rows) in asked {
        let fingerprint = keeps.then_some(fingerprint);
        let orders = orders.clone();
        match sweep(&model, &rows, orders, args.seed, fingerprint, &mut report, &mut saving) {
            Ok(true) => {}
            Ok(false) => break,
            // What is done is kept and printed first.
            Err(error) => {
                failure = Some(error);
                break;
            }
        }
        if args.geometry {
            let own = std::iter::once(model.plan(None)?);
            let asked = args.plan.iter().map(|line| model.plan(Some(line)));
            let found = own
                .map(Ok)
                .chain(asked)
                .map(|plan| geometry(&model, &rows, &plan?, stop))
                .collect::<anyhow::Result<Option<Vec<_>>>>()?;
            if let Some(found) = found
                && let Some(orders) = report.orders.iter_mut().find(|o| o.task == rows.task)
            {
                orders.geometry = found;
            }
        }
    }
    report.medians = orders::medians(&report.orders);
    args.engine.say_cost(&model);
    seal(&mut report)?;
    // A report with nothing in it cannot be resumed.
    let is_empty = report.orders.is_empty();
    let has_json = !is_empty && (out.is_named() || args.json);
    let json = has_json.then(|| output::json(&report)).transpose()?;
    if out.is_named()
        && let Some(json) = &json
    {
        out.write(json)?;
    }
    // Before a pager waits or the process ends: what was held and has nothing in it goes.
    drop(out);
    match &json {
        _ if is_empty => {}
        Some(json) if args.json => output::print(json)?,
        _ if args.csv => output::print(&picture::csv(&report))?,
        _ => output::show(&picture::text(&report))?,
    }
    if let Some(failure) = failure {
        return Err(failure);
    }
    if stop.load(Ordering::Relaxed) {
        end_stopped(args.out.as_deref(), is_empty);
    }
    Ok(())
}

/// A run over rows that is saved now and then, and ends when the reader asks for it.
pub(super) struct Saving<'a> {
    pub stop: &'a AtomicBool,
    pub save: &'a mut dyn FnMut(&mut Report) -> anyhow::Result<()>,
    /// When it was saved last.
    pub saved: Instant,
}

impl Saving<'_> {
    /// Advances a study until it is done or the reader asks to stop; `show` hears how far it is. Now and then saves the
    /// report, into which `put` has put the rows that are done. Returns whether the study is done.
    ///
    /// # Errors
    /// When the study fails, or the report cannot be saved.
    pub fn advance<S: Running>(
        &mut self,
        study: &mut S,
        report: &mut Report,
        show: &dyn Fn(usize, usize),
        put: &dyn Fn(&S, &mut Report),
    ) -> anyhow::Result<bool> {
        let mut saved = study.rows_done();
        interrupt::advance_until(self.stop, study, &mut |study, done, total| {
            show(done, total);
            if self.saved.elapsed() > SAVE_EVERY && study.rows_done() > saved {
                saved = study.rows_done();
                put(study, report);
                self.save(report)?;
            }
            Ok(())
        })
    }

    pub fn save(&mut self, report: &mut Report) -> anyhow::Result<()> {
        (self.save)(report)?;
        self.saved = Instant::now();
        Ok(())
    }
}

/// Runs orders on the rows of a task, from where the report stands. False where the reader asked to stop.
///
/// # Errors
/// A row that the model cannot read, or a failure of the engine; the report then has the rows that are done.
pub(super) fn sweep(
    model: &LoadedModel,
    rows: &NamedRows,
    orders: Vec<Order>,
    seed: u64,
    fingerprint: Option<Fingerprint>,
    report: &mut Report,
    saving: &mut Saving<'_>,
) -> anyhow::Result<bool> {
    let before = report.orders.iter().find(|orders| orders.task == rows.task).cloned();
    let mut sweeping = Sweeping::start(model, &rows.task, &rows.items, orders, seed)?;
    if let Some(unknown) = &model.unknown {
        rows.say_unknown(sweeping.unknown(&rows.items, unknown)?, unknown);
    }
    if let Some(before) = &before {
        sweeping.resume(before)?;
    }
    // What was found of the stream stays until it is found anew.
    let geometry = before.map_or(Vec::new(), |before| before.geometry);
    let with = |found: Orders| Orders {
        fingerprint: fingerprint.clone(),
        geometry: geometry.clone(),
        ..found
    };
    let bar = Progress::new("running", "block runs");
    let show = |done, total| bar.at(done, total);
    let is_done = saving.advance(&mut sweeping, report, &show, &|sweeping, report| {
        put(&mut report.orders, sweeping.draft().map(with));
    });
    put(&mut report.orders, sweeping.orders().map(with));
    is_done
}

/// Files and folders that are read.
fn inputs(args: &OrdersArgs) -> Vec<&Path> {
    std::iter::once(Path::new(&args.model)).chain(args.source.inputs()).collect()
}

/// Sweeps by name; `None` for "all that this model has".
fn sweeps(names: &[String]) -> anyhow::Result<Option<Vec<Sweep>>> {
    if names.is_empty() {
        return Ok(None);
    }
    let mut sweeps = Vec::new();
    for name in names {
        let some = match name.as_str() {
            "family" => Sweep::FAMILY.to_vec(),
            "all" => Sweep::ALL.to_vec(),
            name => vec![name.parse::<Sweep>()?],
        };
        sweeps.extend(some);
    }
    sweeps.sort_unstable();
    sweeps.dedup();
    Ok(Some(sweeps))
}

fn every_order(
    model: &LoadedModel,
    args: &OrdersArgs,
    sweeps: Option<Vec<Sweep>>,
) -> anyhow::Result<Vec<Order>> {
    let own = &model.shape().order;
    let extent = Extent { seeds: args.seeds, rounds: args.rounds, heads: model.facts().heads };
    let mut orders = match sweeps {
        Some(sweeps) => Order::all(&sweeps, extent, own)?,
        // --plan alone asks for those plans alone.
        None if !args.plan.is_empty() => Vec::new(),
        None => {
            let mut orders = Vec::new();
            for sweep in Sweep::ALL {
                match Order::all(&[sweep], extent, own) {
                    Ok(of) => orders.extend(of),
                    Err(error @ StudyError::NoSuchSweep { .. }) => {
                        output::say(&format!("atelier: {error}"));
                    }
                    Err(error) => return Err(error.into()),
                }
            }
            orders
        }
    };
    for line in &args.plan {
        orders.push(Order::parse(line, own)?);
    }
    Ok(orders)
}

/// The report that an earlier run left.
fn stopped(out: &mut OutFile, model: &LoadedModel) -> anyhow::Result<Report> {
    let text = out.text()?;
    let path = out.path();
    let report =
        Report::read(&text).with_context(|| format!("{} cannot be resumed", path.display()))?;
    ensure!(
        report.model == model.facts(),
        "{} was written for {}, not for this model: give --out another file",
        path.display(),
        report.model.name
    );
    holds_rows_alone(&report, path)?;
    ensure!(
        report.task_coupling.is_empty(),
        "{} holds a coupling: resume it with `atelier coupling`, or give --out another file",
        path.display()
    );
    Ok(report)
}

/// Row by row, so that only one row's states exist at a time; `None` where the reader asked to stop: a
/// mean of some rows is not the one of all.
fn geometry(
    model: &LoadedModel,
    rows: &NamedRows,
    plan: &Plan,
    stop: &AtomicBool,
) -> anyhow::Result<Option<Geometry>> {
    let mut averaging = Averaging::new(plan, model.shape().width);
    let bar = Progress::new("geometry", "rows");
    for (n, item) in rows.items.iter().enumerate() {
        bar.at(n, rows.items.len());
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        averaging.add(&orders::states(model, item, plan)?)?;
    }
    Ok(Some(averaging.mean()))
}
