//! Sweeps over orders on the generated tasks, told as they fill in.

use super::{Desk, Stop, failed, prompt, stop, told};
use crate::app::protocol::{Stage, Tell};
use crate::study::orders::{Extent, Order, OrderRows, Orders, Sweep, Sweeping, medians};
use crate::study::report::Report;
use crate::study::{LoadedModel, StudyError};
use crate::task::item::Item;
use crate::task::minilang::{self, GeneratedTask};

/// Of the bootstrap, as the command line's default.
const SEED: u64 = 0;

/// Milliseconds between two partial reports: intervals take a while to compute, too.
const PARTIAL_EVERY: f64 = 700.0;

/// What a request for a sweep asks for.
pub struct Wanted {
    pub tasks: Vec<String>,
    pub rows: usize,
    pub sweeps: Vec<Sweep>,
    pub extent: Extent,
    pub plans: Vec<String>,
}

pub async fn run(
    model: &LoadedModel,
    desk: &Desk,
    id: u32,
    wanted: &Wanted,
) -> Result<Report, Stop> {
    let orders = every_order(model, wanted)?;
    let mut report = Report::of(model);
    let mut partial = Report::of(model);
    let mut told_at = js_sys::Date::now();
    for (at, task) in wanted.tasks.iter().enumerate() {
        let items = items(task, wanted.rows)?;
        let mut sweeping = Sweeping::start(model, task, &items, orders.clone(), SEED)
            .map_err(|error| Stop::Failed(unreadable(&model.name, task, error)))?;
        let mut rows = 0;
        while let Some((done, of)) = sweeping.advance().map_err(stop)? {
            // The tasks still to come are as much work each.
            let total = (of * wanted.tasks.len()) as f64;
            desk.progress(id, Stage::Run, (at * of + done) as f64, total);
            desk.turn(id, sweeping.is_waiting()).await?;
            between(model, desk).await?;
            let now = js_sys::Date::now();
            if sweeping.rows_done() > rows && now - told_at > PARTIAL_EVERY {
                rows = sweeping.rows_done();
                partial.orders.truncate(at);
                partial.orders.extend(sweeping.orders().map(without_rows));
                let report = Box::new(partial.clone());
                desk.tell(id, Tell::Partial { report });
                told_at = js_sys::Date::now();
            }
        }
        let Some(found) = sweeping.orders() else {
            continue;
        };
        partial.orders.truncate(at);
        partial.orders.push(without_rows(found.clone()));
        report.orders.push(found);
    }
    report.medians = medians(&report.orders);
    Ok(report)
}

/// Answers the prompts that wait: the page stays live while many rows are run.
pub async fn between(model: &LoadedModel, desk: &Desk) -> Result<(), Stop> {
    while let Some(request) = desk.take_quick() {
        match prompt::answer(model, desk, request.id, &request.ask).await {
            // Whoever opens the model again comes back to both.
            Err(gpu @ Stop::Gpu { .. }) => {
                desk.put_back(request);
                return Err(gpu);
            }
            answer => {
                desk.tell(request.id, told(answer));
                desk.over(request.id);
            }
        }
    }
    Ok(())
}

/// All that this model has of what is asked for; an error only where it has nothing of it.
fn every_order(model: &LoadedModel, wanted: &Wanted) -> Result<Vec<Order>, Stop> {
    let own = model.shape().order.as_slice();
    let extent = Extent {
        heads: model.facts().heads,
        ..wanted.extent
    };
    let mut orders = Vec::new();
    let mut missing = None;
    for &sweep in &wanted.sweeps {
        match Order::all(&[sweep], extent, own) {
            Ok(of) => orders.extend(of),
            Err(error @ StudyError::NoSuchSweep { .. }) => missing = Some(error),
            Err(error) => return Err(failed(error)),
        }
    }
    for line in &wanted.plans {
        orders.push(Order::parse(line, own).map_err(failed)?);
    }
    match missing {
        Some(error) if orders.is_empty() => Err(failed(error)),
        _ => Ok(orders),
    }
}

pub fn items(task: &str, rows: usize) -> Result<Vec<Item>, Stop> {
    let task = GeneratedTask::from_name(task)
        .ok_or_else(|| Stop::Failed(format!("there is no generated task '{task}'")))?;
    let rows = minilang::held_out(task, rows, minilang::ROWS_SEED);
    let item = |row: minilang::GeneratedRow| Item::Option {
        prompt: row.prompt,
        options: row.options,
        answer: row.answer,
    };
    Ok(rows.into_iter().map(item).collect())
}

/// A model with words of its own cannot read the generated language, whatever the first row's fault.
pub fn unreadable(model: &str, task: &str, error: StudyError) -> String {
    match error {
        StudyError::Row { error, .. } => format!(
            "{model} cannot be asked the generated task “{task}” ({error}): choose an apprentice, or run `atelier orders` with \
             rows of your own and open its report here"
        ),
        other => other.to_string(),
    }
}

fn without_rows(mut orders: Orders) -> Orders {
    for variant in std::iter::once(&mut orders.original).chain(&mut orders.variants) {
        variant.rows = OrderRows::default();
    }
    orders
}
