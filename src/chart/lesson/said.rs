//! Answers to rows with more and more negations: a map of the shares that read none.

use crate::chart::TableCell::{Count, Number, Text};
use crate::chart::number::percent;
use crate::chart::plot::{Axis, Panel, Patch, Plot, Ramp};
use crate::chart::{FigureDraft, Table, distinct};
use crate::model::catalogue::moment;
use crate::study::lessons::PictureCell;

/// Height of a cell in CSS pixels.
const CELL: u32 = 24;

/// The row of a model that reads every negation.
const READER: &str = "right";

/// Draws the share of rows that is answered as if no negation stood in them: model by model down, and by the number of
/// negations across. `turned` names the rows whose right answer is the other one.
pub(super) fn figure(cells: &[PictureCell], turned: &[String]) -> Option<FigureDraft> {
    let models = distinct(cells.iter().map(|cell| cell.model.as_str()));
    let groups = distinct(cells.iter().map(|cell| cell.task.as_str()));
    let is_turned = |group: &str| turned.iter().any(|other| other == group);
    let value = |model: &str, group: &str| {
        let cell = cells.iter().find(|cell| cell.model == model && cell.task == group)?;
        Some(as_if_none(cell, is_turned(group)))
    };

    // 1. The models from above, and below them one that reads every negation.
    let mut patches = Vec::new();
    let patch = |x: usize, y: usize, row: &str, share: f64, framed: bool| {
        let (group, percent) = (groups[x], percent(share));
        let name = format!("{row}, negations: {group}\nas if there were none: {percent}");
        Patch { text: Some(percent), framed, ..Patch::new([x, y], 100.0 * share, name) }
    };
    for (x, group) in groups.iter().enumerate() {
        let reader = if is_turned(group) { 0.0 } else { 1.0 };
        patches.push(patch(x, 0, "a model that reads every negation", reader, true));
        for (row, model) in models.iter().enumerate() {
            if let Some(share) = value(model, group) {
                patches.push(patch(x, models.len() - row, &place(model), share, false));
            }
        }
    }
    let mut rows: Vec<String> = vec![READER.to_owned()];
    rows.extend(models.iter().rev().map(|model| axis_name(model)));

    // 2. The numbers, and the sentence of the last rows that are turned round.
    let asked = groups.iter().rev().find(|group| is_turned(group))?;
    let of_asked = models.iter().filter_map(|model| Some((model, value(model, asked)?)));
    let low = of_asked.clone().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let high = of_asked.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let end = |(model, share): (&&str, f64)| format!("{} ({})", percent(share), place(model));
    let count = cells.iter().map(|cell| cell.rows).min().unwrap_or_default();
    let panel = Panel::map(
        "training step of the model, and number of negations",
        Axis::category("negations in the row", groups.iter().map(|of| (*of).into()).collect()),
        Axis::category("", rows),
        patches,
    );
    let height = CELL * u32::try_from(models.len() + 1).unwrap_or(1);
    let ramp = Ramp::over("answered as if there were none, %", [0.0, 100.0].into_iter());
    Some(FigureDraft {
        key: "step-said",
        title: format!(
            "“{asked}”: answered as if no negation stood there in {} to {} of the rows",
            end(low),
            end(high)
        ),
        words: [
            format!(
                "The framed row is a model that reads every negation. One that reads none has {} in every column.",
                percent(1.0)
            ),
            format!("n = {count} rows in each cell."),
        ],
        table: table(cells, turned),
        plot: Plot::map(panel.tall(height), ramp),
    })
}

/// The share of rows that is answered as if no negation stood in them.
fn as_if_none(cell: &PictureCell, is_turned: bool) -> f64 {
    if is_turned { 1.0 - cell.value.mean } else { cell.value.mean }
}

/// A model in words: a moment of a training by its step.
fn place(model: &str) -> String {
    match moment(model) {
        Some(step) => format!("after step {step}"),
        None => model.to_owned(),
    }
}

/// A model on the axis, where few letters have room.
fn axis_name(model: &str) -> String {
    moment(model).map_or_else(|| "the end".to_owned(), |step| step.to_string())
}

fn table(cells: &[PictureCell], turned: &[String]) -> Table {
    let none = |cell: &PictureCell| as_if_none(cell, turned.contains(&cell.task));
    Table::of(
        cells,
        &[
            ("model", &|cell| Text(place(&cell.model))),
            ("negations", &|cell| Text(cell.task.clone())),
            ("as if there were none, %", &|cell| Number(100.0 * none(cell))),
            ("right, %", &|cell| Number(100.0 * cell.value.mean)),
            ("from", &|cell| Number(100.0 * cell.value.low)),
            ("to", &|cell| Number(100.0 * cell.value.high)),
            ("rows", &|cell| Count(cell.rows)),
        ],
    )
}
