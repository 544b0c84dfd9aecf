//! How long to wait before asking a hub again.

/// Refusals and broken connections in a row, without one byte between, that are put up with.
const MOST: u32 = 5;

/// The first wait in milliseconds; each that follows is twice as long.
const FIRST: u64 = 400;

/// The longest wait that nobody asked for, and the longest that is granted to a hub that asks.
const LONGEST: u64 = 10_000;
const LONGEST_ASKED: u64 = 60_000;

/// Counts what went wrong in a row.
#[derive(Clone, Copy, Debug, Default)]
pub struct Patience {
    failures: u32,
}

impl Patience {
    /// Whether another try may soon get a better answer than this status.
    pub fn is_passing(status: u16) -> bool {
        matches!(status, 408 | 429 | 500..=599)
    }

    /// Bytes came: what went wrong before is forgotten.
    pub fn went_on(&mut self) {
        self.failures = 0;
    }

    /// Something went wrong: the milliseconds to wait before the next try, a few more or less by
    /// `spread` (from 0 to 1), so that a class does not ask all at once; `None` when it was tried
    /// often enough. `asked` are the seconds that the hub wants (`Retry-After`).
    pub fn wait(&mut self, asked: Option<u64>, spread: f64) -> Option<u64> {
        self.failures += 1;
        if self.failures > MOST {
            return None;
        }
        let own = (FIRST << (self.failures - 1)).min(LONGEST);
        let own = own + (own as f64 * 0.25 * spread.clamp(0.0, 1.0)) as u64;
        let asked = asked.map_or(0, |seconds| seconds.saturating_mul(1000).min(LONGEST_ASKED));
        Some(own.max(asked))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_until_it_was_tried_often_enough() {
        let mut patience = Patience::default();
        let waits: Vec<Option<u64>> = (0..6).map(|_| patience.wait(None, 0.0)).collect();
        let expected = [400, 800, 1600, 3200, 6400].map(Some);
        assert_eq!(waits[..5], expected);
        assert_eq!(waits[5], None);
        patience.went_on();
        assert_eq!(patience.wait(Some(3), 1.0), Some(3000));
        assert_eq!(patience.wait(Some(u64::MAX), 0.0), Some(60_000));
        assert!(
            Patience::is_passing(429) && Patience::is_passing(503) && !Patience::is_passing(404)
        );
    }
}
