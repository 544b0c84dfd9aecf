//! Table 1: accuracy, MSE, bias and diversity by task, with the majority class, the whole vocabulary's numbers and
//! the uniform constant beside.

use super::TableCell::{self, Count, Number, Text};
use super::{FigureDraft, KnownCell, Line, Mark, Panel, Plot, Point, Series, Table, Theme};
use super::{below_majority, chosen, extent, first_words, mean};
use super::{distinct, model_marks, model_pens, task_names};
use crate::chart::number::{counted, percent, short};
use crate::chart::plot::{Axis, Pen};
use crate::measure::bits::bits;
use crate::measure::decomposition::Triples;
use crate::measure::interval::{Mean, wilson};
use crate::study::survey::Survey;

/// `None` where the cell has no such number.
type CellNumber = fn(&KnownCell<'_>) -> Option<f64>;

/// A quantity of a cell, and what it is held against.
type TableQuantity = (&'static str, CellNumber, Option<CellNumber>);

/// The first is accuracy, which alone has an interval.
const QUANTITIES: [TableQuantity; 6] = [
    (
        "share of rows (level: majority class)",
        |cell| Some(cell.found.averages.accuracy),
        Some(|cell| Some(cell.found.averages.majority)),
    ),
    ("right as the model's first word, share of rows", |cell| cell.found.first_word, None),
    (
        "surprise of the right answer, over the whole vocabulary, bits",
        |cell| cell.found.log_likelihood.map(|log| bits(-log)),
        None,
    ),
    (
        "MSE × 100, as the paper prints it (level: uniform)",
        |cell| Some(100.0 * cell.found.averages.paper.mse),
        Some(|cell| Some(100.0 * cell.found.uniform)),
    ),
    (
        "bias × 100, as the paper prints it",
        |cell| Some(100.0 * cell.found.averages.paper.bias),
        None,
    ),
    ("diversity, squared logits", |cell| Some(cell.found.averages.paper.diversity), None),
];

/// Accuracy with its interval.
fn accuracy(cell: &KnownCell<'_>) -> Mean {
    wilson(cell.found.averages.accuracy, cell.found.averages.rows)
}

pub(super) fn figure(survey: &Survey, all: &[KnownCell<'_>], theme: &Theme) -> FigureDraft {
    let level = Pen::new("majority class, uniform", theme.quiet, Line::None, Mark::Level);
    let known = QUANTITIES.iter().enumerate();
    let known = known.filter(|(_, (_, value, _))| all.iter().any(|cell| value(cell).is_some()));
    let panels = known.map(|(q, (name, value, against))| {
        let levels = against.map(|against| {
            let points = all.iter().filter_map(|cell| {
                let y = against(cell)?;
                let text = format!("{}\n{}", cell.task_name, short(y));
                Some(Point::new(cell.task as f64, y, text))
            });
            Series::new(level.clone(), points)
        });
        let marks = model_marks(survey, all, theme, |cell| {
            let (y, right) = (value(cell)?, accuracy(cell));
            let name = format!("{}\n{}", cell.place(), short(y));
            Some(Point {
                interval: (q == 0).then_some([right.low, right.high]),
                ..Point::new(cell.task as f64, y, name)
            })
        });
        let series = levels.into_iter().chain(marks).collect();
        let name = if q == 0 { format!("{}, {name}", rights(all)) } else { (*name).to_owned() };
        Panel::from_zero(name, Axis::category("", task_names(survey)), series)
    });
    let panels = panels.collect();
    let legend = model_pens(survey, theme).into_iter().chain([level.clone()]).collect();
    FigureDraft {
        key: "table-1",
        title: title(&all.iter().map(GuessedCell::of).collect::<Vec<_>>()),
        words: [
            format!("{}{}{}", below_note(survey), first_words(survey, |_| true), near_uniform(all)),
            format!(
                "{}; accuracy is the share {}. MSE and bias × 100 by Eq. 14 and diversity by Eq. 8, which are not one identity. {}",
                extent(survey),
                rights(all),
                centred_share(all)
            ),
        ],
        table: table(all),
        plot: Plot::new(panels, legend, 2),
    }
}

/// Says what the cells' scores call right.
fn rights(all: &[KnownCell<'_>]) -> String {
    distinct(all.iter().map(|cell| cell.found.facts.score.right())).join(" or ")
}

/// A cell's accuracy beside what guessing scores there.
struct GuessedCell {
    accuracy: Mean,
    majority: f64,
    chance: f64,
}

impl GuessedCell {
    fn of(cell: &KnownCell<'_>) -> Self {
        Self {
            accuracy: accuracy(cell),
            majority: cell.found.averages.majority,
            chance: cell.found.chance,
        }
    }

    /// Whether the interval lies above the most frequent answer's share, and above chance too.
    fn is_above(&self) -> bool {
        self.accuracy.low > self.majority.max(self.chance)
    }

    /// Whether the interval lies below the most frequent answer's share.
    fn is_below(&self) -> bool {
        self.accuracy.high < self.majority
    }
}

/// How many accuracies their intervals put above always giving the most frequent answer, and below.
fn title(all: &[GuessedCell]) -> String {
    let above = all.iter().filter(|cell| cell.is_above()).count();
    let below = all.iter().filter(|cell| cell.is_below()).count();
    let below = match below {
        0 => String::new(),
        n => format!(", below it in {n}"),
    };
    format!(
        "Accuracy is above that of always giving the most frequent answer, beyond its interval, in {above} of {}{below}",
        counted(all.len(), "cell")
    )
}

/// Names the first cell below its most frequent answer's share, and counts the others; nothing where there is none.
fn below_note(survey: &Survey) -> String {
    let mut below =
        survey.found().filter_map(|(model, task, found)| below_majority(model, task, found));
    let Some(first) = below.next() else { return String::new() };
    match below.count() {
        0 => format!("{first} "),
        more => format!("{first} So are {} more. ", counted(more, "cell")),
    }
}

fn near_uniform(all: &[KnownCell<'_>]) -> String {
    let near = |cell: &&KnownCell<'_>| {
        let (mse, uniform) = (cell.found.averages.paper.mse, cell.found.uniform);
        (mse - uniform).abs() < 0.1 * uniform
    };
    let count = all.iter().filter(near).count();
    format!(
        "Bars are Wilson's 95 % intervals. The paper's MSE is within {} of a uniform answer's in {count} of {}.",
        percent(0.1),
        all.len()
    )
}

/// Says how much of the printed diversity moves probabilities.
fn centred_share(all: &[KnownCell<'_>]) -> String {
    let shares = all.iter().filter_map(|cell| {
        let Triples { paper, centred, .. } = cell.found.averages.triples();
        (paper.diversity > 0.0).then(|| centred.diversity / paper.diversity)
    });
    mean(shares).map_or_else(String::new, |share| {
        format!(
            "Of that diversity {} is centred, on average; the rest is the components' offset, which moves no probability.",
            percent(share)
        )
    })
}

fn table(all: &[KnownCell<'_>]) -> Table {
    let mut sorted: Vec<&KnownCell<'_>> = all.iter().collect();
    sorted.sort_by_key(|cell| (cell.task, cell.model));
    let rows = sorted.into_iter().map(|cell| (cell, cell.found, cell.found.averages.triples()));
    Table::of(
        rows,
        &[
            ("task", &|(cell, ..)| cell.task()),
            ("model", &|(cell, ..)| cell.model()),
            ("rows", &|(_, found, _)| Count(found.averages.rows)),
            ("accuracy", &|(_, found, _)| Number(found.averages.accuracy)),
            ("from", &|(cell, ..)| Number(accuracy(cell).low)),
            ("to", &|(cell, ..)| Number(accuracy(cell).high)),
            ("majority", &|(_, found, _)| Number(found.averages.majority)),
            ("chance", &|(_, found, _)| Number(found.chance)),
            ("chosen", &|(_, found, _)| Text(chosen(found))),
            ("first word right", &|(_, found, _)| TableCell::known(found.first_word)),
            ("surprise, bits", &|(_, found, _)| {
                TableCell::known(found.log_likelihood.map(|log| bits(-log)))
            }),
            ("perplexity", &|(_, found, _)| TableCell::known(found.perplexity)),
            ("options' share of the vocabulary", &|(_, found, _)| TableCell::known(found.mass)),
            ("paper mse x100", &|(.., triples)| Number(100.0 * triples.paper.mse)),
            ("uniform x100", &|(_, found, _)| Number(100.0 * found.uniform)),
            ("paper bias x100", &|(.., triples)| Number(100.0 * triples.paper.bias)),
            ("paper diversity", &|(.., triples)| Number(triples.paper.diversity)),
            ("paper diversity, centred", &|(.., triples)| Number(triples.centred.diversity)),
            ("probability mse", &|(.., triples)| Number(triples.probability.mse)),
            ("probability bias", &|(.., triples)| Number(triples.probability.bias)),
            ("probability diversity", &|(.., triples)| Number(triples.probability.diversity)),
            ("logit mse", &|(.., triples)| Number(triples.logit.mse)),
            ("logit bias", &|(.., triples)| Number(triples.logit.bias)),
            ("logit diversity", &|(.., triples)| Number(triples.logit.diversity)),
            ("centred mse", &|(.., triples)| Number(triples.centred.mse)),
            ("centred bias", &|(.., triples)| Number(triples.centred.bias)),
            ("centred diversity", &|(.., triples)| Number(triples.centred.diversity)),
            ("offset mse", &|(.., triples)| Number(triples.offset.mse)),
            ("offset bias", &|(.., triples)| Number(triples.offset.bias)),
            ("offset diversity", &|(.., triples)| Number(triples.offset.diversity)),
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::LIGHT;
    use crate::study::survey::{ChoiceShare, SurveyReport, SurveyedOutcome};

    const EXAMPLE: &str = include_str!("../../../public/examples/survey.atelier.json");

    #[test]
    fn an_accuracy_below_the_majority_names_the_answer() {
        let mut survey = SurveyReport::read(EXAMPLE).expect("the example").survey;
        let cell = survey.cells.iter_mut().find_map(|cell| match &mut cell.outcome {
            SurveyedOutcome::Found(found) => Some(found),
            SurveyedOutcome::Failed(_) => None,
        });
        let found = cell.expect("a cell with numbers");
        let choice = |option: &str, right, chosen| {
            let option = Some(option.to_owned());
            ChoiceShare { option, right, chosen }
        };
        (found.averages.accuracy, found.averages.majority) = (0.42, 0.635);
        found.choices = vec![choice(" no", 0.365, 0.9), choice(" yes", 0.635, 0.1)];

        let (model, task, found) = survey.found().next().expect("a cell with numbers");
        let said = below_majority(model, task, found).expect("it is below");
        assert!(
            said.ends_with(": 42.0\u{a0}% is below always answering “yes”, 63.5\u{a0}%."),
            "{said}"
        );
        assert_eq!(chosen(found), "“no” 90.0\u{a0}%, “yes” 10.0\u{a0}%");
        let cells: Vec<KnownCell<'_>> = super::super::cells(&survey).collect();
        let figure = figure(&survey, &cells, &LIGHT);
        assert!(figure.words[0].contains(&said), "{}", figure.words[0]);
        assert!(figure.table.headers.contains(&"chosen".to_owned()));
    }

    /// Rows whose choices differ in number have a chance above their most frequent answer's share.
    #[test]
    fn below_is_below_the_most_frequent_answer_not_below_chance() {
        let cell = |share: f64, majority: f64, chance: f64| GuessedCell {
            accuracy: wilson(share, 500),
            majority,
            chance,
        };
        let all = [cell(0.4, 0.3, 0.5), cell(0.2, 0.3, 0.25), cell(0.6, 0.3, 0.5)];
        assert_eq!(
            title(&all),
            "Accuracy is above that of always giving the most frequent answer, beyond its interval, in 1 of 3 cells, below it in 1"
        );
        assert_eq!(
            title(&all[..1]),
            "Accuracy is above that of always giving the most frequent answer, beyond its interval, in 0 of 1 cell"
        );
    }
}
