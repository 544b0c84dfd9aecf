//! The lessons on the shipped weights, and on models that they were not written for.

mod longer;
mod made_up;
mod real;
mod school;
mod swept;
mod words;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use atelier::app::examples;
use atelier::app::link::{Choice, Link};
use atelier::chart::{Figure, LIGHT, step_figure};
use atelier::model::catalogue;
use atelier::study::lessons::{
    Holding, LESSONS, Lesson, LessonFit, LessonFits, LessonStep, LessonTaker, REAL_MODEL,
    RunSource, StepAsk, StepOutcome, StepShowing, WorkRunning,
};
use atelier::study::refusal::task_refusals;
use atelier::task::built_in::BuiltInTask;
use atelier::task::plain::PlainTask;
use school::School;

use crate::charts::drawn::sound;
use crate::snapshot;

/// Options that a reader may believe in and algebra forbids, whatever the model: bias less diversity is the error of
/// the mean; and of two options all members err on the same side, so their mean is not better than the best.
const FORBIDDEN: [&str; 3] = [
    "bias-and-diversity identity plus",
    "bias-and-diversity beaten everyone",
    "reading columns wrong",
];

/// Every step on the model that it is written for is answered, or says that it is open; on others it says what
/// they cannot show; and every option is wrong somewhere.
#[test]
fn lessons_are_true_where_they_are_written_for_and_can_be_false_elsewhere() {
    let mut school = School::open();
    let mut others = vec!["scholar-2".to_owned(), "scholar-4-step-000000".to_owned()];
    others.extend(school.strangers());
    others.extend(school.shuffled());
    let mut times: Vec<(Duration, String)> = Vec::new();
    let mut faults = Vec::new();
    let (mut transcript, mut drawn) = (String::new(), String::new());
    // How often each option's predicate was true, and false: on whichever model, and on numbers made up.
    let mut judged: BTreeMap<String, [usize; 4]> = BTreeMap::new();

    for lesson in school::lessons() {
        transcript += &format!("# {}\n\n", lesson.id);
        drawn += &format!("# {}\n\n", lesson.id);
        for step in &lesson.steps {
            let at = format!("{} {}", lesson.id, step.id);
            let own = lesson.model_of(step).to_owned();

            // 1. The model that the step is written for, whose words are reviewed.
            let since = Instant::now();
            let outcome = school.run(&lesson, step, &own);
            times.push((since.elapsed(), at.clone()));
            transcript += &words::transcript(&outcome);
            faults.extend(faults_of(&lesson, &at, &outcome, step.is_open));
            faults.extend(faults_of_source(step, &at, &outcome, &own));
            let taken = school.taken(&lesson, step);
            let figures = figures(&mut school, &lesson, &taken, &own);
            if figures.is_empty() && !matches!(step.action, StepAsk::Theory(_)) {
                faults.push(format!("{at} draws nothing"));
            }
            for figure in &figures {
                sound(figure);
                drawn += &words::of_figure(&step.id, figure);
            }
            faults.extend(faults_of_links(&lesson, &taken, &at));
            let mut outcomes = vec![outcome];
            outcomes.extend(school.made_up(&lesson, &taken, &own));

            // 2. Other models.
            let short = school::on_fewer_rows(step);
            for model in &others {
                let outcome = school.run(&lesson, &short, model);
                if let StepShowing::CannotShow(why) = &outcome.showing {
                    assert!(why.contains(model.as_str()) && why.ends_with('.'), "{why}");
                    let judged = outcome.options.iter().any(|option| option.holding.is_some());
                    assert!(!judged, "{at} on {model} is judged though it cannot be shown");
                    assert!(why.contains(&own), "{why}");
                }
                faults.extend(faults_of_source(step, &at, &outcome, model));
                outcomes.push(outcome);
            }

            // 3. Which options held, and which did not.
            for holdings in made_up::holdings(&taken, &school.seen(&lesson, &taken)) {
                for (option, holding) in step.options.iter().zip(holdings) {
                    let counts = judged.entry(format!("{at} {}", option.id)).or_default();
                    counts[2] += usize::from(holding == Holding::Agrees);
                    counts[3] += usize::from(holding == Holding::Disagrees);
                }
            }
            for option in outcomes.iter().flat_map(|outcome| &outcome.options) {
                let counts = judged.entry(format!("{at} {}", option.id)).or_default();
                counts[0] += usize::from(option.holding == Some(Holding::Agrees));
                counts[1] += usize::from(option.holding == Some(Holding::Disagrees));
            }
        }
    }

    // Every option holds somewhere, and somewhere it does not.
    println!("{:50} {:>12} {:>16}", "option: on models", "true false", "made up");
    for (option, [yes, no, made_yes, made_no]) in &judged {
        println!("{option:50} {yes:6} {no:5} {made_yes:10} {made_no:5}");
        if FORBIDDEN.contains(&option.as_str()) {
            if *yes > 0 {
                faults.push(format!("{option} is true on a model, and algebra forbids it"));
            }
            continue;
        }
        if no + made_no == 0 {
            faults.push(format!("{option} is false nowhere, so it tests nothing"));
        }
        if yes + made_yes == 0 {
            faults.push(format!("{option} is true nowhere, so nobody can be right"));
        }
    }

    times.sort();
    if let (Some(median), Some(worst)) = (times.get(times.len() / 2), times.last()) {
        println!(
            "{} steps: median {:.2?}, worst {:.2?} ({})",
            times.len(),
            median.0,
            worst.0,
            worst.1
        );
    }

    assert!(faults.is_empty(), "{}", faults.join("\n"));
    snapshot::check_near("lessons/verdicts.txt", &transcript);
    snapshot::check_near("lessons/figures.txt", &drawn);
}

/// Draws a step's run as the page does.
fn figures(school: &mut School, lesson: &Lesson, step: &LessonStep, model: &str) -> Vec<Figure> {
    let link = Link::of_step(lesson, &step.action, Choice::Known(model.to_owned()));
    let pictures = school.pictures(lesson, step, model);
    let drawn = pictures.iter();
    drawn.filter_map(|picture| step_figure(picture, &step.marks, link.column, &LIGHT)).collect()
}

/// A plan that names blocks by number leaves out what a longer model has behind them: no such model is judged by
/// it, and the reader is told before anything runs. A plan of places is of whichever model takes it.
#[test]
fn a_model_of_sixteen_blocks_runs_plans_of_its_own_and_none_of_twelve() {
    let model = longer::longer("scholar-12", 4);
    let (mut refused, mut run) = (0, 0);
    for lesson in school::lessons() {
        for step in &lesson.steps {
            let at = format!("{} {}", lesson.id, step.id);
            let all = plans(&step.action);
            let has_places = all.iter().any(|plan| plan.contains('<'));
            let is_numbered = |plan: &&String| plan.starts_with(|c: char| c.is_ascii_digit());
            let numbered = all.into_iter().find(is_numbered).filter(|_| !has_places);
            if !has_places && numbered.is_none() {
                continue;
            }
            match (lesson.fitted(step, &LessonTaker::new(&model)), numbered) {
                (Err(error), Some(plan)) => {
                    let said =
                        format!("the plan {plan} is of a model of 12 blocks, and this one has 16");
                    assert_eq!(error.to_string(), said, "{at}");
                    refused += 1;
                }
                (Ok(step), None) => {
                    for plan in plans(&step.action) {
                        let last = ["15", "drop", "swap", "reverse", "loop", "skip", "repeat"];
                        assert!(last.iter().any(|part| plan.contains(part)), "{at}: {plan}");
                    }
                    let started = WorkRunning::start(&model, &step.action, lesson.prompt.as_ref());
                    assert!(started.is_ok(), "{at}");
                    run += 1;
                }
                (taken, _) => panic!("{at}: {:?}", taken.map(|step| step.action)),
            }
        }
    }
    assert!(refused > 0 && run > 5, "{refused} refused, {run} run");
}

/// The plans of a run.
fn plans(ask: &StepAsk) -> Vec<&String> {
    match ask {
        StepAsk::Lens(ask) => ask.plan.iter().collect(),
        StepAsk::Rows(ask) => ask.plans.values().collect(),
        _ => Vec::new(),
    }
}

/// The list of models says of those that are shipped which tasks and lessons they can take, though none is open.
#[test]
fn what_is_said_of_a_shipped_model_is_so_when_it_is_open() {
    let lessons = school::lessons();
    if lessons.len() < LESSONS.len() {
        println!("SKIPPED: ATELIER_LESSON leaves lessons out");
        return;
    }

    let mut school = School::open();
    let mut others = Vec::new();
    for known in catalogue::KNOWN {
        let model = school.load(known.name);
        let refused: Vec<BuiltInTask> =
            task_refusals(model).into_iter().map(|refusal| refusal.task).collect();
        let plain: Vec<BuiltInTask> = PlainTask::ALL.map(BuiltInTask::Plain).to_vec();
        assert_eq!(refused, plain, "{}", known.name);

        let said = LessonFits::shipped(known.name).expect("fits of a shipped model");
        let taker = LessonTaker::new(model);
        let fits: Vec<LessonFit> = lessons.iter().map(|lesson| lesson.fit(&taker)).collect();
        let found = LessonFits::of(&fits);
        if known.name == examples::first().model.name() {
            // Every step runs on the model that it is written for.
            assert_eq!(said.whole, (1..=LESSONS.len()).collect::<Vec<_>>());
            continue;
        }
        if said != found {
            others.push((known.name, found));
        }
    }
    assert!(others.is_empty(), "found: {others:#?}");
    assert_eq!(LessonFits::shipped("scholar-4-step-000000"), None);
}

/// Numbers are credited to who gave them: to the models that the step names, to the model that was asked, or to
/// none at all.
fn faults_of_source(
    step: &LessonStep,
    at: &str,
    outcome: &StepOutcome,
    asked: &str,
) -> Option<String> {
    let is_run = !matches!(outcome.showing, StepShowing::CannotShow(_));
    let is_true = match (&step.action, &outcome.source) {
        (_, None) => !is_run,
        (StepAsk::Survey(_), Some(RunSource::Survey { rows })) => rows[0] > 0,
        (ask, Some(RunSource::Report { ran, rows })) => {
            ask.report().is_some() && ran.model == REAL_MODEL && rows[0] > 0
        }
        (StepAsk::Theory(_), Some(RunSource::MadeUp)) => true,
        (ask, Some(RunSource::Models(ran))) => {
            let names: Vec<&str> = ran.iter().map(|of| of.model.as_str()).collect();
            let is_said = outcome.source.as_ref().is_some_and(|source| {
                let said = source.to_string();
                said.contains(names.last().copied().unwrap_or("no model"))
            });
            is_said && ask.models(asked).is_ok_and(|models| models == names)
        }
        _ => false,
    };
    (!is_true).then(|| format!("{at} on {asked}: its numbers are credited to {:?}", outcome.source))
}

/// Checks that every run of the step opens as a link, and that the blocks it marks exist.
fn faults_of_links(lesson: &Lesson, step: &LessonStep, at: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let model = lesson.model_of(step);
    for ask in step.before.iter().chain([&step.action]) {
        let link = Link::of_step(lesson, ask, Choice::Known(model.to_owned()));
        let fragment = link.fragment();
        if Link::parse(&fragment).as_ref() != Some(&link) {
            faults.push(format!("{at}: #{fragment} does not open what it links to"));
        }
    }
    let blocks = catalogue::find(model).map_or(0, |known| known.blocks);
    for block in step.marks.all_blocks() {
        if block >= blocks {
            faults.push(format!("{at}: {model} has no block {block} to mark"));
        }
    }
    faults
}

fn faults_of(lesson: &Lesson, at: &str, outcome: &StepOutcome, is_open: bool) -> Vec<String> {
    let mut faults = Vec::new();
    let mut fault = |what: String| faults.push(format!("{at}: {what}"));
    match &outcome.showing {
        StepShowing::Answered if is_open => {
            fault("it says that it is open, and one option holds".to_owned());
        }
        StepShowing::Open if is_open => {}
        StepShowing::Answered => {}
        StepShowing::Open => {
            let all: Vec<String> = outcome
                .options
                .iter()
                .map(|option| format!("{} {:?}", option.id, option.holding))
                .collect();
            fault(format!("not one option holds: {}", all.join(", ")));
        }
        other => fault(format!("{other:?}")),
    }
    for (n, option) in outcome.options.iter().enumerate() {
        if option.why.is_empty() && option.holding != Some(Holding::Open) {
            fault(format!("option {} does not say why", option.id));
        }
        if outcome.right != Some(n) && option.belief.is_empty() && !is_open {
            fault(format!("the wrong option {} names no belief", option.id));
        }
    }
    let step = lesson.step(&outcome.step).expect("a step of this lesson");
    for text in [&outcome.say, &outcome.ask, &outcome.reveal, &outcome.caveat] {
        let is_none = |word: &str| ["NaN", "inf", "−inf"].contains(&word);
        if text.contains('{') || text.split_whitespace().any(is_none) {
            fault(format!("{text:?} is not filled in"));
        }
    }
    for text in [&step.say, &step.ask, &step.reveal, &step.caveat] {
        if let Some(count) = words::counted_part(text).filter(|_| step.runs_taught()) {
            fault(format!("{count:?} is not so on every model, and should be a field: {text:?}"));
        }
        if let Some(number) = words::typed_number(text) {
            fault(format!("{number:?} is typed, and should be a field: {text:?}"));
        }
    }
    faults
}
