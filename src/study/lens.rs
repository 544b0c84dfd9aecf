//! One plan on one prompt, or on many: traces to [`Lens`] rows and their averages.

use super::loaded::{LoadedModel, Question};
use super::report::{AverageDepth, Averages, Lens, Prompts, Report};
use crate::engine::Trace;
use crate::measure::decomposition::{Column, Share, Triple, argmax, decompose, softmax};
use crate::plan::Plan;

/// What a trace says about its question.
pub fn lens(question: &Question, plan: &Plan, trace: Trace) -> Lens {
    let Trace {
        members,
        member_logits,
        logits,
        ..
    } = trace;
    let decomposition = decompose(&members, &member_logits, &logits, question.answer);
    let wide: Vec<f64> = logits.iter().map(|&x| f64::from(x)).collect();
    let text = question.text.as_ref();
    Lens {
        prompt: text.map(|text| text.prompt.clone()),
        options: text.map(|text| text.options.clone()),
        answer: question.answer,
        plan: plan.to_string(),
        token_ids: question.prompt.token_ids.clone(),
        tokens: text.map(|text| text.tokens.clone()),
        option_token_ids: question.prompt.option_ids.clone(),
        members,
        member_logits,
        probabilities: softmax(&wide),
        correct: argmax(&wide) == question.answer,
        logits,
        decomposition,
    }
}

/// A report of one prompt.
pub fn report(model: &LoadedModel, lens: Lens) -> Report {
    Report {
        lens: Some(lens),
        ..Report::of(model)
    }
}

/// A report of many prompts under one plan, with their averages. `rows` must not be empty.
pub fn report_prompts(model: &LoadedModel, rows: Vec<Lens>) -> Report {
    let averages = average(&rows);
    Report {
        prompts: Some(Prompts { rows, averages }),
        ..Report::of(model)
    }
}

/// Means over rows of one plan, and so of the same members.
///
/// # Panics
/// If `rows` is empty or its rows are of different plans.
pub fn average(rows: &[Lens]) -> Averages {
    let n = rows.len() as f64;
    let mean = |f: &dyn Fn(&Lens) -> f64| rows.iter().map(f).sum::<f64>() / n;
    let members = rows[0].members.len();
    assert!(
        rows.iter().all(|row| row.members == rows[0].members),
        "rows of one plan"
    );
    let mut counts = std::collections::BTreeMap::new();
    for row in rows {
        *counts.entry(row.answer).or_insert(0usize) += 1;
    }
    let by_depth = (0..members)
        .map(|i| AverageDepth {
            members: i + 1,
            paper: triple(rows, |row| row.decomposition.by_depth[i].paper),
            probability: triple(rows, |row| row.decomposition.by_depth[i].probability),
            logit: triple(rows, |row| row.decomposition.by_depth[i].logit),
            accuracy: mean(&|row| f64::from(row.decomposition.by_depth[i].correct)),
        })
        .collect();
    Averages {
        rows: rows.len(),
        accuracy: mean(&|row| f64::from(row.correct)),
        majority: counts.values().copied().max().unwrap_or(0) as f64 / n,
        sum_error: rows
            .iter()
            .map(|row| row.decomposition.sum_error)
            .fold(0.0, f64::max),
        probability: column(rows, |row| &row.decomposition.probability),
        logit: column(rows, |row| &row.decomposition.logit),
        paper: triple(rows, |row| row.decomposition.paper),
        by_depth,
    }
}

fn triple(rows: &[Lens], of: impl Fn(&Lens) -> Triple) -> Triple {
    let n = rows.len() as f64;
    let mut sum = Triple::default();
    for row in rows {
        let row = of(row);
        sum.mse += row.mse / n;
        sum.bias += row.bias / n;
        sum.diversity += row.diversity / n;
    }
    sum
}

fn column(rows: &[Lens], of: fn(&Lens) -> &Column) -> Column {
    let n = rows.len() as f64;
    let first = of(&rows[0]);
    let mut sum = Column {
        total: triple(rows, |row| of(row).total),
        by_kind: Default::default(),
        member_bias: vec![0.0; first.member_bias.len()],
        member_diversity: vec![0.0; first.member_diversity.len()],
    };
    for row in rows {
        let row = of(row);
        let add = |sum: &mut Share, share: &Share| {
            sum.count = share.count;
            sum.bias += share.bias / n;
            sum.diversity += share.diversity / n;
        };
        for (kind, share) in row.by_kind.shares() {
            add(sum.by_kind.of_mut(kind), &share);
        }
        for (sum, x) in sum.member_bias.iter_mut().zip(&row.member_bias) {
            *sum += x / n;
        }
        for (sum, x) in sum.member_diversity.iter_mut().zip(&row.member_diversity) {
            *sum += x / n;
        }
    }
    sum
}
