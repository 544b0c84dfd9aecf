use super::*;
use crate::chart::LIGHT;
use crate::chart::plot::{Axis, Line};
use crate::engine::{Member, MemberKind};
use crate::measure::interval::Mean;
use crate::study::lessons::{DepthAccuracy, PictureCell, PictureMean, ReadColumn, SurveyShow};

fn cell(model: &str, task: &str, plan: Option<&str>, mean: f64) -> PictureCell {
    PictureCell {
        model: model.into(),
        task: task.into(),
        plan: plan.map(str::to_owned),
        rows: 48,
        value: Mean { mean, low: mean - 0.1, high: mean + 0.1 },
    }
}

fn drawn(cells: Vec<PictureCell>, marks: &LessonMarks) -> Figure {
    let of = PictureMean::Rows(SurveyShow::Accuracy, ReadColumn::Probability);
    let picture = StepPicture::Rows { of, cells };
    step_figure(&picture, marks, Column::Probability, &LIGHT).expect("a figure")
}

#[test]
fn every_order_of_a_task_has_its_mark_with_its_interval() {
    let marks = LessonMarks { blocks: vec![1], ..LessonMarks::default() };
    let cells = vec![
        cell("a", "sum", None, 0.75),
        cell("a", "sum", Some("drop:0"), 0.25),
        cell("a", "sum", Some("drop:1"), 0.5),
        cell("a", "mood", None, 0.5),
    ];
    let figure = drawn(cells, &marks);
    assert_eq!(
        figure.title,
        "Right among the options, % on “sum”: 25\u{a0}% (drop:0) to 75\u{a0}% (original order)"
    );
    let [sum, mood] = figure.plot.panels[0].series.as_slice() else {
        panic!("a series a task");
    };
    let places: Vec<[f64; 2]> = sum.points.iter().map(|p| [p.x, p.y]).collect();
    assert_eq!(places, [[0.0, 75.0], [1.0, 25.0], [2.0, 50.0]]);
    assert_eq!(sum.pen.line, Line::None);
    let [low, high] = sum.points[1].interval.expect("an interval");
    assert!((low - 15.0).abs() < 1e-9 && (high - 35.0).abs() < 1e-9);
    let labels: Vec<Option<&str>> = sum.points.iter().map(|p| p.label.as_deref()).collect();
    assert_eq!(labels, [None, None, Some("drop:1")]);
    assert_eq!((mood.points.len(), mood.points[0].x), (1, 0.0));
    assert_eq!(figure.table.rows.len(), 4);
}

#[test]
fn moments_of_a_training_are_a_curve_and_what_is_no_number_is_not_drawn() {
    let cells = vec![
        cell("a-step-0", "sum", None, 0.25),
        cell("a-step-500", "sum", None, f64::NAN),
        cell("a", "sum", None, 0.75),
    ];
    let figure = drawn(cells, &LessonMarks::default());
    let series = &figure.plot.panels[0].series;
    assert_eq!(series[0].pen.line, Line::Solid);
    let xs: Vec<f64> = series[0].points.iter().map(|point| point.x).collect();
    assert_eq!(xs, [0.0, 1.0]);
    assert!(figure.title.contains("25\u{a0}% (step 0) to 75\u{a0}% (a)"), "{}", figure.title);
    // Nothing at all has no picture.
    let none = StepPicture::Rows {
        of: PictureMean::Rows(SurveyShow::Mse, ReadColumn::Probability),
        cells: vec![cell("a", "sum", None, f64::NAN)],
    };
    let marks = LessonMarks::default();
    assert_eq!(step_figure(&none, &marks, Column::Probability, &LIGHT), None);
}

#[test]
fn two_models_are_compared_task_by_task() {
    let cells = vec![
        cell("a", "sum", None, 0.9),
        cell("a", "mood", None, 0.5),
        cell("a", "quiz", None, 0.5),
        cell("b", "sum", None, 0.5),
        cell("b", "mood", None, 0.9),
        cell("b", "quiz", None, 0.55),
    ];
    let figure = drawn(cells, &LessonMarks::default());
    assert_eq!(
        figure.title,
        "Right among the options, %: b is below a on 1 of 3 tasks and above it on 1; the intervals of 1 overlap"
    );
    let panel = &figure.plot.panels[0];
    assert_eq!(panel.x, Axis::category("", ["sum", "mood", "quiz"].map(str::to_owned).to_vec()));
    let pens: Vec<&str> = panel.series.iter().map(|series| series.pen.name.as_str()).collect();
    assert_eq!(pens, ["a", "b"]);
    assert_eq!(figure.words[1], "n = 48 rows at each mark. Bars are 95\u{a0}% intervals.");
}

#[test]
fn a_crossing_is_said_where_the_intervals_carry_it() {
    let cells = |late: f64| {
        vec![
            cell("a", "topic", None, 1.0),
            cell("a", "topic", Some("attention-off"), 0.95),
            cell("a", "topic", Some("MLPs-off"), 0.5),
            cell("a", "same", None, 1.0),
            cell("a", "same", Some("attention-off"), 0.5),
            cell("a", "same", Some("MLPs-off"), late),
        ]
    };
    let figure = drawn(cells(0.9), &LessonMarks::default());
    assert_eq!(
        figure.title,
        "Right among the options, %: least on “topic” with MLPs off (50\u{a0}%), on “same” with attention off (50\u{a0}%)"
    );
    // A line per task joins the plans, which the axis names in words.
    let panel = &figure.plot.panels[0];
    assert!(panel.series.iter().all(|series| series.pen.line != Line::None));
    let names = ["original order", "attention off", "MLPs off"].map(str::to_owned);
    assert_eq!(panel.x, Axis::category("", names.to_vec()));

    // Two intervals that overlap carry no such sentence.
    let figure = drawn(cells(0.6), &LessonMarks::default());
    assert!(!figure.title.contains("least"), "{}", figure.title);
}

#[test]
fn answers_that_read_no_negation_are_a_map() {
    let cells = vec![
        cell("a-step-0", "none", None, 1.0),
        cell("a-step-0", "one", None, 0.25),
        cell("a", "none", None, 1.0),
        cell("a", "one", None, 0.9),
    ];
    let picture = StepPicture::Said { cells, turned: vec!["one".to_owned()] };
    let marks = LessonMarks::default();
    let figure = step_figure(&picture, &marks, Column::Probability, &LIGHT).expect("a map");
    assert_eq!(
        figure.title,
        "“one”: answered as if no negation stood there in 10\u{a0}% (a) to 75\u{a0}% (after step 0) of the rows"
    );
    let panel = &figure.plot.panels[0];
    assert_eq!(panel.y, Axis::category("", ["right", "the end", "0"].map(str::to_owned).to_vec()));
    let written = |x: usize, y: usize| {
        let cell = panel.patches.iter().find(|patch| [patch.x, patch.y] == [x, y]);
        cell.and_then(|patch| patch.text.clone()).expect("a number")
    };
    let rows = [2, 1, 0].map(|y| [written(0, y), written(1, y)]);
    assert_eq!(
        rows,
        [["100\u{a0}%", "75\u{a0}%"], ["100\u{a0}%", "10\u{a0}%"], ["100\u{a0}%", "0\u{a0}%"]]
    );
    assert_eq!(figure.words[1], "n = 48 rows in each cell.");
}

#[test]
fn answers_appear_after_their_components() {
    let kinds = [MemberKind::Embedding, MemberKind::Attention, MemberKind::Mlp];
    let members =
        kinds.map(|kind| Member { kind, block: (kind != MemberKind::Embedding).then_some(0) });
    let task = |task: &str, accuracy: [f64; 3], reached: Option<usize>| DepthAccuracy {
        task: task.to_owned(),
        rows: 500,
        accuracy: accuracy.to_vec(),
        reached,
    };
    let picture = StepPicture::Depths {
        model: "a".to_owned(),
        members: members.to_vec(),
        tasks: vec![
            task("sum", [0.1, 0.2, 1.0], Some(2)),
            task("quiz", [0.25, 0.98, 1.0], Some(1)),
            task("mood", [0.5, 0.97, 1.0], Some(1)),
        ],
    };
    let marks = LessonMarks::default();
    let figure = step_figure(&picture, &marks, Column::Probability, &LIGHT).expect("curves");
    assert_eq!(
        figure.title,
        "a: “sum” appears last, after block 0's MLP; “quiz”, “mood” first, after block 0's attention"
    );
    let pens: Vec<&str> = figure.plot.legend.iter().map(|pen| pen.name.as_str()).collect();
    assert_eq!(pens, ["sum: 0m", "quiz: 0a", "mood: 0a"]);
    // A curve and its mark per task.
    let counts: Vec<usize> =
        figure.plot.panels[0].series.iter().map(|series| series.points.len()).collect();
    assert_eq!(counts, [3, 1, 3, 1, 3, 1]);
    assert_eq!(figure.words[1], "n = 500 rows of each task.");
}
