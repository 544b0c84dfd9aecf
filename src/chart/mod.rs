//! Report to picture: pure functions, tested natively, no browser types.
//!
//! A [`Figure`] is a picture with everything that belongs to it: the sentence it proves and the two
//! sentences that say what to see (all computed from the run), its marks, scales, axes and legend
//! ([`plot`]), and the same numbers as a [`Table`] for screen readers and CSV. It is drawn
//! as SVG text, for a file ([`Figure::svg`]) and for the page ([`Figure::drawing`], [`Figure::pointed`]).
//! [`figures`] makes the lens's three:
//!
//! - `votes`: what every component adds to the right answer against the others, and the running sum;
//! - `spread`: bias and diversity of every stroke;
//! - `running`: MSE = bias - diversity over the first n strokes.
//!
//! [`part_figures`] maps what is lost without each part of that run, [`prompt_figures`] makes the same of many prompts, [`lab_figures`] those of a rearranged model,
//! [`depth_figures`] and [`attention_figures`] what goes on inside a run, [`sweep_figures`] those of a sweep over orders, [`states_figure`] the cosine map over its rows, [`survey_figures`] those of models x tasks,
//! [`coupling_figures`] and
//! [`task_coupling_figures`] how alike the linearised steps are, [`step_figure`] what a step of a lesson ran, [`theorem_figure`] what a theorem looks like, and [`all_figures`] every one of a report.
//!
//! "Stroke" is the reader's word for a member: what one painter (block) adds with its attention or
//! its MLP. The lens's three share one x-axis, and their plot areas begin and end at the same pixels.

mod all;
mod beyond;
mod column;
mod coupling;
mod figure;
mod identity;
mod inside;
mod lab;
mod leads;
mod lesson;
mod member;
mod need;
pub mod number;
mod orders;
mod parts;
pub mod plot;
mod prompts;
mod running;
mod spread;
mod strokes;
mod survey;
mod table;
mod theme;
mod theory;
mod votes;

pub use all::all_figures;
pub use beyond::{
    first_words, judged, kl_from_original, not_known, offered, option_beyond, prompts_beyond,
    quoted, says_first, share_and_rank, small_mass, unlike_spaces, verdict, whole_share,
};
pub use column::Column;
pub use coupling::{
    CouplingShown, coupling_figures, metric_name, metric_of, metric_word, models_coupling_figure,
    most_alike, nearest, relation_figure, relation_name, relation_word, step_members, step_names,
    task_coupling_figures, task_linearised_figure, task_ways_figure,
};
pub use figure::Figure;
pub use identity::{AnswerErrors, Identity};
pub use inside::{
    AttentionShown, DepthColour, attention_figures, attention_members, attention_runs,
    depth_figures, doubt_figure, switched, token, visible,
};
pub use lab::{lab_figures, states_figure};
pub use lesson::{marked_member, step_figure};
pub use member::{member_figures, member_title};
#[cfg(feature = "cli")]
pub use need::name as part_name;
pub use need::{need_figure, rank_correlations};
pub use orders::{Quantity, sweep_figures};
#[cfg(feature = "cli")]
pub use parts::name as part_loss_name;
pub use parts::{NO_PARTS, breaks_from, part_figures, unnamed_heads, with_losses};
pub use prompts::prompt_figures;
pub use strokes::{
    MEMBER_PICK, Tile, kind_name, option_name, stroke_name, tiles, votes as stroke_votes,
};
pub use survey::{
    OVERVIEW_QUESTIONS, STREAM_QUESTION, SurveyQuestion, below_majority, chosen,
    left_out as left_out_figure, model_figures, overview_figures, survey_figures,
};
pub use table::{Table, TableCell};
pub use theme::{DARK, LIGHT, Theme};
pub use theory::{
    Control, THEOREMS, Theorem, at_start, shape_steps, shapes_figure, theorem_figure,
};
pub use votes::{capital, largest as largest_vote};

use figure::FigureDraft;

use crate::study::report::Lens;

/// Quantities, each with its name.
type Named<Of, const N: usize> = [(&'static str, Of); N];

/// The values without those that stood before.
pub fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut all: Vec<T> = Vec::new();
    for value in values {
        if !all.contains(&value) {
            all.push(value);
        }
    }
    all
}

/// The lens's three pictures in one column's numbers.
pub fn figures(lens: &Lens, column: Column, theme: &Theme) -> [Figure; 3] {
    [
        votes::figure(lens, None, theme),
        spread::figure(lens, column, theme),
        running::figure(lens, column, theme),
    ]
    .map(|draft| draft.figure(theme))
}
