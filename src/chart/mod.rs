//! Report to ECharts option, as JSON: pure functions, tested natively, no browser types.
//!
//! A [`Figure`] is a picture with everything that belongs to it: the sentence it proves and the two
//! sentences that say what to see (all computed from the run), the option ECharts draws, and the
//! same numbers as a [`Table`] for screen readers and CSV. [`figures`] makes the lens's three:
//!
//! - `votes`: what every stroke adds to the right answer against the others;
//! - `spread`: bias and diversity of every stroke;
//! - `running`: MSE = bias - diversity over the first n strokes.
//!
//! [`lab_figures`] makes those of a rearranged model, [`sweep_figures`] those of a sweep over orders,
//! [`survey_figures`] those of models x tasks, and [`theorem_figure`] what a theorem looks like.
//!
//! "Stroke" is the reader's word for a member: what one painter (block) adds with its attention or
//! its MLP. The lens's three share one x-axis, and their plot areas begin and end at the same pixels
//! ([`frame::LEFT`], [`frame::RIGHT`]), so they line up under the row of tiles.

mod column;
mod export;
mod frame;
mod heat;
mod identity;
mod lab;
pub mod number;
mod orders;
pub mod plot;
mod running;
mod spread;
mod strokes;
mod survey;
mod table;
mod theme;
mod theory;
mod votes;

pub use column::Column;
pub use export::{drawing, svg_fonts};
pub use frame::{LEFT, RIGHT};
pub use identity::Identity;
pub use lab::lab_figures;
pub use orders::{Quantity, sweep_figures};
pub use strokes::{Tile, option_name, stroke_name, tiles, votes as stroke_votes};
pub use survey::{SurveyFigure, model_figures, overview_figures, survey_figures};
pub use table::{Cell, Table};
pub use theme::{DARK, LIGHT, Theme};
pub use theory::{Control, THEOREMS, Theorem, at_start, theorem_figure};

use serde_json::Value;

use crate::study::report::Lens;

/// A picture, what it says, and its numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Stable name: file names and element ids are made of it.
    pub key: &'static str,
    /// The sentence the picture proves.
    pub title: String,
    /// What to see in it, in two sentences.
    pub words: [String; 2],
    /// Height in CSS pixels at which the option is laid out; the width is free.
    pub height: u32,
    /// ECharts option: no functions in it, so it is also a file one can keep.
    pub option: Value,
    pub table: Table,
}

/// The lens's three pictures in one column's numbers.
pub fn figures(lens: &Lens, column: Column, theme: &Theme) -> [Figure; 3] {
    [
        votes::figure(lens, column, theme),
        spread::figure(lens, column, theme),
        running::figure(lens, column, theme),
    ]
}
