//! What a sweep's pictures plot.

use crate::chart::Column;
use crate::measure::interval::{Mean, Resamples, paired_rows};
use crate::study::orders::{Measures, OrderRows, Orders, Variant, VoteMeans};
use crate::task::score::Score;

/// Resamples of the rows.
const RESAMPLES: usize = 1000;

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
    pub fn axis(self, score: Score, column: Column) -> String {
        match self {
            Self::Accuracy => format!("{} (share of rows)", score.right()),
            Self::Normalised => format!("{} (0 = chance, 1 = own order)", score.right()),
            Self::Kl => "KL from the own order (nats)".to_owned(),
            Self::Bias => format!("bias ({})", column.error_unit()),
            Self::Diversity => format!("diversity ({})", column.diversity_unit()),
            Self::Mse => format!("MSE ({})", column.error_unit()),
        }
    }

    /// Says what accuracy counts; nothing of other quantities.
    pub(super) fn meaning(self, score: Score) -> String {
        match self {
            Self::Accuracy | Self::Normalised => {
                format!("Accuracy is the share of rows that are {}. ", score.right())
            }
            _ => String::new(),
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
            Column::Logit => &measures.centred,
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

    /// Means that stand beside the number in a table, with their names: a logit column's offset and whole, the centred
    /// part of the paper's diversity.
    pub(super) fn beside(self, measures: &Measures, column: Column) -> Vec<(String, Mean)> {
        let part = |votes: &VoteMeans| match self {
            Self::Bias => Some(votes.bias),
            Self::Diversity => Some(votes.diversity),
            Self::Mse => Some(votes.mse),
            Self::Accuracy | Self::Normalised | Self::Kl => None,
        };
        let parts: &[(&str, &VoteMeans)] = match column {
            Column::Probability => &[],
            Column::Logit => &[("offset", &measures.offset), ("whole", &measures.logit)],
            Column::Paper if self == Self::Diversity => &[("centred", &measures.centred)],
            Column::Paper => &[],
        };
        let named = |(name, votes): &(&str, &VoteMeans)| {
            Some((format!("{name} {} (squared logits)", self.word()), part(votes)?))
        };
        parts.iter().filter_map(named).collect()
    }

    /// The rows behind the number; `None` where the report keeps none.
    fn rows(self, rows: &OrderRows, column: Column) -> Option<Vec<f64>> {
        let votes = match column {
            Column::Probability => &rows.probability,
            Column::Logit => &rows.centred,
            Column::Paper => &rows.paper,
        };
        let part = |part: usize| votes.iter().map(|three| three[part]).collect();
        let found: Vec<f64> = match self {
            Self::Accuracy | Self::Normalised => {
                rows.correct.iter().map(|&right| f64::from(u8::from(right))).collect()
            }
            Self::Kl => rows.kl.clone(),
            Self::Mse => part(0),
            Self::Bias => part(1),
            Self::Diversity => part(2),
        };
        (!found.is_empty()).then_some(found)
    }

    /// The mean over variants of the rows behind the number.
    fn mean_rows(self, variants: &[&Variant], column: Column) -> Option<Vec<f64>> {
        let mut sum = self.rows(&variants.first()?.rows, column)?;
        for variant in &variants[1..] {
            let rows = self.rows(&variant.rows, column)?;
            sum.iter_mut().zip(rows).for_each(|(sum, x)| *sum += x);
        }
        sum.iter_mut().for_each(|sum| *sum /= variants.len() as f64);
        Some(sum)
    }

    /// How much more one order has than another, row by row; `None` where the report keeps no rows.
    pub(super) fn difference(
        self,
        orders: &Orders,
        column: Column,
        variants: [&[&Variant]; 2],
    ) -> Option<Mean> {
        let [a, b] = variants.map(|variants| self.mean_rows(variants, column));
        let (a, b) = (a?, b?);
        if a.len() != b.len() || a.len() != orders.rows {
            return None;
        }
        let differences: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
        Some(match self {
            Self::Accuracy | Self::Normalised => paired_rows(&differences),
            _ => Resamples::new(orders.rows, RESAMPLES, orders.seed).mean(&differences),
        })
    }

    /// Is `a` better than `b`? Where neither is better, is it larger?
    pub fn beats(self, a: f64, b: f64) -> bool {
        if self.good() == Some(false) { a < b } else { a > b }
    }
}
