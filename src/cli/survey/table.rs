//! A survey as a table for people: Table 1 of the paper, with what belongs beside its numbers.

use comfy_table::Cell;

use crate::cli::table::{number, table, text as shown, thousands};
use crate::cli::tasks::score;
use crate::cli::view::percent;
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
                Cell::new(percent(averages.accuracy)),
                Cell::new(if averages.majority > 0.0 {
                    percent(averages.majority)
                } else {
                    String::new()
                }),
                Cell::new(number(100.0 * paper.mse, 2)),
                Cell::new(number(100.0 * found.uniform, 2)),
                Cell::new(number(100.0 * paper.bias, 2)),
                Cell::new(number(paper.diversity, 3)),
                Cell::new(number(own.mse, 4)),
                Cell::new(number(own.bias, 4)),
                Cell::new(number(own.diversity, 4)),
            ]);
        }
    }
    let mut text = shown(&table);
    text += "\nMSE and bias ×100 and diversity as the paper prints them (no identity; uniform is the \
             constant its MSE sits next to), then the same of probabilities, where MSE = bias - diversity.\n";
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
