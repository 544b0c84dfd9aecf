//! Claims about the stream: accuracy, bias and diversity over the first members (docs/smollm2.md, D5, D6, D10 to D12).

use atelier::measure::correlation::{CorrelationKind, fisher_mean, over_groups, pearson, spearman};
use atelier::measure::decomposition::Triple;
use atelier::measure::interval::{Mean, Resamples, mean_of_independent, wilson};
use atelier::study::report::AverageDepth;

use super::rows::TaskRows;
use super::verdict::{Found, Verdict, needed, percent, spelled};

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

pub fn claims(tasks: &[TaskRows], plain: &[TaskRows]) -> Vec<Found> {
    vec![
        correlations(tasks),
        ranks(tasks),
        trade_offs(tasks),
        least_bias(tasks),
        gains(tasks, plain),
    ]
}

fn curve(task: &TaskRows, value: impl Fn(&AverageDepth) -> f64) -> Vec<f64> {
    task.averages.by_depth.iter().map(value).collect()
}

/// Accuracy along the stream, and a quantity.
fn pair(task: &TaskRows, column: Column, quantity: Quantity) -> [Vec<f64>; 2] {
    [curve(task, |depth| depth.accuracy), curve(task, |depth| quantity(column(depth)))]
}

/// Pearson's over tasks: the mean through Fisher's z, the interval from the tasks' own coefficients.
fn over_tasks(tasks: &[TaskRows], column: Column, quantity: Quantity) -> Option<Mean> {
    let pairs: Vec<[Vec<f64>; 2]> = tasks.iter().map(|task| pair(task, column, quantity)).collect();
    let each = pairs.iter().filter_map(|[x, y]| pearson(x, y).map(|found| (found.r, found.n)));
    let mean = fisher_mean(&each.collect::<Vec<_>>())?;
    let groups: Vec<[&[f64]; 2]> = pairs.iter().map(|[x, y]| [&x[..], &y[..]]).collect();
    let test = over_groups(CorrelationKind::Pearson, &groups)?.test;
    Some(test.map_or(Mean::without_interval(mean), |test| Mean {
        mean,
        low: test.low,
        high: test.high,
    }))
}

fn correlations(tasks: &[TaskRows]) -> Found {
    let unknown = Mean::without_interval(0.0);
    let means = COLUMNS.map(|(_, column)| {
        QUANTITIES.map(|(_, quantity)| over_tasks(tasks, column, quantity).unwrap_or(unknown))
    });
    let lines = COLUMNS.iter().zip(&means).map(|((name, _), means)| {
        let each = QUANTITIES.iter().zip(means);
        let each: Vec<String> =
            each.map(|((name, _), mean)| format!("{name} {}", spelled(*mean, 2))).collect();
        format!("{name}: {}", each.join(", "))
    });
    let found = lines.collect::<Vec<_>>().join("; ");

    let [mse, bias, diversity] = means[0];
    let verdict = match Verdict::above(mse, 0.5) {
        // High, but not above the other two.
        Verdict::Holds if bias.mean.max(diversity.mean) >= mse.mean => Verdict::Open,
        verdict => verdict,
    };
    Found {
        claim: "D5",
        text: "accuracy goes highly with -MSE, moderately with -bias and diversity",
        found,
        rows: format!("{} tasks x {} points", tasks.len(), points(tasks)),
        verdict,
        decides: needed(Verdict::above(mse, 0.5), mse, 0.5, tasks.len(), "tasks"),
    }
}

fn points(tasks: &[TaskRows]) -> usize {
    tasks.iter().map(|task| task.averages.by_depth.len()).max().unwrap_or(0)
}

/// How far Spearman's is above Pearson's, in absolute value: the mean over the three quantities, task by task.
fn ranks(tasks: &[TaskRows]) -> Found {
    let column = COLUMNS[0].1;
    let of_task = |task: &TaskRows| {
        let each = QUANTITIES.iter().filter_map(|(_, quantity)| {
            let [x, y] = pair(task, column, *quantity);
            Some(spearman(&x, &y)?.r.abs() - pearson(&x, &y)?.r.abs())
        });
        let each: Vec<f64> = each.collect();
        (!each.is_empty()).then(|| each.iter().sum::<f64>() / each.len() as f64)
    };
    let each: Vec<f64> = tasks.iter().filter_map(of_task).collect();
    let mean = Resamples::new(each.len(), 1000, 0).mean(&each);
    let verdict = Verdict::below(mean, 0.0);
    Found {
        claim: "D6",
        text: "Spearman's coefficients are lower than Pearson's",
        found: format!("difference {}", spelled(mean, 3)),
        rows: format!("{} tasks", each.len()),
        verdict,
        decides: needed(verdict, mean, 0.0, each.len(), "tasks"),
    }
}

/// Steps that trade off, where accuracy rises and elsewhere: `[[yes, all]; 2]`.
fn steps(task: &TaskRows, column: Column) -> [[usize; 2]; 2] {
    let mut counts = [[0; 2]; 2];
    for step in task.averages.by_depth.windows(2) {
        let (before, after) = (column(&step[0]), column(&step[1]));
        let is_traded = (after.bias - before.bias) * (after.diversity - before.diversity) > 0.0;
        let rises = step[1].accuracy - step[0].accuracy > RISE;
        let [yes, all] = &mut counts[usize::from(!rises)];
        *yes += usize::from(is_traded);
        *all += 1;
    }
    counts
}

fn trade_offs(tasks: &[TaskRows]) -> Found {
    let share = |[yes, all]: [usize; 2]| wilson(yes as f64 / all.max(1) as f64, all);
    let of_column = |column: Column| {
        let counts: Vec<[[usize; 2]; 2]> = tasks.iter().map(|task| steps(task, column)).collect();
        let there = counts.iter().filter(|[rising, others]| rising[1] > 0 && others[1] > 0);
        let each: Vec<Mean> =
            there.map(|[rising, others]| share(*others).less(share(*rising))).collect();
        let sum = |group: usize| -> [usize; 2] {
            [0, 1].map(|which| counts.iter().map(|count| count[group][which]).sum())
        };
        (mean_of_independent(&each), share(sum(0)), share(sum(1)), sum(0)[1])
    };
    let lines = COLUMNS.map(|(name, column)| {
        let (difference, rising, others, count) = of_column(column);
        let difference = difference.map_or("none".to_owned(), percent);
        format!(
            "{name}: {count} rising steps {}, others {}, difference {difference}",
            percent(rising),
            percent(others)
        )
    });
    let (difference, ..) = of_column(COLUMNS[0].1);
    let difference = difference.unwrap_or(Mean::without_interval(0.0));
    let verdict = Verdict::above(difference, 0.0);
    Found {
        claim: "D10",
        text: "bias and diversity trade off where accuracy does not rise, and need not where it does",
        found: lines.join("; "),
        rows: format!("{} tasks x {} steps", tasks.len(), points(tasks).saturating_sub(1)),
        verdict,
        decides: needed(verdict, difference, 0.0, tasks.len(), "tasks"),
    }
}

/// The least bias of probabilities along the stream, over that of a uniform answer. (The paper's bias is the same.)
fn least_bias(tasks: &[TaskRows]) -> Found {
    let each: Vec<(String, Mean)> = tasks
        .iter()
        .filter_map(|task| {
            let biases = curve(task, |depth| depth.triples.probability.bias);
            let least = (0..biases.len()).min_by(|&a, &b| biases[a].total_cmp(&biases[b]))?;
            let ratio = task.ratio(|row| row.depth_bias[least], |row| row.uniform);
            Some((format!("{} {} ({} members)", task.name, spelled(ratio, 3), least + 1), ratio))
        })
        .collect();
    let side =
        |threshold: f64| each.iter().map(move |(_, ratio)| Verdict::above(*ratio, threshold));
    let (half, tenth): (Vec<_>, Vec<_>) = (side(0.5).collect(), side(0.1).collect());
    let verdict = if tenth.contains(&Verdict::DoesNotHold) {
        Verdict::DoesNotHold
    } else if half.iter().all(|one| *one == Verdict::Holds) && !half.is_empty() {
        Verdict::Holds
    } else {
        Verdict::Open
    };
    Found {
        claim: "D11",
        text: "bias seldom comes near 0",
        found: each.iter().map(|(line, _)| line.clone()).collect::<Vec<_>>().join("; "),
        rows: sizes(tasks),
        verdict,
        decides: String::new(),
    }
}

/// Accuracy gained by the first half of the members after the embedding, less that gained by the last half, on the
/// tasks that are surely above their majority.
fn gains(tasks: &[TaskRows], plain: &[TaskRows]) -> Found {
    let counts = |task: &&TaskRows| task.accuracy().low > task.majority();
    let counted: Vec<&TaskRows> = tasks.iter().chain(plain).filter(counts).collect();
    let each: Vec<Mean> = counted
        .iter()
        .map(|task| {
            task.mean(|row| {
                let right = |n: usize| f64::from(u8::from(row.depth_right[n]));
                let last = row.depth_right.len() - 1;
                2.0 * right(last / 2) - right(0) - right(last)
            })
        })
        .collect();
    let lines = counted.iter().zip(&each).map(|(task, mean)| {
        let first = task.share(|row| row.is_first == Some(true));
        let is_known = task.rows.iter().all(|row| row.log_likelihood.is_some());
        let told = task.mean(|row| row.log_likelihood.unwrap_or_default());
        let told = if is_known { spelled(told, 2) } else { "not known".to_owned() };
        format!("{} {} (ln P {told}, first word {})", task.name, percent(*mean), percent(first))
    });
    let found: Vec<String> = lines.collect();
    let mean = mean_of_independent(&each).unwrap_or(Mean::without_interval(0.0));
    let verdict = Verdict::above(mean, 0.0);
    Found {
        claim: "D12",
        text: "later layers bring less and less accuracy",
        found: format!("mean {}: {}", percent(mean), found.join("; ")),
        rows: format!("{} tasks above their majority", counted.len()),
        verdict,
        decides: needed(verdict, mean, 0.0, counted.iter().map(|t| t.rows.len()).sum(), "rows"),
    }
}

/// Rows of each task.
pub fn sizes(tasks: &[TaskRows]) -> String {
    let all: Vec<String> = tasks.iter().map(|t| format!("{} {}", t.name, t.rows.len())).collect();
    all.join(", ")
}
