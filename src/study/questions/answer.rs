//! From sweeps to an answer, with what the intervals allow to be said.

use super::pool::{PickedOrder, Pool};
use super::{BY_MEANING, BY_STEPS, PaperQuestion};
use crate::measure::interval::Mean;
use crate::study::orders::{Orders, Sweep};
use crate::task::minilang::GeneratedTask;

/// How an answer stands to the paper's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Agrees,
    Disagrees,
    /// The intervals allow for more than one answer.
    Open,
}

/// What the model answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub verdict: Verdict,
    /// The choice that the numbers speak for; `None` where they leave it open.
    pub choice: Option<usize>,
    /// What was seen, with its intervals.
    pub sentences: Vec<String>,
}

/// Half of what the model has above chance: less kept than this is called lost.
const HALF: f64 = 0.5;
/// A loss that is surely below this is called none.
const NONE: f64 = 0.05;
/// What is surely below this is called nothing kept.
const NOTHING: f64 = 0.2;

/// Works out the answer; `None` where the sweeps lack what the question needs, or the model is at
/// chance on every task.
pub fn answer(question: &PaperQuestion, orders: &[Orders]) -> Option<Answer> {
    let pool = Pool::of(orders);
    let runs = pool.runs();
    if pool.tasks.is_empty() || runs < 2 {
        return None;
    }
    let s = middle_s(runs);
    let seen = match question.section {
        1 => language(&pool, runs)?,
        2 => necessary(&pool, runs)?,
        3 => same_thing(&pool, s)?,
        4 => order(&pool, s)?,
        5 => side_by_side(&pool, s)?,
        6 => tasks(&pool, s)?,
        7 => second_look(&pool, s)?,
        _ => least_harm(&pool, s)?,
    };
    let (choice, mut sentences) = seen;
    if let Some(left_out) = at_chance(orders, &pool) {
        sentences.push(left_out);
    }
    let verdict = match choice {
        None => Verdict::Open,
        Some(choice) if choice == question.paper => Verdict::Agrees,
        Some(_) => Verdict::Disagrees,
    };
    Some(Answer {
        verdict,
        choice,
        sentences,
    })
}

type Finding = (Option<usize>, Vec<String>);

/// The `s` whose middle is about half of the model, as in the middle of the paper's curves.
fn middle_s(runs: usize) -> usize {
    ((runs - 1) / 4).min((runs - 2) / 2)
}

/// Which choice a number speaks for: the first above the line, the second below it.
fn sides(mean: &Mean, line: f64) -> Option<usize> {
    if mean.low > line {
        Some(0)
    } else if mean.high < line {
        Some(1)
    } else {
        None
    }
}

fn language(pool: &Pool<'_>, runs: usize) -> Option<Finding> {
    let s = middle_s(runs);
    let inside = |place: &usize| (s + 1..runs - s).contains(place);
    let (middle, ends): (Vec<usize>, Vec<usize>) = (0..runs).partition(inside);
    if middle.is_empty() || ends.is_empty() {
        return None;
    }
    let (middle, ends) = (PickedOrder::Drops(middle), PickedOrder::Drops(ends));
    let more = pool.more(&middle, &ends)?;
    let choice = match sides(&more, 0.0) {
        Some(0) => Some(0),
        Some(_) => Some(2),
        None if more.low > -NONE && more.high < NONE => Some(1),
        None => None,
    };
    Some((
        choice,
        vec![
            format!(
                "Without one block of the middle (places {} to {}) the model keeps {} of what it has above chance; without one \
                 of the ends, {}.",
                s + 1,
                runs - s - 1,
                said(&pool.kept(&middle)?),
                said(&pool.kept(&ends)?)
            ),
            format!("The difference is {}.", said(&more)),
        ],
    ))
}

fn necessary(pool: &Pool<'_>, runs: usize) -> Option<Finding> {
    // "A few": a quarter of the model, at least one.
    let few = (runs / 4).max(1);
    let s = (0..=(runs - 2) / 2).min_by_key(|s| (runs - 2 * s - 1).abs_diff(few))?;
    let kept = pool.kept(&PickedOrder::At(Sweep::Skip, s))?;
    let gone = runs - 2 * s - 1;
    Some((
        sides(&kept, HALF),
        vec![format!(
            "Without {gone} of its {runs} blocks the model keeps {} of what it has above chance.",
            said(&kept)
        )],
    ))
}

fn same_thing(pool: &Pool<'_>, s: usize) -> Option<Finding> {
    let (repeat, skip) = (
        PickedOrder::At(Sweep::Repeat, s),
        PickedOrder::At(Sweep::Skip, s),
    );
    let kept = pool.kept(&repeat)?;
    let choice = sides(&kept, HALF).map(|side| 1 - side);
    let more = pool.more(&repeat, &skip)?;
    Some((
        choice,
        vec![
            format!(
                "With the centre block in every place of the middle the model keeps {}; with those places empty, {}.",
                said(&kept),
                said(&pool.kept(&skip)?)
            ),
            match sides(&more, 0.0) {
                Some(0) => "The stand-in is better than nobody.".to_owned(),
                Some(_) => "The stand-in is worse than nobody, as in the paper.".to_owned(),
                None => "Whether the stand-in is better than nobody stays open.".to_owned(),
            },
        ],
    ))
}

fn order(pool: &Pool<'_>, s: usize) -> Option<Finding> {
    let (reverse, shuffle) = (
        PickedOrder::At(Sweep::Reverse, s),
        PickedOrder::At(Sweep::Shuffle, s),
    );
    let skip = PickedOrder::At(Sweep::Skip, s);
    let loss = pool.more(&PickedOrder::Own, &shuffle)?;
    let kept = pool.kept(&shuffle)?;
    let choice = if loss.high < NONE {
        Some(1)
    } else if kept.high < NOTHING {
        Some(2)
    } else if loss.low > 0.0 && kept.low > 0.0 {
        Some(0)
    } else {
        None
    };
    Some((
        choice,
        vec![
            format!(
                "With the middle shuffled the model keeps {} of what it has above chance, reversed {}, left out {}.",
                said(&kept),
                said(&pool.kept(&reverse)?),
                said(&pool.kept(&skip)?)
            ),
            compared(
                "Shuffled",
                "reversed",
                &pool.more(&shuffle, &reverse)?,
                "as in the paper",
            ),
            compared(
                "Shuffled",
                "left out",
                &pool.more(&shuffle, &skip)?,
                "as in the paper",
            ),
        ],
    ))
}

fn side_by_side(pool: &Pool<'_>, s: usize) -> Option<Finding> {
    let (parallel, skip) = (
        PickedOrder::At(Sweep::Parallel, s),
        PickedOrder::At(Sweep::Skip, s),
    );
    let more = pool.more(&parallel, &skip)?;
    let choice = match sides(&more, 0.0) {
        Some(side) => Some(side),
        None if more.high < NONE => Some(1),
        None => None,
    };
    let worst = worst_task(pool, &parallel)?;
    Some((
        choice,
        vec![
            format!(
                "Side by side the middle keeps {} of what the model has above chance, left out {}.",
                said(&pool.kept(&parallel)?),
                said(&pool.kept(&skip)?)
            ),
            format!(
                "It is hardest on “{}”, where {} is kept.",
                worst.0,
                said(&worst.1)
            ),
        ],
    ))
}

fn tasks(pool: &Pool<'_>, s: usize) -> Option<Finding> {
    let reverse = PickedOrder::At(Sweep::Reverse, s);
    let group = |tasks: &[GeneratedTask]| {
        let names: Vec<&str> = tasks.iter().map(|task| task.name()).collect();
        pool.only(&names).kept(&reverse)
    };
    let (meaning, steps) = (group(&BY_MEANING)?, group(&BY_STEPS)?);
    let mean = meaning.mean - steps.mean;
    // Different rows, so independent: half-widths add as variances do.
    let side = |a: f64, b: f64| a.hypot(b);
    let more = Mean {
        mean,
        low: mean - side(meaning.mean - meaning.low, steps.high - steps.mean),
        high: mean + side(meaning.high - meaning.mean, steps.mean - steps.low),
    };
    let choice = match sides(&more, 0.0) {
        None if more.low > -NONE && more.high < NONE => Some(2),
        side => side,
    };
    Some((
        choice,
        vec![
            format!(
                "With the middle reversed, tasks that go by meaning keep {} and tasks that go by steps {}.",
                said(&meaning),
                said(&steps)
            ),
            format!("The difference is {}.", said(&more)),
        ],
    ))
}

fn second_look(pool: &Pool<'_>, s: usize) -> Option<Finding> {
    let (once, thrice) = (PickedOrder::Loop(s, 1), PickedOrder::Loop(s, 3));
    let more = pool.more(&thrice, &once)?;
    let choice = match sides(&more, 0.0) {
        Some(side) => Some(side),
        None if more.high < NONE => Some(1),
        None => None,
    };
    let best = best_rounds(pool);
    let mut sentences = vec![format!(
        "One round side by side keeps {}, three rounds {}.",
        said(&pool.kept(&once)?),
        said(&pool.kept(&thrice)?)
    )];
    if best.len() > 1 {
        let listed: Vec<String> = best
            .iter()
            .map(|(middle, rounds)| format!("{rounds} for {middle}"))
            .collect();
        sentences.push(format!(
            "The best rounds by size of the middle: {}. The paper found them to grow with it.",
            listed.join(", ")
        ));
    }
    Some((choice, sentences))
}

fn least_harm(pool: &Pool<'_>, s: usize) -> Option<Finding> {
    let picks: Vec<(&str, PickedOrder)> = vec![
        ("skip", PickedOrder::At(Sweep::Skip, s)),
        ("repeat", PickedOrder::At(Sweep::Repeat, s)),
        ("reverse", PickedOrder::At(Sweep::Reverse, s)),
        ("shuffle", PickedOrder::At(Sweep::Shuffle, s)),
        ("parallel", PickedOrder::At(Sweep::Parallel, s)),
        ("loop ×3", PickedOrder::Loop(s, 3)),
    ];
    let mut ranked: Vec<(&str, &PickedOrder, Mean)> = picks
        .iter()
        .filter_map(|(name, pick)| Some((*name, pick, pool.kept(pick)?)))
        .collect();
    if ranked.len() < 3 {
        return None;
    }
    ranked.sort_by(|a, b| b.2.mean.total_cmp(&a.2.mean));
    let (best, second) = (&ranked[0], &ranked[1]);
    let (worst, spared) = (&ranked[ranked.len() - 1], &ranked[ranked.len() - 2]);
    let best_sure = pool.more(best.1, second.1)?.low > 0.0;
    let worst_sure = pool.more(spared.1, worst.1)?.low > 0.0;
    let kind = |name: &str| name == "shuffle" || name == "loop ×3";
    // Between shuffle and loop, either will do.
    let first_kind = kind(best.0) && (best_sure || kind(second.0));
    let choice = if first_kind && worst.0 == "repeat" && worst_sure {
        Some(0)
    } else if best_sure && best.0 == "skip" {
        Some(1)
    } else if (best_sure && !kind(best.0)) || (worst_sure && worst.0 != "repeat") {
        Some(2)
    } else {
        None
    };
    let listed: Vec<String> = ranked
        .iter()
        .map(|(name, _, kept)| format!("{name} {}", said(kept)))
        .collect();
    Some((
        choice,
        vec![
            format!(
                "Kept of what the model has above chance: {}.",
                listed.join(", ")
            ),
            format!(
                "The best is {}, the worst {}.",
                if best_sure {
                    "apart from the next"
                } else {
                    "not apart from the next"
                },
                if worst_sure {
                    "apart too"
                } else {
                    "not apart from the one before"
                },
            ),
        ],
    ))
}

/// For each size of the middle, the rounds that keep most: `(middle, rounds)`.
fn best_rounds(pool: &Pool<'_>) -> Vec<(usize, usize)> {
    let Some(first) = pool.tasks.first() else {
        return Vec::new();
    };
    let mut best: Vec<(usize, usize, f64)> = Vec::new();
    for point in &first.points {
        let (Sweep::Loop, Some(rounds), Some(middle)) = (point.sweep, point.rounds, point.middle)
        else {
            continue;
        };
        let Some(kept) = pool.kept(&PickedOrder::Loop(point.at, rounds)) else {
            continue;
        };
        match best.iter_mut().find(|(size, ..)| *size == middle) {
            Some(row) if kept.mean > row.2 => *row = (middle, rounds, kept.mean),
            Some(_) => {}
            None => best.push((middle, rounds, kept.mean)),
        }
    }
    best.sort_unstable_by_key(|row| row.0);
    best.into_iter()
        .map(|(middle, rounds, _)| (middle, rounds))
        .collect()
}

fn worst_task(pool: &Pool<'_>, pick: &PickedOrder) -> Option<(String, Mean)> {
    let each = pool.tasks.iter().filter_map(|task| {
        let kept = pool.only(&[task.task.as_str()]).kept(pick)?;
        Some((task.task.clone(), kept))
    });
    each.min_by(|a, b| a.1.mean.total_cmp(&b.1.mean))
}

fn at_chance(orders: &[Orders], pool: &Pool<'_>) -> Option<String> {
    let left: Vec<&str> = orders
        .iter()
        .filter(|orders| !pool.tasks.iter().any(|task| task.task == orders.task))
        .map(|orders| orders.task.as_str())
        .collect();
    (!left.is_empty()).then(|| {
        format!(
            "On {} the model is at chance in its own order; these rows are left out.",
            left.join(", ")
        )
    })
}

fn compared(a: &str, b: &str, more: &Mean, paper: &str) -> String {
    match sides(more, 0.0) {
        Some(0) => format!("{a} is better than {b}, {paper}."),
        Some(_) => format!("{a} is worse than {b}, unlike in the paper."),
        None => format!(
            "Whether {} is better than {b} stays open.",
            a.to_lowercase()
        ),
    }
}

/// `62 % (48 to 75)`.
fn said(mean: &Mean) -> String {
    let percent = |x: f64| {
        let text = format!("{:.0}", 100.0 * x);
        match text.strip_prefix('-') {
            Some("0") => "0".to_owned(),
            Some(rest) => format!("−{rest}"),
            None => text,
        }
    };
    format!(
        "{} % ({} to {})",
        percent(mean.mean),
        percent(mean.low),
        percent(mean.high)
    )
}
