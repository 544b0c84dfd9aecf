//! The painters' lesson on made-up sweeps: every verdict of every question.

use crate::measure::interval::Mean;
use crate::study::lessons::{Lesson, ModelFound, PartFound, StepFound, StepOutcome, StepShowing};
use crate::study::orders::{Extent, Measures, OrderRows, Orders, Sweep, SweepPoint, Variant};
use crate::task::score::Score;

const TASKS: [&str; 4] = ["topic", "same", "sum", "last"];
const BY_STEPS: [&str; 2] = ["sum", "last"];
const EXTENT: Extent = Extent { seeds: 3, rounds: 5, heads: 0 };
/// The steps in the paper's order: its sections 3.1 to 3.8.
const STEPS: [&str; 8] = [
    "language",
    "necessary",
    "same-thing",
    "order",
    "side-by-side",
    "tasks",
    "second-look",
    "harm",
];

/// A model of 12 blocks on 80 rows, right on `right(order)` of each 40 in every order.
fn task(name: &str, right: &dyn Fn(Option<&SweepPoint>) -> usize) -> Orders {
    let rows = 80;
    let variant = |name: &str, right: usize| {
        let right = 2 * right;
        let share = right as f64 / rows as f64;
        Variant {
            name: name.into(),
            plan: "0-11".into(),
            measures: Measures {
                accuracy: Mean { mean: share, low: share, high: share },
                ..Measures::default()
            },
            rows: OrderRows {
                correct: (0..rows).map(|row| row < right).collect(),
                ..OrderRows::default()
            },
        }
    };
    let original = variant("original", right(None));
    let mut variants = Vec::new();
    let mut points = Vec::new();
    for sweep in Sweep::ALL {
        for strategy in sweep.strategies(12, EXTENT).expect("12 blocks") {
            let (sweep, at) = Sweep::of(&strategy);
            let rounds = match strategy {
                crate::plan::Strategy::Loop { rounds, .. } => Some(rounds),
                _ => None,
            };
            let middle = !matches!(sweep, Sweep::Drop | Sweep::Swap);
            let point = SweepPoint {
                sweep,
                at,
                head: None,
                rounds,
                middle: middle.then(|| 12 - 2 * at - 1),
                variants: vec![variants.len()],
                measures: original.measures,
            };
            variants.push(variant(&strategy.to_string(), right(Some(&point))));
            points.push(point);
        }
    }
    Orders {
        task: name.into(),
        score: Score::Option,
        rows,
        rows_asked: rows,
        chance: 0.25,
        majority: 0.25,
        answer_tokens: Vec::new(),
        resamples: 300,
        seed: 0,
        fingerprint: None,
        block_runs: 1,
        block_runs_alone: 1,
        original,
        variants,
        points,
        geometry: Vec::new(),
    }
}

fn everywhere(right: &dyn Fn(Option<&SweepPoint>) -> usize) -> Vec<Orders> {
    TASKS.map(|of| task(of, right)).to_vec()
}

fn lesson() -> Lesson {
    let text = include_str!("../../../../../public/lessons/11-painters.toml");
    let lesson = Lesson::read("11-painters.toml", text).expect("a lesson");
    lesson.as_written().expect("its own places")
}

fn asked(id: &str, orders: &[Orders]) -> StepOutcome {
    let lesson = lesson();
    let step = lesson.step(id).expect("a step");
    let model = ModelFound {
        model: "made up".to_owned(),
        engine: "none".to_owned(),
        is_stored: false,
        order: (0..12).collect(),
        vocabulary: 100,
        part: PartFound::Sweeps(orders.to_vec()),
    };
    let found = StepFound { ask: step.action.clone(), models: vec![model] };
    lesson.outcome(step, "made up", None, Some(&found))
}

#[test]
fn a_model_like_the_papers_agrees_on_everything() {
    let like_the_paper = |order: Option<&SweepPoint>| {
        let Some(point) = order else { return 40 };
        match point.sweep {
            Sweep::Drop if (3..10).contains(&point.at) => 39,
            Sweep::Drop | Sweep::Swap | Sweep::Heads => 14,
            Sweep::Skip if point.at >= 4 => 36,
            Sweep::Skip => 22,
            Sweep::Repeat => 11,
            Sweep::Reverse => 28,
            Sweep::Shuffle => 32,
            Sweep::Parallel => 25,
            Sweep::Loop if point.rounds == Some(1) => 25,
            Sweep::Loop => 35,
        }
    };
    let mut orders = everywhere(&like_the_paper);
    // Steps suffer more from order than meaning.
    for (at, of) in TASKS.iter().enumerate() {
        if BY_STEPS.contains(of) {
            orders[at] = task(of, &|order| match order {
                Some(point) if point.sweep == Sweep::Reverse => 14,
                order => like_the_paper(order),
            });
        }
    }
    for step in STEPS {
        let outcome = asked(step, &orders);
        // The paper's own answer is each question's first option.
        assert_eq!(outcome.right, Some(0), "{step}: {outcome:?}");
        assert!(outcome.caveat.contains("The paper's models answered: "));
        assert!(outcome.reveal.ends_with('.'), "{}", outcome.reveal);
    }
    let harm = asked("harm", &orders).reveal;
    assert!(harm.contains("loop-3 83, shuffle 73,"), "{harm}");
}

#[test]
fn a_model_unlike_it_disagrees_in_its_own_numbers() {
    let unlike = |order: Option<&SweepPoint>| {
        let Some(point) = order else { return 40 };
        match point.sweep {
            Sweep::Drop if (3..10).contains(&point.at) => 14,
            Sweep::Skip => 12,
            Sweep::Repeat => 38,
            Sweep::Reverse | Sweep::Shuffle => 11,
            Sweep::Parallel => 11,
            Sweep::Loop if point.rounds == Some(1) => 30,
            Sweep::Loop => 15,
            _ => 38,
        }
    };
    let orders = everywhere(&unlike);
    for (step, option) in [(0, 2), (1, 1), (2, 1), (3, 2), (4, 1), (6, 1), (7, 2)] {
        let outcome = asked(STEPS[step], &orders);
        assert_eq!(outcome.right, Some(option), "{}: {outcome:?}", STEPS[step]);
    }
    let kept = asked("necessary", &orders).reveal;
    assert!(kept.starts_with("Without 3 of its 12 blocks the model keeps 7 ("), "{kept}");
}

#[test]
fn a_model_that_no_order_harms_finds_all_alike() {
    let orders = everywhere(&|_| 40);
    for (step, option) in [(0, 1), (3, 1), (4, 1), (5, 2), (6, 1)] {
        let outcome = asked(STEPS[step], &orders);
        assert_eq!(outcome.right, Some(option), "{}: {outcome:?}", STEPS[step]);
    }
}

#[test]
fn the_other_answers_have_their_models() {
    let only = |sweep: Sweep| {
        everywhere(&move |order| match order {
            Some(point) if point.sweep != sweep => 14,
            _ => 40,
        })
    };
    assert_eq!(asked("harm", &only(Sweep::Skip)).right, Some(1));
    let mut orders = everywhere(&|_| 40);
    for (at, of) in TASKS.iter().enumerate() {
        if !BY_STEPS.contains(of) {
            orders[at] = task(of, &|order| if order.is_some() { 14 } else { 40 });
        }
    }
    assert_eq!(asked("tasks", &orders).right, Some(1));
}

#[test]
fn what_the_intervals_leave_open_is_called_open() {
    // Half of the rows, give or take: nothing can be told from these.
    let orders = everywhere(&|order| if order.is_none() { 40 } else { 25 });
    for step in ["necessary", "same-thing"] {
        let outcome = asked(step, &orders);
        assert_eq!(
            (&outcome.showing, outcome.right),
            (&StepShowing::Open, None),
            "{step}: {outcome:?}"
        );
    }
    // Where all changes harm alike, none harms least.
    assert_eq!(asked("harm", &orders).right, None);
}

#[test]
fn tasks_at_chance_are_left_out_and_named() {
    let mut orders = everywhere(&|_| 40);
    orders[0] = task("topic", &|_| 10);
    let outcome = asked("necessary", &orders);
    assert!(outcome.caveat.ends_with("Tasks left out: topic."), "{}", outcome.caveat);
    let hopeless = [task("topic", &|_| 10)];
    let StepShowing::CannotShow(why) = asked("language", &hopeless).showing else {
        panic!("a model at chance was judged");
    };
    assert!(why.contains("at chance on every task"), "{why}");
}

#[test]
fn a_sweep_without_the_orders_has_no_answer() {
    let mut orders = everywhere(&|_| 40);
    for task in &mut orders {
        task.points.retain(|point| point.sweep == Sweep::Drop);
    }
    assert_eq!(asked("language", &orders).right, Some(1));
    let StepShowing::CannotShow(why) = asked("order", &orders).showing else {
        panic!("orders that were not run were judged");
    };
    assert!(why.contains("was not run under"), "{why}");
}
