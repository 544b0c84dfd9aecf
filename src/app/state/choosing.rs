//! Which model is asked for, and on which engine it runs.

use leptos::prelude::*;
use web_sys::File;

use super::Studio;
use super::shown::{Place, Shown};
use super::studio::WhenLoaded;
use crate::app::at_hand::spell_hash;
use crate::app::files::model_name;
use crate::app::link::{Choice, View};
use crate::app::protocol::{EngineWish, ServedOrigin};
use crate::app::{browser, examples};
use crate::model::hub::HubName;

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
    let set = [EngineWish::Gpu, EngineWish::Cpu].into_iter().find(|&wish| name_of(wish) == name);
    set.unwrap_or(EngineWish::Auto)
}

/// The wish of an earlier visit.
pub(super) fn kept_wish() -> EngineWish {
    wish_of(&browser::kept(WISH).unwrap_or_default())
}

impl Studio {
    /// Sets the function that finds a stored model of a hub again.
    pub fn fetch_by(self, fetcher: impl Fn(String) + 'static) {
        self.hands().fetcher.replace(Some(Box::new(fetcher)));
    }

    pub fn choose_known(self, name: String) {
        self.choose(Choice::Known(name));
    }

    /// The reader's own model.
    pub fn choose_folder(self, name: String, files: Vec<File>) {
        let name = if name.is_empty() { model_name(&files) } else { name };
        self.hands().keep(&name, files);
        self.choose_at_hand(name);
    }

    /// A model of this machine that the page's own server offers.
    pub fn choose_at_hand(self, name: String) {
        self.choose(Choice::Folder(name));
        if !self.view.get_untracked().is_live() {
            self.state.view.set(View::Lens);
        }
    }

    fn choose(self, model: Choice) {
        self.step();
        self.state.begins.set_value(true);
        // The hash that a link wanted is no condition of a choice.
        if !self.state.exchange.with_untracked(|exchange| exchange.holds(&model)) {
            self.state.hash.set_value(None);
        }
        self.state.draft.update(|draft| draft.ask(model));
        self.load();
    }

    /// Takes an example that the model reads which was just loaded, where it was chosen and no prompt was.
    pub(super) fn begin_draft(self) {
        if !self.state.begins.get_value() {
            return;
        }
        self.state.begins.set_value(false);
        let reads_english = self.english.with_untracked(|prompts| !prompts.is_empty());
        let draft = self.draft.get_untracked();
        if let Some(draft) = examples::readable(&draft, reads_english) {
            self.state.draft.set(draft);
        }
    }

    /// Keeps where the model that was just loaded was served from.
    pub(super) fn take_origin(self, served: Option<ServedOrigin>) {
        let ServedOrigin { from, sha256 } = served.unwrap_or_default();
        self.state.from.set(from);
        let held = self.state.exchange.with_untracked(|exchange| exchange.held().cloned());
        let hash = held.map(|held| (held.choice.name().to_owned(), sha256));
        self.state.hash.set_value(hash.filter(|(_, sha256)| !sha256.is_empty()));
    }

    /// The model of a link that was gone to has to have this hash; another one of its name is not held any longer.
    pub(super) fn expect_hash(self, name: String, sha256: String) {
        let is_other = self.hash_of(&name).is_some_and(|own| own != sha256);
        let choice = Choice::Folder(name.clone());
        self.state.hash.set_value(Some((name, sha256)));
        if is_other && self.state.exchange.with_untracked(|exchange| exchange.holds(&choice)) {
            self.change(|exchange, _| exchange.unload());
        }
    }

    /// Does the page's own server offer a model of this name?
    pub fn is_at_hand(self, name: &str) -> bool {
        self.hands().served(name).is_some()
    }

    /// Returns the names of the files and folders that the reader opened from disk in this visit, the latest first.
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

    /// Runs the model elsewhere, now and at later visits.
    pub fn choose_engine(self, wish: EngineWish) {
        browser::keep(WISH, name_of(wish));
        self.state.wish.set(wish);
        self.load();
    }

    /// Is a model of this name what the draft asks for, and nothing of it here or on its way?
    pub fn lacks(self, name: &str) -> bool {
        let choice = self.draft.with_untracked(|draft| draft.model.clone());
        choice.name() == name
            && self.state.exchange.with_untracked(|x| !x.holds(&choice) && !x.is_loading(&choice))
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
            && !self.hands().can_open(name)
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
            let draft = self.draft.get_untracked();
            // A report of the same question stays.
            let answers =
                |shown: &Option<Shown>| shown.as_ref().is_some_and(|shown| shown.answers(&draft));
            if !self.state.shown.with_untracked(answers)
                && let Some(first) = Shown::first_of(&draft)
            {
                self.state.shown.set(Some(first));
            }
            // Of the first picture's model the bar says so itself, with the ways on; a frame has no bar, and a link may
            // mean another file.
            let is_first = untrack(|| self.is_absent.get())
                && self.hash_of(name).is_none()
                && !browser::has_root_class("embed");
            if !is_first {
                let sentence = self.unopened(name);
                self.fail(Place::Model, sentence);
            }
            return;
        }
        let engine = self.wish.get_untracked();
        self.clear_problems(&Place::ALL);
        self.change(|exchange, now| exchange.load(&choice, engine, now));
    }

    /// Why a link to a reader's own model opens nothing here, and what to do.
    fn unopened(self, name: &str) -> String {
        let hash = self.hash_of(name);
        let hash = hash.map_or_else(String::new, |hash| {
            format!(" (its SHA-256 begins with {})", spell_hash(&hash))
        });
        if browser::has_root_class("embed") {
            return format!(
                "This frame shows the model “{name}”{hash}, which is opened in atelier itself: follow the link below."
            );
        }
        format!(
            "This link was made with the model “{name}”{hash}, which stays on the machine that opened it: open its file or \
             folder here, or choose a scholar."
        )
    }

    /// Says why something the reader offered cannot be opened.
    pub fn refuse(self, sentence: &str) {
        self.fail(Place::Model, sentence.to_owned());
    }
}
