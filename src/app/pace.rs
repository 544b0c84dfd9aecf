//! How often a long job tells what it has so far.

/// Milliseconds between two partial reports, at least.
const EVERY: f64 = 700.0;
/// Making partial reports, their intervals above all, takes one millisecond in so many at most.
const SHARE: f64 = 6.0;

/// Pace of one job's reports. All times are milliseconds of one clock.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// When the last report was out, or the job began.
    told_at: f64,
    /// How long that report took to make.
    took: f64,
    /// How many rows it knew.
    rows: usize,
}

impl Pace {
    pub fn begin(now: f64) -> Self {
        Self { told_at: now, took: 0.0, rows: 0 }
    }

    /// Is a report of so many rows due?
    pub fn is_due(&self, now: f64, rows: usize) -> bool {
        let pause = EVERY.max((SHARE - 1.0) * self.took);
        rows != self.rows && now - self.told_at > pause
    }

    /// A report of so many rows that was begun at `began` is out.
    pub fn told(&mut self, began: f64, now: f64, rows: usize) {
        *self = Self { told_at: now, took: (now - began).max(0.0), rows };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_long_to_tell_is_told_seldom() {
        let mut pace = Pace::begin(0.0);
        assert!(!pace.is_due(600.0, 1) && pace.is_due(701.0, 1));
        assert!(!pace.is_due(701.0, 0), "nothing is new");
        // Quick: the least pause, counted from when it was out.
        pace.told(701.0, 711.0, 1);
        assert!(!pace.is_due(1410.0, 2) && pace.is_due(1412.0, 2));
        // Two seconds of telling, ten of work.
        pace.told(2000.0, 4000.0, 2);
        assert!(!pace.is_due(13_999.0, 3) && pace.is_due(14_001.0, 3));
    }
}
