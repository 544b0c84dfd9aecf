//! Claims from runs over rows: coupling along the depth, and parts left out (docs/smollm2.md, C1, C2, C5, C6, C8, C9, D9
//! and D13).

use atelier::engine::MemberKind;
use atelier::measure::correlation::{spearman, spearman_in_order};
use atelier::measure::interval::{Mean, Resamples, mean_of_independent};
use atelier::study::coupling::{CouplingMetric, RelationTo, TaskCoupling};
use atelier::study::need::{Need, NeedPart};
use atelier::study::survey::Survey;

use super::verdict::{Found, Verdict, spelled};

/// Singular vectors by which claims are decided.
const K: usize = 8;

/// Nats that a head costs at most that is not needed.
const NOT_NEEDED: f64 = 0.05;

/// The claims that couplings of rows can speak to.
pub fn of_couplings(tasks: &[TaskCoupling]) -> Vec<Found> {
    let found = [
        coupled(tasks),
        near(tasks),
        straight(tasks),
        growth(tasks),
        spared(
            tasks,
            "C8",
            "the less coupled a block, the more it costs to leave out",
            RelationTo::DropMargin,
        ),
        spared(
            tasks,
            "C9",
            "the less coupled two neighbours, the more it costs to exchange them",
            RelationTo::SwapMargin,
        ),
    ];
    found.into_iter().flatten().collect()
}

/// The claim that parts left out one at a time can speak to.
pub fn of_needs(tasks: &[Need]) -> Option<Found> {
    let each = tasks.iter().map(|need| {
        let heads = need.parts.iter().filter(|part| part.head.is_some());
        let lost: Vec<Mean> = heads.filter_map(|part| part.lost).collect();
        let cheap = lost.iter().filter(|lost| lost.high < NOT_NEEDED).count();
        let dear = lost.iter().filter(|lost| lost.low > NOT_NEEDED).count();
        (need, [lost.len(), cheap, dear])
    });
    let each: Vec<(&Need, [usize; 3])> = each.filter(|(_, [heads, ..])| *heads > 0).collect();
    let lines = each.iter().map(|(need, [heads, cheap, dear])| {
        format!(
            "{}: of {heads} heads {cheap} surely cost less than 0.05 nats, {dear} surely more",
            need.task
        )
    });
    let verdicts: Vec<Verdict> = each
        .iter()
        .map(|(_, [heads, cheap, dear])| match (2 * cheap > *heads, 2 * dear > *heads) {
            (true, _) => Verdict::Holds,
            (_, true) => Verdict::DoesNotHold,
            _ => Verdict::Open,
        })
        .collect();
    let verdict = Verdict::all(&verdicts, 1);
    let rows = each.iter().map(|(need, _)| format!("{} {}", need.task, need.rows));
    (!each.is_empty()).then(|| Found {
        claim: "D9",
        text: "many attention heads are not needed",
        found: lines.collect::<Vec<_>>().join("; "),
        rows: rows.collect::<Vec<_>>().join(", "),
        verdict,
        decides: if verdict == Verdict::Open {
            "about 50 rows a task".to_owned()
        } else {
            String::new()
        },
    })
}

/// The claim that layers help only where they differ: a member's own diversity against ln P lost without it.
/// `None` where a task has no survey of this model.
pub fn of_differences(model: &str, needs: &[Need], surveys: &[Survey]) -> Option<Found> {
    let tasks: Vec<(String, Verdict)> =
        needs.iter().map(|need| difference(model, need, surveys)).collect::<Option<_>>()?;
    let verdicts: Vec<Verdict> = tasks.iter().map(|(_, verdict)| *verdict).collect();
    let verdict = Verdict::all(&verdicts, 1);
    let rows = needs.iter().map(|need| format!("{} {}", need.task, need.rows));
    (!tasks.is_empty()).then(|| Found {
        claim: "D13",
        text: "layers help only where they differ",
        found: tasks.into_iter().map(|(line, _)| line).collect::<Vec<_>>().join("; "),
        rows: rows.collect::<Vec<_>>().join(", "),
        verdict,
        decides: if verdict == Verdict::Open {
            "more members, so other models".to_owned()
        } else {
            String::new()
        },
    })
}

/// One task's correlation over the attentions and MLPs.
fn difference(model: &str, need: &Need, surveys: &[Survey]) -> Option<(String, Verdict)> {
    let mut cells = surveys.iter().flat_map(Survey::found);
    let (.., cell) =
        cells.find(|(surveyed, task, _)| surveyed.name == model && task.name == need.task)?;
    let members = need.parts.iter().filter(|part| part.head.is_none());
    let parts: Vec<(&NeedPart, f64)> = members.filter_map(with_lost).collect();
    let lost: Vec<f64> = parts.iter().map(|(_, lost)| *lost).collect();

    // By centred diversity, which decides, and by whole diversity.
    let correlation = |diversity: &[f64]| {
        let by_member = parts.iter().map(|(part, _)| diversity.get(member_index(part)).copied());
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

/// A part with its mean loss of ln P; `None` where the whole vocabulary was not read.
fn with_lost(part: &NeedPart) -> Option<(&NeedPart, f64)> {
    Some((part, part.lost?.mean))
}

/// Returns a part's index among the members: the embedding comes first, then each block's attention and MLP.
fn member_index(part: &NeedPart) -> usize {
    1 + 2 * part.run + usize::from(part.kind == MemberKind::Mlp)
}

/// A claim about a number of each task.
struct PerTask {
    claim: &'static str,
    text: &'static str,
    digits: usize,
}

impl PerTask {
    fn found(
        &self,
        each: &[(&TaskCoupling, Mean)],
        beside: &str,
        verdict: Verdict,
    ) -> Option<Found> {
        let mean = mean_of_independent(&each.iter().map(|(_, mean)| *mean).collect::<Vec<_>>())?;
        let line = |(task, mean): &(&TaskCoupling, Mean)| {
            format!("{} {}", task.task, spelled(*mean, self.digits))
        };
        let lines = each.iter().map(line).collect::<Vec<_>>().join("; ");
        let rows = each.iter().map(|(task, _)| format!("{} {}", task.task, task.rows));
        Some(Found {
            claim: self.claim,
            text: self.text,
            found: format!("{} ({lines}){beside}", spelled(mean, self.digits)),
            rows: rows.collect::<Vec<_>>().join(", "),
            verdict,
            decides: if verdict == Verdict::Open { "more rows".to_owned() } else { String::new() },
        })
    }
}

/// Tasks that have a number, each with it.
fn with(
    tasks: &[TaskCoupling],
    number: impl Fn(&TaskCoupling) -> Option<Mean>,
) -> Vec<(&TaskCoupling, Mean)> {
    tasks.iter().filter_map(|task| Some((task, number(task)?))).collect()
}

fn coupled(tasks: &[TaskCoupling]) -> Option<Found> {
    let coupling = |task: &TaskCoupling| task.depth_wise.get(&K)?.coupling.off_diagonal;
    let chance = |task: &TaskCoupling| Some(1.0 - task.depth_wise.get(&K)?.chance.off_diagonal);
    let each = with(tasks, coupling);
    let verdicts =
        each.iter().map(|(task, mean)| Verdict::above(*mean, chance(task).unwrap_or(1.0)));
    let verdicts: Vec<Verdict> = verdicts.collect();
    let strong: Vec<Verdict> = each.iter().map(|(_, mean)| Verdict::above(*mean, 0.5)).collect();
    let beside = format!(
        "; chance {:.3}; strong: {}",
        tasks.iter().find_map(chance)?,
        Verdict::all(&strong, strong.len())
    );
    let claim = PerTask { claim: "C1", text: "blocks are coupled across depth", digits: 3 };
    claim.found(&each, &beside, Verdict::all(&verdicts, verdicts.len()))
}

/// Coupling of steps one apart less that of steps further apart, steps resampled with all their pairs.
fn nearer(task: &TaskCoupling) -> Option<Mean> {
    let map = &task.depth_wise.get(&K)?.off_diagonal;
    let steps = map.len();
    let coupling = |i: usize, j: usize| map[i][j].map(|apart| 1.0 - apart.mean);
    let mean = |counts: &[f64], is: &dyn Fn(usize) -> bool| {
        let pairs = (0..steps).flat_map(|i| (0..steps).map(move |j| (i, j)));
        let wanted = pairs.filter(|(i, j)| i != j && is(i.abs_diff(*j)));
        let weighted = wanted.filter_map(|(i, j)| Some((counts[i] * counts[j], coupling(i, j)?)));
        let [weights, sum] = weighted.fold([0.0, 0.0], |[weights, sum], (weight, value)| {
            [weights + weight, sum + weight * value]
        });
        sum / weights
    };
    Some(
        Resamples::new(steps, 1000, 0).statistic(|counts| {
            mean(counts, &|apart| apart == 1) - mean(counts, &|apart| apart > 1)
        }),
    )
}

fn near(tasks: &[TaskCoupling]) -> Option<Found> {
    let each = with(tasks, nearer);
    let verdicts: Vec<Verdict> = each.iter().map(|(_, mean)| Verdict::above(*mean, 0.0)).collect();
    let claim = PerTask { claim: "C2", text: "neighbours couple most", digits: 3 };
    claim.found(&each, "", Verdict::all(&verdicts, 1))
}

fn straight(tasks: &[TaskCoupling]) -> Option<Found> {
    let each = with(tasks, |task| task.line_shape_score);
    let walk = |task: &TaskCoupling| (task.steps.len() as f64).sqrt();
    let verdicts = each.iter().map(|(task, mean)| Verdict::below(*mean, walk(task)));
    let verdicts: Vec<Verdict> = verdicts.collect();
    let beside = format!("; steps at right angles {:.2}", tasks.first().map(walk)?);
    let claim = PerTask { claim: "C5", text: "paths are straighter than chance", digits: 2 };
    claim.found(&each, &beside, Verdict::all(&verdicts, 2))
}

fn growth(tasks: &[TaskCoupling]) -> Option<Found> {
    let each = with(tasks, |task| task.expodistance);
    let low: Vec<Verdict> = each.iter().map(|(_, mean)| Verdict::below(*mean, 0.5)).collect();
    let high: Vec<Verdict> = each.iter().map(|(_, mean)| Verdict::above(*mean, 1.0)).collect();
    let verdict = match (Verdict::all(&low, low.len()), Verdict::all(&high, high.len())) {
        (Verdict::Holds, _) => Verdict::Holds,
        (_, Verdict::Holds) => Verdict::DoesNotHold,
        _ => Verdict::Open,
    };
    let claim = PerTask { claim: "C6", text: "states grow exponentially with depth", digits: 2 };
    claim.found(&each, "", verdict)
}

/// Coupling against the margin that another order costs, step by step; Spearman's decides, as in P4 and D13. `None`
/// where a task has no such costs.
fn spared(
    tasks: &[TaskCoupling],
    claim: &'static str,
    text: &'static str,
    to: RelationTo,
) -> Option<Found> {
    let relations: Vec<(String, Verdict)> =
        tasks.iter().map(|task| relation(task, to)).collect::<Option<_>>()?;

    // Three of four tasks decide.
    let enough = (3 * relations.len()).div_ceil(4).max(1);
    let count = |wanted| relations.iter().filter(|(_, verdict)| *verdict == wanted).count();
    let verdict = if count(Verdict::Holds) >= enough {
        Verdict::Holds
    } else if count(Verdict::DoesNotHold) >= enough {
        Verdict::DoesNotHold
    } else {
        Verdict::Open
    };
    let rows = tasks.iter().map(|task| format!("{} {}", task.task, task.rows));
    let lines: Vec<String> = relations.into_iter().map(|(line, _)| line).collect();
    (!lines.is_empty()).then(|| Found {
        claim,
        text,
        found: format!("Spearman's of coupling and cost: {}", lines.join("; ")),
        rows: rows.collect::<Vec<_>>().join(", "),
        verdict,
        decides: if verdict == Verdict::Open {
            "more blocks, so other models".to_owned()
        } else {
            String::new()
        },
    })
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
