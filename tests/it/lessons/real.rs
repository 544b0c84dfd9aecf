//! The lessons on the real model, SmolLM2-135M-Instruct: what a reader is told who opens them with it.

use std::time::Instant;

use atelier::study::lessons::{Lesson, LessonTaker, StepOutcome, StepShowing};

use super::school::{School, lessons};
use super::words::transcript;
use crate::common::real_model;
use crate::snapshot;

/// Lessons of which the real model can take every step.
const WHOLE: [&str; 8] = [
    "votes",
    "bias-and-diversity",
    "disagreement",
    "attention-and-mlps",
    "depth",
    "orders",
    "painters",
    "real-model",
];

/// Every step of these lessons can be asked of it; of the others it is said before one starts how many steps it can be
/// asked. The first two lessons run.
#[test]
fn the_real_model_can_be_asked_every_step_of_eight_lessons() {
    let Some(file) = real_model() else { return };
    let mut school = School::open();
    let model = school.enter(&file);
    let mut told = String::new();
    let mut faults = Vec::new();
    for (number, lesson) in (1..).zip(lessons()) {
        let fit = lesson.fit(&LessonTaker::new(school.load(&model)));
        told += &format!("{}: {}\n", lesson.id, fit.sentence(&model));
        if WHOLE.contains(&lesson.id.as_str()) && !fit.lacking.is_empty() {
            faults.push(format!("{}: {:?}", lesson.id, fit.lacking));
        }
        if number <= 2 {
            faults.extend(answered(&mut school, &lesson, &model));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    snapshot::check("lessons/fits-smollm2.txt", &told);
}

/// All rows of all steps: on few of them a premise cannot hold, and nothing lies above chance. `ATELIER_LESSON=07` runs
/// one lesson.
#[test]
#[ignore = "minutes: cargo xtask test --long"]
fn the_real_model_answers_every_step_of_eight_lessons() {
    let Some(file) = real_model() else { return };
    let mut school = School::open();
    let model = school.enter(&file);
    let mut faults = Vec::new();
    for lesson in lessons().into_iter().filter(|lesson| WHOLE.contains(&lesson.id.as_str())) {
        faults.extend(answered(&mut school, &lesson, &model));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Runs the steps of a lesson that ask the model, prints what is told, and returns the faults.
fn answered(school: &mut School, lesson: &Lesson, model: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for step in lesson.steps.iter().filter(|step| step.runs_taught()) {
        let name = format!("{} {}", lesson.id, step.id);
        let since = Instant::now();
        let outcome = school.run(lesson, step, model);
        println!("{name}: {:.1?}\n{}", since.elapsed(), transcript(&outcome));
        faults.extend(holes(&name, &outcome));
    }
    faults
}

/// Lists the texts that are not filled in, and steps that are not shown.
fn holes(at: &str, outcome: &StepOutcome) -> Vec<String> {
    let mut faults = Vec::new();
    if let StepShowing::CannotShow(why) = &outcome.showing {
        faults.push(format!("{at}: {why}"));
        return faults;
    }
    let said = [&outcome.say, &outcome.ask, &outcome.reveal, &outcome.caveat];
    if said.iter().any(|text| text.is_empty()) {
        faults.push(format!("{at}: something is not said"));
    }
    let options = outcome.options.iter().flat_map(|option| [&option.text, &option.why]);
    for text in said.into_iter().chain(options) {
        let is_hole = |word: &str| ["NaN", "inf", "−inf", "–"].contains(&word);
        if text.contains(['{', '<']) || text.split_whitespace().any(is_hole) {
            faults.push(format!("{at}: {text:?} is not filled in"));
        }
    }
    faults
}

/// The list says of every model what it cannot be asked, and why.
#[test]
fn what_a_model_lacks_is_known_before_a_lesson_starts() {
    let mut school = School::open();
    let lessons = lessons();
    let mut said = |model: &str, lesson: &str| {
        let lesson = lessons.iter().find(|of| of.id == lesson)?;
        Some(lesson.fit(&LessonTaker::new(school.load(model))).sentence(model))
    };
    for (model, lesson, sentence) in [
        ("scholar-12", "votes", "scholar-12 can be asked all 4 steps."),
        (
            "scholar-12",
            "sharing",
            "scholar-12 can be asked 0 of 4 steps. 3 steps ask scholars or no model. \
             1 step it cannot be asked: its blocks share no weights.",
        ),
        (
            "scholar-12",
            "training",
            "scholar-12 can be asked 0 of 6 steps. 6 steps it cannot be asked, the first because of this: \
             no moments of the training of scholar-12 were kept.",
        ),
        (
            "scholar-12-shared",
            "disagreement",
            "scholar-12-shared can be asked 0 of 4 steps. 2 steps ask scholars or no model. \
             2 steps it cannot be asked, the first because of this: \
             it runs its blocks more than once, and the plans of this step do not.",
        ),
    ] {
        let found = said(model, lesson).unwrap_or_else(|| sentence.to_owned());
        assert_eq!(found, sentence, "{model}, {lesson}");
    }
}
