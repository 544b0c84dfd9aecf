//! Inside a run: what the stream would answer along its depth, and where its heads look.

mod depths;
mod followed;
mod grid;
mod heads;
mod matrix;

pub(super) use heads::largest;

use super::{Figure, Theme};
use crate::engine::{FollowedToken, MemberKind, member_names};
use crate::plan::{BlockRun, MAX_RUNS, Plan, Step};
use crate::study::report::Lens;

/// The quantity that colours the logit lens's grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DepthColour {
    /// Probability of the likeliest token.
    #[default]
    Probability,
    Entropy,
    Kl,
    /// Surprise of a followed token, bits; followed tokens count from 0.
    Followed(usize),
    /// Base-10 logarithm of a followed token's rank: 0 is the likeliest.
    Rank(usize),
}

/// Settings of the pictures of attention.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AttentionShown {
    /// Which of the runs in the pattern, and which head of it, is drawn large.
    pub run: usize,
    pub head: usize,
    /// The length of what is carried, in place of the weight.
    pub is_carried: bool,
    /// Heads are held at the largest of the tokens after the first, which may be a sink.
    pub skips_first: bool,
    /// Query heads that share keys and values.
    pub sharing: usize,
}

/// The logit lens's pictures, where the report has one.
pub fn depth_figures(lens: &Lens, colour: DepthColour, theme: &Theme) -> Vec<Figure> {
    let all =
        [grid::figure(lens, colour), depths::figure(lens, theme), followed::figure(lens, theme)];
    all.into_iter().flatten().map(|draft| draft.figure(theme)).collect()
}

/// Doubt in bits along the blocks, where the report has the logit lens.
pub fn doubt_figure(lens: &Lens, theme: &Theme) -> Option<Figure> {
    Some(depths::by_blocks(lens, theme)?.figure(theme))
}

/// Attention's pictures, where the report has it.
pub fn attention_figures(lens: &Lens, shown: AttentionShown, theme: &Theme) -> Vec<Figure> {
    let all = [heads::figure(lens, shown), matrix::figure(lens, shown)];
    all.into_iter().flatten().map(|draft| draft.figure(theme)).collect()
}

/// A report's plan was checked when it ran; here only its steps are wanted.
pub(super) fn steps(plan: &str) -> Vec<Step> {
    let plan = Plan::parse(plan, &[MAX_RUNS - 1]);
    plan.map_or_else(|_| Vec::new(), |plan| plan.steps().to_vec())
}

/// `[S + 1]` `emb`, then every step of a plan as the notation writes it.
pub(super) fn stream_names(plan: &str) -> Vec<String> {
    let named = |step: &Step| line(std::slice::from_ref(step)).unwrap_or_default();
    std::iter::once("emb".to_owned()).chain(steps(plan).iter().map(named)).collect()
}

fn line(steps: &[Step]) -> Option<String> {
    let plan = Plan::new(steps.to_vec(), MAX_RUNS).ok()?;
    Some(plan.to_string())
}

/// Before the first step and after each, of `depths`.
fn depth_names(lens: &Lens, depths: usize) -> Vec<String> {
    let mut names = stream_names(&lens.plan);
    names.resize_with(depths, || "?".to_owned());
    names
}

/// Runs of a block's attention, in the order of the report's pattern, each with its name.
pub fn attention_runs(lens: &Lens) -> Vec<(String, BlockRun)> {
    let steps = steps(&lens.plan);
    let runs = steps.iter().flat_map(Step::block_runs);
    let runs: Vec<&BlockRun> = runs.filter(|run| run.half.has_attention()).collect();
    let pattern = lens.attention_pattern.as_ref().map_or(0, Vec::len);
    let named = runs.iter().enumerate().take(pattern).map(|(n, run)| {
        let before = runs[..n].iter().filter(|other| other.index == run.index);
        let again = match before.count() {
            0 => String::new(),
            n => format!(" ({})", super::number::ordinal(n + 1)),
        };
        (format!("{}{again}", run.index), **run)
    });
    named.collect()
}

/// The names of the attentions that ran, in the order of the report's pattern.
pub fn attention_members(lens: &Lens) -> Vec<String> {
    let all = lens.members.iter().zip(member_names(&lens.members));
    let own = all.filter(|(member, _)| member.kind == MemberKind::Attention);
    own.map(|(_, name)| name).collect()
}

/// The plan with a head switched: `run` counts the runs of a block's attention.
pub fn switched(lens: &Lens, run: usize, head: usize) -> Option<String> {
    // It was checked against its model when it ran.
    let plan = Plan::parse(&lens.plan, &[MAX_RUNS - 1]).ok()?;
    Some(plan.with_head_switched(run, head)?.to_string())
}

/// A token as it is quoted, without the spaces around its word.
pub(super) fn seen(text: &str) -> String {
    let word = text.trim();
    visible(if word.is_empty() { text } else { word })
}

/// A text on one line: line breaks and tabs are drawn, and spaces where there is nothing else.
pub fn visible(text: &str) -> String {
    let is_blank = text.trim().is_empty();
    let drawn = text.chars().map(|letter| match letter {
        '\n' => "↵".to_owned(),
        '\t' => "⇥".to_owned(),
        ' ' if is_blank => "␣".to_owned(),
        letter if letter.is_control() => letter.escape_debug().to_string(),
        letter => letter.to_string(),
    });
    drawn.collect()
}

/// A token of the vocabulary; one that says nothing by itself is the prompt's of that number.
fn word(lens: &Lens, id: u32) -> String {
    let words = lens.logit_lens_words.as_ref();
    match words.and_then(|words| words.get(&id)) {
        Some(text) if !text.is_empty() => seen(text),
        _ => {
            let place = lens.token_ids.iter().position(|&own| own == id);
            place.map_or_else(|| id.to_string(), |t| token(lens, t))
        }
    }
}

/// A token of the prompt.
pub fn token(lens: &Lens, t: usize) -> String {
    let text = lens.tokens.as_ref().and_then(|tokens| tokens.get(t));
    match (text, lens.token_ids.get(t)) {
        (Some(text), _) => seen(text),
        (None, Some(id)) => id.to_string(),
        (None, None) => String::new(),
    }
}

pub(super) fn cut(text: &str, letters: usize) -> String {
    super::plot::cut(text, letters.max(2))
}

fn probability(token: &FollowedToken) -> f64 {
    token.log_probability.exp()
}
