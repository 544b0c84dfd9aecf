//! The colours of maps, and the range that they stand for.

use crate::chart::number::short;

/// Viridis at nine places: even to the eye, safe for colour-blind readers and in grey.
const VIRIDIS: [&str; 9] = [
    "#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30",
    "#fde725",
];

/// Blue over white to orange: signs are told apart by hue, also by colour-blind readers, and sizes by how dark.
const SIGNED: [&str; 9] = [
    "#08478c", "#2f79b5", "#75aed6", "#c3dbec", "#f7f7f5", "#fbd3b0", "#f0995a", "#cf5f1c",
    "#8f3500",
];

/// The range that the colours stand for, and of what.
#[derive(Clone, Debug, PartialEq)]
pub struct Ramp {
    pub name: String,
    pub low: f64,
    pub high: f64,
    /// Where the colours begin: what lies below it has the first one.
    pub from: f64,
    /// At even places of the range.
    pub(super) colours: &'static [&'static str; 9],
}

impl Ramp {
    /// From the smallest to the largest of these.
    pub fn over(name: impl Into<String>, values: impl Iterator<Item = f64>) -> Self {
        let (mut low, mut high) = super::axis::reach(values);
        if low == high {
            // One value everywhere still needs a range.
            (low, high) = super::axis::around(low);
        }
        Self { name: name.into(), low, high, from: low, colours: &VIRIDIS }
    }

    /// As far below 0 as above it, so that 0 is white: for signed numbers.
    pub fn signed(name: impl Into<String>, values: impl Iterator<Item = f64>) -> Self {
        let far = values.filter(|x| x.is_finite()).fold(0.0, |far: f64, x| far.max(x.abs()));
        let high = if far > 0.0 { far } else { 1.0 };
        Self { name: name.into(), low: -high, high, from: -high, colours: &SIGNED }
    }

    /// From 0 to 1, where only what is above `from` is told apart.
    pub fn above(name: impl Into<String>, from: f64) -> Self {
        Self { name: name.into(), low: 0.0, high: 1.0, from, colours: &VIRIDIS }
    }

    /// Returns the words before the colours: their name, and the low end.
    pub(super) fn before(&self) -> String {
        format!("{}   {}", self.name, short(self.low))
    }

    /// Where `x` lies, 0 to 1.
    fn share(&self, x: f64) -> f64 {
        let share = (x - self.from) / (self.high - self.from);
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
    }

    /// The colour that can be read on the colour of `x`.
    pub fn on(&self, x: f64) -> &'static str {
        let share = self.share(x);
        let is_dark = match self.colours == &SIGNED {
            true => !(0.13..0.88).contains(&share),
            false => share < 0.6,
        };
        if is_dark { "#ffffff" } else { "#000000" }
    }

    /// The colours from `low` to `high` at so many even places.
    pub(super) fn samples(&self, count: u32) -> impl Iterator<Item = String> {
        let last = f64::from(count.saturating_sub(1).max(1));
        let at = move |i: u32| self.low + f64::from(i) / last * (self.high - self.low);
        (0..count).map(move |i| self.colour(at(i)))
    }

    /// Between the two nearest of its colours.
    pub(super) fn colour(&self, x: f64) -> String {
        let colours = self.colours;
        let place = self.share(x) * (colours.len() - 1) as f64;
        let below = (place.floor() as usize).min(colours.len() - 2);
        let part = place - below as f64;
        let channel = |colour: &str, i: usize| {
            let digits = colour.get(1 + 2 * i..3 + 2 * i).unwrap_or("00");
            f64::from(u8::from_str_radix(digits, 16).unwrap_or(0))
        };
        let mut text = "#".to_owned();
        for i in 0..3 {
            let (a, b) = (channel(colours[below], i), channel(colours[below + 1], i));
            text += &format!("{:02x}", (a + part * (b - a)).round() as u8);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_and_middle_have_viridis_own_colours() {
        let ramp = Ramp::over("x", [-1.0, 1.0].into_iter());
        assert_eq!([-1.0, 0.0, 1.0].map(|x| ramp.colour(x)), ["#440154", "#21918c", "#fde725"]);
        assert_eq!(ramp.colour(f64::NAN), "#440154");
        let same = Ramp::over("x", [2.0, 2.0].into_iter());
        assert_eq!((same.low, same.high), (1.5, 2.5));
        assert_eq!((ramp.on(-1.0), ramp.on(1.0)), ("#ffffff", "#000000"));
    }

    #[test]
    fn zero_is_white_on_a_signed_ramp() {
        let ramp = Ramp::signed("x", [3.0, -1.0, f64::NAN].into_iter());
        assert_eq!([ramp.low, ramp.high], [-3.0, 3.0]);
        assert_eq!([-3.0, 0.0, 3.0].map(|x| ramp.colour(x)), ["#08478c", "#f7f7f5", "#8f3500"]);
        assert_eq!([-3.0, 0.0, 3.0].map(|x| ramp.on(x)), ["#ffffff", "#000000", "#ffffff"]);
        let nothing = Ramp::signed("x", [0.0].into_iter());
        assert_eq!((nothing.low, nothing.high), (-1.0, 1.0));
    }

    #[test]
    fn what_lies_below_the_beginning_is_one_colour() {
        let ramp = Ramp::above("x", 0.5);
        assert_eq!(
            [-1.0, 0.0, 0.5, 0.75, 1.0].map(|x| ramp.colour(x)),
            ["#440154", "#440154", "#440154", "#21918c", "#fde725"]
        );
        let colours: Vec<String> = ramp.samples(5).collect();
        assert_eq!(colours[..3], ["#440154"; 3]);
        assert_eq!(colours[3..], ["#21918c", "#fde725"]);
        // Nothing is above the end.
        assert_eq!(Ramp::above("x", 1.0).colour(1.0), "#440154");
    }
}
