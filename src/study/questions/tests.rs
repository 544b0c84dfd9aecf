use super::*;
use crate::measure::interval::Mean;
use crate::study::orders::{Measures, OrderRows, Orders, SweepPoint, Variant, VoteMeans};
use crate::task::score::Score;

/// A model of 12 blocks on 40 rows, right on `right(order)` of them in every order.
fn task(name: &str, right: &dyn Fn(Option<&SweepPoint>) -> usize) -> Orders {
    let rows = 40;
    let variant = |name: &str, right: usize| {
        let share = right as f64 / rows as f64;
        let flat = |x: f64| Mean {
            mean: x,
            low: x,
            high: x,
        };
        let votes = VoteMeans {
            mse: flat(0.0),
            bias: flat(0.0),
            diversity: flat(0.0),
        };
        Variant {
            name: name.into(),
            plan: "0-11".into(),
            measures: Measures {
                accuracy: flat(share),
                normalised: None,
                change: flat(0.0),
                margin: flat(0.0),
                kl: flat(0.0),
                probability: votes,
                logit: votes,
                paper: votes,
                log_likelihood: None,
                accuracy_per_byte: None,
                perplexity: None,
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
    TASKS.map(|of| task(of.name(), right)).to_vec()
}

fn asked(section: usize, orders: &[Orders]) -> Answer {
    answer(&ALL[section - 1], orders).expect("an answer")
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
            orders[at] = task(of.name(), &|order| match order {
                Some(point) if point.sweep == Sweep::Reverse => 14,
                order => like_the_paper(order),
            });
        }
    }
    for question in &ALL {
        let answer = answer(question, &orders).expect("an answer");
        assert_eq!(
            answer.verdict,
            Verdict::Agrees,
            "{}: {answer:?}",
            question.ask
        );
        for sentence in &answer.sentences {
            assert!(sentence.ends_with('.'), "{sentence}");
        }
    }
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
    for (section, choice) in [(1, 2), (2, 1), (3, 1), (4, 2), (5, 1), (7, 1), (8, 2)] {
        let answer = asked(section, &orders);
        assert_eq!(answer.choice, Some(choice), "{section}: {answer:?}");
        assert_eq!(answer.verdict, Verdict::Disagrees, "{section}");
    }
    let kept = &asked(2, &orders).sentences[0];
    assert!(
        kept.starts_with("Without 3 of its 12 blocks the model keeps 7 % ("),
        "{kept}"
    );
}

#[test]
fn what_the_intervals_leave_open_is_called_open() {
    // Half of the rows, give or take: nothing can be told from these.
    let orders = everywhere(&|order| if order.is_none() { 40 } else { 25 });
    for section in [2, 3, 8] {
        let answer = asked(section, &orders);
        assert_eq!(
            (answer.verdict, answer.choice),
            (Verdict::Open, None),
            "{section}: {answer:?}"
        );
    }
}

#[test]
fn tasks_at_chance_are_left_out_and_named() {
    let mut orders = everywhere(&|_| 40);
    orders[0] = task("topic", &|_| 10);
    let answer = asked(2, &orders);
    let last = answer.sentences.last().expect("a sentence");
    assert!(
        last.starts_with("On topic the model is at chance"),
        "{last}"
    );
    let hopeless = [task("topic", &|_| 10)];
    assert_eq!(super::answer(&ALL[0], &hopeless), None);
}

#[test]
fn a_sweep_without_the_orders_has_no_answer() {
    let mut orders = everywhere(&|_| 40);
    for task in &mut orders {
        task.points.retain(|point| point.sweep == Sweep::Drop);
    }
    assert!(answer(&ALL[0], &orders).is_some());
    assert_eq!(answer(&ALL[3], &orders), None);
}
