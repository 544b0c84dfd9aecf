//! Which query heads of a block are switched off.

use std::fmt;

/// Query heads, counted from 0, whose output is zero before the block's output matrix; the matrix's
/// bias stays (docs/definitions.md, section 7).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HeadsOff(u128);

impl HeadsOff {
    /// More heads than any model has of which a plan can speak.
    pub const MOST: usize = 128;

    /// Every head is on.
    pub const NONE: Self = Self(0);

    /// With `head` off too; `None` where it is [`HeadsOff::MOST`] or more.
    #[must_use]
    pub fn and(self, head: usize) -> Option<Self> {
        (head < Self::MOST).then(|| Self(self.0 | 1 << head))
    }

    /// With `head` as it was not.
    #[must_use]
    pub fn toggled(self, head: usize) -> Option<Self> {
        (head < Self::MOST).then(|| Self(self.0 ^ 1 << head))
    }

    /// Whether all heads are on.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether this head is off.
    pub fn contains(self, head: usize) -> bool {
        head < Self::MOST && self.0 >> head & 1 == 1
    }

    /// In ascending order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..Self::MOST).filter(move |&head| self.contains(head))
    }

    /// The last head that is off.
    pub fn last(self) -> Option<usize> {
        self.0.checked_ilog2().map(|head| head as usize)
    }

    /// A bit a head, the first heads' first.
    pub fn words(self) -> [u32; 4] {
        std::array::from_fn(|word| (self.0 >> (32 * word)) as u32)
    }
}

impl fmt::Display for HeadsOff {
    /// As behind `~h`: `3`, `1.3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, head) in self.iter().enumerate() {
            let dot = if n == 0 { "" } else { "." };
            write!(f, "{dot}{head}")?;
        }
        Ok(())
    }
}
