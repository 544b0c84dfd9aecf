//! Which of the three columns a table shows, and in what scale.

use crate::measure::decomposition::{Triple, Triples};

/// The column that the member table shows; the totals show all three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ShownColumn {
    /// Each component's own shares, which are its softmaxed votes
    Probability,
    /// Each component's votes less their mean over the options
    Logit,
    /// As the paper prints: mse and bias x100 of probabilities, diversity of logits
    Paper,
}

/// Returns the value that belongs to the column shown.
pub fn pick<T>(view: ShownColumn, probability: T, logit: T, paper: T) -> T {
    match view {
        ShownColumn::Probability => probability,
        ShownColumn::Logit => logit,
        ShownColumn::Paper => paper,
    }
}

/// The paper prints mse and bias x100.
pub fn scale(view: ShownColumn) -> f64 {
    if view == ShownColumn::Paper { 100.0 } else { 1.0 }
}

/// Suffix of a header that names the scale.
pub fn hundred(view: ShownColumn) -> &'static str {
    if view == ShownColumn::Paper { " ×100" } else { "" }
}

/// The three numbers of the column shown.
pub fn drawn(view: ShownColumn, triples: &Triples) -> Triple {
    pick(view, triples.probability, triples.centred, triples.paper)
}
