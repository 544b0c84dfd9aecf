//! The eight theorems on the baked survey, as it ships: what each says at every end of its control.

use atelier::chart::plot::Room;
use atelier::chart::{Control, Figure, LIGHT, THEOREMS, theorem_figure};
use atelier::study::survey::{Survey, SurveyReport, SurveyedOutcome};

use crate::snapshot::check;

fn survey() -> Survey {
    let text = include_str!("../../public/examples/survey.atelier.json");
    SurveyReport::read(text).expect("the baked survey").survey
}

fn settings(control: &Control) -> Vec<f64> {
    match control {
        Control::Choice { choices, .. } => (0..choices.len()).map(|i| i as f64).collect(),
        Control::Share { .. } => vec![0.0, 0.5, 1.0],
    }
}

fn draw(number: usize, setting: f64, survey: &Survey, place: [usize; 2]) -> Result<Figure, String> {
    theorem_figure(number, survey, place, setting, &LIGHT, Room::wide(2))
}

/// A number of a figure's table.
fn value(figure: &Figure, row: usize, column: &str) -> f64 {
    let place = figure.table.headers.iter().position(|h| h == column).expect(column);
    match &figure.table.rows[row][place] {
        atelier::chart::TableCell::Number(x) => *x,
        other => panic!("{column} is {other:?}"),
    }
}

#[test]
fn every_control_moves_its_picture_and_what_it_says() {
    let survey = survey();
    let mut said = String::new();
    for theorem in &THEOREMS {
        let mut seen: Vec<String> = Vec::new();
        for setting in settings(&theorem.control) {
            let drawn = draw(theorem.number, setting, &survey, [3, 6]);
            let (words, data) = match &drawn {
                Ok(figure) => {
                    assert_eq!(
                        figure
                            .table
                            .rows
                            .iter()
                            .find(|row| row.len() != figure.table.headers.len()),
                        None
                    );
                    (
                        format!("{}\n    {}", figure.title, figure.words.join("\n    ")),
                        figure.table.csv(),
                    )
                }
                Err(why) => (why.clone(), why.clone()),
            };
            said += &format!("{} at {setting}: {words}\n", theorem.number);
            assert!(!seen.contains(&data), "theorem {} does not move at {setting}", theorem.number);
            seen.push(data);
        }
    }
    check("charts/theory.txt", &said);
}

#[test]
fn theorem_1_holds_in_one_column_and_fails_in_the_papers() {
    let survey = survey();
    for setting in [0.0, 1.0] {
        let figure = draw(1, setting, &survey, [0, 0]).unwrap();
        assert!(figure.title.starts_with("On every one of 80 rows"), "{}", figure.title);
    }
    let figure = draw(1, 2.0, &survey, [0, 0]).unwrap();
    assert!(figure.title.contains("misses the MSE"));
}

/// A file keeps seven digits, so squared logits of 1000 and more are off by more than 1e-4.
#[test]
fn theorem_1_holds_of_large_logits_and_only_mixed_columns_are_two_scales() {
    let mut survey = survey();
    for cell in &mut survey.cells {
        if let SurveyedOutcome::Found(found) = &mut cell.outcome {
            for sample in &mut found.samples {
                for numbers in [&mut sample.logit, &mut sample.centred, &mut sample.offset] {
                    *numbers = numbers.map(|x| 36_000.0 * x);
                }
            }
        }
    }
    let text = SurveyReport::new(survey).json().expect("JSON");
    let mut survey = SurveyReport::read(&text).expect("a survey").survey;
    let figure = draw(1, 1.0, &survey, [0, 0]).unwrap();
    let worst = (0..figure.table.rows.len()).map(|row| value(&figure, row, "difference").abs());
    assert!(worst.fold(0.0, f64::max) > 1e-4, "the file's digits are seen");
    assert!(figure.title.starts_with("On every one of 80 rows"), "{}", figure.title);
    // Numbers that do not belong together are of one scale all the same.
    for cell in &mut survey.cells {
        if let SurveyedOutcome::Found(found) = &mut cell.outcome {
            found.samples[0].centred[0] += 1.0;
        }
    }
    let figure = draw(1, 1.0, &survey, [0, 0]).unwrap();
    assert!(figure.title.starts_with("In this report bias − diversity misses"), "{}", figure.title);
    assert!(figure.words.iter().all(|words| !words.contains("squared shares")));
}

#[test]
fn theorem_2_holds_for_all_members_and_fails_for_one() {
    let survey = survey();
    assert!(draw(2, 0.0, &survey, [0, 0]).unwrap().title.starts_with("No diversity"));
    assert!(draw(2, 2.0, &survey, [0, 0]).unwrap().title.contains("more diversity than bias"));
}

#[test]
fn theorem_3_as_printed_needs_a_constant_target() {
    let survey = survey();
    let [constant, answer] = [0.0, 1.0].map(|share| draw(3, share, &survey, [2, 0]).unwrap());
    // Both printed terms are too large by b², and their difference is right.
    let b2 = -value(&constant, 0, "diversity residue");
    assert!(b2 > 1e-3, "{b2}");
    assert!((value(&constant, 0, "bias residue") + b2).abs() < 1e-5 * b2.max(1.0));
    assert!(value(&constant, 0, "mse residue").abs() < 1e-5);
    assert!(constant.title.contains("both printed terms are too large"), "{}", constant.title);
    assert!(answer.title.starts_with("The printed terms miss"), "{}", answer.title);
    for figure in [&constant, &answer] {
        let off = value(figure, 0, "bias") - value(figure, 0, "corrected bias");
        assert!(off.abs() < 1e-4, "{off}");
    }
    assert!(value(&answer, 0, "mse residue").abs() > 1e-3);
}

#[test]
fn theorems_4_to_8_know_their_known_answers() {
    let survey = survey();
    let secret = draw(4, 4.0, &survey, [0, 0]).unwrap();
    assert_eq!(secret.title, "0 + 1.00 − 0 = 1.00 bits");
    let best = draw(6, 2.0, &survey, [0, 0]).unwrap();
    assert!(best.title.starts_with("The error stays between"));
    let majority = draw(6, 3.0, &survey, [0, 0]).unwrap();
    assert!(majority.title.starts_with("The error is above its upper bound"), "{}", majority.title);
    for number in [7, 8] {
        let apart = draw(number, 0.0, &survey, [0, 0]).unwrap();
        assert!(!apart.title.contains("lost"), "{}", apart.title);
        assert!(draw(number, 1.0, &survey, [0, 0]).unwrap().title.contains("lost"));
    }
    // Three times in four right: 1 - H(1/4) bits.
    let first = value(&draw(7, 0.0, &survey, [0, 0]).unwrap(), 0, "gain");
    assert!((first - 0.188_721_875).abs() < 1e-8, "{first}");
}

#[test]
fn what_has_no_numbers_is_said() {
    let mut survey = survey();
    survey.cells.clear();
    for number in 1..=6 {
        let why = draw(number, 0.0, &survey, [0, 0]).unwrap_err();
        assert!(why.starts_with("scholar-2 on topic has no "), "{why}");
    }
}
