use super::*;
use crate::chart::LIGHT;
use crate::measure::interval::Mean;

fn cell(model: &str, task: &str, plan: Option<&str>, mean: f64) -> PictureCell {
    PictureCell {
        model: model.into(),
        task: task.into(),
        plan: plan.map(str::to_owned),
        value: Mean { mean, low: mean - 0.1, high: mean + 0.1 },
    }
}

fn drawn(cells: Vec<PictureCell>, marks: &LessonMarks) -> Figure {
    let of = PictureMean::Accuracy;
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
        "Right among the options, % on “sum”: 25 % (drop:0) to 75 % (original order)"
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
    assert!(figure.title.contains("25 % (step 0) to 75 % (a)"), "{}", figure.title);
    // Nothing at all has no picture.
    let none = StepPicture::Rows {
        of: PictureMean::Mse(ReadColumn::Probability),
        cells: vec![cell("a", "sum", None, f64::NAN)],
    };
    let marks = LessonMarks::default();
    assert_eq!(step_figure(&none, &marks, Column::Probability, &LIGHT), None);
}
