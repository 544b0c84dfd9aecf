//! Axes: the values that a panel shows, and their ticks.

use crate::chart::number::{rounded, short};

/// The quantity of an axis, and its range.
#[derive(Clone, Debug, PartialEq)]
pub enum Axis {
    Linear {
        name: String,
        low: f64,
        high: f64,
        step: f64,
    },
    /// Powers of ten.
    Log {
        name: String,
        low: f64,
        high: f64,
    },
    Category {
        name: String,
        names: Vec<String>,
    },
}

impl Axis {
    /// Over all of these, in tidy steps.
    pub fn over(name: impl Into<String>, values: impl IntoIterator<Item = f64>) -> Self {
        Self::in_steps(name, values, 4.0)
    }

    /// Over all of these, in tidy steps of which about so many cover them.
    pub fn in_steps(
        name: impl Into<String>,
        values: impl IntoIterator<Item = f64>,
        steps: f64,
    ) -> Self {
        let (mut low, mut high) = reach(values.into_iter());
        if low == high {
            (low, high) = around(low);
        }
        let step = tidy((high - low) / steps);
        Self::Linear {
            name: name.into(),
            low: rounded((low / step).floor() * step),
            high: rounded((high / step).ceil() * step),
            step: rounded(step),
        }
    }

    /// Exactly from `low` to `high`, with ticks at whole numbers.
    pub fn whole(name: impl Into<String>, low: f64, high: f64) -> Self {
        Self::Linear { name: name.into(), low, high, step: tidy((high - low) / 12.0).max(1.0) }
    }

    /// Spans all of these and 0, in tidy steps.
    pub fn from_zero(name: impl Into<String>, values: impl IntoIterator<Item = f64>) -> Self {
        Self::over(name, values.into_iter().chain([0.0]))
    }

    /// Whole numbers from 1.
    pub fn counts(name: impl Into<String>, last: usize) -> Self {
        let high = last.max(2) as f64;
        Self::Linear { name: name.into(), low: 0.0, high, step: tidy(high / 6.0).max(1.0) }
    }

    /// Over those of these that are above 0.
    pub fn log(name: impl Into<String>, values: impl IntoIterator<Item = f64>) -> Self {
        let (low, high) = reach(values.into_iter().filter(|x| *x > 1e-100));
        let (low, high) = (
            low.max(f64::MIN_POSITIVE).log10().floor(),
            high.max(f64::MIN_POSITIVE).log10().ceil(),
        );
        Self::Log {
            name: name.into(),
            low: 10f64.powf(low),
            high: 10f64.powf(if low < high { high } else { low + 1.0 }),
        }
    }

    /// Names beside each other, counted from 0.
    pub fn category(name: impl Into<String>, names: Vec<String>) -> Self {
        Self::Category { name: name.into(), names }
    }

    /// Returns the quantity's name, with its unit.
    pub fn name(&self) -> &str {
        match self {
            Self::Linear { name, .. } | Self::Log { name, .. } | Self::Category { name, .. } => {
                name
            }
        }
    }

    /// The number of places of a category axis, at least 1.
    pub(super) fn places(&self) -> f64 {
        self.names().map_or(0, <[String]>::len).max(1) as f64
    }

    /// The places of a category axis.
    pub(super) fn names(&self) -> Option<&[String]> {
        match self {
            Self::Category { names, .. } => Some(names),
            _ => None,
        }
    }

    /// Where a value lies, 0 to 1 over the plot area; `None` for one that it does not show.
    pub(super) fn place(&self, value: f64) -> Option<f64> {
        let place = match self {
            Self::Linear { low, high, .. } => (value - low) / (high - low),
            Self::Log { low, high, .. } => {
                (value.log10() - low.log10()) / (high.log10() - low.log10())
            }
            Self::Category { names, .. } => (value + 0.5) / names.len().max(1) as f64,
        };
        (place.is_finite() && (-0.001..=1.001).contains(&place)).then_some(place)
    }

    /// Returns the place of a category axis at a share of its length.
    pub(super) fn slot_at(&self, share: f64) -> Option<usize> {
        let places = self.names()?.len();
        let slot = (share * places as f64).floor();
        (slot >= 0.0 && slot < places as f64).then_some(slot as usize)
    }

    /// Places, 0 to 1, with what stands at them.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        let at = |value: f64, text: String| Some((self.place(value)?, text));
        match self {
            Self::Linear { low, high, step, .. } => {
                let steps = whole_steps(*low, *high, *step);
                steps.filter_map(|x| at(x, plain(x))).collect()
            }
            Self::Log { low, high, .. } => {
                let (low, high) = (low.log10().round() as i32, high.log10().round() as i32);
                let every = usize::try_from((high - low) / 6 + 1).unwrap_or(1);
                (low..=high)
                    .step_by(every)
                    .filter_map(|power| at(10f64.powi(power), short(10f64.powi(power))))
                    .collect()
            }
            Self::Category { names, .. } => names
                .iter()
                .enumerate()
                .filter_map(|(i, name)| at(i as f64, name.clone()))
                .collect(),
        }
    }
}

/// The multiples of `step` from `low` to `high`.
fn whole_steps(low: f64, high: f64, step: f64) -> impl Iterator<Item = f64> {
    let first = (low / step - 1e-6).ceil() * step;
    // A hand-edited file may ask for any number of them.
    let count = (((high - first) / step + 1e-6).floor().max(0.0) as usize).min(50);
    (0..=count).map(move |i| rounded(first + i as f64 * step))
}

/// A tick's own digits, no more.
fn plain(x: f64) -> String {
    rounded(x).to_string().replace('-', "−")
}

/// Infinite numbers are written as the largest there is: no axis is made to hold those.
const LARGEST: f64 = 1e100;

/// The smallest and the largest of those that can be drawn.
pub(super) fn reach(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let finite = values.filter(|x| x.abs() <= LARGEST);
    let (low, high) =
        finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    if low <= high { (low, high) } else { (0.0, 1.0) }
}

/// A range for one value.
pub(super) fn around(x: f64) -> (f64, f64) {
    let half = 0.5_f64.max(x.abs() * 1e-6);
    (x - half, x + half)
}

/// 1, 2 or 5 times a power of ten, not below `least`.
fn tidy(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|n| n * power)
        .find(|step| *step >= least * 0.999)
        .unwrap_or(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_tidy_and_inside() {
        let axis = Axis::over("x", [0.13, 0.88]);
        let texts: Vec<String> = axis.ticks().into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts, ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        let axis = Axis::log("x", [0.0, 3e-4, 0.02]);
        let texts: Vec<String> = axis.ticks().into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts, ["0.000100", "0.00100", "0.0100", "0.100"]);
        assert_eq!(axis.place(0.0), None);
        let axis = Axis::category("x", vec!["a".into(), "b".into()]);
        assert_eq!(axis.place(1.0), Some(0.75));
        assert_eq!(Axis::over("x", [2.0]).place(2.0), Some(0.5));
    }
}
