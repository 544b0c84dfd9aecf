//! Viridis, and the range that it stands for.

/// Viridis at nine places: even to the eye, safe for colour-blind readers and in grey.
pub(super) const VIRIDIS: [&str; 9] = [
    "#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30",
    "#fde725",
];

/// The range that the colours stand for, and of what.
#[derive(Clone, Debug, PartialEq)]
pub struct Ramp {
    pub name: String,
    pub low: f64,
    pub high: f64,
}

impl Ramp {
    /// From the smallest to the largest of these.
    pub fn over(name: impl Into<String>, values: impl Iterator<Item = f64>) -> Self {
        let (mut low, mut high) = super::axis::reach(values);
        if low == high {
            // One value everywhere still needs a range.
            (low, high) = super::axis::around(low);
        }
        Self {
            name: name.into(),
            low,
            high,
        }
    }

    /// Where `x` lies, 0 to 1.
    fn share(&self, x: f64) -> f64 {
        let share = (x - self.low) / (self.high - self.low);
        if share.is_finite() {
            share.clamp(0.0, 1.0)
        } else {
            0.0
        }
    }

    /// The colour that can be read on the colour of `x`.
    pub fn on(&self, x: f64) -> &'static str {
        if self.share(x) < 0.6 {
            "#ffffff"
        } else {
            "#000000"
        }
    }

    /// Between the two nearest of [`VIRIDIS`].
    pub(super) fn colour(&self, x: f64) -> String {
        let place = self.share(x) * (VIRIDIS.len() - 1) as f64;
        let below = (place.floor() as usize).min(VIRIDIS.len() - 2);
        let part = place - below as f64;
        let channel = |colour: &str, i: usize| {
            let digits = colour.get(1 + 2 * i..3 + 2 * i).unwrap_or("00");
            f64::from(u8::from_str_radix(digits, 16).unwrap_or(0))
        };
        let mut text = "#".to_owned();
        for i in 0..3 {
            let (a, b) = (channel(VIRIDIS[below], i), channel(VIRIDIS[below + 1], i));
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
        assert_eq!(
            [-1.0, 0.0, 1.0].map(|x| ramp.colour(x)),
            ["#440154", "#21918c", "#fde725"]
        );
        assert_eq!(ramp.colour(f64::NAN), "#440154");
        let same = Ramp::over("x", [2.0, 2.0].into_iter());
        assert_eq!((same.low, same.high), (1.5, 2.5));
        assert_eq!((ramp.on(-1.0), ramp.on(1.0)), ("#ffffff", "#000000"));
    }
}
