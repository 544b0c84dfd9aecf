//! Which of the three columns a table shows, and in what scale.

/// The column that the member table shows; the totals show all three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum View {
    /// Points are softmaxed votes: the default picture.
    Probability,
    /// Points are raw logits.
    Logit,
    /// What the paper prints: mse and bias x100 in probabilities, diversity in logits.
    Paper,
}

/// What belongs to the column shown.
pub fn pick<T>(view: View, probability: T, logit: T, paper: T) -> T {
    match view {
        View::Probability => probability,
        View::Logit => logit,
        View::Paper => paper,
    }
}

/// The paper prints mse and bias x100.
pub fn scale(view: View) -> f64 {
    if view == View::Paper { 100.0 } else { 1.0 }
}

/// What a header says of that scale.
pub fn hundred(view: View) -> &'static str {
    if view == View::Paper { " ×100" } else { "" }
}

/// `73.2 %`
pub fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}
