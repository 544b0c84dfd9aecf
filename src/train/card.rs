//! The tables of a model card: accuracies by task and level, shortcuts' shares, seeds.

use super::TrainError;
use super::evaluate::{LevelShare, TaskAccuracy, accuracies, whole};
use super::family::FamilyMember;
use super::folder;
use crate::measure::interval::wilson;
use crate::task::primer::shortcuts::{Shortcut, shares};
use crate::task::primer::{GeneratedTask, level_name, levels};
use std::path::Path;

/// A model's name and its accuracies.
pub struct CardColumn {
    pub name: String,
    /// On rows of all levels in turn, in the order of [`GeneratedTask::ALL`].
    pub whole: Vec<f64>,
    pub accuracies: Vec<TaskAccuracy>,
}

/// Measures the model in `folder` on `rows` held-out rows a task, and as many a task and level.
///
/// # Errors
/// A folder that does not hold this member of the family.
pub fn column(
    member: &FamilyMember,
    name: &str,
    folder: &Path,
    rows: usize,
    seed: u64,
) -> Result<CardColumn, TrainError> {
    let recipe = member.recipe();
    let parameters = folder::read(folder, &recipe.shape)?;
    Ok(CardColumn {
        name: name.to_owned(),
        whole: whole(&recipe.shape, &parameters, rows, seed)?,
        accuracies: accuracies(&recipe.shape, &parameters, rows, seed)?,
    })
}

fn percent(share: f64) -> String {
    format!("{:.1}", 100.0 * share)
}

/// The first two lines of a table.
fn head(first: &[&str], columns: impl Iterator<Item = String>) -> String {
    let mut names: Vec<String> = first.iter().map(|name| (*name).to_owned()).collect();
    names.extend(columns);
    format!("| {} |\n|{}\n", names.join(" | "), "---|".repeat(names.len()))
}

fn of(column: &CardColumn, task: GeneratedTask) -> Option<&TaskAccuracy> {
    column.accuracies.iter().find(|accuracy| accuracy.task == task)
}

/// Percent right of rows of all levels in turn, a row a task; and the mean of all tasks.
pub fn by_task(columns: &[CardColumn]) -> String {
    let names = columns.iter().map(|column| column.name.clone());
    let mut table = head(&["task", "chance"], names);
    for (n, task) in GeneratedTask::ALL.into_iter().enumerate() {
        let shares = columns.iter().map(|column| percent(column.whole[n]));
        let shares: Vec<String> = shares.collect();
        table +=
            &format!("| {} | {} | {} |\n", task.name(), percent(task.chance()), shares.join(" | "));
    }
    let mean = |shares: &[f64]| percent(shares.iter().sum::<f64>() / shares.len().max(1) as f64);
    let means: Vec<String> = columns.iter().map(|column| mean(&column.whole)).collect();
    let chance = mean(&GeneratedTask::ALL.map(GeneratedTask::chance));
    table + &format!("| mean | {chance} | {} |\n", means.join(" | "))
}

/// Percent right with Wilson's 95 % interval, a row a task and level.
pub fn by_level(columns: &[CardColumn]) -> String {
    let mut table =
        head(&["task, level", "rows"], columns.iter().map(|column| column.name.clone()));
    for task in GeneratedTask::ALL {
        for level in 0..levels(task) {
            let found = |column| of(column, task).map(|accuracy| accuracy.levels[level]);
            let cells = columns.iter().map(|column| match found(column) {
                Some(LevelShare { share, rows }) => {
                    let within = wilson(share, rows);
                    format!("{} ({}-{})", percent(share), percent(within.low), percent(within.high))
                }
                None => "-".to_owned(),
            });
            let cells: Vec<String> = cells.collect();
            let rows = columns.first().and_then(found).map_or(0, |of| of.rows);
            let name = level_name(task, level);
            table += &format!("| {}, {name} | {rows} | {} |\n", task.name(), cells.join(" | "));
        }
    }
    table
}

/// Percent that each shortcut answers rightly, level by level.
pub fn by_shortcut(rows: usize, seed: u64) -> String {
    let mut table = head(&["task"], Shortcut::ALL.iter().map(|by| by.name().to_owned()));
    for task in GeneratedTask::ALL {
        let cells = Shortcut::ALL.map(|by| {
            let shares: Vec<String> = shares(task, by, rows, seed)
                .into_iter()
                .map(|share| format!("{:.0}", 100.0 * share))
                .collect();
            shares.join(" ")
        });
        table += &format!("| {} | {} |\n", task.name(), cells.join(" | "));
    }
    table
}
