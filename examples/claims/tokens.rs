//! Claims about the coupling of a few prompts, between tokens and along the depth (docs/smollm2.md, C3, C4 and C7).

use std::path::Path;

use anyhow::Context;
use atelier::measure::interval::{Mean, Resamples};
use atelier::study::coupling::{Coupling, StepPair};
use atelier::study::report::Report;

use super::verdict::{Found, Verdict, spelled};

/// Singular vectors by which claims are decided.
const K: usize = 8;

/// Numbers of one prompt's coupling that the claims use.
pub struct PromptCoupling {
    /// Means and relative spreads of the couplings of other tokens: by one block or two, as they were asked.
    own: Vec<Spread>,
    fixed_input: Vec<Spread>,
    fixed_output: Vec<Spread>,
    chance: f64,
    /// Slope of ln of the largest singular value against ln of the block's number, from 1.
    slope: Mean,
}

/// Couplings of two steps over pairs of different tokens.
struct Spread {
    is_same_block: bool,
    mean: f64,
    /// Ratio of the standard deviation to the mean.
    relative: f64,
}

impl PromptCoupling {
    /// Reads the report of one prompt with maps between tokens.
    ///
    /// # Errors
    /// It is another report, or has no such maps.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let shown = path.display();
        let text =
            std::fs::read_to_string(path).with_context(|| format!("{shown} is unreadable"))?;
        let report = Report::read(&text).with_context(|| shown.to_string())?;
        let coupling = report.coupling.with_context(|| format!("{shown} has no coupling"))?;
        let tokens = coupling.token_wise.as_ref().filter(|tokens| tokens.k == K);
        let tokens = tokens.with_context(|| format!("{shown} has no maps of tokens at K = {K}"))?;
        let depth =
            coupling.depth_wise.get(&K).with_context(|| format!("{shown} lacks K = {K}"))?;
        let spreads = |pairs: Option<&Vec<StepPair>>| -> Vec<Spread> {
            pairs.into_iter().flatten().map(Spread::of).collect()
        };
        Ok(Self {
            own: spreads(tokens.same.as_ref().map(|one| &one.pairs)),
            fixed_input: spreads(tokens.fixed_input.as_ref().map(|one| &one.pairs)),
            fixed_output: spreads(tokens.fixed_output.as_ref().map(|one| &one.pairs)),
            chance: 1.0 - depth.chance.off_diagonal,
            slope: slope(&coupling),
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
        let relative = (squares / (n - 1.0)).sqrt() / mean;
        Self { is_same_block: pair.steps[0] == pair.steps[1], mean, relative }
    }
}

/// The slope with the bootstrap's interval over blocks.
fn slope(coupling: &Coupling) -> Mean {
    let points: Vec<[f64; 2]> = (1..)
        .zip(&coupling.spectrum)
        .filter_map(|(n, spectrum)| {
            Some([f64::from(n).ln(), spectrum.singular_values.first()?.ln()])
        })
        .collect();
    Resamples::new(points.len(), 1000, 0).statistic(|counts| {
        let sum = |of: &dyn Fn(&[f64; 2]) -> f64| -> f64 {
            counts.iter().zip(&points).map(|(count, point)| count * of(point)).sum()
        };
        let n = sum(&|_| 1.0);
        let (x, y) = (sum(&|point| point[0]) / n, sum(&|point| point[1]) / n);
        sum(&|point| (point[0] - x) * (point[1] - y)) / sum(&|point| (point[0] - x).powi(2))
    })
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let all: Vec<f64> = values.collect();
    all.iter().sum::<f64>() / all.len().max(1) as f64
}

/// Holds where so on every prompt, does not where the contrary on every one.
fn on_all(prompts: &[PromptCoupling], holds: impl Fn(&PromptCoupling) -> [bool; 2]) -> Verdict {
    let each: Vec<[bool; 2]> = prompts.iter().map(holds).collect();
    let all = |which: usize| !each.is_empty() && each.iter().all(|one| one[which]);
    match (all(0), all(1)) {
        (true, _) => Verdict::Holds,
        (_, true) => Verdict::DoesNotHold,
        _ => Verdict::Open,
    }
}

pub fn claims(prompts: &[PromptCoupling]) -> Vec<Found> {
    let found = |claim, text, line: &dyn Fn(&PromptCoupling) -> String, verdict| Found {
        claim,
        text,
        found: prompts.iter().map(line).collect::<Vec<_>>().join("; "),
        rows: format!("{} prompts", prompts.len()),
        verdict,
        decides: if verdict == Verdict::Open { "ten prompts".to_owned() } else { String::new() },
    };
    vec![tokens(prompts, &found), context(prompts, &found), depth(prompts, &found)]
}

/// Makes a line of the table from what stands of each prompt.
type Line<'a> =
    dyn Fn(&'static str, &'static str, &dyn Fn(&PromptCoupling) -> String, Verdict) -> Found + 'a;

fn tokens(prompts: &[PromptCoupling], found: &Line<'_>) -> Found {
    let means = |prompt: &PromptCoupling| {
        [true, false].map(|same| {
            let own = prompt.own.iter().filter(|one| one.is_same_block == same);
            mean(own.map(|one| one.mean))
        })
    };
    let verdict = on_all(prompts, |prompt| {
        let [same, next] = means(prompt);
        [same > 0.3 && next > prompt.chance, same < 0.3 && next < prompt.chance]
    });
    let line = |prompt: &PromptCoupling| {
        let [same, next] = means(prompt);
        format!("one block {same:.2}, the next {next:.2} (chance {:.3})", prompt.chance)
    };
    found("C3", "a token's effect on itself is coupled with other tokens'", &line, verdict)
}

fn context(prompts: &[PromptCoupling], found: &Line<'_>) -> Found {
    let numbers = |prompt: &PromptCoupling| {
        [&prompt.own, &prompt.fixed_input, &prompt.fixed_output].map(|spreads| {
            let means = mean(spreads.iter().map(|one| one.mean));
            [means, mean(spreads.iter().map(|one| one.relative))]
        })
    };
    let verdict = on_all(prompts, |prompt| {
        let [own, input, output] = numbers(prompt);
        let both = |holds: &dyn Fn([f64; 2]) -> bool| holds(input) && holds(output);
        [
            both(&|one| one[0] < own[0] && one[1] > own[1]),
            both(&|one| one[0] > own[0] && one[1] < own[1]),
        ]
    });
    let line = |prompt: &PromptCoupling| {
        let [own, input, output] = numbers(prompt)
            .map(|[mean, relative]| format!("{mean:.2} with a relative spread of {relative:.2}"));
        format!("own {own}, one input {input}, one output {output}")
    };
    found("C4", "coupling through context tokens is less consistent", &line, verdict)
}

fn depth(prompts: &[PromptCoupling], found: &Line<'_>) -> Found {
    let verdict = on_all(prompts, |prompt| {
        let Mean { low, high, .. } = prompt.slope;
        let holds_one = low <= -1.0 && -1.0 <= high;
        [!holds_one, holds_one && (low > 0.0 || high < 0.0)]
    });
    let line = |prompt: &PromptCoupling| format!("slope {}", spelled(prompt.slope, 2));
    found("C7", "the top singular values follow no law 1/depth", &line, verdict)
}
