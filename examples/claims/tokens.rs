//! Claims about the coupling of a few prompts, between tokens and along the depth (docs/smollm2.md, C3, C4 and C7).

use anyhow::Context;
use atelier::measure::interval::Mean;
use atelier::study::coupling::{Coupling, StepPair};

use super::Reports;
use super::verdict::{Judgement, Verdict, resamples, slope, spelled};

/// Singular vectors by which claims are decided.
const K: usize = 8;

/// Numbers of one prompt's coupling that the claims use.
pub struct PromptCoupling {
    /// Mean couplings with other tokens of one block, and of a block and the next: of their effects on themselves.
    same_block: f64,
    next_block: f64,
    same_token: Spread,
    fixed_input: Spread,
    fixed_output: Spread,
    chance: f64,
    /// Slope of ln of the largest singular value against ln of the block's number, from 1.
    slope: Mean,
}

/// Couplings of two steps over pairs of different tokens; or the means of several such steps.
struct Spread {
    mean: f64,
    /// Ratio of the standard deviation to the mean.
    relative: f64,
}

impl PromptCoupling {
    /// Takes the numbers of one prompt's coupling with maps between tokens; `shown` is its file.
    ///
    /// # Errors
    /// It has no such maps.
    pub fn new(coupling: &Coupling, shown: &str) -> anyhow::Result<Self> {
        let tokens = coupling.token_wise.as_ref().filter(|tokens| tokens.k == K);
        let tokens = tokens.with_context(|| format!("{shown} has no maps of tokens at K = {K}"))?;
        let depth =
            coupling.depth_wise.get(&K).with_context(|| format!("{shown} lacks K = {K}"))?;
        let same_token = || tokens.same.iter().flat_map(|maps| &maps.pairs);
        let of_block = |is_same: bool| {
            Spread::over(same_token().filter(|pair| (pair.steps[0] == pair.steps[1]) == is_same))
                .mean
        };
        Ok(Self {
            same_block: of_block(true),
            next_block: of_block(false),
            same_token: Spread::over(same_token()),
            fixed_input: Spread::over(tokens.fixed_input.iter().flat_map(|maps| &maps.pairs)),
            fixed_output: Spread::over(tokens.fixed_output.iter().flat_map(|maps| &maps.pairs)),
            chance: 1.0 - depth.chance.off_diagonal,
            slope: depth_slope(coupling),
        })
    }
}

impl Spread {
    fn of(pair: &StepPair) -> Self {
        let rows = pair.map.off_diagonal.iter().enumerate();
        let others = rows.flat_map(|(i, row)| {
            let others = row.iter().enumerate().filter(move |(j, _)| *j != i);
            others.filter_map(|(_, apart)| apart.map(|apart| 1.0 - apart))
        });
        let values: Vec<f64> = others.collect();
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Self { mean, relative: (squares / (n - 1.0)).sqrt() / mean }
    }

    /// The means over several pairs of steps; 0 of none.
    fn over<'a>(pairs: impl Iterator<Item = &'a StepPair>) -> Self {
        let each: Vec<Self> = pairs.map(Self::of).collect();
        let count = each.len().max(1) as f64;
        Self {
            mean: each.iter().map(|spread| spread.mean).sum::<f64>() / count,
            relative: each.iter().map(|spread| spread.relative).sum::<f64>() / count,
        }
    }
}

/// The slope with the bootstrap's interval over blocks.
fn depth_slope(coupling: &Coupling) -> Mean {
    let blocks = (1..).zip(&coupling.spectrum);
    let points = blocks.filter_map(|(n, spectrum)| {
        Some([f64::from(n).ln(), spectrum.singular_values.first()?.ln()])
    });
    let points: Vec<[f64; 2]> = points.collect();
    resamples(points.len()).statistic(|counts| slope(counts, &points))
}

/// Judges by each prompt: a claim holds where it does on every one, and does not where the contrary does.
fn on_all(
    reports: &Reports,
    judge: impl Fn(&PromptCoupling) -> (String, Verdict),
) -> Option<Judgement> {
    let count = reports.prompts.len();
    let each = reports.prompts.iter().map(judge).collect();
    let judgement = Judgement::of_all(each, count, format!("{count} prompts"));
    (count > 0).then(|| judgement.or_wants("ten prompts"))
}

fn verdict(holds: bool, is_contrary: bool) -> Verdict {
    match (holds, is_contrary) {
        (true, _) => Verdict::Holds,
        (_, true) => Verdict::DoesNotHold,
        _ => Verdict::Open,
    }
}

pub fn tokens(reports: &Reports) -> Option<Judgement> {
    on_all(reports, |&PromptCoupling { same_block: same, next_block: next, chance, .. }| {
        let line = format!("one block {same:.2}, the next {next:.2} (chance {chance:.3})");
        (line, verdict(same > 0.3 && next > chance, same < 0.3 && next < chance))
    })
}

pub fn context(reports: &Reports) -> Option<Judgement> {
    on_all(reports, |PromptCoupling { same_token, fixed_input, fixed_output, .. }| {
        let [own_in_words, input, output] =
            [same_token, fixed_input, fixed_output].map(|Spread { mean, relative }| {
                format!("{mean:.2} with a relative spread of {relative:.2}")
            });
        let line = format!("own {own_in_words}, one input {input}, one output {output}");
        let both = |holds: fn(&Spread, &Spread) -> bool| {
            holds(fixed_input, same_token) && holds(fixed_output, same_token)
        };
        let is_less =
            both(|spread, same| spread.mean < same.mean && spread.relative > same.relative);
        let is_more =
            both(|spread, same| spread.mean > same.mean && spread.relative < same.relative);
        (line, verdict(is_less, is_more))
    })
}

pub fn depth(reports: &Reports) -> Option<Judgement> {
    on_all(reports, |PromptCoupling { slope, .. }| {
        let holds_one = slope.low <= -1.0 && -1.0 <= slope.high;
        let line = format!("slope {}", spelled(*slope, 2));
        (line, verdict(!holds_one, holds_one && (slope.low > 0.0 || slope.high < 0.0)))
    })
}
