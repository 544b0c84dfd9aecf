//! Medians of a few repeats, bounded in time, with somebody else's clock.

use std::pin::Pin;

use crate::study::orders::median;

/// Repeats of one measurement at most.
const REPEATS: usize = 7;

/// Seconds that a repeat should take, so that a clock and a submission cost little of it.
const REPEAT_SECONDS: f64 = 0.01;

/// Runs of one repeat at most.
const MOST_TIMES: f64 = 256.0;

/// The caller's clock and wish.
pub struct Watch<'a> {
    /// Seconds since any moment.
    pub now: &'a dyn Fn() -> f64,
    /// Is it to end?
    pub is_ended: &'a dyn Fn() -> bool,
    /// Before each run: lets others do what waits, and [`Self::now`] stand still meanwhile.
    pub breathe: &'a dyn Fn() -> Breath<'a>,
}

/// A pause between two runs, in which others work.
pub type Breath<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;

/// A breath where nobody waits.
pub fn nobody_waits<'a>() -> Breath<'a> {
    Box::pin(std::future::ready(()))
}

/// How long something took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Median.
    pub seconds: f64,
    pub repeats: usize,
}

impl Watch<'_> {
    /// Runs something again and again for about `most` seconds, at least once; `run(times)` runs it so
    /// many times. What went first warms the device up, and counts only where there was time for no
    /// other. `None` where it was to end before.
    ///
    /// # Errors
    /// Those of `run`.
    pub async fn time<E>(
        &self,
        most: f64,
        mut run: impl AsyncFnMut(usize) -> Result<(), E>,
    ) -> Result<Option<Timing>, E> {
        (self.breathe)().await;
        if (self.is_ended)() {
            return Ok(None);
        }
        let began = (self.now)();
        let mut seconds = Vec::new();
        run(1).await?;
        let mut a_run = (self.now)() - began;
        let mut times = 1.0;
        while seconds.len() < REPEATS {
            (self.breathe)().await;
            if (self.is_ended)() {
                break;
            }
            let at = (self.now)();
            if at - began + a_run * times > most {
                break;
            }
            run(times as usize).await?;
            a_run = ((self.now)() - at) / times;
            seconds.push(a_run);
            // A kernel that was compiled on the way says nothing of the next run.
            times = (REPEAT_SECONDS / a_run.max(1e-9)).clamp(1.0, MOST_TIMES).floor();
        }
        if seconds.len() > 2 {
            seconds.remove(0);
        }
        Ok(Some(match median(seconds.clone()) {
            Some(median) => Timing { seconds: median, repeats: seconds.len() },
            None => Timing { seconds: a_run, repeats: 1 },
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::convert::Infallible;

    use super::*;

    /// Runs of these seconds, one after the other, the last again and again.
    fn timed(most: f64, runs: &[f64], end_after: usize) -> (Option<Timing>, usize) {
        let (time, count) = (Cell::new(0.0), Cell::new(0));
        let watch = Watch {
            now: &|| time.get(),
            is_ended: &|| count.get() >= end_after,
            breathe: &nobody_waits,
        };
        let run = async |times: usize| {
            for _ in 0..times {
                let at = count.get().min(runs.len() - 1);
                time.set(time.get() + runs[at]);
                count.set(count.get() + 1);
            }
            Ok::<(), Infallible>(())
        };
        let found = pollster::block_on(watch.time(most, run));
        (found.unwrap_or(None), count.get())
    }

    #[test]
    fn the_first_run_warms_up_and_the_median_is_told() {
        let (found, count) = timed(100.0, &[9.0, 4.0, 1.0, 3.0, 2.0, 2.0, 2.0, 8.0], usize::MAX);
        let found = found.expect("a timing");
        assert_eq!((found.seconds, found.repeats, count), (2.0, 6, 8));
    }

    #[test]
    fn time_is_bounded_and_a_slow_run_counts_by_itself() {
        let (found, count) = timed(1.0, &[5.0], usize::MAX);
        assert_eq!((found.map(|timing| timing.repeats), count), (Some(1), 1));
        assert_eq!(found.map(|timing| timing.seconds), Some(5.0));
        let (found, count) = timed(1.0, &[0.3], usize::MAX);
        assert_eq!((found.map(|timing| timing.repeats), count), (Some(2), 3));
    }

    #[test]
    fn what_is_to_end_is_not_begun() {
        assert_eq!(timed(1.0, &[0.1], 0), (None, 0));
        assert_eq!(timed(9.0, &[0.1], 2).1, 2);
    }

    #[test]
    fn who_waits_is_let_in_before_each_run_and_what_he_takes_is_not_timed() {
        let (time, paused, breaths) = (Cell::new(0.0), Cell::new(0.0), Cell::new(0));
        let watch = Watch {
            now: &|| time.get() - paused.get(),
            is_ended: &|| breaths.get() > 4,
            breathe: &|| {
                breaths.set(breaths.get() + 1);
                time.set(time.get() + 100.0);
                paused.set(paused.get() + 100.0);
                nobody_waits()
            },
        };
        let run = async |times: usize| {
            time.set(time.get() + times as f64);
            Ok::<(), Infallible>(())
        };
        let found = pollster::block_on(watch.time(10.0, run));
        let found = found.unwrap_or(None).expect("a timing");
        assert_eq!((found.seconds, found.repeats), (1.0, 2));
        assert_eq!(breaths.get(), 5);
    }

    #[test]
    fn quick_runs_are_timed_many_at_once() {
        let (found, count) = timed(1.0, &[1e-4], usize::MAX);
        let seconds = found.expect("a timing").seconds;
        assert!((seconds - 1e-4).abs() < 1e-9 && count > 500, "{seconds} {count}");
    }
}
