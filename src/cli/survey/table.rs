//! A survey as a table for people: Table 1 of the paper, with what belongs beside its numbers.

use std::collections::BTreeSet;

use comfy_table::Cell;

use crate::chart::number::percent_tenths;
use crate::cli::table::{number, table, text as shown, thousands};
use crate::cli::tasks::score;
use crate::study::survey::Survey;

pub fn text(survey: &Survey) -> String {
    let header = [
        "task",
        "model",
        "rows",
        "accuracy",
        "majority",
        "MSE ×100",
        "uniform",
        "bias ×100",
        "diversity",
        "centred",
        "MSE",
        "= bias",
        "- diversity",
    ];
    let mut table = table(&header.map(String::from), 2);
    for (t, task) in survey.tasks.iter().enumerate() {
        for (model, of, found) in survey.found() {
            if of.name != survey.tasks[t].name {
                continue;
            }
            let averages = &found.averages;
            let paper = &averages.paper;
            let own = &averages.probability.total;
            table.add_row([
                Cell::new(&task.name),
                Cell::new(&model.name),
                Cell::new(thousands(averages.rows)),
                Cell::new(percent_tenths(averages.accuracy)),
                Cell::new(if averages.majority > 0.0 {
                    percent_tenths(averages.majority)
                } else {
                    String::new()
                }),
                Cell::new(number(100.0 * paper.mse, 2)),
                Cell::new(number(100.0 * found.uniform, 2)),
                Cell::new(number(100.0 * paper.bias, 2)),
                Cell::new(number(paper.diversity, 3)),
                Cell::new(number(averages.centred.total.diversity, 3)),
                Cell::new(number(own.mse, 4)),
                Cell::new(number(own.bias, 4)),
                Cell::new(number(own.diversity, 4)),
            ]);
        }
    }
    let mut text = shown(&table);
    text += "\nAccuracy is the share right among the options, or by the last word where that is a task's score.\n";
    text += "MSE and bias ×100 and diversity as the paper prints them (no identity; uniform is the \
             constant its MSE sits next to), with that diversity in centred logits: the rest moves no probability. Then the same \
             of probabilities, where MSE = bias - diversity.\n";
    text += &by_level(survey);
    for (model, task, found) in survey.found() {
        if let Some(why) = &found.facts.instead {
            text += &format!(
                "{} on {}: scored by {}, since {why}\n",
                model.name,
                task.name,
                score(found.facts.score)
            );
        }
        if found.facts.too_long > 0 {
            text += &format!(
                "{} on {}: {} rows left out, longer than the context\n",
                model.name,
                task.name,
                thousands(found.facts.too_long)
            );
        }
    }
    for (model, task, found) in survey.found() {
        if found.facts.unknown > 0 {
            text += &format!(
                "{} on {}: {} rows have words that the model does not know and reads all alike\n",
                model.name,
                task.name,
                thousands(found.facts.unknown)
            );
        }
    }
    for (model, task, found) in survey.found() {
        if let Ok(information) = &found.information
            && information.rows < found.averages.rows
        {
            text += &format!(
                "{} on {}: information from {} of {} rows, drawn with a fixed seed\n",
                model.name,
                task.name,
                thousands(information.rows),
                thousands(found.averages.rows)
            );
        }
    }
    for (model, task, why) in survey.failed() {
        text += &format!("{} on {}: no numbers: {why}\n", model.name, task.name);
    }
    text
}

/// Percent right with Wilson's intervals, a row a task and level and a column a model; nothing where no task has
/// levels.
fn by_level(survey: &Survey) -> String {
    let mut text = String::new();
    for task in &survey.tasks {
        let own: Vec<_> = survey
            .found()
            .filter(|(_, of, found)| of.name == task.name && !found.levels.is_empty())
            .collect();
        let levels = own.iter().flat_map(|(_, _, found)| &found.levels);
        let levels: BTreeSet<usize> = levels.map(|of| of.level).collect();
        if levels.is_empty() {
            continue;
        }
        let counted = task.levels.as_deref().unwrap_or("level");
        let mut header = vec![format!("{}, {counted}", task.name)];
        header.extend(own.iter().map(|(model, ..)| model.name.clone()));
        let mut table = table(&header, 1);
        for level in levels {
            let cells = own.iter().map(|(_, _, found)| {
                let of = found.levels.iter().find(|of| of.level == level);
                of.map_or_else(String::new, |of| {
                    let right = of.accuracy();
                    let (low, high) = (100.0 * right.low, 100.0 * right.high);
                    format!(
                        "{} ({}-{})",
                        percent_tenths(right.mean),
                        number(low, 0),
                        number(high, 0)
                    )
                })
            });
            let first = Cell::new(level);
            table.add_row([first].into_iter().chain(cells.map(Cell::new)));
        }
        text += &format!("\n{}", shown(&table));
    }
    if !text.is_empty() {
        text += "\nPercent right among the options by level, with Wilson's 95 % intervals.\n";
    }
    text
}
