//! Attention in `atelier lens`: what is asked for, and its table.

use comfy_table::Cell;

use super::table::{self, table};
use crate::chart::number::percent_tenths;
use crate::engine::AttentionWish;
use crate::plan::Plan;
use crate::study::LoadedModel;
use crate::study::report::Lens;

/// The options of the attention record
#[derive(clap::Args)]
#[command(next_help_heading = "Attention")]
pub struct LooksArgs {
    /// Also show which tokens every attention head attends to, and the value-weighted attention
    #[arg(long, conflicts_with = "prompts")]
    attention: bool,

    /// With --attention: the position that attends, from 0 [default: the last]
    #[arg(long, value_name = "T", requires = "attention", allow_negative_numbers = true)]
    query: Option<usize>,
}

impl LooksArgs {
    pub fn wishes(&self) -> Vec<AttentionWish> {
        let wish =
            AttentionWish { queries: self.query.into_iter().collect(), ..AttentionWish::default() };
        if self.attention { vec![wish] } else { Vec::new() }
    }
}

/// Run by run and head by head the token that most weight lies on, and the one from which most is
/// carried; empty where nothing was asked for.
pub fn text(lens: &Lens, plan: &Plan, model: &LoadedModel) -> String {
    let (Some(pattern), Some(carried), Some(query)) =
        (&lens.attention_pattern, &lens.attention_carried, lens.attention_query)
    else {
        return String::new();
    };
    let header =
        ["block", "head", "attends most to", "weight", "value-weighted, most to", "length"];
    let mut rows = table(&header, 2);
    let runs = plan.block_runs().filter(|run| run.half.has_attention());
    for ((run, weights), lengths) in runs.zip(pattern).zip(carried) {
        for (head, (weights, lengths)) in weights.iter().zip(lengths).enumerate() {
            let (Some(at), Some(from)) = (largest(weights), largest(lengths)) else {
                continue;
            };
            let off = if run.heads_off.contains(head) { ", off" } else { "" };
            rows.add_row([
                Cell::new(run.index),
                Cell::new(format!("{head}{off}")),
                Cell::new(token(lens, at)),
                Cell::new(percent_tenths(f64::from(weights[at]))),
                Cell::new(token(lens, from)),
                Cell::new(format!("{:.3}", lengths[from])),
            ]);
        }
    }
    let facts = model.facts();
    let shared = match facts.heads / facts.kv_heads.max(1) {
        0 | 1 => String::new(),
        each => format!(" {each} neighbouring heads share their keys and values."),
    };
    format!(
        "What the heads attend to from token {}: the weight, and the value-weighted attention.{shared} What a \
         head attends to is not why the model answers. Switch it off (5~h3) and see.\n\n{}\n",
        token(lens, query),
        table::text(&rows)
    )
}

/// Names a token of the prompt: its position, and its text or id.
pub fn token(lens: &Lens, t: usize) -> String {
    match &lens.tokens {
        Some(tokens) => format!("{t} {:?}", tokens[t]),
        None => format!("{t} (id {})", lens.token_ids[t]),
    }
}

/// Returns the place of the largest number, the first of equal ones; `None` of none.
pub fn largest(numbers: &[f32]) -> Option<usize> {
    let places = 0..numbers.len();
    places.max_by(|&a, &b| numbers[a].total_cmp(&numbers[b]).then(b.cmp(&a)))
}
