//! Turns of the tests: as many pages at once as this machine has cores, or one alone where a test needs all cores
//! or measures times.

use std::sync::{Condvar, Mutex, MutexGuard};

/// Held while a page is open.
pub struct Turn {
    taken: usize,
}

struct Taken {
    turns: usize,
    /// Tests that wait to be alone: they go before those that come later.
    wishes: usize,
}

static TAKEN: Mutex<Taken> = Mutex::new(Taken { turns: 0, wishes: 0 });
static GIVEN_BACK: Condvar = Condvar::new();

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A test that failed while it had its turn must not fail the others.
fn taken() -> MutexGuard<'static, Taken> {
    TAKEN.lock().unwrap_or_else(|failed| failed.into_inner())
}

impl Turn {
    /// Beside others.
    pub fn shared() -> Self {
        let mut now = taken();
        while now.wishes > 0 || now.turns >= cores() {
            now = GIVEN_BACK.wait(now).unwrap_or_else(|failed| failed.into_inner());
        }
        now.turns += 1;
        Self { taken: 1 }
    }

    /// With nobody beside.
    pub fn alone() -> Self {
        let mut now = taken();
        now.wishes += 1;
        while now.turns > 0 {
            now = GIVEN_BACK.wait(now).unwrap_or_else(|failed| failed.into_inner());
        }
        now.wishes -= 1;
        now.turns += cores();
        Self { taken: cores() }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        taken().turns -= self.taken;
        GIVEN_BACK.notify_all();
    }
}
