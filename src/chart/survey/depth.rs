//! Fig. 6: accuracy and MSE of models against how deep they are read.

use super::TableCell::{Count, Number, Text};
use super::{FigureDraft, Panel, Plot, Point, Series, Table, Theme};
use super::{cells, extent, first_words, heights, mean};
use crate::chart::Named;
use crate::chart::number::{counted, percent, short};
use crate::chart::plot::{Axis, Mark, Pen};
use crate::measure::interval::{Mean, mean_of_independent, wilson};
use crate::study::report::AverageDepth;
use crate::study::survey::Survey;

const QUANTITIES: Named<fn(&AverageDepth) -> f64, 3> = [
    ("right among the options, mean over tasks", |depth| depth.accuracy),
    ("MSE, squared shares, mean over tasks", |depth| depth.triples.probability.mse),
    ("MSE × 100, as the paper prints it, mean over tasks", |depth| {
        100.0 * depth.triples.paper.mse
    }),
];

/// A model over all of its tasks.
struct ModelCurve {
    model: usize,
    tasks: Vec<usize>,
    /// `[M]` a number a quantity.
    depths: Vec<[f64; 3]>,
    /// Share right among the options of the whole model, the mean over tasks.
    right: Mean,
}

impl ModelCurve {
    fn of(survey: &Survey, model: usize) -> Option<Self> {
        let answered: Vec<_> = cells(survey).filter(|cell| cell.model == model).collect();
        let members = answered.first()?.found.averages.by_depth.len();
        let depths = (0..members).map(|n| {
            QUANTITIES.map(|(_, value)| {
                let each = answered.iter().map(|cell| value(&cell.found.averages.by_depth[n]));
                mean(each).unwrap_or(0.0)
            })
        });
        let shares = answered.iter().filter_map(|cell| {
            let averages = &cell.found.averages;
            Some(wilson(averages.by_depth.last()?.accuracy, averages.rows))
        });
        let mut tasks: Vec<usize> = answered.iter().map(|cell| cell.task).collect();
        tasks.sort_unstable();
        Some(Self {
            model,
            tasks,
            depths: depths.collect(),
            right: mean_of_independent(&shares.collect::<Vec<_>>())?,
        })
    }
}

/// Calls a model best only of several on the same tasks, where it is ahead of every other beyond the intervals.
fn title(survey: &Survey, curves: &[ModelCurve]) -> String {
    let name = |curve: &ModelCurve| survey.models[curve.model].name.as_str();
    let right = |curve: &ModelCurve| percent(curve.right.mean);
    let mut ranked: Vec<&ModelCurve> = curves.iter().collect();
    ranked.sort_by(|a, b| b.right.mean.total_cmp(&a.right.mean));
    let [best, others @ ..] = &ranked[..] else {
        return "No model of this survey has numbers".to_owned();
    };
    let tasks = counted(best.tasks.len(), "task");
    let Some(second) = others.first() else {
        let (name, right) = (name(best), right(best));
        return format!("{name}: {right} right among the options, mean over {tasks}");
    };
    if others.iter().any(|other| other.tasks != best.tasks) {
        return "Accuracy and MSE along the depth of models that answered different tasks"
            .to_owned();
    }
    let verdict = match others.iter().all(|other| best.right.less(other.right).low > 0.0) {
        true => format!("{} answers best", name(best)),
        false => "no model is clearly best".to_owned(),
    };
    let [best, second] = [*best, second].map(|one| [name(one).to_owned(), right(one)].join(" "));
    format!("Over the same {tasks} {verdict}: {best} right among the options, {second}")
}

pub(super) fn figure(survey: &Survey, theme: &Theme) -> FigureDraft {
    let curves: Vec<ModelCurve> =
        (0..survey.models.len()).filter_map(|model| ModelCurve::of(survey, model)).collect();
    let pen = |model: usize| Pen {
        mark: Mark::None,
        ..theme.pen(model, survey.models[model].name.as_str())
    };
    let panels = QUANTITIES.iter().enumerate().map(|(q, (name, _))| {
        let curve = |curve: &ModelCurve| {
            let members = curve.depths.len();
            let points = curve.depths.iter().zip(1..).map(|(values, n)| {
                let model = &survey.models[curve.model].name;
                let text = format!("{model}, {n} of {members} components\n{}", short(values[q]));
                Point::new(f64::from(n) / members as f64, values[q], text)
            });
            Series::new(pen(curve.model), points)
        };
        let series: Vec<Series> = curves.iter().map(curve).collect();
        let x = Axis::over("share of the components so far", [0.0, 1.0]);
        Panel::new(*name, x, Axis::over("", heights(&series)), series)
    });
    let rows = curves
        .iter()
        .flat_map(|curve| curve.depths.iter().zip(1..).map(move |(values, n)| (curve, n, values)));
    FigureDraft {
        key: "fig-6-depth",
        title: title(survey, &curves),
        words: [
            "Accuracy is the share right among the options. Each model is decoded after every component; the axis is the share of its components so far.".to_owned(),
            format!(
                "{}{}; tasks count the same whatever their rows.",
                first_words(survey, |_| true),
                extent(survey)
            ),
        ],
        table: Table::of(
            rows,
            &[
                ("model", &|(curve, ..)| Text(survey.models[curve.model].name.clone())),
                ("components so far", &|(_, n, _)| Count(*n)),
                ("components", &|(curve, ..)| Count(curve.depths.len())),
                ("accuracy", &|(.., values)| Number(values[0])),
                ("mse", &|(.., values)| Number(values[1])),
                ("paper mse x100", &|(.., values)| Number(values[2])),
            ],
        ),
        plot: Plot::new(panels.collect(), curves.iter().map(|curve| pen(curve.model)).collect(), 3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::survey::SurveyModel;

    /// The heading of models with these shares of 500 right answers a task, and these tasks.
    fn heading(models: &[(f64, &[usize])]) -> String {
        let named = |n: usize| SurveyModel {
            name: format!("model-{n}"),
            facts: None,
            engine: String::new(),
            members: Vec::new(),
            files: Default::default(),
        };
        let survey = Survey {
            rows: None,
            shots: 0,
            seed: 0,
            models: (0..models.len()).map(named).collect(),
            tasks: Vec::new(),
            cells: Vec::new(),
            correlations: Vec::new(),
        };
        let curve = |(model, &(share, tasks)): (usize, &(f64, &[usize]))| ModelCurve {
            model,
            tasks: tasks.to_vec(),
            depths: Vec::new(),
            right: mean_of_independent(&vec![wilson(share, 500); tasks.len()]).expect("tasks"),
        };
        title(&survey, &models.iter().enumerate().map(curve).collect::<Vec<_>>())
    }

    fn is_ahead(first: &Mean, second: &Mean) -> bool {
        first.less(*second).low > 0.0
    }

    #[test]
    fn nobody_is_best_alone_or_over_other_tasks_or_within_the_interval() {
        let both: &[usize] = &[0, 1];
        assert_eq!(heading(&[]), "No model of this survey has numbers");
        assert_eq!(
            heading(&[(0.425, both)]),
            "model-0: 42\u{a0}% right among the options, mean over 2 tasks"
        );
        assert_eq!(
            heading(&[(0.75, both), (0.996, both)]),
            "Over the same 2 tasks model-1 answers best: model-1 99.6\u{a0}% right among the options, model-0 75\u{a0}%"
        );
        assert_eq!(
            heading(&[(0.99, both), (0.996, both)]),
            "Over the same 2 tasks no model is clearly best: model-1 99.6\u{a0}% right among the options, model-0 99\u{a0}%"
        );
        assert_eq!(
            heading(&[(0.42, &[2]), (0.996, both)]),
            "Accuracy and MSE along the depth of models that answered different tasks"
        );
    }

    /// Newcombe 1998, table II, row (a): 56 of 70 against 48 of 80 is 0.2 (0.0524 to 0.3339) by method 10.
    #[test]
    fn a_lead_is_sure_where_the_differences_interval_is_above_0() {
        let share = |right: usize, rows: usize| wilson(right as f64 / rows as f64, rows);
        let (a, b) = (share(56, 70), share(48, 80));
        assert!(is_ahead(&a, &b) && !is_ahead(&b, &a));
        let low = (a.mean - b.mean) - (a.mean - a.low).hypot(b.high - b.mean);
        assert!((low - 0.0524).abs() < 5e-5, "{low}");
        assert!(!is_ahead(&share(50, 70), &share(48, 80)));
    }
}
