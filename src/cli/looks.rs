//! Attention in `atelier lens`: what is asked for, and its table.

use super::table::{Columns, columns};
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
    let mut looks = Vec::new();
    let runs = plan.block_runs().filter(|run| run.half.has_attention());
    for ((run, weights), lengths) in runs.zip(pattern).zip(carried) {
        for (head, (weights, lengths)) in weights.iter().zip(lengths).enumerate() {
            let is_off = run.heads_off.contains(head);
            let look = HeadLook::new(lens, (head, is_off), weights, lengths);
            looks.extend(look.map(|look| (run.index, look)));
        }
    }
    let table = columns(looks).words("block", |(block, _)| *block);
    let table = look_columns(table, |(_, look)| look);
    let facts = model.facts();
    let shared = match facts.heads / facts.kv_heads.max(1) {
        0 | 1 => String::new(),
        each => format!(" {each} neighbouring heads share their keys and values."),
    };
    format!(
        "What the heads attend to from token {}: the weight, and the value-weighted attention.{shared} What a \
         head attends to is not why the model answers. Switch it off (5~h3) and see.\n\n{}\n",
        token(lens, query),
        table.text()
    )
}

/// The tokens that a head attends to most, and carries most from.
pub struct HeadLook {
    /// `3`, or `3, off`.
    head: String,
    /// Each token's name, and its number.
    weight: (String, f32),
    length: (String, f32),
}

impl HeadLook {
    /// Finds both tokens; `None` of no tokens.
    pub fn new(
        lens: &Lens,
        (head, is_off): (usize, bool),
        weights: &[f32],
        lengths: &[f32],
    ) -> Option<Self> {
        let head = format!("{head}{}", if is_off { ", off" } else { "" });
        let named = |numbers: &[f32]| {
            let t = largest(numbers)?;
            Some((token(lens, t), numbers[t]))
        };
        Some(Self { head, weight: named(weights)?, length: named(lengths)? })
    }
}

/// Adds what heads attend to most.
pub fn look_columns<R>(table: Columns<R>, look: fn(&R) -> &HeadLook) -> Columns<R> {
    table
        .words("head", |row| look(row).head.clone())
        .numbers("attends most to", |row| look(row).weight.0.clone())
        .numbers("weight", |row| percent_tenths(f64::from(look(row).weight.1)))
        .numbers("value-weighted, most to", |row| look(row).length.0.clone())
        .numbers("length", |row| format!("{:.3}", look(row).length.1))
}

/// Names a token of the prompt: its position, and its text or id.
fn token(lens: &Lens, t: usize) -> String {
    match &lens.tokens {
        Some(tokens) => format!("{t} {:?}", tokens[t]),
        None => format!("{t} (id {})", lens.token_ids[t]),
    }
}

/// Returns the place of the largest number, the first of equal ones; `None` of none.
fn largest(numbers: &[f32]) -> Option<usize> {
    let places = 0..numbers.len();
    places.max_by(|&a, &b| numbers[a].total_cmp(&numbers[b]).then(b.cmp(&a)))
}
