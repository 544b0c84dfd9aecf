//! Claims of *Transformer Layers as Painters*, from sweeps over orders (docs/smollm2.md, P1 to P9, P11, P13, P15,
//! P16).

use atelier::measure::correlation::{spearman, spearman_in_order};
use atelier::measure::interval::{Mean, mean_of_independent, paired_rows};
use atelier::study::geometry::Geometry;
use atelier::study::orders::{OrderRows, Orders, Variant};

use super::shapes;
use super::verdict::{
    Claim, Judgement, Verdict, claim, joined, percent, ratio, resamples, sizes, spelled,
};
use Rule::{Better, Kept, KeptByAny, Task, Tasks};

/// A quarter of the blocks form the middle: there *graceful* is judged.
const QUARTER: usize = 4;

/// A tenth of the blocks form the middle: they are a few.
const TENTH: usize = 10;

/// A size counts where one of two orders keeps this share of the original accuracy.
const COUNTS: f64 = 0.2;

/// States of one group have at least this cosine.
const ALIKE: f64 = 0.8;

/// The paper's list, least harm first.
const HARM: [&str; 6] = ["loop", "shuffle", "reverse", "parallel", "skip", "repeat"];

/// How sweeps judge a claim.
enum Rule {
    /// The first kind of order is better than the second, row by row.
    Better([&'static str; 2]),
    /// Each of these kinds keeps surely more than half, with one part of so many of the blocks in the middle.
    Kept(&'static [&'static str], usize),
    /// One of these kinds does.
    KeptByAny(&'static [&'static str], usize),
    /// Each task is judged by itself.
    Task(fn(&TaskOrders) -> Option<Judgement>),
    Tasks(fn(&[TaskOrders]) -> Option<Judgement>),
}

const CLAIMS: [Claim<Rule>; 18] = [
    claim("P1", "the first and last blocks are needed, a middle one is not", Task(dropped)),
    claim("P2", "neighbours in the middle may change places", Task(swapped)),
    claim("P3", "states fall into three groups, the middle one the largest", Tasks(groups)),
    claim("P4", "the cosine map agrees with what leaving a block out costs", Tasks(map_and_cost)),
    claim("P5", "a few middle blocks can be left out", Kept(&["skip"], TENTH)),
    claim("P6", "skipping is better than repeating the centre", Better(["skip", "repeat"])),
    claim("P7", "reversed and random orders are graceful", Kept(&["reverse", "shuffle"], QUARTER)),
    claim("P8", "reversed is better than skipped", Better(["reverse", "skip"])),
    claim("P8", "random is better than skipped", Better(["shuffle", "skip"])),
    claim("P9", "random is better than reversed", Better(["shuffle", "reverse"])),
    claim("P10", "the more of the order stays, the less is lost", Task(shapes::kept_pairs)),
    claim("P11", "in parallel is better than skipped", Better(["parallel", "skip"])),
    claim("P11", "reversed is better than in parallel", Better(["reverse", "parallel"])),
    claim("P11", "in parallel is graceful", Kept(&["parallel"], QUARTER)),
    claim("P13", "three rounds in parallel are better than one", Better(["loop", "parallel"])),
    claim("P14", "the best number of rounds grows with the number of blocks", Task(shapes::rounds)),
    claim(
        "P15",
        "least harm first: looped, random, reversed, parallel, skipped, repeated",
        Tasks(harm),
    ),
    claim("P16", "accuracy can be traded for speed", KeptByAny(&["skip", "parallel"], QUARTER)),
];

/// The table's lines of the claims that these tasks' sweeps can speak to.
pub fn lines(tasks: &[TaskOrders]) -> String {
    let line = |claim: &Claim<Rule>| match claim.rule {
        Better(kinds) => claim.lines(compared(tasks, kinds)),
        Kept(kinds, part) => claim.lines(graceful(tasks, kinds, part, [kinds.len(), 1])),
        KeptByAny(kinds, part) => claim.lines(graceful(tasks, kinds, part, [1, kinds.len()])),
        Task(rule) => claim.lines(tasks.iter().filter_map(rule)),
        Tasks(rule) => claim.lines(rule(tasks)),
    };
    CLAIMS.iter().map(line).collect()
}

/// A task's sweep.
pub struct TaskOrders(pub Orders);

/// Orders of one kind and size, read row by row: means over the variants. `[rows]`
pub struct Order {
    /// Whether they are right.
    right: Vec<f64>,
    /// Whether their right answer comes first of all tokens.
    first: Vec<f64>,
    /// ln P of the right answer, nats.
    pub log_likelihood: Vec<f64>,
}

/// A number of every row under an order.
type Number = fn(&Order) -> &[f64];

const RIGHT: Number = |order| &order.right;
const FIRST_WORD: Number = |order| &order.first;

/// A difference of two orders, row by row.
struct Difference {
    log_likelihood: Mean,
    accuracy: Mean,
    /// Difference of the shares of rows whose right answer comes first of all tokens.
    first_word: Mean,
}

impl TaskOrders {
    /// The task and its number of rows.
    pub fn size(&self) -> (&str, usize) {
        (&self.0.task, self.0.rows)
    }

    fn variant(&self, name: &str) -> Option<&Variant> {
        self.0.variants.iter().find(|variant| variant.name == name)
    }

    /// The order of this name; `None` where the sweep lacks it.
    pub fn order(&self, name: &str) -> Option<Order> {
        Order::of(&[self.variant(name)?])
    }

    /// The order of a kind and size: loops run three rounds, and shuffles are of every seed.
    fn sized(&self, kind: &str, s: usize) -> Option<Order> {
        match kind {
            "shuffle" => {
                let prefix = format!("shuffle:{s}:");
                let seeds = self.0.variants.iter();
                let seeds = seeds.filter(|variant| variant.name.starts_with(&prefix));
                Order::of(&seeds.collect::<Vec<_>>())
            }
            "loop" => self.order(&format!("loop:{s}:3")),
            kind => self.order(&format!("{kind}:{s}")),
        }
    }

    fn both_sized(&self, kinds: [&str; 2], s: usize) -> Option<[Order; 2]> {
        Some([self.sized(kinds[0], s)?, self.sized(kinds[1], s)?])
    }

    /// A share of the rows under an order over that share in the original order.
    fn share_kept(&self, order: &Order, share: Number) -> Mean {
        let original = Order::of(&[&self.0.original]);
        let ratio = original.map(|original| ratio(share(order), share(&original)));
        ratio.unwrap_or(Mean::without_interval(0.0))
    }

    /// Orders of both kinds at the sizes at which one of them keeps enough to be compared.
    fn counting(&self, kinds: [&str; 2]) -> Vec<[Order; 2]> {
        let both = (0..self.blocks() / 2).rev().filter_map(|s| self.both_sized(kinds, s));
        both.filter(|orders| {
            orders.iter().any(|order| self.share_kept(order, RIGHT).mean >= COUNTS)
        })
        .collect()
    }

    /// The cosine map of the original order.
    fn map(&self) -> Option<&Geometry> {
        self.0.geometry.iter().find(|geometry| geometry.plan == self.0.original.plan)
    }

    pub fn blocks(&self) -> usize {
        let last = self.0.original.plan.split_once('-');
        last.and_then(|(_, last)| last.parse().ok()).map_or(0, |last: usize| last + 1)
    }

    /// The `s` whose middle is one part of so many of the blocks: 11 for a quarter of 30, 13 for a tenth.
    fn ends(&self, part: usize) -> usize {
        (self.blocks() - self.blocks() / part).saturating_sub(1) / 2
    }
}

impl Order {
    fn of(variants: &[&Variant]) -> Option<Self> {
        let rows = variants.first()?.rows.correct.len();
        let mean = |number: fn(&OrderRows, usize) -> Option<f64>| -> Option<Vec<f64>> {
            let row = |row| -> Option<f64> {
                let each = variants.iter().map(|variant| number(&variant.rows, row));
                Some(each.sum::<Option<f64>>()? / variants.len() as f64)
            };
            (0..rows).map(row).collect()
        };
        Some(Self {
            right: mean(|rows, row| rows.correct.get(row).map(|right| f64::from(*right)))?,
            first: mean(|rows, row| rows.first_word.get(row).map(|is_first| f64::from(*is_first)))?,
            log_likelihood: mean(|rows, row| rows.log_likelihood.get(row).copied())?,
        })
    }
}

impl Difference {
    /// The mean over pairs of orders on the same rows; `None` of no pair.
    fn over(pairs: &[[Order; 2]]) -> Option<Self> {
        let rows = pairs.first()?[0].right.len();
        let each = |number: Number| -> Vec<f64> {
            let row = |row: usize| -> f64 {
                pairs.iter().map(|[a, b]| number(a)[row] - number(b)[row]).sum()
            };
            (0..rows).map(|r| row(r) / pairs.len() as f64).collect()
        };
        Some(Self {
            log_likelihood: resamples(rows).mean(&each(|order| &order.log_likelihood)),
            accuracy: paired_rows(&each(RIGHT)),
            first_word: paired_rows(&each(FIRST_WORD)),
        })
    }

    /// The mean over tasks.
    fn of_tasks(each: &[Self]) -> Option<Self> {
        let mean = |number: fn(&Self) -> Mean| {
            mean_of_independent(&each.iter().map(number).collect::<Vec<_>>())
        };
        Some(Self {
            log_likelihood: mean(|task| task.log_likelihood)?,
            accuracy: mean(|task| task.accuracy)?,
            first_word: mean(|task| task.first_word)?,
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

fn rows_of(tasks: &[&TaskOrders]) -> String {
    sizes(tasks.iter().map(|task| task.size()))
}

fn total(tasks: &[&TaskOrders]) -> usize {
    tasks.iter().map(|task| task.0.rows).sum()
}

/// The tasks whose sweeps hold every one of these orders of a size.
fn sweeping<'a>(tasks: &'a [TaskOrders], kinds: &[&str], part: usize) -> Vec<&'a TaskOrders> {
    let has_all =
        |task: &&TaskOrders| kinds.iter().all(|kind| task.sized(kind, task.ends(part)).is_some());
    tasks.iter().filter(has_all).collect()
}

fn compared(tasks: &[TaskOrders], kinds: [&str; 2]) -> Option<Judgement> {
    let (mut with, mut each, mut lines) = (Vec::new(), Vec::new(), Vec::new());
    for task in tasks {
        let pairs = task.counting(kinds);
        if let Some(difference) = Difference::over(&pairs) {
            let (name, _) = task.size();
            lines.push(format!("{name}: {} ({} sizes)", difference.spelled(), pairs.len()));
            with.push(task);
            each.push(difference);
        }
    }
    let all = Difference::of_tasks(&each)?;
    let found = format!("{}; {}", all.spelled(), lines.join("; "));
    let judgement = Judgement::new(all.verdict(), found, rows_of(&with));
    Some(judgement.or_needs(all.log_likelihood, 0.0, total(&with), "rows"))
}

/// Judges that orders of one size keep surely more than half: so many kinds that do are enough, so many that keep
/// surely less refute. The whole vocabulary decides, by the first word.
fn graceful(
    tasks: &[TaskOrders],
    kinds: &[&str],
    part: usize,
    [enough, against]: [usize; 2],
) -> Option<Judgement> {
    // Where no first word is right, none can be kept: continuations of several words.
    let mut tasks = sweeping(tasks, kinds, part);
    tasks.retain(|task| {
        let original = Order::of(&[&task.0.original]);
        original.is_some_and(|order| order.first.iter().any(|is_first| *is_first > 0.0))
    });

    // By kind, each task's shares and their mean.
    let (mut by_first, mut lines) = (Vec::new(), Vec::new());
    for kind in kinds {
        let each = tasks.iter().map(|task| {
            let order = task.sized(kind, task.ends(part))?;
            Some([task.share_kept(&order, RIGHT), task.share_kept(&order, FIRST_WORD)])
        });
        let each = each.collect::<Option<Vec<[Mean; 2]>>>()?;

        let of_tasks = tasks.iter().zip(&each).map(|(task, [right, first])| {
            format!("{} {} and {}", task.0.task, percent(*right), percent(*first))
        });
        let column = |share: usize| each.iter().map(|task| task[share]).collect::<Vec<Mean>>();
        let first = mean_of_independent(&column(1))?;
        lines.push(format!(
            "{kind}:{} keeps {} %, by first word {} % ({})",
            tasks[0].ends(part),
            percent(mean_of_independent(&column(0))?),
            percent(first),
            joined(of_tasks, ", ")
        ));
        by_first.push(first);
    }

    let verdicts: Vec<Verdict> = by_first.iter().map(|share| Verdict::above(*share, 0.5)).collect();
    let verdict = Verdict::most(&verdicts, enough, against);
    let judgement = Judgement::new(verdict, lines.join("; "), rows_of(&tasks));
    let undecided = verdicts.iter().position(|verdict| *verdict == Verdict::Open);
    Some(match undecided {
        Some(kind) => judgement.or_needs(by_first[kind], 0.5, total(&tasks), "rows"),
        None => judgement,
    })
}

/// A sweep that changes each block, or each pair of neighbours, in turn.
struct Ends {
    /// `drop` or `swap`.
    kind: &'static str,
    /// Blocks or pairs at each end.
    edge: usize,
    /// The claim holds where surely half is kept without such a share of the inner ones: 20 of a model of 30 blocks.
    enough: f64,
    /// It does not hold where surely half is kept without a smaller share.
    too_few: f64,
}

fn dropped(task: &TaskOrders) -> Option<Judgement> {
    Ends { kind: "drop", edge: 2, enough: 20.0 / 26.0, too_few: 13.0 / 26.0 }.judge(task)
}

fn swapped(task: &TaskOrders) -> Option<Judgement> {
    Ends { kind: "swap", edge: 1, enough: 20.0 / 27.0, too_few: 14.0 / 27.0 }.judge(task)
}

impl Ends {
    /// Judges one task by itself; `None` where its sweep lacks one of the orders.
    fn judge(&self, task: &TaskOrders) -> Option<Judgement> {
        let count = task.blocks().checked_sub(usize::from(self.kind == "swap"))?;
        let orders = (0..count).map(|block| task.order(&format!("{}:{block}", self.kind)));
        let orders = orders.collect::<Option<Vec<Order>>>()?;
        if orders.len() <= 2 * self.edge {
            return None;
        }

        // The whole vocabulary decides, by the first word; the task's own score stands beside it.
        let [(right, _), (first, verdict)] =
            [RIGHT, FIRST_WORD].map(|share| self.by_share(task, &orders, share));
        let found = format!("right: {right}; by first word: {first}");
        Some(Judgement::new(verdict, found, rows_of(&[task])).or_wants("more rows"))
    }

    /// Compares the inner blocks or pairs with those at the ends, by one share of the rows.
    fn by_share(&self, task: &TaskOrders, orders: &[Order], share: Number) -> (String, Verdict) {
        let inside = self.edge..orders.len() - self.edge;
        let (inner, outer): (Vec<usize>, Vec<usize>) =
            (0..orders.len()).partition(|block| inside.contains(block));

        // How much more is kept without one of the inner ones, row by row.
        let mean = |blocks: &[usize], row: usize| {
            let sum: f64 = blocks.iter().map(|block| share(&orders[*block])[row]).sum();
            sum / blocks.len() as f64
        };
        let more = (0..task.0.rows).map(|row| mean(&inner, row) - mean(&outer, row));
        let more = paired_rows(&more.collect::<Vec<f64>>());

        // Those without which surely half is kept.
        let shares_kept: Vec<Mean> =
            orders.iter().map(|order| task.share_kept(order, share)).collect();
        let (sure, unsure): (Vec<usize>, Vec<usize>) = inner
            .iter()
            .partition(|block| Verdict::above(shares_kept[**block], 0.5) == Verdict::Holds);
        let share_sure = sure.len() as f64 / inner.len() as f64;
        let verdict = if more.low > 0.0 && share_sure >= self.enough {
            Verdict::Holds
        } else if share_sure < self.too_few {
            Verdict::DoesNotHold
        } else {
            Verdict::Open
        };

        let shares = |blocks: &[usize]| {
            let share =
                |block: &usize| format!("{block} {:.0} %", 100.0 * shares_kept[*block].mean);
            joined(blocks.iter().map(share), ", ")
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

/// The tasks with a cosine map of the original order, each with it.
fn maps(tasks: &[TaskOrders]) -> Vec<(&TaskOrders, &Geometry)> {
    tasks.iter().filter_map(|task| Some((task, task.map()?))).collect()
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

fn groups(tasks: &[TaskOrders]) -> Option<Judgement> {
    let maps = maps(tasks);
    let each = maps.iter().map(|(task, geometry)| {
        let map = &geometry.cosine_map;
        let states = map.len();
        let [from, to] = longest_group(map, ALIKE);
        let is_middle = 2 * (to - from) >= states && from > 0 && to < states;
        let [group, looser, stricter] = [ALIKE, 0.7, 0.9].map(|alike| {
            let [from, to] = longest_group(map, alike);
            format!("{from} to {}", to - 1)
        });
        let (name, _) = task.size();
        let line =
            format!("{name}: states {group} of {states} (at 0.7 {looser}, at 0.9 {stricter})");
        (line, if is_middle { Verdict::Holds } else { Verdict::DoesNotHold })
    });
    let rows = sizes(maps.iter().map(|(task, geometry)| (task.size().0, geometry.prompts)));
    let judgement = Judgement::of_all(each.collect(), maps.len(), rows).or_wants("more tasks");
    (!maps.is_empty()).then_some(judgement)
}

/// Correlates how far a block turns the stream with the KL of leaving it out.
fn map_and_cost(tasks: &[TaskOrders]) -> Option<Judgement> {
    // The first task that has a map, and a cost of every block.
    let maps = maps(tasks);
    let (task, geometry, costs) = tasks.iter().find_map(|task| {
        let (_, geometry) = maps.iter().find(|(mapped, _)| mapped.0.task == task.0.task)?;
        let drops = (0..task.blocks())
            .map(|block| Some(task.variant(&format!("drop:{block}"))?.measures.kl?.mean));
        Some((task, *geometry, drops.collect::<Option<Vec<f64>>>()?))
            .filter(|(.., all)| !all.is_empty())
    })?;

    // One less the cosine of the states before and after each block.
    let turns: Vec<f64> = (1..geometry.cosine_map.len())
        .map(|state| 1.0 - geometry.cosine_map[state - 1][state])
        .collect();
    let r = spearman(&turns, &costs)?.r;
    let in_order = spearman_in_order(&turns, &costs)?;
    let found = format!(
        "Spearman's {r:.2}, p {:.3} (as {:.0} independent blocks)",
        in_order.p, in_order.effective
    );
    let rows = format!("{}, map of {}", rows_of(&[task]), geometry.prompts);
    let judgement = Judgement::new(Verdict::of_correlation(in_order.p, r > 0.0), found, rows);
    Some(judgement.or_wants("more blocks, so other models"))
}

/// Compares ln P over middles of 3 to 9 blocks, every order less its successor in the paper's list.
fn harm(tasks: &[TaskOrders]) -> Option<Judgement> {
    let tasks = sweeping(tasks, &HARM, QUARTER);
    let over_sizes = |task: &TaskOrders, kinds: [&str; 2]| -> Option<Difference> {
        let middle = task.blocks() / 2 - 1;
        let pairs = (middle.checked_sub(4)?..middle).map(|s| task.both_sized(kinds, s));
        Difference::over(&pairs.collect::<Option<Vec<_>>>()?)
    };
    let of_tasks = |kinds: [&str; 2]| -> Option<Difference> {
        let each = tasks.iter().map(|task| over_sizes(task, kinds));
        Difference::of_tasks(&each.collect::<Option<Vec<_>>>()?)
    };

    // The first two are to do less harm than the other four, and the last more than all.
    let leads =
        HARM[..2].iter().flat_map(|first| HARM[2..].iter().map(move |last| [*first, *last]));
    let others = HARM[2..5].iter().map(|other| [*other, HARM[5]]);
    let verdicts = leads.chain(others).map(|kinds| Some(of_tasks(kinds)?.verdict()));
    let verdicts = verdicts.collect::<Option<Vec<Verdict>>>()?;
    let neighbours = HARM.windows(2).map(|pair| {
        Some(format!("{} less {}: {}", pair[0], pair[1], of_tasks([pair[0], pair[1]])?.spelled()))
    });
    let found = joined(neighbours.collect::<Option<Vec<_>>>()?, "; ");
    let judgement = Judgement::new(Verdict::all(&verdicts, 1), found, rows_of(&tasks));
    Some(judgement.or_wants("more rows"))
}
