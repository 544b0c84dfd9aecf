//! What a sweep's pictures plot.

use crate::chart::Column;
use crate::measure::interval::Mean;
use crate::study::orders::Measures;

/// One of a variant's measures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Quantity {
    #[default]
    Accuracy,
    Normalised,
    Kl,
    Bias,
    Diversity,
    Mse,
}

impl Quantity {
    /// In the order in which they are offered.
    pub const ALL: [Self; 6] =
        [Self::Accuracy, Self::Normalised, Self::Kl, Self::Bias, Self::Diversity, Self::Mse];

    /// The name used in links and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Accuracy => "accuracy",
            Self::Normalised => "normalised",
            Self::Kl => "kl",
            Self::Bias => "bias",
            Self::Diversity => "diversity",
            Self::Mse => "mse",
        }
    }

    /// Of the name used in links and files.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|quantity| quantity.name() == name)
    }

    /// In a sentence.
    pub fn word(self) -> &'static str {
        match self {
            Self::Accuracy => "accuracy",
            Self::Normalised => "normalised accuracy",
            Self::Kl => "KL",
            Self::Bias => "bias",
            Self::Diversity => "diversity",
            Self::Mse => "MSE",
        }
    }

    /// On an axis, with its unit.
    pub fn axis(self, column: Column) -> String {
        match self {
            Self::Accuracy => "accuracy (share of rows)".to_owned(),
            Self::Normalised => "accuracy (0 = chance, 1 = own order)".to_owned(),
            Self::Kl => "KL from the own order (nats)".to_owned(),
            Self::Bias => format!("bias ({})", column.error_unit()),
            Self::Diversity => format!("diversity ({})", column.diversity_unit()),
            Self::Mse => format!("MSE ({})", column.error_unit()),
        }
    }

    /// Does it come in three columns?
    pub fn has_columns(self) -> bool {
        matches!(self, Self::Bias | Self::Diversity | Self::Mse)
    }

    /// Is more of it better, worse, or neither?
    pub fn good(self) -> Option<bool> {
        match self {
            Self::Accuracy | Self::Normalised => Some(true),
            Self::Kl | Self::Bias | Self::Mse => Some(false),
            Self::Diversity => None,
        }
    }

    /// The number as it is shown; `None` where this run has no such number.
    pub fn of(self, measures: &Measures, column: Column) -> Option<Mean> {
        let votes = match column {
            Column::Probability => &measures.probability,
            Column::Logit => &measures.logit,
            Column::Paper => &measures.paper,
        };
        let scaled = |mean: Mean| Mean {
            mean: mean.mean * column.scale(),
            low: mean.low * column.scale(),
            high: mean.high * column.scale(),
        };
        match self {
            Self::Accuracy => Some(measures.accuracy),
            Self::Normalised => measures.normalised,
            Self::Kl => Some(measures.kl),
            Self::Bias => Some(scaled(votes.bias)),
            Self::Diversity => Some(votes.diversity),
            Self::Mse => Some(scaled(votes.mse)),
        }
    }

    /// Is `a` better than `b`? Where neither is better, is it larger?
    pub fn beats(self, a: f64, b: f64) -> bool {
        if self.good() == Some(false) { a < b } else { a > b }
    }
}
