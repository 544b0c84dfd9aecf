//! Threads that stand ready for the products of one token.
//!
//! A token that a text grows by meets each weight once: two hundred products of some ten microseconds, in
//! which to wake a sleeping thread takes as long as the product. So while a token is on its way through
//! the blocks the pool's other threads, the leader's mates, wait awake: they look for the next product for
//! a while before they go back to the pool.

use std::cell::UnsafeCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// For so long a mate looks for the next job before it goes back to the pool: longer than anything that one
/// thread does between two products.
const PATIENCE: Duration = Duration::from_micros(200);

/// Looks between two looks at the clock.
const GLANCES: u32 = 64;

/// Looks after which whoever waits for a mate lets other programs have the processor.
const POLITE: u32 = 1_000;

/// The threads of the pool that the caller uses, ready for jobs of his.
#[derive(Default)]
pub struct Team {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// Somebody leads the team: whoever else asks works alone.
    is_led: AtomicBool,
    /// Mates that were asked for and have not gone back.
    present: AtomicUsize,
    /// Jobs begun and ended: odd while one is open.
    turn: Apart<AtomicUsize>,
    /// Written only while no job is open and no mate inside one.
    job: UnsafeCell<Option<TeamJob>>,
    /// The job's next part.
    next: Apart<AtomicUsize>,
    /// Mates that may be looking at the job.
    inside: Apart<AtomicUsize>,
    is_broken: AtomicBool,
}

/// On a cache line of its own: who looks at one number is not disturbed by who writes another.
#[derive(Default)]
#[repr(align(128))]
struct Apart<T>(T);

impl<T> std::ops::Deref for Apart<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

// SAFETY: `job` is written by the one thread that leads the team, while `turn` is even and `inside` was 0
// after it became so; mates read it after they were counted in `inside` and saw `turn` odd.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

#[derive(Clone, Copy)]
struct TeamJob {
    work: &'static (dyn Fn(usize) + Sync),
    parts: usize,
}

/// Lets others lead.
struct Led<'a>(&'a Shared);

impl Drop for Led<'_> {
    fn drop(&mut self) {
        self.0.is_led.store(false, Ordering::Release);
    }
}

/// Closes the job, and waits until no mate is inside, when the caller's own work ends or unwinds.
struct Open<'a>(&'a Shared);

impl Team {
    /// `work` of every item, on all threads.
    pub fn each_of<T: Send>(&self, items: &mut [T], work: impl Fn(&mut T) + Sync) {
        struct Items<T>(*mut T);
        // SAFETY: no two parts of a job touch the same item.
        unsafe impl<T: Send> Sync for Items<T> {}
        impl<T> Items<T> {
            fn at(&self, part: usize) -> *mut T {
                self.0.wrapping_add(part)
            }
        }
        let all = Items(items.as_mut_ptr());
        // SAFETY: every part is below the number of items, and done once.
        self.each(items.len(), |part| work(unsafe { &mut *all.at(part) }));
    }

    /// `work` of every number below `parts`, each once, on all threads; returns when all are done.
    /// `work` must not wait for other threads of the pool: they may be waiting for a job of this team.
    ///
    /// # Panics
    /// If `work` does; some parts may then not have been done.
    pub fn each(&self, parts: usize, work: impl Fn(usize) + Sync) {
        let mates = match cfg!(target_arch = "wasm32") {
            // There is no pool.
            true => 0,
            false => rayon::current_num_threads() - 1,
        };
        let shared = &*self.shared;
        if mates == 0 || parts < 2 || shared.is_led.swap(true, Ordering::Acquire) {
            return (0..parts).for_each(work);
        }
        let led = Led(shared);
        while shared.present.load(Ordering::Relaxed) < mates.min(parts - 1) {
            shared.present.fetch_add(1, Ordering::Relaxed);
            let shared = self.shared.clone();
            rayon::spawn(move || shared.help());
        }
        let work: &(dyn Fn(usize) + Sync) = &work;
        // SAFETY: `Open` lets nobody hold on to it when this function ends, however it does.
        let work: &'static (dyn Fn(usize) + Sync) = unsafe { std::mem::transmute(work) };
        let job = TeamJob { work, parts };
        // SAFETY: no job is open and no mate inside, as the last job's `Open` saw to.
        unsafe { *shared.job.get() = Some(job) };
        shared.next.store(0, Ordering::Relaxed);
        shared.is_broken.store(false, Ordering::Relaxed);
        shared.turn.fetch_add(1, Ordering::SeqCst);
        let open = Open(shared);
        shared.take_part(job);
        drop(open);
        let is_broken = shared.is_broken.load(Ordering::Relaxed);
        drop(led);
        if is_broken {
            panic!("a thread that helped with a product failed");
        }
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.turn.fetch_add(1, Ordering::SeqCst);
        let mut looks = 0;
        while self.0.inside.load(Ordering::SeqCst) > 0 {
            looks += 1;
            match looks < POLITE {
                true => std::hint::spin_loop(),
                false => std::thread::yield_now(),
            }
        }
    }
}

impl Shared {
    fn take_part(&self, job: TeamJob) {
        loop {
            let part = self.next.fetch_add(1, Ordering::Relaxed);
            if part >= job.parts {
                return;
            }
            (job.work)(part);
        }
    }

    /// Takes part in every job that comes, until none has for a while.
    fn help(&self) {
        let mut last = 0;
        let mut glances = 0;
        let mut since = Instant::now();
        loop {
            let turn = self.turn.load(Ordering::SeqCst);
            if turn == last || turn.is_multiple_of(2) {
                std::hint::spin_loop();
                glances += 1;
                if glances % GLANCES == 0 && since.elapsed() > PATIENCE {
                    break;
                }
                continue;
            }
            self.inside.fetch_add(1, Ordering::SeqCst);
            // It may have been closed, and even another one opened, meanwhile.
            let turn = self.turn.load(Ordering::SeqCst);
            if !turn.is_multiple_of(2) {
                // SAFETY: counted in `inside`, and the job is open.
                if let Some(job) = unsafe { *self.job.get() } {
                    let done = catch_unwind(AssertUnwindSafe(|| self.take_part(job)));
                    if done.is_err() {
                        self.is_broken.store(true, Ordering::Relaxed);
                    }
                }
                last = turn;
                since = Instant::now();
            }
            self.inside.fetch_sub(1, Ordering::SeqCst);
        }
        self.present.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn every_part_is_done_once_whatever_the_threads() {
        for threads in [1, 2, 3, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let pool = pool.build().expect("a pool");
            pool.install(|| {
                let team = Team::default();
                for parts in (0..40).chain([1000]).cycle().take(2000) {
                    let done: Vec<_> = (0..parts).map(|_| AtomicUsize::new(0)).collect();
                    team.each(parts, |part| {
                        done[part].fetch_add(1, Ordering::Relaxed);
                    });
                    assert!(done.iter().all(|done| done.load(Ordering::Relaxed) == 1));
                }
            });
        }
    }

    #[test]
    fn items_are_changed_each_by_one() {
        let mut items: Vec<usize> = (0..1000).collect();
        let team = Team::default();
        for _ in 0..100 {
            team.each_of(&mut items, |item| *item += 1);
        }
        assert!(items.iter().enumerate().all(|(at, &item)| item == at + 100));
    }

    /// Mates go back to the pool between two jobs that are far apart, and come again.
    #[test]
    fn a_pause_changes_nothing() {
        let team = Team::default();
        for _ in 0..5 {
            let sum = AtomicUsize::new(0);
            team.each(100, |part| {
                sum.fetch_add(part, Ordering::Relaxed);
            });
            assert_eq!(sum.into_inner(), 4950);
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }

    #[test]
    fn a_part_that_fails_fails_the_job_and_not_the_next() {
        let team = Team::default();
        for bad in [0, 57, 99] {
            let failed = catch_unwind(AssertUnwindSafe(|| {
                team.each(100, |part| assert_ne!(part, bad));
            }));
            assert!(failed.is_err());
            team.each(100, |_| ());
        }
    }
}
