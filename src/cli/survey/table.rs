//! A survey as a table for people: Table 1 of the paper, with what belongs beside its numbers.

use std::collections::BTreeSet;

use comfy_table::Cell;

use crate::chart::below_majority;
use crate::chart::number::{fixed, percent_tenths, short};
use crate::cli::table::{number, table, text as shown, thousands};
use crate::cli::tasks::score;
use crate::measure::bits::bits;
use crate::study::survey::{Found, Survey, SurveyModel, SurveyTask};

pub fn text(survey: &Survey) -> String {
    let mut text = answers(survey);
    text += "\nRight is the share right among the options, or by the task's own score where that is the last word or a written number. Over \
     the whole vocabulary: the share of rows whose right answer is first, its mean surprise in bits, and its \
     perplexity. Options hold: their share of all probability. Chosen: per cent of rows that choose the first option, the second, and so on.\n\n";
    text += &below_majorities(survey);
    text += &as_printed(survey);
    text += "\nMSE and bias ×100 and diversity as the paper prints them, which have no identity. Uniform is the \
     constant next to its MSE. Centred: the diversity of centred logits. The rest moves no probability.\n\n";
    text += &of_probabilities(survey);
    text += "\nBias, diversity and MSE of probabilities, where MSE = bias - diversity.\n";
    text += &by_level(survey);
    let mut note = |model: &SurveyModel, task: &SurveyTask, said: &str| {
        text += &format!("{} on {}: {said}\n", model.name, task.name);
    };
    for (model, task, found) in survey.found() {
        if let Some(why) = &found.facts.instead {
            note(model, task, &format!("scored by {}, since {why}", score(found.facts.score)));
        }
        if found.facts.too_long > 0 {
            let rows = thousands(found.facts.too_long);
            note(model, task, &format!("{rows} rows left out, longer than the context"));
        }
    }
    for (model, task, found) in survey.found() {
        if found.facts.unknown > 0 {
            let rows = thousands(found.facts.unknown);
            let words = "rows have words that the model does not know and reads all alike";
            note(model, task, &format!("{rows} {words}"));
        }
    }
    for (model, task, found) in survey.found() {
        if let Ok(information) = &found.information
            && information.rows < found.averages.rows
        {
            let (some, all) = (thousands(information.rows), thousands(found.averages.rows));
            let said = format!("information from {some} of {all} rows, drawn with a fixed seed");
            note(model, task, &said);
        }
    }
    for (model, task, why) in survey.failed() {
        note(model, task, &format!("no numbers: {why}"));
    }
    text
}

/// Cells with numbers, task by task.
fn by_task(survey: &Survey) -> impl Iterator<Item = (&SurveyModel, &SurveyTask, &Found)> {
    let tasks = survey.tasks.iter();
    tasks.flat_map(|task| survey.found().filter(move |(_, of, _)| of.name == task.name))
}

/// How often each model is right, among the options and by itself.
fn answers(survey: &Survey) -> String {
    let header = [
        "task",
        "model",
        "rows",
        "right",
        "majority",
        "first\nword",
        "surprise\nbits",
        "perplexity",
        "options\nhold",
        "chosen",
    ];
    let mut table = table(&header, 2);
    let some = |x: Option<f64>, shown: fn(f64) -> String| x.map_or_else(String::new, shown);
    for (model, task, found) in by_task(survey) {
        let averages = &found.averages;
        let majority = Some(averages.majority).filter(|majority| *majority > 0.0);
        table.add_row([
            Cell::new(&task.name),
            Cell::new(&model.name),
            Cell::new(thousands(averages.rows)),
            Cell::new(percent_tenths(averages.accuracy)),
            Cell::new(some(majority, percent_tenths)),
            Cell::new(some(found.first_word, percent_tenths)),
            Cell::new(some(found.log_likelihood, |log| fixed(bits(-log), 2))),
            Cell::new(some(found.perplexity, short)),
            Cell::new(some(found.mass, percent_tenths)),
            Cell::new(chosen_shares(found)),
        ]);
    }
    shown(&table)
}

/// A line for every accuracy below that of always giving the same answer.
fn below_majorities(survey: &Survey) -> String {
    let below =
        by_task(survey).filter_map(|(model, task, found)| below_majority(model, task, found));
    let mut text: String = below.map(|line| line + "\n").collect();
    if !text.is_empty() {
        text += "\n";
    }
    text
}

/// Options of which the table says how often they are chosen: the report has all.
const SHOWN_CHOICES: usize = 12;

/// Per cent of rows in which each option is chosen, one after the other.
fn chosen_shares(found: &Found) -> String {
    let shown = found.choices.iter().take(SHOWN_CHOICES);
    let mut shares: Vec<String> = shown.map(|choice| fixed(100.0 * choice.chosen, 0)).collect();
    if found.choices.len() > SHOWN_CHOICES {
        shares.push("…".to_owned());
    }
    shares.join("/")
}

/// Bias, diversity and MSE as the paper prints them.
fn as_printed(survey: &Survey) -> String {
    let header = ["task", "model", "MSE\n×100", "uniform", "bias\n×100", "diversity", "centred"];
    let mut table = table(&header, 2);
    for (model, task, found) in by_task(survey) {
        let averages = &found.averages;
        let paper = &averages.paper;
        table.add_row([
            Cell::new(&task.name),
            Cell::new(&model.name),
            Cell::new(number(100.0 * paper.mse, 2)),
            Cell::new(number(100.0 * found.uniform, 2)),
            Cell::new(number(100.0 * paper.bias, 2)),
            Cell::new(number(paper.diversity, 3)),
            Cell::new(number(averages.centred.total.diversity, 3)),
        ]);
    }
    shown(&table)
}

/// Bias, diversity and MSE of probabilities, which are the identity.
fn of_probabilities(survey: &Survey) -> String {
    let header = ["task", "model", "MSE", "= bias", "- diversity"];
    let mut table = table(&header, 2);
    for (model, task, found) in by_task(survey) {
        let total = &found.averages.probability.total;
        table.add_row([
            Cell::new(&task.name),
            Cell::new(&model.name),
            Cell::new(number(total.mse, 4)),
            Cell::new(number(total.bias, 4)),
            Cell::new(number(total.diversity, 4)),
        ]);
    }
    shown(&table)
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
