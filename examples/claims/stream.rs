//! Claims about the stream: accuracy, bias and diversity over the first members (docs/smollm2.md, D5, D6, D10 to D12).

use atelier::measure::correlation::{CorrelationKind, fisher_mean, over_groups, pearson, spearman};
use atelier::measure::decomposition::Triple;
use atelier::measure::interval::{Mean, mean_of_independent, wilson};
use atelier::study::report::AverageDepth;

use super::Surveyed;
use super::rows::{DecomposedRow, TaskRows};
use super::verdict::{Judgement, Verdict, joined, mean_of_tasks, percent, resamples, spelled};
use super::whole::rows_of;

/// A column of a junction point.
type Column = fn(&AverageDepth) -> Triple;

/// A number of a column.
type Quantity = fn(Triple) -> f64;

/// The paper's first: it decides.
const COLUMNS: [(&str, Column); 3] = [
    ("paper's", |depth| depth.triples.paper),
    ("probability", |depth| depth.triples.probability),
    ("centred", |depth| depth.triples.centred),
];

/// Numbers that accuracy is compared with; each grows as the answer gets better.
const QUANTITIES: [(&str, Quantity); 3] =
    [("-MSE", |t| -t.mse), ("-bias", |t| -t.bias), ("diversity", |t| t.diversity)];

/// More accuracy than this is a rise.
const RISE: f64 = 0.005;

/// Accuracy along the stream, and a quantity.
fn curves(task: &TaskRows, column: Column, quantity: Quantity) -> [Vec<f64>; 2] {
    let depths = &task.averages.by_depth;
    [
        depths.iter().map(|depth| depth.accuracy).collect(),
        depths.iter().map(|depth| quantity(column(depth))).collect(),
    ]
}

/// Coefficients over groups of points (x, y): the mean through Fisher's z, the interval from the groups' own.
pub fn mean_correlation(kind: CorrelationKind, groups: &[[Vec<f64>; 2]]) -> Option<Mean> {
    let of_group = match kind {
        CorrelationKind::Pearson => pearson,
        CorrelationKind::Spearman => spearman,
    };
    let each = groups.iter().filter_map(|[x, y]| of_group(x, y).map(|found| (found.r, found.n)));
    let mean = fisher_mean(&each.collect::<Vec<_>>())?;
    let groups: Vec<[&[f64]; 2]> = groups.iter().map(|[x, y]| [&x[..], &y[..]]).collect();
    let test = over_groups(kind, &groups)?.test;
    let with_ends = test.map(|test| Mean { mean, low: test.low, high: test.high });
    Some(with_ends.unwrap_or(Mean::without_interval(mean)))
}

pub fn correlations(Surveyed { tasks, .. }: &Surveyed) -> Option<Judgement> {
    let means = COLUMNS.map(|(_, column)| {
        QUANTITIES.map(|(_, quantity)| {
            let groups = tasks.iter().map(|task| curves(task, column, quantity));
            mean_correlation(CorrelationKind::Pearson, &groups.collect::<Vec<_>>())
                .unwrap_or(Mean::without_interval(0.0))
        })
    });
    let lines = COLUMNS.iter().zip(&means).map(|((name, _), means)| {
        let each = QUANTITIES.iter().zip(means);
        let each = each.map(|((name, _), mean)| format!("{name} {}", spelled(*mean, 2)));
        format!("{name}: {}", joined(each, ", "))
    });

    let [mse, bias, diversity] = means[0];
    let rows = format!("{} tasks x {} points", tasks.len(), points(tasks));
    let found = joined(lines, "; ");
    let mut judgement = Judgement::above(mse, 0.5, found, rows, (tasks.len(), "tasks"));
    // High, but not above the other two.
    if judgement.verdict == Verdict::Holds && bias.mean.max(diversity.mean) >= mse.mean {
        judgement.verdict = Verdict::Open;
    }
    Some(judgement)
}

fn points(tasks: &[TaskRows]) -> usize {
    tasks.iter().map(|task| task.averages.by_depth.len()).max().unwrap_or(0)
}

/// How far Spearman's is above Pearson's, in absolute value: the mean over the three quantities, task by task.
pub fn ranks(Surveyed { tasks, .. }: &Surveyed) -> Option<Judgement> {
    let difference = |task: &TaskRows| {
        let each = QUANTITIES.iter().filter_map(|(_, quantity)| {
            let [x, y] = curves(task, COLUMNS[0].1, *quantity);
            Some(spearman(&x, &y)?.r.abs() - pearson(&x, &y)?.r.abs())
        });
        let each: Vec<f64> = each.collect();
        (!each.is_empty()).then(|| each.iter().sum::<f64>() / each.len() as f64)
    };
    let each: Vec<f64> = tasks.iter().filter_map(difference).collect();
    let mean = resamples(each.len()).mean(&each);
    let (found, rows) =
        (format!("difference {}", spelled(mean, 3)), format!("{} tasks", each.len()));
    let judgement = Judgement::new(Verdict::below(mean, 0.0), found, rows);
    Some(judgement.or_needs(mean, 0.0, each.len(), "tasks"))
}

/// Steps along the stream of one kind, and those of them that trade bias for diversity.
#[derive(Clone, Copy, Default)]
struct Steps {
    traded: usize,
    all: usize,
}

impl Steps {
    fn share(self) -> Mean {
        wilson(self.traded as f64 / self.all.max(1) as f64, self.all)
    }
}

/// Counts the steps where accuracy rises, and those elsewhere.
fn steps<'a>(tasks: impl IntoIterator<Item = &'a TaskRows>, column: Column) -> [Steps; 2] {
    let mut counts = [Steps::default(); 2];
    for step in tasks.into_iter().flat_map(|task| task.averages.by_depth.windows(2)) {
        let (before, after) = (column(&step[0]), column(&step[1]));
        let is_traded = (after.bias - before.bias) * (after.diversity - before.diversity) > 0.0;
        let rises = step[1].accuracy - step[0].accuracy > RISE;
        let kind = &mut counts[usize::from(!rises)];
        kind.traded += usize::from(is_traded);
        kind.all += 1;
    }
    counts
}

pub fn trade_offs(Surveyed { tasks, .. }: &Surveyed) -> Option<Judgement> {
    // How much oftener steps trade off elsewhere than where accuracy rises, over the tasks that have both.
    let differences = COLUMNS.map(|(_, column)| {
        let each = tasks.iter().map(|task| steps([task], column));
        let both = each.filter(|[rising, others]| rising.all > 0 && others.all > 0);
        let each = both.map(|[rising, others]| others.share().less(rising.share()));
        mean_of_independent(&each.collect::<Vec<_>>())
    });
    let lines = COLUMNS.iter().zip(differences).map(|((name, column), difference)| {
        let [rising, others] = steps(tasks, *column);
        format!(
            "{name}: {} rising steps {}, others {}, difference {}",
            rising.all,
            percent(rising.share()),
            percent(others.share()),
            difference.map_or("none".to_owned(), percent)
        )
    });
    let rows = format!("{} tasks x {} steps", tasks.len(), points(tasks).saturating_sub(1));
    let difference = differences[0].unwrap_or(Mean::without_interval(0.0));
    let behind = (tasks.len(), "tasks");
    Some(Judgement::above(difference, 0.0, joined(lines, "; "), rows, behind))
}

/// The least bias of probabilities along the stream, over that of a uniform answer. (The paper's bias is the same.)
pub fn least_bias(Surveyed { tasks, .. }: &Surveyed) -> Option<Judgement> {
    let each = tasks.iter().filter_map(|task| {
        let bias = |members: &usize| task.averages.by_depth[*members].triples.probability.bias;
        let depths = 0..task.averages.by_depth.len();
        let least = depths.min_by(|a, b| bias(a).total_cmp(&bias(b)))?;
        let row_bias = |row: &DecomposedRow| row.depth_bias[least];
        let ratio = task.ratio(row_bias, DecomposedRow::uniform);
        let verdict = match (Verdict::above(ratio, 0.1), Verdict::above(ratio, 0.5)) {
            (Verdict::DoesNotHold, _) => Verdict::DoesNotHold,
            (_, Verdict::Holds) => Verdict::Holds,
            _ => Verdict::Open,
        };
        Some((format!("{} {} ({} members)", task.name, spelled(ratio, 3), least + 1), verdict))
    });
    Some(Judgement::of_all(each.collect(), 1, rows_of(tasks)))
}

/// Accuracy gained by the first half of the members after the embedding, less that gained by the last half.
fn gain(task: &TaskRows) -> Mean {
    task.mean(|row| {
        let right = |n: usize| f64::from(u8::from(row.depth_right[n]));
        let last = row.depth_right.len() - 1;
        2.0 * right(last / 2) - right(0) - right(last)
    })
}

/// Judges the gains of the tasks that are surely above their majority.
pub fn gains(Surveyed { tasks, plain, .. }: &Surveyed) -> Option<Judgement> {
    let counted = tasks.iter().chain(plain).filter(|task| task.is_above_majority());
    let counted: Vec<&TaskRows> = counted.collect();
    let each: Vec<Mean> = counted.iter().map(|task| gain(task)).collect();
    let lines = counted.iter().zip(&each).map(|(task, mean)| {
        let log_likelihood = |row: &DecomposedRow| row.measured.log_likelihood();
        let is_known = task.rows.iter().all(|row| log_likelihood(row).is_some());
        let ln_p = task.mean(|row| log_likelihood(row).unwrap_or_default());
        let ln_p = if is_known { spelled(ln_p, 2) } else { "not known".to_owned() };
        let first_words = percent(task.first_words());
        format!("{} {} (ln P {ln_p}, first word {first_words})", task.name, percent(*mean))
    });
    let mean = mean_of_tasks(&each);
    let found = format!("mean {}: {}", percent(mean), joined(lines, "; "));
    let rows = format!("{} tasks above their majority", counted.len());
    let total = counted.iter().map(|task| task.rows.len()).sum();
    Some(Judgement::above(mean, 0.0, found, rows, (total, "rows")))
}
