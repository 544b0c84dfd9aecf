//! The logit lens in `atelier lens`: what is asked for, and its table.

use super::table::columns;
use crate::chart::number::percent_tenths;
use crate::engine::{Capture, DepthWish, VocabularyReading};
use crate::measure::bits::bits;
use crate::plan::{Plan, Step};
use crate::study::report::{Lens, LensNorm};
use crate::study::{LoadedModel, StudyError};

/// The options of the logit lens
#[derive(clap::Args)]
#[command(next_help_heading = "Logit lens")]
pub struct DepthArgs {
    /// Also decode the residual stream after every step: the K likeliest next tokens, entropy, and KL to the
    /// model's answer
    #[arg(long, value_name = "K", conflicts_with = "prompts", allow_negative_numbers = true)]
    lens: Option<usize>,

    /// With --lens: a token to follow through the steps. May be repeated
    #[arg(long, value_name = "TEXT", requires_all = ["lens", "prompt"], allow_negative_numbers = true)]
    follow: Vec<String>,

    /// With --lens: also decode at these positions, from 0
    #[arg(
        long,
        value_name = "T,…",
        value_delimiter = ',',
        requires = "lens",
        allow_negative_numbers = true
    )]
    lens_at: Vec<usize>,

    /// With --lens: recompute the final norm after every step, or freeze it at the end of the run as votes do
    #[arg(long, value_enum, default_value_t = LensNorm::Recomputed, requires = "lens")]
    lens_norm: LensNorm,
}

impl DepthArgs {
    /// Says which readings the run is to make at every depth.
    ///
    /// # Errors
    /// A followed word that is not one token, with its pieces, or that the model does not know.
    pub fn capture(
        &self,
        model: &LoadedModel,
        prompt: Option<&str>,
    ) -> Result<Capture, StudyError> {
        let Some(top) = self.lens else {
            return Ok(Capture::answer());
        };
        let followed = match prompt {
            Some(prompt) if !self.follow.is_empty() => {
                let tokenizer = model.tokenizer()?;
                let ids = tokenizer.prompt(model.shape(), prompt, &self.follow)?.option_ids;
                if let Some(unknown) = &model.unknown {
                    unknown.check(&ids, |at| self.follow.get(at).map(String::as_str))?;
                }
                ids
            }
            _ => Vec::new(),
        };
        Ok(Capture {
            depths: Some(DepthWish {
                top,
                followed,
                is_held: self.lens_norm == LensNorm::Held,
                positions: self.lens_at.clone(),
            }),
            ..Capture::answer()
        })
    }

    /// Says in the report which norm it was.
    pub fn note(&self, lens: &mut Lens) {
        lens.logit_lens_norm = self.lens.map(|_| self.lens_norm);
    }
}

/// Characters of a line of likeliest tokens, so that the numbers have room beside it.
const TOKENS: usize = 36;

/// Tokens on lines that end between two of them.
fn packed(tokens: &[String]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for token in tokens {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 2 + token.chars().count() <= TOKENS => {
                *line += &format!("  {token}");
            }
            _ => lines.push(token.clone()),
        }
    }
    lines.join("\n")
}

/// Depth by depth, the likeliest next tokens; empty where none were asked for.
pub fn text(lens: &Lens, plan: &Plan, model: &LoadedModel) -> String {
    let Some(depths) = &lens.logit_lens else {
        return String::new();
    };
    let decoded = |id: u32| {
        let tokenizer = model.tokenizer.as_ref();
        tokenizer.map_or_else(
            || id.to_string(),
            |tokenizer| format!("{:?}", tokenizer.shown_after(&lens.token_ids, id)),
        )
    };
    let likeliest = |depth: &VocabularyReading| {
        let top = depth.top_ids.iter().zip(&depth.top_log_probabilities);
        let top = top.map(|(&id, &log)| format!("{} {}", decoded(id), percent_tenths(log.exp())));
        packed(&top.collect::<Vec<_>>())
    };
    let names = std::iter::once("the embedding".to_owned()).chain(plan.steps().iter().map(named));
    let mut table = columns(depths.iter().zip(names))
        .words("after", |(_, name)| name.clone())
        .words("likeliest next tokens", |(depth, _)| likeliest(depth))
        .scaled("entropy", "", |(depth, _)| Some(bits(depth.entropy)))
        .scaled("KL to\nthe end", "", |(depth, _)| Some(bits(depth.kl)));
    let followed = depths.first().map_or(&[][..], |depth| &depth.followed);
    for (i, token) in followed.iter().enumerate() {
        let header = format!("rank of\n{}", decoded(token.id));
        table = table.numbers(header, |(depth, _)| depth.followed[i].rank);
    }
    let norm = match lens.logit_lens_norm {
        Some(LensNorm::Held) => "held at the run's end",
        _ => "computed at every depth",
    };
    format!(
        "What the stream would answer along the depth, through the model's own read-out (the final norm's scale \
         {norm}; entropy and KL in bits). Early streams were never trained to be read so.\n\n{}\n",
        table.text()
    )
}

fn named(step: &Step) -> String {
    let run = |run: &crate::plan::BlockRun| {
        let plan = Plan::new(vec![Step::Block(*run)], run.index + 1);
        plan.map_or_else(|_| run.index.to_string(), |plan| plan.to_string())
    };
    match step {
        Step::Block(one) => format!("block {}", run(one)),
        Step::Parallel(group) => {
            let names: Vec<String> = group.iter().map(run).collect();
            format!("blocks {} in parallel", names.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::packed;

    #[test]
    fn lines_end_between_two_tokens() {
        let tokens = ["\" good\" 99.2 %", "\" bad\" 0.4 %", "\" that\" 0.1 %"].map(str::to_owned);
        assert_eq!(packed(&tokens), "\" good\" 99.2 %  \" bad\" 0.4 %\n\" that\" 0.1 %");
        assert_eq!(packed(&[]), "");
    }
}
