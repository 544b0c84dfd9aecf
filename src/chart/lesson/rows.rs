//! Means over rows of tasks: of models, under plans, at moments of a training.

use super::PLOT;
use crate::chart::TableCell::{Count, Number, Text};
use crate::chart::number::{percent, short};
use crate::chart::plot::{Axis, Line, Panel, Pen, Plot, Point, Series};
use crate::chart::{Column, FigureDraft, Table, Theme, capital, distinct};
use crate::model::catalogue::moment;
use crate::study::lessons::{LessonMarks, PictureCell, PictureMean, ReadColumn, SurveyShow};

/// Draws one mean of each model on each task under each plan, with its interval and its number of rows.
pub(super) fn figure(
    of: PictureMean,
    cells: &[PictureCell],
    marks: &LessonMarks,
    theme: &Theme,
) -> Option<FigureDraft> {
    let cells: Vec<&PictureCell> =
        cells.iter().filter(|cell| cell.value.mean.is_finite()).collect();
    let drawn = DrawnCells::of(&cells);

    // 1. A series of marks per task, or per model where tasks are side by side.
    let is_marked = |cell: &PictureCell| {
        let plans = marks.blocks.iter().map(|block| format!("drop:{block}"));
        plans.into_iter().any(|marked| cell.plan.as_ref() == Some(&marked))
    };
    let series = drawn.series.iter().enumerate().map(|(n, name)| {
        let own = cells.iter().filter(|cell| drawn.series_of(cell) == *name);
        let points = own.filter_map(|cell| {
            let place = drawn.place_of(cell);
            let x = drawn.places.iter().position(|other| *other == place)?;
            let ends = cell.value.interval().filter(|[low, high]| low < high);
            let text = format!("{name}, {place}\n{}", written(of, cell.value.mean));
            Some(Point {
                interval: ends.map(|ends| ends.map(|end| scaled(of, end))),
                label: is_marked(cell).then(|| place.clone()),
                ..Point::new(x as f64, scaled(of, cell.value.mean), text)
            })
        });
        let pen = theme.pen(n, name);
        let line = match (drawn.is_of_moments, drawn.is_joined) {
            (true, _) => Line::Solid,
            (false, true) => pen.line,
            (false, false) => Line::None,
        };
        Series::new(Pen { line, ..pen }, points)
    });
    let series: Vec<Series> = series.collect();

    // 2. The axes, the numbers and the words.
    let legend = series.iter().map(|series| series.pen.clone()).collect();
    let x = Axis::category("", drawn.places.clone());
    Some(FigureDraft {
        key: "step-rows",
        title: title(of, &cells, &drawn)?,
        words: words(of, &cells),
        table: table(of, &cells),
        plot: Plot::new(vec![Panel::from_zero(quantity(of), x, series).tall(PLOT)], legend, 1),
    })
}

/// Names of the x-axis's positions, and of the curves.
struct DrawnCells {
    models: Vec<String>,
    tasks: Vec<String>,
    plans: Vec<Option<String>>,
    /// Names along the x-axis.
    places: Vec<String>,
    /// Names of the pens.
    series: Vec<String>,
    /// Whether tasks stand along the x-axis, and models have the pens.
    is_by_task: bool,
    /// Whether models are moments of one training.
    is_of_moments: bool,
    /// Whether lines join the values of a task under a few plans of one model.
    is_joined: bool,
}

/// More plans than this are not joined by lines.
const JOINED: usize = 4;

impl DrawnCells {
    fn of(cells: &[&PictureCell]) -> Self {
        let models = distinct(cells.iter().map(|cell| cell.model.clone()));
        let tasks = distinct(cells.iter().map(|cell| cell.task.clone()));
        let plans = distinct(cells.iter().map(|cell| cell.plan.clone()));
        let is_of_moments = models.iter().any(|model| moment(model).is_some());
        let is_by_task =
            !is_of_moments && plans.len() == 1 && models.len() > 1 && tasks.len() > models.len();
        let is_strategy = |plan: &Option<String>| plan.as_ref().is_some_and(|of| of.contains(':'));
        let is_joined = models.len() == 1
            && (2..=JOINED).contains(&plans.len())
            && !plans.iter().any(is_strategy);
        let mut drawn = Self {
            models,
            tasks,
            plans,
            places: Vec::new(),
            series: Vec::new(),
            is_by_task,
            is_of_moments,
            is_joined,
        };
        drawn.places = distinct(cells.iter().map(|cell| drawn.place_of(cell)));
        drawn.series = distinct(cells.iter().map(|cell| drawn.series_of(cell).to_owned()));
        drawn
    }

    fn series_of<'a>(&self, cell: &'a PictureCell) -> &'a str {
        if self.is_by_task { &cell.model } else { &cell.task }
    }

    /// Where a cell stands: only what differs between cells is said.
    fn place_of(&self, cell: &PictureCell) -> String {
        if self.is_by_task {
            return cell.task.clone();
        }
        let model = match moment(&cell.model) {
            Some(step) => format!("step {step}"),
            None => cell.model.clone(),
        };
        let plan = plan_name(cell.plan.as_deref());
        match (self.models.len() > 1, self.plans.len() > 1) {
            (_, false) => model,
            (false, true) => plan,
            (true, true) => format!("{model}, {plan}"),
        }
    }
}

/// A plan by the name that its lesson gives it, in words; a strategy keeps its name.
fn plan_name(plan: Option<&str>) -> String {
    match plan {
        None => "original order".to_owned(),
        Some(plan) if plan.contains(':') => plan.to_owned(),
        Some(plan) => plan.replace('-', " "),
    }
}

/// Says what the intervals are, and on how many rows each mark rests.
fn words(of: PictureMean, cells: &[&PictureCell]) -> [String; 2] {
    let first = match of {
        PictureMean::Line => {
            "Every mark is a model's trajectory through its blocks. 1 is a straight line. A random walk \
             of L steps scores the square root of L."
        }
        _ => "Every mark is a model under one order on the rows of one task.",
    };
    let rows = distinct(cells.iter().map(|cell| cell.rows));
    let rows = match (rows.iter().min(), rows.iter().max()) {
        (Some(least), Some(most)) if least < most => format!("{least} to {most}"),
        (Some(rows), _) => rows.to_string(),
        (None, _) => return [first.to_owned(), String::new()],
    };
    let has_intervals =
        cells.iter().any(|cell| cell.value.interval().is_some_and(|[low, high]| low < high));
    let intervals = if has_intervals { " Bars are 95 % intervals." } else { "" };
    [first.to_owned(), format!("n = {rows} rows at each mark.{intervals}")]
}

fn table(of: PictureMean, cells: &[&PictureCell]) -> Table {
    Table::of(
        cells,
        &[
            ("model", &|cell| Text(cell.model.clone())),
            ("task", &|cell| Text(cell.task.clone())),
            ("order", &|cell| Text(plan_name(cell.plan.as_deref()))),
            (&quantity(of), &|cell| Number(scaled(of, cell.value.mean))),
            ("from", &|cell| Number(scaled(of, cell.value.low))),
            ("to", &|cell| Number(scaled(of, cell.value.high))),
            ("rows", &|cell| Count(cell.rows)),
        ],
    )
}

/// The sentence that the marks carry: two models task by task, a crossing, or the widest range.
fn title(of: PictureMean, cells: &[&PictureCell], drawn: &DrawnCells) -> Option<String> {
    let two = compared(of, cells, drawn);
    let sentence = two.or_else(|| crossing(of, cells, drawn));
    sentence.or_else(|| range(of, cells, drawn))
}

/// Counts the tasks on which one of two models is above the other beyond the intervals.
fn compared(of: PictureMean, cells: &[&PictureCell], drawn: &DrawnCells) -> Option<String> {
    let [a, b] = drawn.models.as_slice() else {
        return None;
    };
    if !drawn.is_by_task {
        return None;
    }
    let value = |model: &str, task: &str| {
        let cell = cells.iter().find(|cell| cell.model == model && cell.task == task)?;
        Some(cell.value)
    };
    let pairs = drawn.tasks.iter().filter_map(|task| Some((value(a, task)?, value(b, task)?)));
    let pairs: Vec<_> = pairs.collect();
    let below = pairs.iter().filter(|(a, b)| b.high < a.low).count();
    let above = pairs.iter().filter(|(a, b)| b.low > a.high).count();
    let open = match pairs.len() - below - above {
        0 => String::new(),
        open => format!("; the intervals of {open} overlap"),
    };
    Some(format!(
        "{}: {b} is below {a} on {below} of {} tasks and above it on {above}{open}",
        capital(&quantity(of)),
        pairs.len()
    ))
}

/// Names the plan under which each of a few tasks keeps least, where these differ between tasks and each is below
/// every other plan beyond the intervals.
fn crossing(of: PictureMean, cells: &[&PictureCell], drawn: &DrawnCells) -> Option<String> {
    let [first, second] = drawn.tasks.as_slice() else {
        return None;
    };
    if !drawn.is_joined || drawn.plans.len() < 3 {
        return None;
    }
    let least = |task: &String| {
        let own = cells.iter().filter(|cell| cell.task == *task);
        let least = *own.clone().min_by(|a, b| a.value.mean.total_cmp(&b.value.mean))?;
        let mut others = own.filter(|cell| cell.plan != least.plan);
        others.all(|cell| least.value.high < cell.value.low).then_some(least)
    };
    let [one, other] = [least(first)?, least(second)?];
    if one.plan == other.plan {
        return None;
    }
    let end = |cell: &PictureCell| {
        let plan = plan_name(cell.plan.as_deref());
        format!("on “{}” with {plan} ({})", cell.task, written(of, cell.value.mean))
    };
    let what = capital(&quantity(of));
    Some(format!("{what}: least {}, {}", end(one), end(other)))
}

/// From where to where the task goes whose values are farthest apart.
fn range(of: PictureMean, cells: &[&PictureCell], drawn: &DrawnCells) -> Option<String> {
    let ends = |task: &String| {
        let own = cells.iter().filter(move |cell| cell.task == *task);
        let of = |cell: &&&PictureCell| cell.value.mean;
        let low = own.clone().min_by(|a, b| of(a).total_cmp(&of(b)))?;
        let high = own.max_by(|a, b| of(a).total_cmp(&of(b)))?;
        Some((*low, *high))
    };
    let all = drawn.tasks.iter().filter_map(ends);
    let span = |(low, high): &(&PictureCell, &PictureCell)| high.value.mean - low.value.mean;
    let (low, high) = all.max_by(|a, b| span(a).total_cmp(&span(b)))?;
    let end = |cell: &PictureCell| {
        let place = if drawn.is_by_task { cell.model.clone() } else { drawn.place_of(cell) };
        format!("{} ({place})", written(of, cell.value.mean))
    };
    let ends =
        if span(&(low, high)) > 0.0 { format!("{} to {}", end(low), end(high)) } else { end(low) };
    Some(format!("{} on “{}”: {ends}", capital(&quantity(of)), low.task))
}

fn quantity(of: PictureMean) -> String {
    let (word, column) = match of {
        PictureMean::Line => return "line-shape score".to_owned(),
        PictureMean::Rows(SurveyShow::Accuracy, _) => {
            return "right among the options, %".to_owned();
        }
        PictureMean::Rows(SurveyShow::Mse, column) => ("MSE", column),
        PictureMean::Rows(SurveyShow::Bias, column) => ("bias", column),
        PictureMean::Rows(SurveyShow::Diversity, column) => ("diversity", column),
    };
    let column = match column {
        ReadColumn::Probability => Column::Probability.label(),
        ReadColumn::Logit => Column::Logit.label(),
        ReadColumn::Paper => "by the paper's formula",
    };
    format!("{word}, {column}")
}

fn scaled(of: PictureMean, value: f64) -> f64 {
    match of {
        PictureMean::Rows(SurveyShow::Accuracy, _) => 100.0 * value,
        _ => value,
    }
}

fn written(of: PictureMean, value: f64) -> String {
    match of {
        PictureMean::Rows(SurveyShow::Accuracy, _) => percent(value),
        _ => short(value),
    }
}
