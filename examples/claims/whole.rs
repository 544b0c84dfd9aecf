//! Claims about the whole run of a row (docs/smollm2.md, D1 to D4, D7, D8 and D14).

use std::collections::BTreeMap;

use atelier::measure::decomposition::{ByKind, Share};
use atelier::measure::interval::{Mean, paired};

use super::Surveyed;
use super::rows::{DecomposedRow, TaskRows, share};
use super::verdict::{Judgement, Verdict, joined, mean_of_tasks, percent, sizes, spelled};

/// Lists the tasks with their numbers of rows.
pub fn rows_of(tasks: &[TaskRows]) -> String {
    sizes(tasks.iter().map(|task| (&*task.name, task.rows.len())))
}

fn total(tasks: &[TaskRows]) -> usize {
    tasks.iter().map(|task| task.rows.len()).sum()
}

fn per_task(tasks: &[TaskRows], number: fn(&TaskRows) -> Mean) -> String {
    joined(tasks.iter().map(|task| format!("{} {}", task.name, percent(number(task)))), "; ")
}

pub fn majority(Surveyed { tasks, .. }: &Surveyed) -> Option<Judgement> {
    let count = |holds: fn(&&TaskRows) -> bool| tasks.iter().filter(holds).count();
    let above = count(|task| task.is_above_majority());
    let below = count(|task| task.accuracy().high < task.majority());
    let rarely = count(|task| task.first_words().high < 0.2);
    let verdict = match above {
        0..=2 => Verdict::Holds,
        3 => Verdict::Open,
        _ => Verdict::DoesNotHold,
    };
    let found = format!(
        "{above} of {} tasks surely above their majority, {below} surely below; the right option is the first word in \
         surely fewer than 20 % of the rows of {rarely}",
        tasks.len()
    );
    Some(Judgement::new(verdict, found, rows_of(tasks)))
}

/// The paper's MSE less that of a uniform answer, times 100.
pub fn excess(task: &TaskRows) -> Mean {
    task.mean(|row| 100.0 * (row.found.paper.mse - row.uniform()))
}

pub fn constant(Surveyed { tasks, .. }: &Surveyed) -> Option<Judgement> {
    let each = tasks.iter().map(|task| {
        let excess = excess(task);
        let own_error = task.mean(|row| 100.0 * (row.found.share_error - row.uniform()));
        let [paper, error] = [excess, own_error].map(|mean| spelled(mean, 2));
        (format!("{} {paper}, own error {error}", task.name), Verdict::near(excess, 0.0, 0.5))
    });
    Some(Judgement::of_all(each.collect(), 2, rows_of(tasks)))
}

/// The centred part of diversity, of the whole.
pub fn centred_part(task: &TaskRows) -> Mean {
    task.ratio(|row| row.found.centred.total.diversity, |row| row.found.logit.total.diversity)
}

pub fn offset(Surveyed { tasks, .. }: &Surveyed) -> Option<Judgement> {
    let verdicts: Vec<Verdict> =
        tasks.iter().map(|task| Verdict::below(centred_part(task), 0.5)).collect();
    let found = per_task(tasks, centred_part) + " of diversity is centred";
    Some(Judgement::new(Verdict::all(&verdicts, 1), found, rows_of(tasks)))
}

/// Compares the rows answered by letter with those answered as text; `None` where no task was asked by letter.
pub fn letters(Surveyed { tasks, text, .. }: &Surveyed) -> Option<Judgement> {
    let text = text.first()?;
    let by_letter = tasks.iter().find(|task| task.name == "arc_easy")?;
    let answers = |task: &TaskRows| -> BTreeMap<usize, bool> {
        task.rows.iter().map(|row| (row.measured.line, row.measured.correct)).collect()
    };
    let letter_answers = answers(by_letter);
    let both: Vec<(bool, bool)> = answers(text)
        .into_iter()
        .filter_map(|(line, is_right)| Some((is_right, *letter_answers.get(&line)?)))
        .collect();
    let alone = |text: bool| both.iter().filter(|pair| **pair == (text, !text)).count() as f64;
    let difference = paired(alone(true), alone(false), both.len());

    let found = format!(
        "text {}, letters {}, difference {}",
        percent(text.accuracy()),
        percent(by_letter.accuracy()),
        percent(difference)
    );
    let rows = format!("{} rows", both.len());
    Some(Judgement::above(difference, 0.0, found, rows, (both.len(), "rows")))
}

/// A scale of votes: what a row has of every kind of member.
type Scale = fn(&DecomposedRow) -> &ByKind;

/// Takes one kind's share.
type Kind = fn(&ByKind) -> Share;

const PROBABILITY: Scale = |row| &row.found.probability.by_kind;
const CENTRED: Scale = |row| &row.found.centred.by_kind;
const WHOLE: Scale = |row| &row.found.logit.by_kind;

const EMBEDDING: Kind = |kinds| kinds.embedding;
const ATTENTION: Kind = |kinds| kinds.attention;
const MLP: Kind = |kinds| kinds.mlp;
const KINDS: [(&str, Kind); 3] = [("embedding", EMBEDDING), ("attention", ATTENTION), ("MLP", MLP)];

/// Takes a number of a share.
type Number = fn(Share) -> f64;

const BIAS: Number = |share| share.bias;
const DIVERSITY: Number = |share| share.diversity;

/// A kind's part of a task's bias or diversity.
fn kind_share(task: &TaskRows, scale: Scale, kind: Kind, number: Number) -> Mean {
    let all =
        |row: &DecomposedRow| scale(row).shares().map(|(_, share)| number(share)).sum::<f64>();
    task.ratio(|row| number(kind(scale(row))), all)
}

/// A kind's part of bias or diversity, over tasks.
fn over_tasks(tasks: &[TaskRows], scale: Scale, kind: Kind, number: Number) -> Mean {
    let each = tasks.iter().map(|task| kind_share(task, scale, kind, number));
    mean_of_tasks(&each.collect::<Vec<_>>())
}

pub fn shares_of_bias(Surveyed { tasks, .. }: &Surveyed) -> Option<Judgement> {
    let scales = [("probability", PROBABILITY), ("centred", CENTRED), ("whole logits", WHOLE)];
    let lines = scales.map(|(name, scale)| {
        let each = KINDS.map(|(kind_name, kind)| {
            format!("{kind_name} {}", percent(over_tasks(tasks, scale, kind, BIAS)))
        });
        format!("{name}: {}", each.join(", "))
    });
    // By number of members.
    let counts = tasks.first().and_then(|task| task.rows.first()).map(|row| {
        let counts = KINDS.map(|(_, kind)| kind(PROBABILITY(row)).count as f64);
        counts.map(|count| count / counts.iter().sum::<f64>())
    });
    let verdicts: Vec<Verdict> = KINDS
        .iter()
        .zip(counts.into_iter().flatten())
        .map(|((_, kind), share)| {
            Verdict::near(over_tasks(tasks, PROBABILITY, *kind, BIAS), share, 0.03)
        })
        .collect();
    Some(Judgement::new(Verdict::all(&verdicts, 1), lines.join("; "), rows_of(tasks)))
}

/// The MLPs' share of a task's diversity: whole, and centred.
pub fn mlp_shares(task: &TaskRows) -> [Mean; 2] {
    [WHOLE, CENTRED].map(|scale| kind_share(task, scale, MLP, DIVERSITY))
}

pub fn whole_diversity(survey: &Surveyed) -> Option<Judgement> {
    Some(shares_of_diversity(&survey.tasks, WHOLE))
}

pub fn centred_diversity(survey: &Surveyed) -> Option<Judgement> {
    Some(shares_of_diversity(&survey.tasks, CENTRED))
}

fn shares_of_diversity(tasks: &[TaskRows], scale: Scale) -> Judgement {
    let shares = KINDS.map(|(_, kind)| over_tasks(tasks, scale, kind, DIVERSITY));
    let [embedding, attention, mlp_in_words] = shares.map(percent);
    let found = format!("MLP {mlp_in_words}, embedding {embedding}, attention {attention}");
    let [.., mlp] = shares;
    Judgement::above(mlp, 2.0 / 3.0, found, rows_of(tasks), (total(tasks), "rows"))
}

/// Rows in two halves by a number; rows that are equal in it, by their lines.
fn halves(
    mut rows: Vec<&DecomposedRow>,
    number: fn(&DecomposedRow) -> f64,
) -> [Vec<&DecomposedRow>; 2] {
    rows.sort_by(|a, b| {
        number(a).total_cmp(&number(b)).then(a.measured.line.cmp(&b.measured.line))
    });
    let much = rows.split_off(rows.len() / 2);
    [rows, much]
}

/// Effect of more diversity: accuracy of the half of the rows that has more of it, less that of the other half.
fn gain(rows: Vec<&DecomposedRow>) -> Mean {
    let halves = halves(rows, |row| row.found.centred.total.diversity);
    let [little, much] = halves.map(|rows| share(rows, |row| row.measured.correct));
    much.less(little)
}

/// That gain where bias is large, less where it is small.
fn gain_by_bias(task: &TaskRows) -> Mean {
    let [little, much] =
        halves(task.rows.iter().collect(), |row| row.found.centred.total.bias).map(gain);
    much.less(little)
}

pub fn worth(Surveyed { tasks, .. }: &Surveyed) -> Option<Judgement> {
    let mean = mean_of_tasks(&tasks.iter().map(gain_by_bias).collect::<Vec<_>>());
    let found = format!("mean {}: {}", percent(mean), per_task(tasks, gain_by_bias));
    Some(Judgement::above(mean, 0.0, found, rows_of(tasks), (total(tasks), "rows")))
}
