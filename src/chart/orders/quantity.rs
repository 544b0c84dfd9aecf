//! Quantities that a sweep's pictures plot.

use super::PlottedSweep;
use crate::chart::Column;
use crate::chart::number::{percent, short};
use crate::chart::plot::{Axis, Ramp};
use crate::measure::bits::{bits, mean_bits, mean_surprise};
use crate::measure::interval::{Mean, paired_rows};
use crate::study::orders::{Measures, Orders, Variant, VoteMeans, per_token};
use crate::task::score::Score;

/// Resamples of the rows.
pub(super) const RESAMPLES: usize = 1000;

/// One of a variant's measures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Quantity {
    #[default]
    Accuracy,
    Normalised,
    FirstWord,
    Perplexity,
    Kl,
    Bias,
    Diversity,
    Mse,
}

impl Quantity {
    /// In the order in which they are offered.
    pub const ALL: [Self; 8] = [
        Self::Accuracy,
        Self::Normalised,
        Self::FirstWord,
        Self::Perplexity,
        Self::Kl,
        Self::Bias,
        Self::Diversity,
        Self::Mse,
    ];

    /// The name used in links and files, and the word in a sentence.
    fn name_and_word(self) -> (&'static str, &'static str) {
        match self {
            Self::Accuracy => ("accuracy", "accuracy"),
            Self::Normalised => ("normalised", "normalised accuracy"),
            Self::FirstWord => ("first-word", "first-word accuracy"),
            Self::Perplexity => ("perplexity", "perplexity"),
            Self::Kl => ("kl", "KL"),
            Self::Bias => ("bias", "bias"),
            Self::Diversity => ("diversity", "diversity"),
            Self::Mse => ("mse", "MSE"),
        }
    }

    /// The name used in links and files.
    pub fn name(self) -> &'static str {
        self.name_and_word().0
    }

    /// Reads the name used in links and files.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|quantity| quantity.name() == name)
    }

    /// In a sentence.
    pub fn word(self) -> &'static str {
        self.name_and_word().1
    }

    /// In a heading, which names the part of the logits that is drawn.
    pub(super) fn word_in(self, column: Column) -> &'static str {
        match (self, column) {
            (Self::Bias, Column::Logit) => "centred bias",
            (Self::Diversity, Column::Logit) => "centred diversity",
            (Self::Mse, Column::Logit) => "centred MSE",
            _ => self.word(),
        }
    }

    /// On an axis, with its unit.
    pub fn axis(self, score: Score, column: Column) -> String {
        match self {
            Self::Accuracy => format!("{} (share of rows)", score.right()),
            Self::Normalised => format!("{} (0 = chance, 1 = original order)", score.right()),
            Self::FirstWord => "right as the model's first word (share of rows)".to_owned(),
            Self::Perplexity => "perplexity of the right answer (whole vocabulary)".to_owned(),
            Self::Kl => "KL from the original order (bits, whole vocabulary)".to_owned(),
            Self::Bias => format!("bias ({})", column.error_unit()),
            Self::Diversity => format!("diversity ({})", column.diversity_unit()),
            Self::Mse => format!("MSE ({})", column.error_unit()),
        }
    }

    /// An axis of this quantity over all of these: perplexities span powers of ten.
    pub(super) fn axis_over(self, values: impl Iterator<Item = f64>) -> Axis {
        match self {
            Self::Perplexity => Axis::log("", values),
            _ => Axis::over("", values),
        }
    }

    /// Colours over all of these, as [`Self::shade`] gives them.
    pub(super) fn ramp_over(
        self,
        orders: &Orders,
        column: Column,
        values: impl Iterator<Item = f64>,
    ) -> Ramp {
        let axis = self.axis(orders.score, column);
        let name = match self {
            Self::Perplexity => format!("power of ten of the {axis}"),
            _ => axis,
        };
        Ramp::over(name, values.map(|value| self.shade(value)))
    }

    /// Where a number lies among the colours.
    pub(super) fn shade(self, value: f64) -> f64 {
        match self {
            Self::Perplexity => value.log10(),
            _ => value,
        }
    }

    /// Says what accuracies count and what a perplexity is of; nothing of other quantities.
    pub(super) fn meaning(self, score: Score) -> String {
        match self {
            Self::Accuracy | Self::Normalised => {
                format!("Accuracy is the share of rows that are {}. ", score.right())
            }
            Self::FirstWord => {
                "First-word accuracy is the share of rows whose right answer the model says first, of the whole \
                 vocabulary. "
                    .to_owned()
            }
            Self::Perplexity => {
                let unit = if score == Score::LastWord { "word" } else { "token" };
                format!("Perplexity is 2 to the mean surprise in bits of a {unit} of the right answer. ")
            }
            _ => String::new(),
        }
    }

    /// Says beside an accuracy what the whole vocabulary says under the original order; nothing of other
    /// quantities, and where it was not read.
    pub(super) fn beyond_note(self, original: &Measures) -> String {
        let (Self::Accuracy | Self::Normalised, Some(first), Some(log)) =
            (self, original.first_word, original.log_likelihood)
        else {
            return String::new();
        };
        format!(
            "The original order says the right answer first on {} of rows; its mean surprise is {} bits. ",
            percent(first.mean),
            short(mean_surprise(log).mean)
        )
    }

    /// Does it come in three columns?
    pub fn has_columns(self) -> bool {
        matches!(self, Self::Bias | Self::Diversity | Self::Mse)
    }

    /// Is more of it better, worse, or neither?
    pub fn good(self) -> Option<bool> {
        match self {
            Self::Accuracy | Self::Normalised | Self::FirstWord => Some(true),
            Self::Perplexity | Self::Kl | Self::Bias | Self::Mse => Some(false),
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
        let scaled = |mean: Mean| mean.map(|x| x * column.scale());
        match self {
            Self::Accuracy => Some(measures.accuracy),
            Self::Normalised => measures.normalised,
            Self::FirstWord => measures.first_word,
            Self::Perplexity => measures.perplexity,
            Self::Kl => measures.kl.map(mean_bits),
            Self::Bias => Some(scaled(votes.bias)),
            Self::Diversity => Some(votes.diversity),
            Self::Mse => Some(scaled(votes.mse)),
        }
    }

    /// Means that stand beside the number in a table, with their names: what the whole vocabulary says beside an
    /// accuracy among options, the mean ln P behind a perplexity, a logit column's offset and whole, the centred
    /// part of the paper's diversity.
    pub(super) fn beside(self, measures: &Measures, column: Column) -> Vec<(String, Mean)> {
        let log_likelihood = || {
            let name = "surprise of the right answer (bits per row)".to_owned();
            measures.log_likelihood.map(|mean| (name, mean_surprise(mean)))
        };
        match self {
            Self::Accuracy | Self::Normalised => {
                let name = "right as the model's first word (share of rows)".to_owned();
                let first_word = measures.first_word.map(|mean| (name, mean));
                return first_word.into_iter().chain(log_likelihood()).collect();
            }
            Self::Perplexity => return log_likelihood().into_iter().collect(),
            _ => {}
        }
        let part = |votes: &VoteMeans| match self {
            Self::Bias => Some(votes.bias),
            Self::Diversity => Some(votes.diversity),
            Self::Mse => Some(votes.mse),
            _ => None,
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

    /// The rows behind the number, of a perplexity its logarithms; `None` where the report keeps none.
    fn rows(self, orders: &Orders, variant: &Variant, column: Column) -> Option<Vec<f64>> {
        let rows = &variant.rows;
        let votes = match column {
            Column::Probability => &rows.probability,
            Column::Logit => &rows.centred,
            Column::Paper => &rows.paper,
        };
        let part = |part: usize| votes.iter().map(|three| three[part]).collect();
        let shares =
            |is_right: &[bool]| is_right.iter().map(|&is| f64::from(u8::from(is))).collect();
        let found: Vec<f64> = match self {
            Self::Accuracy | Self::Normalised => shares(&rows.correct),
            Self::FirstWord => shares(&rows.first_word),
            Self::Perplexity => {
                let logs = per_token(&rows.log_likelihood, &orders.answer_tokens);
                logs.into_iter().map(|log| -log).collect()
            }
            Self::Kl => rows.kl.iter().map(|&kl| bits(kl)).collect(),
            Self::Mse => part(0),
            Self::Bias => part(1),
            Self::Diversity => part(2),
        };
        (!found.is_empty()).then_some(found)
    }

    /// The mean over variants of the rows behind the number.
    fn mean_rows(self, orders: &Orders, variants: &[&Variant], column: Column) -> Option<Vec<f64>> {
        let mut sum = self.rows(orders, variants.first()?, column)?;
        for variant in &variants[1..] {
            let rows = self.rows(orders, variant, column)?;
            sum.iter_mut().zip(rows).for_each(|(sum, x)| *sum += x);
        }
        sum.iter_mut().for_each(|sum| *sum /= variants.len() as f64);
        Some(sum)
    }

    /// How much more one order has than another, row by row, a perplexity's in its logarithm; `None` where the
    /// report keeps no rows.
    pub(super) fn difference(
        self,
        sweep: &PlottedSweep<'_>,
        variants: [&[&Variant]; 2],
    ) -> Option<Mean> {
        let orders = sweep.orders;
        let [a, b] = variants.map(|variants| self.mean_rows(orders, variants, sweep.column));
        let (a, b) = (a?, b?);
        if a.len() != b.len() || a.len() != orders.rows {
            return None;
        }
        let differences: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
        Some(match self {
            Self::Accuracy | Self::Normalised | Self::FirstWord => paired_rows(&differences),
            _ => sweep.resamples().mean(&differences),
        })
    }

    /// Rows that only the first of two orders has right, and only the second. `None` where a row is not right or
    /// wrong: of other quantities and of means over seeds; and where the report keeps no rows.
    pub(super) fn right_alone(
        self,
        orders: &Orders,
        variants: [&[&Variant]; 2],
    ) -> Option<[usize; 2]> {
        let ([first], [second]) = (variants[0], variants[1]) else {
            return None;
        };
        let is_share = matches!(self, Self::Accuracy | Self::Normalised | Self::FirstWord);
        let [first, second] = [first, second]
            .map(|variant| self.rows(orders, variant, Column::default()).filter(|_| is_share));
        let (first, second) = (first?, second?);
        let alone = |a: &[f64], b: &[f64]| a.iter().zip(b).filter(|(a, b)| a > b).count();
        (first.len() == second.len()).then(|| [alone(&first, &second), alone(&second, &first)])
    }

    /// Do reports say by themselves how much of it an order has more than the original?
    pub(super) fn has_change(self) -> bool {
        matches!(self, Self::Accuracy | Self::Normalised)
    }

    /// Is `a` better than `b`? Where neither is better, is it larger?
    pub fn beats(self, a: f64, b: f64) -> bool {
        if self.good() == Some(false) { a < b } else { a > b }
    }
}
