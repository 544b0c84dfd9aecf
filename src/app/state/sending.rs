//! Messages to the worker: those that follow from a change of the work under way, and the wish to stop.

use std::time::Duration;

use leptos::prelude::*;

use super::Studio;
use super::exchange::{Exchange, Post, Stopping};
use crate::app::browser;
use crate::app::protocol::Ask;

/// How long a worker may take to hear a `Cancel` before it is ended.
const PATIENCE: Duration = Duration::from_millis(500);

/// Answer to whoever waits for a lesson's words when the worker had to be ended.
const NOT_READ: &str = "The worker was busy with what you stopped, and begins anew: try again.";

impl Studio {
    /// Changes what is under way, and sends what follows from it.
    pub(super) fn change(self, change: impl FnOnce(&mut Exchange, f64) -> Vec<Post>) {
        self.change_for(|exchange, now| ((), change(exchange, now)));
    }

    /// Changes what is under way, and sends what follows from it. Returns what else the change gives.
    pub(super) fn change_for<T>(
        self,
        change: impl FnOnce(&mut Exchange, f64) -> (T, Vec<Post>),
    ) -> T {
        let now = browser::now();
        let (given, posts) = {
            let mut exchange = self.state.exchange.write();
            change(&mut exchange, now)
        };
        let hands = self.hands();
        let client = hands.client.borrow().clone();
        for Post { id, ask } in posts {
            let Some(client) = &client else { continue };
            let (ask, files) = match ask {
                Ask::LoadFiles { name, engine } => match hands.opened(&name) {
                    files if files.is_empty() => {
                        let url = hands.served(&name).unwrap_or_default();
                        let sha256 = self.hash_of(&name);
                        (Ask::LoadServed { name, url, sha256, engine }, files)
                    }
                    files => (Ask::LoadFiles { name, engine }, files),
                },
                ask => (ask, Vec::new()),
            };
            client.post(Post { id, ask }, &files);
        }
        self.tell_who_waits();
        given
    }

    /// Notes in the exchange what asks the worker for nothing.
    pub(super) fn note<T>(self, note: impl FnOnce(&mut Exchange) -> T) -> Option<T> {
        let noted = self.state.exchange.try_update(note);
        self.tell_who_waits();
        noted
    }

    /// A step of a lesson that somebody waits for and that is no longer under way was stopped.
    fn tell_who_waits(self) {
        let now = self.state.exchange.with_untracked(|exchange| exchange.sweep_id());
        let hands = self.hands();
        let stopped = hands.taught.borrow_mut().take_if(|(id, _)| Some(*id) != now);
        if let Some((_, ended)) = stopped {
            ended(None);
        }
    }

    /// Stops the load, run or check: asked first, ended if it does not hear.
    pub fn cancel_work(self) {
        self.cancel(Exchange::cancel_work);
    }

    pub fn cancel_sweep(self) {
        self.cancel(Exchange::cancel_sweep);
    }

    fn cancel(self, which: fn(&mut Exchange) -> (Stopping, Vec<Post>)) {
        let stopping = self.change_for(|exchange, _| which(exchange));
        let Stopping::Awaited(id) = stopping else {
            self.stopped();
            return;
        };
        set_timeout(
            move || {
                if self.note(|exchange| exchange.unheard(id)) == Some(true) {
                    let client = self.hands().client.borrow().clone();
                    if let Some(client) = client {
                        client.restart();
                    }
                    // What was to be read went with the worker.
                    for (_, then) in self.hands().readers.take() {
                        then(Err(NOT_READ.to_owned()));
                    }
                    self.stopped();
                }
            },
            PATIENCE,
        );
    }
}
