//! The look at this machine: begun, and ended.

use std::time::Duration;

use leptos::prelude::*;

use super::{Findings, Studio};

/// How long the worker may take to say what it has: it is in the middle of something.
const PATIENCE: Duration = Duration::from_secs(5);

impl Studio {
    /// Is there a worker to ask, at rest or not?
    pub fn can_look(self) -> bool {
        self.state.is_awake.get()
    }

    /// Begins to measure what this machine can do; what was known of it is forgotten.
    pub fn look(self, is_quick: bool) {
        self.state.findings.set(Findings::default());
        let engine = self.wish.get_untracked();
        self.change(|exchange, now| exchange.look(is_quick, engine, now));
    }

    /// Ends it, wherever it is. What was told last is what stays, unless more comes in time.
    pub fn end_look(self) {
        let id = self.change_for(|exchange, _| {
            let id = exchange.doctor().map(|work| work.id);
            (id, exchange.cancel_look().into_iter().collect())
        });
        if let Some(id) = id {
            set_timeout(move || self.ended(id), PATIENCE);
        }
    }
}
