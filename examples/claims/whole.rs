//! Claims about the whole run of a row (docs/smollm2.md, D1 to D4, D7, D8 and D14).

use std::collections::BTreeMap;

use atelier::measure::decomposition::{ByKind, Share};
use atelier::measure::interval::{Mean, mean_of_independent, paired};

use super::rows::{RowNumbers, TaskRows, share};
use super::stream::sizes;
use super::verdict::{Found, Verdict, needed, percent, spelled};

pub fn claims(tasks: &[TaskRows], text: Option<&TaskRows>) -> Vec<Found> {
    let mut found = vec![majority(tasks), constant(tasks), offset(tasks)];
    found.extend(text.and_then(|text| letters(tasks, text)));
    found.push(shares_of_bias(tasks));
    found.extend(shares_of_diversity(tasks));
    found.push(worth(tasks));
    found
}

fn joined(tasks: &[TaskRows], line: impl Fn(&TaskRows) -> String) -> String {
    tasks.iter().map(line).collect::<Vec<_>>().join("; ")
}

fn majority(tasks: &[TaskRows]) -> Found {
    let above = tasks.iter().filter(|task| task.accuracy().low > task.majority()).count();
    let below = tasks.iter().filter(|task| task.accuracy().high < task.majority()).count();
    let rarely = tasks.iter().filter(|t| t.share(|row| row.is_first == Some(true)).high < 0.2);
    let rarely = rarely.count();
    let verdict = match above {
        0..=2 => Verdict::Holds,
        3 => Verdict::Open,
        _ => Verdict::DoesNotHold,
    };
    Found {
        claim: "D1",
        text: "accuracy stays near that of one constant answer",
        found: format!(
            "{above} of {} tasks surely above their majority, {below} surely below; the right option is the first word \
             in surely fewer than 20 % of the rows of {rarely}",
            tasks.len()
        ),
        rows: sizes(tasks),
        verdict,
        decides: String::new(),
    }
}

/// The paper's MSE less that of a uniform answer, times 100.
pub fn excess(task: &TaskRows) -> Mean {
    task.mean(|row| 100.0 * (row.paper.mse - row.uniform))
}

fn constant(tasks: &[TaskRows]) -> Found {
    let each: Vec<Verdict> =
        tasks.iter().map(|task| Verdict::near(excess(task), 0.0, 0.5)).collect();
    Found {
        claim: "D2",
        text: "the printed MSE hardly leaves the constant of a uniform answer",
        found: joined(tasks, |task| {
            let own = task.mean(|row| 100.0 * (row.share_error - row.uniform));
            format!("{} {}, own error {}", task.name, spelled(excess(task), 2), spelled(own, 2))
        }),
        rows: sizes(tasks),
        verdict: Verdict::all(&each, 2),
        decides: String::new(),
    }
}

/// The centred part of diversity, of the whole.
pub fn centred_part(task: &TaskRows) -> Mean {
    task.ratio(|row| row.centred.diversity, |row| row.logit.diversity)
}

fn offset(tasks: &[TaskRows]) -> Found {
    let each: Vec<Verdict> =
        tasks.iter().map(|task| Verdict::below(centred_part(task), 0.5)).collect();
    Found {
        claim: "D3",
        text: "our heading: the offset is most of the diversity",
        found: joined(tasks, |task| format!("{} {}", task.name, percent(centred_part(task))))
            + " of diversity is centred",
        rows: sizes(tasks),
        verdict: Verdict::all(&each, 1),
        decides: String::new(),
    }
}

/// Compares the rows answered by letter with those answered as text; `None` where no task was asked by letter.
fn letters(tasks: &[TaskRows], text: &TaskRows) -> Option<Found> {
    let by_letter = tasks.iter().find(|task| task.name == "arc_easy")?;
    let lines: BTreeMap<usize, bool> =
        by_letter.rows.iter().map(|row| (row.line, row.is_right)).collect();
    let both: Vec<(bool, bool)> =
        text.rows.iter().filter_map(|row| Some((row.is_right, *lines.get(&row.line)?))).collect();
    let alone = |text: bool| both.iter().filter(|pair| **pair == (text, !text)).count() as f64;
    let difference = paired(alone(true), alone(false), both.len());
    let verdict = Verdict::above(difference, 0.0);
    Some(Found {
        claim: "D4",
        text: "letters hide what a small model knows (ARC-Easy as text, less by letter)",
        found: format!(
            "text {}, letters {}, difference {}",
            percent(text.accuracy()),
            percent(by_letter.accuracy()),
            percent(difference)
        ),
        rows: format!("{} rows", both.len()),
        verdict,
        decides: needed(verdict, difference, 0.0, both.len(), "rows"),
    })
}

/// A kind's part of a column's bias or diversity, over tasks.
fn kind_share(
    tasks: &[TaskRows],
    kinds: RowKinds,
    kind: KindShare,
    number: fn(Share) -> f64,
) -> Mean {
    let each: Vec<Mean> = tasks.iter().map(|task| of_task(task, kinds, kind, number)).collect();
    mean_of_independent(&each).unwrap_or(Mean::without_interval(0.0))
}

fn of_task(task: &TaskRows, kinds: RowKinds, kind: KindShare, number: fn(Share) -> f64) -> Mean {
    let whole = |row: &RowNumbers| kinds(row).shares().map(|(_, share)| number(share)).sum::<f64>();
    task.ratio(|row| number(kind(kinds(row))), whole)
}

/// Takes one kind's share.
type KindShare = fn(&ByKind) -> Share;

/// Takes what a row has of one scale.
type RowKinds = fn(&RowNumbers) -> &ByKind;

const KINDS: [(&str, KindShare); 3] =
    [("embedding", |k| k.embedding), ("attention", |k| k.attention), ("MLP", |k| k.mlp)];

/// The three scales, by what each row has of them.
const SCALES: [(&str, RowKinds); 3] = [
    ("probability", |row| &row.probability_kinds),
    ("centred", |row| &row.centred_kinds),
    ("whole logits", |row| &row.logit_kinds),
];

fn shares_of_bias(tasks: &[TaskRows]) -> Found {
    let lines = SCALES.map(|(name, kinds)| {
        let each = KINDS.map(|(kind_name, kind)| {
            format!("{kind_name} {}", percent(kind_share(tasks, kinds, kind, |s| s.bias)))
        });
        format!("{name}: {}", each.join(", "))
    });
    // By number of members.
    let counts = tasks.first().and_then(|task| task.rows.first()).map(|row| {
        let counts = KINDS.map(|(_, kind)| kind(&row.probability_kinds).count as f64);
        counts.map(|count| count / counts.iter().sum::<f64>())
    });
    let each: Vec<Verdict> = KINDS
        .iter()
        .zip(counts.into_iter().flatten())
        .map(|((_, kind), expected)| {
            let found = kind_share(tasks, SCALES[0].1, *kind, |share| share.bias);
            Verdict::near(found, expected, 0.03)
        })
        .collect();
    Found {
        claim: "D7",
        text: "shares of bias are as the numbers of layers; the embedding counts little",
        found: lines.join("; "),
        rows: sizes(tasks),
        verdict: Verdict::all(&each, 1),
        decides: String::new(),
    }
}

/// The MLPs' share of a task's diversity: whole, and centred.
pub fn mlp_shares(task: &TaskRows) -> [Mean; 2] {
    [SCALES[2].1, SCALES[1].1].map(|kinds| of_task(task, kinds, |k| k.mlp, |s| s.diversity))
}

fn shares_of_diversity(tasks: &[TaskRows]) -> [Found; 2] {
    let rows: usize = tasks.iter().map(|task| task.rows.len()).sum();
    let found = |claim, text, kinds: RowKinds| {
        let mean = kind_share(tasks, kinds, |k| k.mlp, |s| s.diversity);
        let others = [KINDS[0], KINDS[1]].map(|(name, kind)| {
            format!("{name} {}", percent(kind_share(tasks, kinds, kind, |s| s.diversity)))
        });
        let verdict = Verdict::above(mean, 2.0 / 3.0);
        Found {
            claim,
            text,
            found: format!("MLP {}, {}", percent(mean), others.join(", ")),
            rows: sizes(tasks),
            verdict,
            decides: needed(verdict, mean, 2.0 / 3.0, rows, "rows"),
        }
    };
    [
        found("D8 whole", "the MLPs dominate diversity (Eq. 8)", SCALES[2].1),
        found("D8 centred", "the MLPs dominate the centred diversity", SCALES[1].1),
    ]
}

/// Rows in two halves by a number; rows that are equal in it, by their lines.
fn halves<'a>(rows: &[&'a RowNumbers], number: fn(&RowNumbers) -> f64) -> [Vec<&'a RowNumbers>; 2] {
    let mut sorted = rows.to_vec();
    sorted.sort_by(|a, b| number(a).total_cmp(&number(b)).then(a.line.cmp(&b.line)));
    let (little, much) = sorted.split_at(sorted.len() / 2);
    [little.to_vec(), much.to_vec()]
}

/// Effect of more diversity: accuracy of the half of the rows that has more of it, less that of the other half.
fn gain(rows: &[&RowNumbers]) -> Mean {
    let [little, much] = halves(rows, |row| row.centred.diversity);
    share(&much, |row| row.is_right).less(share(&little, |row| row.is_right))
}

/// That gain where bias is large, less where it is small.
pub fn gain_by_bias(task: &TaskRows) -> Mean {
    let rows: Vec<&RowNumbers> = task.rows.iter().collect();
    let [little, much] = halves(&rows, |row| row.centred.bias);
    gain(&much).less(gain(&little))
}

fn worth(tasks: &[TaskRows]) -> Found {
    let each: Vec<Mean> = tasks.iter().map(gain_by_bias).collect();
    let mean = mean_of_independent(&each).unwrap_or(Mean::without_interval(0.0));
    let verdict = Verdict::above(mean, 0.0);
    let rows: usize = tasks.iter().map(|task| task.rows.len()).sum();
    Found {
        claim: "D14",
        text: "diversity matters most where layers are far from the truth",
        found: format!(
            "mean {}: {}",
            percent(mean),
            joined(tasks, |task| format!("{} {}", task.name, percent(gain_by_bias(task))))
        ),
        rows: sizes(tasks),
        verdict,
        decides: needed(verdict, mean, 0.0, rows, "rows"),
    }
}
