//! Claims from runs over rows: coupling along the depth, and parts left out (docs/smollm2.md, C1, C2, C5, C6, C8, C9, D9
//! and D13).

use atelier::engine::MemberKind;
use atelier::measure::correlation::{spearman, spearman_in_order};
use atelier::measure::interval::{Mean, mean_of_independent};
use atelier::study::coupling::{CouplingMetric, RelationTo, TaskCoupling};
use atelier::study::need::{Need, NeedPart};
use atelier::study::survey::Survey;

use super::Reports;
use super::verdict::{Judgement, Verdict, joined, resamples, sizes, spelled};

/// Singular vectors by which claims are decided.
const K: usize = 8;

/// Nats that a head costs at most that is not needed.
const NOT_NEEDED: f64 = 0.05;

fn rows_of_needs<'a>(needs: impl IntoIterator<Item = &'a Need>) -> String {
    sizes(needs.into_iter().map(|need| (&*need.task, need.rows)))
}

fn rows_of<'a>(tasks: impl IntoIterator<Item = &'a TaskCoupling>) -> String {
    sizes(tasks.into_iter().map(|task| (&*task.task, task.rows)))
}

/// Judges by parts left out one at a time.
pub fn needed_heads(Reports { needs, .. }: &Reports) -> Option<Judgement> {
    let has_heads = |need: &&Need| need.parts.iter().any(|part| part.head.and(part.lost).is_some());
    let needs: Vec<&Need> = needs.iter().filter(has_heads).collect();
    let each = needs.iter().map(|need| {
        let heads = need.parts.iter().filter(|part| part.head.is_some());
        let lost: Vec<Mean> = heads.filter_map(|part| part.lost).collect();
        let cheap = lost.iter().filter(|lost| lost.high < NOT_NEEDED).count();
        let dear = lost.iter().filter(|lost| lost.low > NOT_NEEDED).count();
        let heads = lost.len();
        let line = format!(
            "{}: of {heads} heads {cheap} surely cost less than 0.05 nats, {dear} surely more",
            need.task
        );
        let verdict = match (2 * cheap > heads, 2 * dear > heads) {
            (true, _) => Verdict::Holds,
            (_, true) => Verdict::DoesNotHold,
            _ => Verdict::Open,
        };
        (line, verdict)
    });
    let rows = rows_of_needs(needs.iter().copied());
    let judgement = Judgement::of_all(each.collect(), 1, rows).or_wants("about 50 rows a task");
    (!needs.is_empty()).then_some(judgement)
}

/// Judges a member's own diversity against ln P lost without it. `None` where a task has no survey of this model.
pub fn differences(Reports { model, needs, surveys, .. }: &Reports) -> Option<Judgement> {
    let tasks = needs.iter().map(|need| difference(model, need, surveys));
    let tasks = tasks.collect::<Option<Vec<_>>>().filter(|tasks| !tasks.is_empty())?;
    let judgement = Judgement::of_all(tasks, 1, rows_of_needs(needs));
    Some(judgement.or_wants("more members, so other models"))
}

/// One task's correlation over the attentions and MLPs.
fn difference(model: &str, need: &Need, surveys: &[Survey]) -> Option<(String, Verdict)> {
    let mut cells = surveys.iter().flat_map(Survey::found);
    let (.., cell) =
        cells.find(|(surveyed, task, _)| surveyed.name == model && task.name == need.task)?;
    let members = need.parts.iter().filter(|part| part.head.is_none());
    // Without those for which the whole vocabulary was not read.
    let parts = members.filter_map(|part| Some((member_index(part), part.lost?.mean)));
    let (members, lost): (Vec<usize>, Vec<f64>) = parts.unzip();

    // By centred diversity, which decides, and by whole diversity.
    let correlation = |diversity: &[f64]| {
        let by_member = members.iter().map(|member| diversity.get(*member).copied());
        let by_member = by_member.collect::<Option<Vec<f64>>>()?;
        Some((spearman(&by_member, &lost)?.r, spearman_in_order(&by_member, &lost)?))
    };
    let (r, in_order) = correlation(&cell.averages.centred.member_diversity)?;
    let (whole, _) = correlation(&cell.averages.logit.member_diversity)?;
    let line = format!(
        "{}: Spearman's {r:.2}, p {:.3} (as {:.0} independent members), whole diversity {whole:.2}",
        need.task, in_order.p, in_order.effective
    );
    Some((line, Verdict::of_correlation(in_order.p, r > 0.0)))
}

/// Returns a part's index among the members: the embedding comes first, then each block's attention and MLP.
fn member_index(part: &NeedPart) -> usize {
    1 + 2 * part.run + usize::from(part.kind == MemberKind::Mlp)
}

/// The tasks that have a number, each with it.
struct Numbers<'a>(Vec<(&'a TaskCoupling, Mean)>);

impl<'a> Numbers<'a> {
    fn of(tasks: &'a [TaskCoupling], number: impl Fn(&TaskCoupling) -> Option<Mean>) -> Self {
        Self(tasks.iter().filter_map(|task| Some((task, number(task)?))).collect())
    }

    fn verdicts(&self, rule: impl Fn(&TaskCoupling, Mean) -> Verdict) -> Vec<Verdict> {
        self.0.iter().map(|(task, mean)| rule(task, *mean)).collect()
    }

    /// Judges that it holds in all tasks, and does not where so many refute it. `beside` stands behind the numbers.
    fn judgement(
        &self,
        digits: usize,
        beside: &str,
        rule: impl Fn(&TaskCoupling, Mean) -> Verdict,
        against: usize,
    ) -> Option<Judgement> {
        let means: Vec<Mean> = self.0.iter().map(|(_, mean)| *mean).collect();
        let mean = spelled(mean_of_independent(&means)?, digits);
        let line = |(task, mean): &(&TaskCoupling, Mean)| {
            format!("{} {}", task.task, spelled(*mean, digits))
        };
        let found = format!("{mean} ({}){beside}", joined(self.0.iter().map(line), "; "));
        let verdict = Verdict::all(&self.verdicts(rule), against);
        let rows = rows_of(self.0.iter().map(|(task, _)| *task));
        Some(Judgement::new(verdict, found, rows).or_wants("more rows"))
    }
}

pub fn coupled(Reports { couplings, .. }: &Reports) -> Option<Judgement> {
    let coupling = |task: &TaskCoupling| task.depth_wise.get(&K)?.coupling.off_diagonal;
    let chance = |task: &TaskCoupling| Some(1.0 - task.depth_wise.get(&K)?.chance.off_diagonal);
    let numbers = Numbers::of(couplings, coupling);
    let strong = numbers.verdicts(|_, mean| Verdict::above(mean, 0.5));
    let strong = Verdict::all(&strong, strong.len());
    let beside = format!("; chance {:.3}; strong: {strong}", couplings.iter().find_map(chance)?);
    let rule = |task: &TaskCoupling, mean| Verdict::above(mean, chance(task).unwrap_or(1.0));
    numbers.judgement(3, &beside, rule, numbers.0.len())
}

/// Coupling of steps one apart less that of steps further apart, steps resampled with all their pairs.
fn nearer(task: &TaskCoupling) -> Option<Mean> {
    let map = &task.depth_wise.get(&K)?.off_diagonal;
    let steps = map.len();
    let coupling = |i: usize, j: usize| map[i][j].map(|apart| 1.0 - apart.mean);
    let mean = |counts: &[f64], is_wanted: fn(usize) -> bool| {
        let pairs = (0..steps).flat_map(|i| (0..steps).map(move |j| (i, j)));
        let wanted = pairs.filter(|(i, j)| i != j && is_wanted(i.abs_diff(*j)));
        let weighted = wanted.filter_map(|(i, j)| Some((counts[i] * counts[j], coupling(i, j)?)));
        let [weights, sum] = weighted.fold([0.0, 0.0], |[weights, sum], (weight, value)| {
            [weights + weight, sum + weight * value]
        });
        sum / weights
    };
    Some(
        resamples(steps)
            .statistic(|counts| mean(counts, |apart| apart == 1) - mean(counts, |apart| apart > 1)),
    )
}

pub fn near(Reports { couplings, .. }: &Reports) -> Option<Judgement> {
    Numbers::of(couplings, nearer).judgement(3, "", |_, mean| Verdict::above(mean, 0.0), 1)
}

pub fn straight(Reports { couplings, .. }: &Reports) -> Option<Judgement> {
    let walk = |task: &TaskCoupling| (task.steps.len() as f64).sqrt();
    let beside = format!("; steps at right angles {:.2}", couplings.first().map(walk)?);
    let numbers = Numbers::of(couplings, |task| task.line_shape_score);
    numbers.judgement(2, &beside, |task, mean| Verdict::below(mean, walk(task)), 2)
}

pub fn growth(Reports { couplings, .. }: &Reports) -> Option<Judgement> {
    let numbers = Numbers::of(couplings, |task| task.expodistance);
    let rule = |_: &TaskCoupling, mean| match Verdict::above(mean, 1.0) {
        Verdict::Holds => Verdict::DoesNotHold,
        _ if Verdict::below(mean, 0.5) == Verdict::Holds => Verdict::Holds,
        _ => Verdict::Open,
    };
    numbers.judgement(2, "", rule, numbers.0.len())
}

pub fn dropped(reports: &Reports) -> Option<Judgement> {
    spared(&reports.couplings, RelationTo::DropMargin)
}

pub fn swapped(reports: &Reports) -> Option<Judgement> {
    spared(&reports.couplings, RelationTo::SwapMargin)
}

/// Judges coupling against the margin that another order costs, step by step; Spearman's decides, as in P4 and D13.
/// `None` where a task has no such costs.
fn spared(tasks: &[TaskCoupling], to: RelationTo) -> Option<Judgement> {
    let relations = tasks.iter().map(|task| relation(task, to));
    let relations = relations.collect::<Option<Vec<_>>>().filter(|all| !all.is_empty())?;
    let (lines, verdicts): (Vec<String>, Vec<Verdict>) = relations.into_iter().unzip();
    // Three of four tasks decide.
    let enough = (3 * verdicts.len()).div_ceil(4);
    let verdict = Verdict::most(&verdicts, enough, enough);
    let found = format!("Spearman's of coupling and cost: {}", lines.join("; "));
    let judgement = Judgement::new(verdict, found, rows_of(tasks));
    Some(judgement.or_wants("more blocks, so other models"))
}

/// One task's correlation over its steps, and without each of them.
fn relation(task: &TaskCoupling, to: RelationTo) -> Option<(String, Verdict)> {
    let relation = task.relations.iter().find(|relation| {
        relation.to == to && relation.k == K && relation.metric == CouplingMetric::OffDiagonal
    })?;
    let all = relation.all.spearman?;
    let left_out = relation.left_out.iter().filter_map(|rest| rest.spearman);
    let highest_p = left_out.map(|rest| rest.p).fold(all.p, f64::max);
    let line = format!(
        "{} {:.2}, p {:.3}, at most {highest_p:.3} without one of {} points",
        task.task, all.r, all.p, all.n
    );
    Some((line, Verdict::of_correlation(highest_p, all.r < 0.0)))
}
