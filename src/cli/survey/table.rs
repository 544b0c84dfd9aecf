//! A survey as a table for people: Table 1 of the paper, with what belongs beside its numbers.

use std::collections::BTreeSet;

use crate::chart::below_majority;
use crate::chart::number::{fixed, percent_tenths, short};
use crate::cli::table::{Columns, columns, number, thousands};
use crate::cli::tasks::score;
use crate::measure::bits::bits;
use crate::measure::interval::Mean;
use crate::study::report::Averages;
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

/// A model's numbers on a task.
type FoundCell<'a> = (&'a SurveyModel, &'a SurveyTask, &'a Found);

/// Cells with numbers, task by task.
fn by_task(survey: &Survey) -> impl Iterator<Item = FoundCell<'_>> {
    let tasks = survey.tasks.iter();
    tasks.flat_map(|task| survey.found().filter(move |(_, of, _)| of.name == task.name))
}

/// A table of those, which begins with their names.
fn named(survey: &Survey) -> Columns<FoundCell<'_>> {
    columns(by_task(survey))
        .words("task", |(_, task, _)| task.name.clone())
        .words("model", |(model, ..)| model.name.clone())
}

/// How often each model is right, among the options and by itself.
fn answers(survey: &Survey) -> String {
    let some = |x: Option<f64>, shown: fn(f64) -> String| x.map_or_else(String::new, shown);
    let majority = |averages: &Averages| Some(averages.majority).filter(|share| *share > 0.0);
    named(survey)
        .numbers("rows", |(.., found)| thousands(found.averages.rows))
        .numbers("right", |(.., found)| percent_tenths(found.averages.accuracy))
        .numbers("majority", |(.., found)| some(majority(&found.averages), percent_tenths))
        .numbers("first\nword", |(.., found)| some(found.first_word, percent_tenths))
        .numbers("surprise\nbits", |(.., found)| {
            some(found.log_likelihood, |log| fixed(bits(-log), 2))
        })
        .numbers("perplexity", |(.., found)| some(found.perplexity, short))
        .numbers("options\nhold", |(.., found)| some(found.mass, percent_tenths))
        .numbers("chosen", |(.., found)| chosen_shares(found))
        .text()
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
    named(survey)
        .numbers("MSE\n×100", |(.., found)| number(100.0 * found.averages.paper.mse, 2))
        .numbers("uniform", |(.., found)| number(100.0 * found.uniform, 2))
        .numbers("bias\n×100", |(.., found)| number(100.0 * found.averages.paper.bias, 2))
        .numbers("diversity", |(.., found)| number(found.averages.paper.diversity, 3))
        .numbers("centred", |(.., found)| number(found.averages.centred.total.diversity, 3))
        .text()
}

/// Bias, diversity and MSE of probabilities, which are the identity.
fn of_probabilities(survey: &Survey) -> String {
    named(survey)
        .numbers("MSE", |(.., found)| number(found.averages.probability.total.mse, 4))
        .numbers("= bias", |(.., found)| number(found.averages.probability.total.bias, 4))
        .numbers("- diversity", |(.., found)| number(found.averages.probability.total.diversity, 4))
        .text()
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
        let header = format!("{}, {counted}", task.name);
        let mut table = columns(levels).words(header, |level| *level);
        for (model, _, found) in own {
            table = table.numbers(&model.name, |&level| {
                let found = found.levels.iter().find(|found| found.level == level);
                found.map_or_else(String::new, |found| level_share(found.accuracy()))
            });
        }
        text += &format!("\n{}", table.text());
    }
    if !text.is_empty() {
        text += "\nPercent right among the options by level, with Wilson's 95 % intervals.\n";
    }
    text
}

/// Per cent right, with the interval's ends.
fn level_share(right: Mean) -> String {
    let [low, high] = [right.low, right.high].map(|end| number(100.0 * end, 0));
    format!("{} ({low}-{high})", percent_tenths(right.mean))
}
