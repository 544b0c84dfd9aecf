//! The lab's pictures: one question under the model's own order and under the reader's.

mod both;
mod cosine;
mod steps;
mod trajectory;

pub use cosine::states_figure;

use super::{Column, Figure, Theme, votes};
use crate::study::report::Lab;

/// Bias, diversity and MSE before and after; the votes after; both streams' shapes.
pub fn lab_figures(lab: &Lab, column: Column, theme: &Theme) -> Vec<Figure> {
    let mut after = votes::figure(&lab.arranged, None, theme);
    after.title = format!("Under this plan, {}", votes::uncapital(&after.title));
    let both = both::figure(lab, column, theme);
    let shapes = [cosine::figure(&lab.geometry), trajectory::figure(lab, theme)];
    [both, after].into_iter().chain(shapes).map(|draft| draft.figure(theme)).collect()
}
