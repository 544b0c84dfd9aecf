//! The three columns of docs/definitions.md, section 3, and in which unit each is shown.

use crate::measure::decomposition::Triple;
use crate::study::report::Lens;

/// Which points the votes are: never mixed without saying so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Column {
    /// `softmax(u_i)`.
    #[default]
    Probability,
    /// `u_i`.
    Logit,
    /// As the paper prints it: mse and bias by its Eq. 14, times 100; diversity by Eq. 8 on raw logits.
    Paper,
}

impl Column {
    /// In the order in which they are offered.
    pub const ALL: [Self; 3] = [Self::Probability, Self::Logit, Self::Paper];

    /// The name used in links and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Probability => "probability",
            Self::Logit => "logit",
            Self::Paper => "paper",
        }
    }

    /// The name on the page and in figures.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Probability => "shares among the options",
            Self::Logit => "logits",
            Self::Paper => "as in the paper",
        }
    }

    /// Of the name used in links and files.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|column| column.name() == name)
    }

    /// Shown bias and mse are the report's times this. JSON is never scaled.
    pub fn scale(self) -> f64 {
        if self == Self::Paper { 100.0 } else { 1.0 }
    }

    /// Unit of bias and mse on an axis.
    pub fn error_unit(self) -> &'static str {
        match self {
            Self::Probability => "squared shares",
            Self::Logit => "squared logits",
            Self::Paper => "squared shares × 100",
        }
    }

    /// Unit of diversity on an axis.
    pub fn diversity_unit(self) -> &'static str {
        match self {
            Self::Probability => "squared shares",
            Self::Logit | Self::Paper => "squared logits",
        }
    }

    /// The whole run's numbers as they are shown.
    pub fn total(self, lens: &Lens) -> Triple {
        let d = &lens.decomposition;
        self.shown(match self {
            Self::Probability => d.probability.total,
            Self::Logit => d.logit.total,
            Self::Paper => d.paper,
        })
    }

    /// The same over the first n strokes, n = 1..M.
    pub fn by_depth(self, lens: &Lens) -> Vec<Triple> {
        let of = |depth: &crate::measure::decomposition::Depth| match self {
            Self::Probability => depth.probability,
            Self::Logit => depth.logit,
            Self::Paper => depth.paper,
        };
        lens.decomposition.by_depth.iter().map(|depth| self.shown(of(depth))).collect()
    }

    /// `[M]` every stroke's bias, as shown. The paper's bias is the probabilities' (Eq. 14).
    pub fn member_bias(self, lens: &Lens) -> Vec<f64> {
        let d = &lens.decomposition;
        let values =
            if self == Self::Logit { &d.logit.member_bias } else { &d.probability.member_bias };
        values.iter().map(|x| x * self.scale()).collect()
    }

    /// `[M]` every stroke's diversity. The paper's is the raw logits' (Eq. 8).
    pub fn member_diversity(self, lens: &Lens) -> &[f64] {
        let d = &lens.decomposition;
        if self == Self::Probability {
            &d.probability.member_diversity
        } else {
            &d.logit.member_diversity
        }
    }

    pub(super) fn shown(self, t: Triple) -> Triple {
        Triple { mse: t.mse * self.scale(), bias: t.bias * self.scale(), diversity: t.diversity }
    }
}
