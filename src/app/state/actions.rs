//! What a reader does: edits, models, runs, sweeps, views.

use std::sync::Arc;
use std::time::Duration;

use leptos::prelude::*;
use web_sys::File;

use super::Studio;
use super::shown::{Place, Shown};
use super::studio::WhenLoaded;
use crate::app::client::Client;
use crate::app::files::model_name;
use crate::app::link::{
    Choice, CouplingSettings, Draft, InsideSettings, LessonSettings, MOST_FOLLOWED, SweepSettings,
    View,
};
use crate::app::protocol::{Ask, EngineWish};
use crate::app::{browser, examples};
use crate::chart::Column;
use crate::model::catalogue;
use crate::model::hub::HubName;
use crate::study::report::Report;

/// Typing is over when nothing was typed for this long.
const PAUSE: Duration = Duration::from_millis(350);

/// Tokens that the model writes when it is asked to go on.
const TOKENS: usize = 40;

/// Where the wish for an engine is kept.
const WISH: &str = "atelier-engine";

/// The wish as it is kept, and as a choice's value.
pub fn name_of(wish: EngineWish) -> &'static str {
    match wish {
        EngineWish::Auto => "auto",
        EngineWish::Gpu => "gpu",
        EngineWish::Cpu => "cpu",
    }
}

pub fn wish_of(name: &str) -> EngineWish {
    match name {
        "gpu" => EngineWish::Gpu,
        "cpu" => EngineWish::Cpu,
        _ => EngineWish::Auto,
    }
}

/// The wish of an earlier visit.
pub(super) fn kept_wish() -> EngineWish {
    wish_of(&browser::kept(WISH).unwrap_or_default())
}

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

    /// Changes the draft and runs it when typing has stopped.
    pub fn edit(self, change: impl FnOnce(&mut Draft)) {
        let prompt = self.draft.with_untracked(|draft| draft.prompt.clone());
        self.state.draft.update(change);
        if self.draft.with_untracked(|draft| draft.prompt != prompt) {
            self.state.inside.update(InsideSettings::forget_positions);
            self.state.coupling.update(CouplingSettings::forget_places);
        }
        let edit = self.state.edits.with_value(|n| n.wrapping_add(1));
        self.state.edits.set_value(edit);
        set_timeout(
            move || {
                if self.state.edits.get_value() == edit {
                    self.run();
                }
            },
            PAUSE,
        );
    }

    /// Says which option is right.
    pub fn judge(self, answer: usize) {
        self.state
            .draft
            .update(|draft| draft.answer = Some(answer.min(draft.options.len().saturating_sub(1))));
        self.run();
    }

    /// Another draft, run now: a step that going back undoes.
    pub fn take(self, draft: Draft) {
        self.step();
        self.follow(draft);
    }

    /// Another draft, run now, where an address brought it.
    pub(super) fn follow(self, draft: Draft) {
        self.state.draft.set(draft);
        self.run();
    }

    /// Another draft, which no view that is open shows.
    pub(super) fn keep(self, draft: Draft) {
        self.state.draft.set(draft);
    }

    pub(super) fn set_view(self, view: View) {
        self.state.view.set(view);
    }

    pub fn choose_known(self, name: String) {
        self.step();
        self.state
            .draft
            .update(|draft| draft.ask(Choice::Known(name)));
        self.load();
    }

    /// Who finds a model of a hub again.
    pub fn fetch_by(self, fetcher: impl Fn(String) + 'static) {
        self.hands().fetcher.replace(Some(Box::new(fetcher)));
    }

    /// The reader's own model.
    pub fn choose_folder(self, name: String, files: Vec<File>) {
        let name = if name.is_empty() {
            model_name(&files)
        } else {
            name
        };
        self.step();
        self.hands().keep(&name, files);
        self.state
            .draft
            .update(|draft| draft.ask(Choice::Folder(name)));
        if !self.view.get_untracked().is_live() {
            self.state.view.set(View::Lens);
        }
        self.load();
    }

    /// What the reader opened from disk in this visit, the latest first.
    pub fn opened_here(self) -> Vec<String> {
        let hands = self.hands();
        let folders = hands.folders.borrow();
        let names = folders.iter().map(|(name, _)| name.clone());
        names.filter(|name| !HubName::is_one(name)).collect()
    }

    /// One of these, once more.
    pub fn choose_opened(self, name: &str) {
        let files = self.hands().opened(name);
        if !files.is_empty() {
            self.choose_folder(name.to_owned(), files);
        }
    }

    pub fn choose_column(self, column: Column) {
        self.state.column.set(column);
    }

    /// Changes what is swept, or how it is plotted.
    pub fn set_sweeping(self, change: impl FnOnce(&mut SweepSettings)) {
        self.state.sweeping.update(change);
    }

    /// Changes what is looked at of couplings, and runs again where that is another thing.
    pub fn set_coupling(self, change: impl FnOnce(&mut CouplingSettings)) {
        let before = self.coupling.with_untracked(|coupling| coupling.tokens);
        self.aim_coupling(change);
        let is_other = self
            .coupling
            .with_untracked(|coupling| coupling.tokens != before);
        if is_other && !untrack(|| self.is_current()) {
            self.run();
        }
    }

    /// The same before a change of the draft, which will run.
    pub fn aim_coupling(self, change: impl FnOnce(&mut CouplingSettings)) {
        self.state.coupling.update(change);
    }

    /// Goes to another lesson or step, or looks at it otherwise.
    pub fn set_lessons(self, change: impl FnOnce(&mut LessonSettings)) {
        self.state.lessons.update(change);
    }

    /// Back to the list of lessons.
    pub fn go_to_list(self) {
        self.step();
        self.set_lessons(|lessons| {
            lessons.lesson = None;
            lessons.step = 0;
        });
    }

    /// Opens a step of a lesson, as a step that going back undoes.
    pub fn go_to_step(self, lesson: usize, step: usize) {
        self.step();
        self.set_lessons(|lessons| {
            lessons.lesson = Some(lesson);
            lessons.step = step;
        });
    }

    /// Changes what is looked at inside a run, and runs again where that is another thing.
    pub fn set_inside(self, change: impl FnOnce(&mut InsideSettings)) {
        self.aim_inside(change);
        if !untrack(|| self.is_current()) {
            self.run();
        }
    }

    /// The same before a change of the draft, which will run.
    pub fn aim_inside(self, change: impl FnOnce(&mut InsideSettings)) {
        self.state.inside.update(change);
    }

    /// One more word to follow along the depth.
    pub fn follow_word(self, word: String) {
        self.set_inside(|inside| {
            if !inside.follow.contains(&word) && inside.follow.len() < MOST_FOLLOWED {
                inside.follow.push(word);
            }
        });
    }

    /// Looks for a member in the figures.
    pub fn look_at(self, member: Option<usize>) {
        self.state.member.set(member);
    }

    /// Runs the draft on its model; loads the model first where the worker does not hold it.
    pub fn run(self) {
        self.clear_problems(&[Place::Model, Place::Prompt]);
        self.run_on();
    }

    /// The same; what was said of the model stays.
    pub(super) fn run_on(self) {
        let view = self.view.get_untracked();
        if !view.is_live() || !self.state.is_awake.get_untracked() {
            return;
        }
        let draft = self.draft.get_untracked();
        let (holds, is_loading) = self
            .state
            .exchange
            .with_untracked(|x| (x.holds(&draft.model), x.is_loading(&draft.model)));
        if !holds {
            if is_loading {
                self.state.when_loaded.set_value(WhenLoaded::Run);
            } else {
                self.load();
            }
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
        let plan = draft.plan_line();
        let Draft {
            prompt, options, ..
        } = draft;
        // Until the reader says what is right, only what does not depend on it is shown.
        let answer = draft.answer.unwrap_or(0);
        let ask = match view {
            View::Orders => Ask::Lab {
                prompt,
                options,
                answer,
                plan: plan.unwrap_or_default(),
            },
            View::Coupling => {
                let tokens = untrack(|| self.wanted_tokens());
                self.state.comparing.set_value(tokens);
                Ask::Coupling {
                    prompt,
                    plan,
                    tokens: tokens.unwrap_or_default(),
                }
            }
            _ => {
                let inside = untrack(|| self.wanted_inside());
                self.state.asking.set_value(inside.clone());
                Ask::Lens {
                    prompt,
                    options,
                    answer,
                    plan,
                    inside,
                }
            }
        };
        self.state.ran.set_value(Some((draft.model, draft.plan)));
        self.change(|exchange, now| exchange.run(ask, now));
    }

    /// Takes for options what the model says by itself after the prompt: when it is there, if it is on its
    /// way.
    pub fn ask_what_it_says(self) {
        let draft = self.draft.get_untracked();
        let (holds, is_loading) = self
            .state
            .exchange
            .with_untracked(|x| (x.holds(&draft.model), x.is_loading(&draft.model)));
        if !holds {
            self.say("The model is asked as soon as it is here.");
            if !is_loading {
                self.load();
            }
            self.state.when_loaded.set_value(WhenLoaded::Says);
            return;
        }
        let plan = draft.plan_line();
        let ask = Ask::Says {
            prompt: draft.prompt,
            plan,
        };
        self.clear_problems(&[Place::Prompt]);
        self.change(|exchange, now| exchange.run(ask, now));
    }

    /// Lets the model go on with the prompt, and with what it wrote after it.
    pub fn go_on(self) {
        let draft = self.draft.get_untracked();
        let holds = self
            .state
            .exchange
            .with_untracked(|x| x.holds(&draft.model));
        if !holds {
            self.load();
            return;
        }
        let plan = Some(draft.plan.trim().to_owned()).filter(|line| !line.is_empty());
        let before = self.written.get_untracked();
        let text = draft.prompt.clone() + &before;
        self.state.written.set((draft, before.clone()));
        self.state.before.set_value(before);
        let ask = Ask::GoOn {
            text,
            plan,
            tokens: TOKENS,
        };
        self.clear_problems(&[Place::Prompt]);
        self.change(|exchange, now| exchange.run(ask, now));
    }

    /// Opens a view, as a step, and runs the draft for it where its picture is another's.
    pub fn open_view(self, view: View) {
        if self.view.get_untracked() != view {
            self.step();
        }
        self.show_view(view);
    }

    /// The same where an address brought it.
    pub(super) fn show_view(self, view: View) {
        self.state.view.set(view);
        if view.is_live() {
            self.wake();
            if !untrack(|| self.is_current()) {
                self.run();
            }
        }
    }

    /// Is a model of this name what the draft asks for, and nothing of it here or on its way?
    pub fn lacks(self, name: &str) -> bool {
        let choice = self.draft.with_untracked(|draft| draft.model.clone());
        choice.name() == name
            && self
                .state
                .exchange
                .with_untracked(|x| !x.holds(&choice) && !x.is_loading(&choice))
    }

    /// Starts a sweep; one that is under way is given up. `ended` hears what came of it.
    pub fn start_sweep(self, ask: Ask, ended: impl FnOnce(Option<Arc<Report>>) + 'static) {
        match self.begin_sweep(ask) {
            Some(id) => {
                self.hands().awaited.replace(Some((id, Box::new(ended))));
            }
            None => ended(None),
        }
    }

    /// The same; the id is that of the sweep. `None` where its model can neither be had nor is on its way: why
    /// is said of the model.
    pub(super) fn begin_sweep(self, ask: Ask) -> Option<u32> {
        let choice = self.draft.with_untracked(|draft| draft.model.clone());
        self.clear_problems(&[Place::Model, Place::Sweep]);
        // First, so that it is not what the load gives up.
        if !self
            .state
            .exchange
            .with_untracked(|x| x.holds(&choice) || x.is_loading(&choice))
        {
            self.load();
            if self.lacks(choice.name()) {
                self.change(|exchange, _| exchange.give_up_sweep());
                return None;
            }
        }
        let mut id = 0;
        self.change(|exchange, now| {
            let (own, posts) = exchange.sweep_on(&choice, ask, now);
            id = own;
            posts
        });
        Some(id)
    }

    /// Starts in place of a sweep what the model of the draft is not needed for; the id is its own.
    pub(super) fn begin_beside(self, ask: Ask) -> u32 {
        self.clear_problems(&[Place::Sweep]);
        let mut id = 0;
        self.change(|exchange, now| {
            let (own, posts) = exchange.sweep_beside(ask, now);
            id = own;
            posts
        });
        id
    }

    /// Runs the model elsewhere, now and at later visits.
    pub fn choose_engine(self, wish: EngineWish) {
        browser::keep(WISH, name_of(wish));
        self.state.wish.set(wish);
        self.load();
    }

    /// Compares the engine with the processor's on the draft.
    pub fn compare(self) {
        let draft = self.draft.get_untracked();
        let plan = draft.plan_line();
        let ask = Ask::Compare {
            prompt: draft.prompt,
            options: draft.options,
            answer: draft.answer.unwrap_or(0),
            plan,
        };
        self.change(|exchange, now| exchange.compare(&draft.model, ask, now));
    }

    /// Loads the draft's model, then runs the draft.
    pub fn load(self) {
        self.state.when_loaded.set_value(WhenLoaded::Run);
        self.fetch_model();
    }

    /// Loads the draft's model, and leaves the picture as it is.
    pub(super) fn fetch_model(self) {
        let choice = self.draft.with_untracked(|draft| draft.model.clone());
        if let Choice::Folder(name) = &choice
            && self.hands().opened(name).is_empty()
            && self.hands().served(name).is_none()
        {
            self.change(|exchange, _| exchange.unload());
            // What this browser keeps of a hub is found again by its name.
            if let Some(fetcher) = &*self.hands().fetcher.borrow()
                && name.starts_with("hub:")
            {
                self.clear_problems(&Place::ALL);
                fetcher(name.clone());
                return;
            }
            self.fail(
                    Place::Model,
                    format!(
                        "This link was made with the folder “{name}”, which stays on the machine that opened it: open the \
                         folder here, or choose a scholar."
                    ),
                );
            return;
        }
        if let Choice::Known(name) = &choice
            && let Some(former) = catalogue::former(name)
        {
            self.change(|exchange, _| exchange.unload());
            self.fail(Place::Model, format!("{former}."));
            return;
        }
        let engine = self.wish.get_untracked();
        self.clear_problems(&Place::ALL);
        self.change(|exchange, now| exchange.load(&choice, engine, now));
    }

    /// Says why something the reader offered cannot be opened.
    pub fn refuse(self, sentence: &str) {
        self.fail(Place::Model, sentence.to_owned());
    }

    /// Says something to screen readers.
    pub fn say(self, sentence: impl Into<String>) {
        self.state.said.set(sentence.into());
    }

    /// The change to come is a step to another place, which going back undoes.
    pub(super) fn step(self) {
        self.state.step.set_value(true);
    }

    /// The draft with which another view opens: the first example stands for no prompt of the reader's,
    /// and orders show more on another. Beside a report that is no one prompt's it stands for that report.
    pub fn draft_for(self, view: View) -> Draft {
        let draft = self.draft.get();
        let is_beside = self
            .shown
            .with(|shown| shown.as_ref().is_some_and(Shown::is_beside));
        match view {
            View::Orders if self.view.get() != view && draft == examples::first() && !is_beside => {
                examples::of_orders()
            }
            _ => draft,
        }
    }
}
