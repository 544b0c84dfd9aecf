//! Gives rows to the workers that share a sweep. Pure, so that no row is lost or run twice whichever worker ends in
//! the middle.

use std::collections::VecDeque;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::study::orders::PartedSweep;

/// Rows of one task that one worker runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowShare {
    /// Counted from the first.
    pub task: usize,
    pub rows: Range<usize>,
}

/// The shares of a sweep: those that wait for a worker, in their order, and those that have one.
///
/// They are taken one by one and not dealt out at the start: workers come later than the first, stop, and
/// are not equally fast.
#[derive(Debug)]
pub struct Sharing {
    waiting: VecDeque<RowShare>,
    /// Each with the number of its worker.
    running: Vec<(usize, RowShare)>,
}

impl Sharing {
    /// Cuts tasks of so many rows each into shares.
    pub fn of(rows: &[usize]) -> Self {
        let shares = rows.iter().enumerate().flat_map(|(task, &rows)| {
            PartedSweep::parts(rows).map(move |rows| RowShare { task, rows })
        });
        Self { waiting: shares.collect(), running: Vec::new() }
    }

    /// The next share, for a worker.
    pub fn take(&mut self, worker: usize) -> Option<RowShare> {
        let share = self.waiting.pop_front()?;
        self.running.push((worker, share.clone()));
        Some(share)
    }

    /// One that a worker is to find when it has run the one it has, so that it does not wait for the
    /// other's attention: only while more wait than there are `workers`, so that in the end nobody has two
    /// while another has none.
    pub fn take_ahead(&mut self, worker: usize, workers: usize) -> Option<RowShare> {
        (self.waiting.len() > workers).then(|| self.take(worker)).flatten()
    }

    /// Has the worker this share?
    pub fn has(&self, worker: usize, share: &RowShare) -> bool {
        let mut running = self.running.iter();
        running.any(|(who, what)| *who == worker && what == share)
    }

    /// The share is run; `false` where the worker did not have it.
    pub fn came_back(&mut self, worker: usize, share: &RowShare) -> bool {
        let had = self.running.iter().position(|(who, what)| *who == worker && what == share);
        had.map(|at| self.running.swap_remove(at)).is_some()
    }

    /// The worker is gone: others are to run what it had, which comes before what waits.
    pub fn give_back(&mut self, worker: usize) {
        let (its, others) =
            std::mem::take(&mut self.running).into_iter().partition(|(who, _)| *who == worker);
        self.running = others;
        self.waiting.extend(its.into_iter().map(|(_, share)| share));
        self.waiting.make_contiguous().sort_by_key(|share| (share.task, share.rows.start));
    }

    /// Shares that a worker has.
    pub fn held_by(&self, worker: usize) -> usize {
        let its = self.running.iter().filter(|(who, _)| *who == worker);
        its.count()
    }

    /// Shares that nobody has.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Did all come back?
    pub fn is_over(&self) -> bool {
        self.waiting.is_empty() && self.running.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::orders::CHUNK;

    /// Everything that waits, taken by workers in turn.
    fn dealt(sharing: &mut Sharing, workers: usize) -> Vec<Vec<RowShare>> {
        let mut all = vec![Vec::new(); workers];
        for worker in (0..workers).cycle() {
            match sharing.take(worker) {
                Some(share) => all[worker].push(share),
                None => break,
            }
        }
        all
    }

    #[test]
    fn every_row_is_somebodys_once() {
        for rows in [vec![], vec![0], vec![1], vec![5 * CHUNK + 3, 0, CHUNK, 7]] {
            for workers in [1, 2, 4] {
                let mut sharing = Sharing::of(&rows);
                let all = dealt(&mut sharing, workers);
                let mut seen: Vec<Vec<bool>> = rows.iter().map(|&n| vec![false; n]).collect();
                for share in all.iter().flatten() {
                    for row in share.rows.clone() {
                        assert!(!std::mem::replace(&mut seen[share.task][row], true));
                    }
                }
                assert!(seen.iter().flatten().all(|&seen| seen), "{rows:?}");
                // Fewer shares than workers: some have none.
                let most = all.iter().map(Vec::len).max().unwrap_or(0);
                let least = all.iter().map(Vec::len).min().unwrap_or(0);
                assert!(most <= least + 1, "{rows:?} {workers}");
                for (worker, shares) in all.iter().enumerate() {
                    assert_eq!(sharing.held_by(worker), shares.len());
                    for share in shares {
                        assert!(sharing.came_back(worker, share));
                    }
                }
                assert!(sharing.is_over());
            }
        }
    }

    #[test]
    fn what_a_lost_worker_had_is_run_next_and_by_another() {
        let mut sharing = Sharing::of(&[3 * CHUNK, CHUNK]);
        let [first, second] = [0, 1].map(|worker| sharing.take(worker).expect("a share"));
        let ahead = sharing.take_ahead(1, 1).expect("two wait");
        sharing.give_back(1);
        assert_eq!((sharing.held_by(1), sharing.waiting()), (0, 3));
        // What it sends all the same is nobody's.
        assert!(!sharing.has(1, &second) && !sharing.came_back(1, &second));
        assert!(sharing.has(0, &first) && sharing.came_back(0, &first));
        assert!(!sharing.came_back(0, &first), "a second time");
        let again: Vec<RowShare> = std::iter::from_fn(|| sharing.take(0)).collect();
        assert_eq!(again[..2], [second, ahead]);
        assert_eq!(again[2].task, 1);
        assert!(!sharing.is_over());
    }

    #[test]
    fn nobody_takes_ahead_what_another_could_begin() {
        let mut sharing = Sharing::of(&[3 * CHUNK]);
        assert!(sharing.take(1).is_some());
        assert!(sharing.take_ahead(1, 2).is_none());
        assert!(sharing.take(0).is_some() && sharing.take(1).is_some());
        assert!(sharing.take(0).is_none() && sharing.take_ahead(0, 0).is_none());
    }
}
