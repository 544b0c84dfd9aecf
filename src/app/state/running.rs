//! Requests to the worker: runs, and work that takes its time.

use std::time::Duration;

use leptos::prelude::*;

use super::Studio;
use super::shown::Place;
use super::studio::WhenLoaded;
use crate::app::client::Client;
use crate::app::link::{Choice, View};
use crate::app::protocol::{Ask, Asked};

/// Tokens that the model writes when it is asked to go on.
const TOKENS: usize = 40;

impl Studio {
    /// Starts the worker and loads the draft's model, the first time a view needs them.
    pub fn wake(self) {
        if self.hands().client.borrow().is_some() {
            return;
        }
        // The first picture goes first: nothing of the worker is fetched until it is drawn.
        request_animation_frame(move || {
            let start = move || {
                let hands = self.hands();
                if hands.client.borrow().is_none() {
                    let client = Client::start(move |heard| self.heard(heard));
                    hands.client.replace(Some(client));
                    self.state.is_awake.set(true);
                    if untrack(|| self.shows_report()) {
                        self.fetch_for_report();
                    } else {
                        self.load();
                    }
                }
            };
            set_timeout(start, Duration::ZERO);
        });
    }

    /// Runs the draft on its model; loads the model first where the worker does not hold it.
    pub fn run(self) {
        self.end_pause();
        self.clear_problems(&[Place::Model, Place::Prompt]);
        self.run_on();
    }

    /// Runs the draft as [`Self::run`] does, but ends no pause after typing and clears no problem.
    pub(super) fn run_on(self) {
        let view = self.view.get_untracked();
        if !view.is_live() || !self.state.is_awake.get_untracked() {
            return;
        }
        let draft = self.draft.get_untracked();
        if !self.holds_or_loads(&draft.model, WhenLoaded::Run) {
            return;
        }
        // A lesson asks for its runs itself, when the reader has said what to expect.
        if !view.is_of_draft() {
            return;
        }
        if let Some(sentence) = untrack(|| self.plan_error(&draft.plan)) {
            // The plan's own line shows the error as long as it stands there.
            self.change(|exchange, _| exchange.give_up_work());
            self.say(sentence);
            return;
        }
        let asked = Asked::of(&draft);
        let ask = match view {
            View::Orders => Ask::Lab(asked),
            View::Coupling => {
                let tokens = untrack(|| self.wanted_tokens());
                self.state.comparing.set_value(tokens);
                let Asked { prompt, plan, .. } = asked;
                Ask::Coupling { prompt, plan, tokens: tokens.unwrap_or_default() }
            }
            _ => {
                let inside = untrack(|| self.wanted_inside());
                self.state.asking.set_value(inside.clone());
                Ask::Lens { asked, inside }
            }
        };
        self.state.ran.set_value(Some((draft.model, draft.plan)));
        self.change(|exchange, now| exchange.run(ask, now));
    }

    /// Is the draft's model here? If not, it is loaded, unless it is on its way, and asked `then` when it is there.
    fn holds_or_loads(self, model: &Choice, then: WhenLoaded) -> bool {
        let exchange = self.state.exchange;
        if exchange.with_untracked(|x| x.holds(model)) {
            return true;
        }
        if self.is_absent.get_untracked() {
            self.say(format!("{} is not running here.", model.name()));
            self.load();
            return false;
        }
        match then {
            WhenLoaded::Says => self.say("The model is asked as soon as it is here."),
            WhenLoaded::GoOn => self.say("The model goes on as soon as it is here."),
            WhenLoaded::Nothing | WhenLoaded::Run => {}
        }
        if !exchange.with_untracked(|x| x.is_loading(model)) {
            self.load();
        }
        self.state.when_loaded.set_value(then);
        false
    }

    /// Takes for options what the model says by itself after the prompt: when it is there, if it is on its
    /// way.
    pub fn ask_what_it_says(self) {
        self.end_pause();
        let draft = self.draft.get_untracked();
        if !self.holds_or_loads(&draft.model, WhenLoaded::Says) {
            return;
        }
        let plan = draft.plan_line();
        let ask = Ask::Says { prompt: draft.prompt, plan };
        self.clear_problems(&[Place::Prompt]);
        self.change(|exchange, now| exchange.run(ask, now));
    }

    /// Lets the model go on with the prompt, and with what it wrote after it.
    pub fn go_on(self) {
        self.end_pause();
        let draft = self.draft.get_untracked();
        if !self.holds_or_loads(&draft.model, WhenLoaded::GoOn) {
            return;
        }
        let plan = draft.plan_line();
        let before = self.written.get_untracked();
        let text = draft.prompt.clone() + &before;
        self.state.written.set((draft, before.clone()));
        self.state.before.set_value(before);
        let ask = Ask::GoOn { text, plan, tokens: TOKENS };
        self.clear_problems(&[Place::Prompt]);
        self.change(|exchange, now| exchange.run(ask, now));
    }

    /// Compares the engine with the processor's on the draft.
    pub fn compare(self) {
        let draft = self.draft.get_untracked();
        let ask = Ask::Compare(Asked::of(&draft));
        self.change(|exchange, now| exchange.compare(&draft.model, ask, now));
    }

    /// Leaves out every part of the draft's plan once.
    pub fn leave_out_parts(self) {
        let draft = self.draft.get_untracked();
        // What is lost is the right answer's: the button waits for it.
        if draft.answer.is_some() {
            self.start_sweep(Ask::Parts(Asked::of(&draft)));
        }
    }

    /// Starts a sweep; one that is under way is given up. Returns its id, or `None` where its model can neither be
    /// had nor is on its way: the reason stands at the model.
    pub fn start_sweep(self, ask: Ask) -> Option<u32> {
        let choice = self.draft.with_untracked(|draft| draft.model.clone());
        self.clear_problems(&[Place::Model, Place::Sweep]);
        // First, so that it is not what the load gives up.
        if !self.state.exchange.with_untracked(|x| x.holds(&choice) || x.is_loading(&choice)) {
            self.load();
            if self.lacks(choice.name()) {
                if self.is_absent.get_untracked() {
                    let sentence =
                        format!("{} is not running here: choose a model that does.", choice.name());
                    self.fail(Place::Sweep, sentence);
                }
                self.change(|exchange, _| exchange.give_up_sweep());
                return None;
            }
        }
        Some(self.change_for(|exchange, now| exchange.sweep_on(Some(&choice), ask, now)))
    }

    /// Starts in place of a sweep what the model of the draft is not needed for; the id is its own.
    pub(super) fn begin_beside(self, ask: Ask) -> u32 {
        self.clear_problems(&[Place::Sweep]);
        self.change_for(|exchange, now| exchange.sweep_on(None, ask, now))
    }
}
