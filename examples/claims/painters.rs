//! Claims of *Transformer Layers as Painters*, from sweeps over orders (docs/smollm2.md, P1 to P9, P11, P13, P15,
//! P16).

use atelier::measure::correlation::{spearman, spearman_in_order};
use atelier::measure::interval::{Mean, Resamples, mean_of_independent, paired_rows};
use atelier::study::geometry::Geometry;
use atelier::study::orders::{Orders, Variant};

use super::shapes;
use super::verdict::{Found, Verdict, needed, percent, spelled};

/// A quarter of the blocks form the middle: there *graceful* is judged.
const QUARTER: usize = 4;

/// A tenth of the blocks form the middle: they are a few.
const TENTH: usize = 10;

/// A size counts where one of two orders keeps this share of the original accuracy.
const COUNTS: f64 = 0.2;

/// States of one group have at least this cosine.
const ALIKE: f64 = 0.8;

/// Resamples behind an interval.
pub const RESAMPLES: usize = 1000;

/// A task's sweep.
pub struct TaskOrders {
    name: String,
    orders: Orders,
}

/// Orders of one kind and size, read row by row.
pub struct Order {
    /// `[rows]` share of the variants that are right.
    right: Vec<f64>,
    /// `[rows]` share of the variants whose right answer comes first of all tokens.
    first: Vec<f64>,
    /// `[rows]` ln P of the right answer, nats, mean over the variants.
    pub log_likelihood: Vec<f64>,
}

/// A difference of two orders, row by row.
struct Difference {
    log_likelihood: Mean,
    accuracy: Mean,
    /// Difference of the shares of rows whose right answer comes first of all tokens.
    first_word: Mean,
}

impl TaskOrders {
    pub fn of(orders: Orders) -> Self {
        Self { name: orders.task.clone(), orders }
    }

    pub fn orders(&self) -> &Orders {
        &self.orders
    }

    /// The task and its number of rows.
    pub fn rows_in_words(&self) -> String {
        format!("{} {}", self.name, self.orders.rows)
    }

    /// The orders of these names; `None` where the sweep lacks one of them.
    pub fn order(&self, names: &[String]) -> Option<Order> {
        let variants: Vec<&Variant> = names
            .iter()
            .map(|name| self.orders.variants.iter().find(|variant| variant.name == *name))
            .collect::<Option<_>>()?;
        Order::of(&variants)
    }

    /// Every shuffle of this size, by its seed.
    fn shuffles(&self, s: usize) -> Option<Order> {
        let prefix = format!("shuffle:{s}:");
        let all = self.orders.variants.iter().filter(|one| one.name.starts_with(&prefix));
        Order::of(&all.collect::<Vec<_>>())
    }

    /// The order of a kind and size; loops run three rounds.
    fn sized(&self, kind: &str, s: usize) -> Option<Order> {
        match kind {
            "shuffle" => self.shuffles(s),
            "loop" => self.order(&[format!("loop:{s}:3")]),
            kind => self.order(&[format!("{kind}:{s}")]),
        }
    }

    fn original(&self) -> Option<Order> {
        Order::of(&[&self.orders.original])
    }

    /// Accuracy under an order over accuracy in the original order.
    fn kept(&self, order: &Order) -> Mean {
        self.kept_of(order, |order| &order.right)
    }

    /// A share of the rows under an order over the same in the original order.
    fn kept_of(&self, order: &Order, share: fn(&Order) -> &[f64]) -> Mean {
        let Some(original) = self.original() else {
            return Mean::without_interval(0.0);
        };
        Resamples::new(order.right.len(), RESAMPLES, 0)
            .statistic(|counts| weighted(counts, share(order)) / weighted(counts, share(&original)))
    }

    /// The sizes at which one of two orders keeps enough to be compared.
    fn counting(&self, [first, second]: [&str; 2]) -> Vec<[Order; 2]> {
        let sizes = (0..self.blocks() / 2).rev();
        let both = sizes.filter_map(|s| Some([self.sized(first, s)?, self.sized(second, s)?]));
        both.filter(|orders| orders.iter().any(|order| self.kept(order).mean >= COUNTS)).collect()
    }

    pub fn blocks(&self) -> usize {
        self.orders
            .original
            .plan
            .split_once('-')
            .map_or(0, |(_, last)| last.parse::<usize>().map_or(0, |last| last + 1))
    }

    /// The `s` whose middle is one part of so many of the blocks: 11 for a quarter of 30, 13 for a tenth.
    fn size(&self, part: usize) -> usize {
        (self.blocks() - self.blocks() / part).saturating_sub(1) / 2
    }

    /// The first order less the second, mean over the sizes that count.
    fn difference(&self, kinds: [&str; 2]) -> Option<Difference> {
        Difference::over(&self.counting(kinds))
    }
}

impl Order {
    fn of(variants: &[&Variant]) -> Option<Self> {
        let n = variants.len() as f64;
        let first = variants.first()?;
        let rows = first.rows.correct.len();
        let mean = |number: &dyn Fn(&Variant, usize) -> Option<f64>| -> Option<Vec<f64>> {
            let row = |row| -> Option<f64> {
                let each = variants.iter().map(|one| number(one, row));
                Some(each.sum::<Option<f64>>()? / n)
            };
            (0..rows).map(row).collect()
        };
        Some(Self {
            right: mean(&|one, row| one.rows.correct.get(row).map(|right| f64::from(*right)))?,
            first: mean(&|one, row| one.rows.first_word.get(row).map(|is| f64::from(*is)))?,
            log_likelihood: mean(&|one, row| one.rows.log_likelihood.get(row).copied())?,
        })
    }
}

impl Difference {
    /// The mean over pairs of orders on the same rows; `None` of no pair.
    fn over(pairs: &[[Order; 2]]) -> Option<Self> {
        let [first, _] = pairs.first()?;
        let rows = first.right.len();
        let each = |number: fn(&Order) -> &[f64]| -> Vec<f64> {
            let row = |row: usize| -> f64 {
                pairs.iter().map(|[a, b]| number(a)[row] - number(b)[row]).sum()
            };
            (0..rows).map(|r| row(r) / pairs.len() as f64).collect()
        };
        let log_likelihood = each(|order| &order.log_likelihood);
        Some(Self {
            log_likelihood: Resamples::new(rows, RESAMPLES, 0).mean(&log_likelihood),
            accuracy: paired_rows(&each(|order| &order.right)),
            first_word: paired_rows(&each(|order| &order.first)),
        })
    }

    /// The mean over tasks.
    fn of_tasks(each: &[Self]) -> Option<Self> {
        let mean = |number: fn(&Self) -> Mean| {
            mean_of_independent(&each.iter().map(number).collect::<Vec<_>>())
        };
        Some(Self {
            log_likelihood: mean(|one| one.log_likelihood)?,
            accuracy: mean(|one| one.accuracy)?,
            first_word: mean(|one| one.first_word)?,
        })
    }

    /// Decides by ln P; neither accuracy nor the first word may surely say the contrary.
    fn verdict(&self) -> Verdict {
        let shares = [self.accuracy, self.first_word].map(|share| Verdict::above(share, 0.0));
        match Verdict::above(self.log_likelihood, 0.0) {
            Verdict::Holds if shares.contains(&Verdict::DoesNotHold) => Verdict::Open,
            Verdict::DoesNotHold if shares.contains(&Verdict::Holds) => Verdict::Open,
            verdict => verdict,
        }
    }

    fn spelled(&self) -> String {
        format!(
            "{} nats, {} points, by first word {}",
            spelled(self.log_likelihood, 2),
            percent(self.accuracy),
            percent(self.first_word)
        )
    }
}

/// The mean of values, each counted so often.
pub fn weighted(counts: &[f64], values: &[f64]) -> f64 {
    let sum: f64 = counts.iter().zip(values).map(|(count, value)| count * value).sum();
    sum / counts.iter().sum::<f64>()
}

/// The claims that these tasks' sweeps can speak to, in the order of their numbers.
pub fn claims(tasks: &[TaskOrders]) -> Vec<Found> {
    // 1. Blocks and neighbours changed one at a time, and the cosine map.
    let mut found = Vec::new();
    for ends in &ENDS {
        found.extend(tasks.iter().filter_map(|task| ends.found(task)));
    }
    found.extend(groups(tasks));
    found.extend(map_and_cost(tasks));

    // 2. One order against another.
    for (claim, text, kinds) in COMPARED {
        found.extend(compared(tasks, claim, text, kinds));
    }
    found.extend(harm(tasks));

    // 3. Accuracy that an order keeps.
    found.extend(kept(tasks, "P5", "a few middle blocks can be left out", &["skip"], TENTH));
    found.extend(kept(
        tasks,
        "P7",
        "reversed and random orders are graceful",
        &["reverse", "shuffle"],
        QUARTER,
    ));
    found.extend(kept(tasks, "P11", "in parallel is graceful", &["parallel"], QUARTER));
    found.extend(kept(
        tasks,
        "P16",
        "accuracy can be traded for speed",
        &["skip", "parallel"],
        QUARTER,
    ));

    // 4. Orders of one size by their shape.
    found.extend(shapes::claims(tasks));
    found.sort_by_key(|found| found.claim.trim_start_matches('P').parse::<usize>().ok());
    found
}

/// Claims that one order is better than another.
const COMPARED: [(&str, &str, [&str; 2]); 7] = [
    ("P6", "skipping is better than repeating the centre", ["skip", "repeat"]),
    ("P8", "reversed is better than skipped", ["reverse", "skip"]),
    ("P8", "random is better than skipped", ["shuffle", "skip"]),
    ("P9", "random is better than reversed", ["shuffle", "reverse"]),
    ("P11", "in parallel is better than skipped", ["parallel", "skip"]),
    ("P11", "reversed is better than in parallel", ["reverse", "parallel"]),
    ("P13", "three rounds in parallel are better than one", ["loop", "parallel"]),
];

fn rows(tasks: &[&TaskOrders]) -> String {
    let sizes = tasks.iter().map(|task| task.rows_in_words());
    sizes.collect::<Vec<_>>().join(", ")
}

fn total(tasks: &[&TaskOrders]) -> usize {
    tasks.iter().map(|task| task.orders.rows).sum()
}

/// The tasks whose sweeps hold every one of these orders of a size.
fn sweeping<'a>(tasks: &'a [TaskOrders], kinds: &[&str], part: usize) -> Vec<&'a TaskOrders> {
    let has_all =
        |task: &&TaskOrders| kinds.iter().all(|kind| task.sized(kind, task.size(part)).is_some());
    tasks.iter().filter(has_all).collect()
}

fn compared(
    tasks: &[TaskOrders],
    claim: &'static str,
    text: &'static str,
    kinds: [&str; 2],
) -> Option<Found> {
    let each = tasks.iter().filter_map(|task| Some((task, task.difference(kinds)?)));
    let (with, each): (Vec<&TaskOrders>, Vec<Difference>) = each.unzip();
    let all = Difference::of_tasks(&each)?;
    let lines: Vec<String> = with
        .iter()
        .zip(&each)
        .map(|(task, difference)| {
            let sizes = task.counting(kinds).len();
            format!("{}: {} ({sizes} sizes)", task.name, difference.spelled())
        })
        .collect();
    let verdict = all.verdict();
    Some(Found {
        claim,
        text,
        found: format!("{}; {}", all.spelled(), lines.join("; ")),
        rows: rows(&with),
        verdict,
        decides: needed(verdict, all.log_likelihood, 0.0, total(&with), "rows"),
    })
}

/// The claim that orders of one size keep surely more than half. The whole vocabulary decides, by the first word.
fn kept(
    tasks: &[TaskOrders],
    claim: &'static str,
    text: &'static str,
    kinds: &[&str],
    part: usize,
) -> Option<Found> {
    // Where no first word is right, none can be kept: continuations of several words.
    let mut tasks = sweeping(tasks, kinds, part);
    tasks
        .retain(|task| task.original().is_some_and(|order| order.first.iter().any(|is| *is > 0.0)));
    let each = |kind: &str, share: fn(&Order) -> &[f64]| -> Option<Vec<Mean>> {
        let kept = tasks.iter().map(|task| {
            let order = task.sized(kind, task.size(part))?;
            Some(task.kept_of(&order, share))
        });
        kept.collect()
    };
    let mut by_first = Vec::with_capacity(kinds.len());
    let mut lines = Vec::with_capacity(kinds.len());
    for kind in kinds {
        let right = each(kind, |order| &order.right)?;
        let first = each(kind, |order| &order.first)?;
        let of_tasks = tasks.iter().zip(right.iter().zip(&first)).map(|(task, (right, first))| {
            format!("{} {} and {}", task.name, percent(*right), percent(*first))
        });
        let (right, first) = (mean_of_independent(&right)?, mean_of_independent(&first)?);
        lines.push(format!(
            "{kind}:{} keeps {} %, by first word {} % ({})",
            tasks[0].size(part),
            percent(right),
            percent(first),
            of_tasks.collect::<Vec<_>>().join(", ")
        ));
        by_first.push(first);
    }

    let verdicts: Vec<Verdict> = by_first.iter().map(|kept| Verdict::above(*kept, 0.5)).collect();
    let verdict = match claim {
        // One that keeps surely more is enough, and both must keep surely less.
        "P16" if verdicts.contains(&Verdict::Holds) => Verdict::Holds,
        "P16" => Verdict::all(&verdicts, verdicts.len()),
        _ => Verdict::all(&verdicts, 1),
    };
    let undecided = by_first.iter().find(|kept| Verdict::above(**kept, 0.5) == Verdict::Open);
    let decides = undecided
        .map(|kept| needed(verdict, *kept, 0.5, total(&tasks), "rows"))
        .unwrap_or_default();
    Some(Found { claim, text, found: lines.join("; "), rows: rows(&tasks), verdict, decides })
}

/// A sweep that changes each block, or each pair of neighbours, in turn.
struct Ends {
    claim: &'static str,
    text: &'static str,
    /// `drop` or `swap`.
    kind: &'static str,
    /// Blocks or pairs at each end.
    edge: usize,
    /// The claim holds where surely half is kept without such a share of the inner ones: 20 of a model of 30 blocks.
    enough: f64,
    /// It does not hold where surely half is kept without a smaller share.
    too_few: f64,
}

const ENDS: [Ends; 2] = [
    Ends {
        claim: "P1",
        text: "the first and last blocks are needed, a middle one is not",
        kind: "drop",
        edge: 2,
        enough: 20.0 / 26.0,
        too_few: 13.0 / 26.0,
    },
    Ends {
        claim: "P2",
        text: "neighbours in the middle may change places",
        kind: "swap",
        edge: 1,
        enough: 20.0 / 27.0,
        too_few: 14.0 / 27.0,
    },
];

impl Ends {
    /// Judges one task by itself; `None` where its sweep lacks one of the orders.
    fn found(&self, task: &TaskOrders) -> Option<Found> {
        let count = task.blocks().checked_sub(usize::from(self.kind == "swap"))?;
        let orders = (0..count).map(|block| task.order(&[format!("{}:{block}", self.kind)]));
        let orders = orders.collect::<Option<Vec<Order>>>()?;
        if orders.len() <= 2 * self.edge {
            return None;
        }

        // The whole vocabulary decides, by the first word; the task's own score stands beside it.
        let [(right, _), (first, verdict)] =
            [(|order| &order.right) as fn(&Order) -> &[f64], |order| &order.first]
                .map(|share| self.by_share(task, &orders, share));
        Some(Found {
            claim: self.claim,
            text: self.text,
            found: format!("right: {right}; by first word: {first}"),
            rows: task.rows_in_words(),
            verdict,
            decides: if verdict == Verdict::Open { "more rows".to_owned() } else { String::new() },
        })
    }

    /// Compares the inner blocks or pairs with those at the ends, by one share of the rows.
    fn by_share(
        &self,
        task: &TaskOrders,
        orders: &[Order],
        share: fn(&Order) -> &[f64],
    ) -> (String, Verdict) {
        let inside = self.edge..orders.len() - self.edge;
        let (inner, outer): (Vec<usize>, Vec<usize>) =
            (0..orders.len()).partition(|block| inside.contains(block));

        // How much more is kept without one of the inner ones, row by row.
        let mean = |blocks: &[usize], row: usize| {
            let sum: f64 = blocks.iter().map(|block| share(&orders[*block])[row]).sum();
            sum / blocks.len() as f64
        };
        let rows = 0..task.orders.rows;
        let more: Vec<f64> = rows.map(|row| mean(&inner, row) - mean(&outer, row)).collect();
        let more = paired_rows(&more);

        // Those without which surely half is kept.
        let kept_share = |block: usize| task.kept_of(&orders[block], share);
        let (sure, unsure): (Vec<usize>, Vec<usize>) = inner
            .iter()
            .partition(|block| Verdict::above(kept_share(**block), 0.5) == Verdict::Holds);
        let share_sure = sure.len() as f64 / inner.len() as f64;
        let verdict = if more.low > 0.0 && share_sure >= self.enough {
            Verdict::Holds
        } else if share_sure < self.too_few {
            Verdict::DoesNotHold
        } else {
            Verdict::Open
        };
        let shares = |blocks: &[usize]| {
            let shares = blocks
                .iter()
                .map(|block| format!("{block} {:.0} %", 100.0 * kept_share(*block).mean));
            shares.collect::<Vec<_>>().join(", ")
        };
        let text = format!(
            "{} points more without an inner one than without one of the ends; {} of {} keep surely half, the others \
             {}; the ends keep {}",
            percent(more),
            sure.len(),
            inner.len(),
            if unsure.is_empty() { "none".to_owned() } else { shares(&unsure) },
            shares(&outer)
        );
        (text, verdict)
    }
}

/// The original order's cosine map.
fn map(task: &TaskOrders) -> Option<&Geometry> {
    task.orders.geometry.iter().find(|geometry| geometry.plan == task.orders.original.plan)
}

/// The longest run of states in which every pair is so much alike: its first state and the one behind its last.
fn longest_group(map: &[Vec<f64>], alike: f64) -> [usize; 2] {
    let is_group = |from: usize, to: usize| {
        map[from..to].iter().all(|row| row[from..to].iter().all(|cosine| *cosine >= alike))
    };
    let runs = (0..map.len()).flat_map(|from| (from + 1..=map.len()).map(move |to| [from, to]));
    let groups = runs.filter(|[from, to]| is_group(*from, *to));
    groups.max_by_key(|[from, to]| to - from).unwrap_or_default()
}

fn groups(tasks: &[TaskOrders]) -> Option<Found> {
    let maps: Vec<(&TaskOrders, &Geometry)> =
        tasks.iter().filter_map(|task| Some((task, map(task)?))).collect();
    let group = |geometry: &Geometry, alike: f64| longest_group(&geometry.cosine_map, alike);
    let is_middle = |geometry: &Geometry| {
        let states = geometry.cosine_map.len();
        let [from, to] = group(geometry, ALIKE);
        2 * (to - from) >= states && from > 0 && to < states
    };
    let holds = maps.iter().filter(|(_, geometry)| is_middle(geometry)).count();
    let verdict = match holds {
        _ if maps.is_empty() => return None,
        0 => Verdict::DoesNotHold,
        all if all == maps.len() => Verdict::Holds,
        _ => Verdict::Open,
    };
    let lines = maps.iter().map(|(task, geometry)| {
        let [at, looser, stricter] = [ALIKE, 0.7, 0.9].map(|alike| {
            let [from, to] = group(geometry, alike);
            format!("{from} to {}", to - 1)
        });
        let states = geometry.cosine_map.len();
        format!("{}: states {at} of {states} (at 0.7 {looser}, at 0.9 {stricter})", task.name)
    });
    Some(Found {
        claim: "P3",
        text: "states fall into three groups, the middle one the largest",
        found: lines.collect::<Vec<_>>().join("; "),
        rows: maps
            .iter()
            .map(|(task, one)| format!("{} {}", task.name, one.prompts))
            .collect::<Vec<_>>()
            .join(", "),
        verdict,
        decides: if verdict == Verdict::Open { "more tasks".to_owned() } else { String::new() },
    })
}

/// Correlates how far a block turns the stream with the KL of leaving it out.
fn map_and_cost(tasks: &[TaskOrders]) -> Option<Found> {
    // The first task that has a map, and a cost of every block.
    let maps: Vec<(&str, &Geometry)> =
        tasks.iter().filter_map(|task| Some((task.name.as_str(), map(task)?))).collect();
    let (task, geometry, costs) = tasks.iter().find_map(|task| {
        let (_, geometry) = maps.iter().find(|(name, _)| *name == task.name)?;
        let drops = (0..task.blocks()).map(|at| {
            let name = format!("drop:{at}");
            let variant = task.orders.variants.iter().find(|one| one.name == name)?;
            variant.measures.kl.map(|kl| kl.mean)
        });
        Some((task, *geometry, drops.collect::<Option<Vec<f64>>>()?))
            .filter(|(.., all)| !all.is_empty())
    })?;

    // One less the cosine of the states before and after each block.
    let turns: Vec<f64> = (1..geometry.cosine_map.len())
        .map(|state| 1.0 - geometry.cosine_map[state - 1][state])
        .collect();
    let r = spearman(&turns, &costs)?.r;
    let in_order = spearman_in_order(&turns, &costs)?;
    let verdict = Verdict::of_correlation(in_order.p, r > 0.0);
    Some(Found {
        claim: "P4",
        text: "the cosine map agrees with what leaving a block out costs",
        found: format!(
            "Spearman's {r:.2}, p {:.3} (as {:.0} independent blocks)",
            in_order.p, in_order.effective
        ),
        rows: format!("{} {}, map of {}", task.name, task.orders.rows, geometry.prompts),
        verdict,
        decides: if verdict == Verdict::Open {
            "more blocks, so other models".to_owned()
        } else {
            String::new()
        },
    })
}

/// The paper's list, least harm first.
const HARM: [&str; 6] = ["loop", "shuffle", "reverse", "parallel", "skip", "repeat"];

/// ln P over middles of 3 to 9 blocks, every order less its successor in the paper's list.
fn harm(tasks: &[TaskOrders]) -> Option<Found> {
    let tasks = sweeping(tasks, &HARM, QUARTER);
    let over_sizes = |task: &TaskOrders, kinds: [&str; 2]| -> Option<Difference> {
        let middle = task.blocks() / 2 - 1;
        let sizes = middle.checked_sub(4)?..middle;
        let pairs = sizes.map(|s| Some([task.sized(kinds[0], s)?, task.sized(kinds[1], s)?]));
        Difference::over(&pairs.collect::<Option<Vec<_>>>()?)
    };
    let of_tasks = |kinds: [&str; 2]| -> Option<Difference> {
        let each = tasks.iter().map(|task| over_sizes(task, kinds));
        Difference::of_tasks(&each.collect::<Option<Vec<_>>>()?)
    };
    let lead = |first: &str, others: &[&str]| -> Option<Vec<Verdict>> {
        let each = others.iter().map(|other| of_tasks([first, other]));
        Some(each.collect::<Option<Vec<_>>>()?.iter().map(Difference::verdict).collect())
    };
    let mut each = Vec::new();
    for first in &HARM[..2] {
        each.extend(lead(first, &HARM[2..])?);
    }
    for other in &HARM[2..5] {
        each.extend(lead(other, &HARM[5..])?);
    }
    let neighbours = HARM.windows(2).map(|pair| {
        Some(format!("{} less {}: {}", pair[0], pair[1], of_tasks([pair[0], pair[1]])?.spelled()))
    });
    let verdict = Verdict::all(&each, 1);
    Some(Found {
        claim: "P15",
        text: "least harm first: looped, random, reversed, parallel, skipped, repeated",
        found: neighbours.collect::<Option<Vec<_>>>()?.join("; "),
        rows: rows(&tasks),
        verdict,
        decides: if verdict == Verdict::Open { "more rows".to_owned() } else { String::new() },
    })
}
