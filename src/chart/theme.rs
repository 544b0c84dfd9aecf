//! Colours of a chart. Each means one thing everywhere (tile, curve, word); `style/tokens.css`
//! holds the same values for the page, and a test keeps the two equal.

use super::plot::Mark;
use crate::engine::MemberKind;
use crate::study::orders::Sweep;

/// Every colour a chart may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    pub name: &'static str,
    pub paper: &'static str,
    pub ink: &'static str,
    /// Axis labels and notes.
    pub quiet: &'static str,
    pub hairline: &'static str,
    pub embedding: &'static str,
    pub attention: &'static str,
    pub mlp: &'static str,
    pub bias: &'static str,
    pub diversity: &'static str,
    pub mse: &'static str,
    /// One a named order, in the order of [`Sweep::FAMILY`]: apart from the roles above, and told
    /// apart by mark and dash too.
    pub family: [&'static str; 6],
}

/// Dark on light.
pub const LIGHT: Theme = Theme {
    name: "light",
    paper: "#fbfaf7",
    ink: "#1c1b19",
    quiet: "#5f5b54",
    hairline: "#dbd7ce",
    embedding: "#9a6700",
    attention: "#0063a5",
    mlp: "#b84a00",
    bias: "#444b54",
    diversity: "#007a5a",
    mse: "#8a3d74",
    family: ["#3b3a9c", "#a3185b", "#757100", "#00747e", "#8d5fc4", "#1c1b19"],
};

/// Light on dark.
pub const DARK: Theme = Theme {
    name: "dark",
    paper: "#16181c",
    ink: "#eceae4",
    quiet: "#a9a69e",
    hairline: "#353940",
    embedding: "#e6b450",
    attention: "#5db1f0",
    mlp: "#ff9351",
    bias: "#b9c1cb",
    diversity: "#3ccf9f",
    mse: "#e39bcd",
    family: ["#8fa0ff", "#ff79b0", "#cfc94a", "#4fc7d1", "#cba6f7", "#eceae4"],
};

impl Theme {
    /// The colour of a kind of member.
    pub fn of(&self, kind: MemberKind) -> &'static str {
        match kind {
            MemberKind::Embedding => self.embedding,
            MemberKind::Attention => self.attention,
            MemberKind::Mlp => self.mlp,
            MemberKind::Bias => self.bias,
        }
    }

    /// A named order's; dropped and swapped blocks are in ink.
    pub fn strategy(&self, sweep: Sweep) -> &'static str {
        let place = Sweep::FAMILY.iter().position(|&other| other == sweep);
        place.map_or(self.ink, |i| self.family[i])
    }
}

/// The mark that tells a kind apart where colour cannot.
pub(super) fn mark(kind: MemberKind) -> Mark {
    match kind {
        MemberKind::Embedding => Mark::Diamond,
        MemberKind::Attention => Mark::Circle,
        MemberKind::Mlp => Mark::Square,
        MemberKind::Bias => Mark::Triangle,
    }
}
