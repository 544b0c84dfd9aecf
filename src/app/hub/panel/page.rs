//! The line to the page that shows this panel.

use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use crate::app::at_hand::ModelAtHand;
use crate::app::browser;

/// Key of the models opened recently, newest first; one name per line.
const RECENT: &str = "atelier-recent-models";
const MOST_RECENT: usize = 5;

#[derive(Clone, Copy, Default)]
pub struct PageLine {
    /// The name of the page's model.
    pub current: RwSignal<String>,
    /// Which tasks and lessons it can take, where the list of shipped models does not say it.
    pub takes: RwSignal<String>,
    pub recent: RwSignal<Vec<String>>,
    /// Models of this machine that the page's own server offers.
    pub at_hand: RwSignal<Vec<ModelAtHand>>,
    /// Models opened from disk in this visit, newest first: the page has the files.
    pub from_disk: RwSignal<Vec<String>>,
}

impl PageLine {
    pub fn start() -> Self {
        let kept = browser::kept(RECENT).unwrap_or_default();
        let recent = RwSignal::new(kept.lines().map(str::to_owned).collect());
        Self { recent, ..Self::default() }
    }

    /// A message: a word, and what it is about.
    pub fn tell(self, word: &str, about: &[JsValue]) {
        let message = js_sys::Array::of1(&JsValue::from_str(word));
        for thing in about {
            message.push(thing);
        }
        let window = browser::window();
        let origin = window.location().origin().unwrap_or_default();
        if let Ok(Some(parent)) = window.parent() {
            // Strings and files can always be cloned into a message.
            let _ = parent.post_message(&message, &origin);
        }
    }

    /// A model that comes with the page.
    pub fn open_shipped(self, name: &str) {
        self.remember(name);
        self.tell("known", &[JsValue::from_str(name)]);
    }

    /// One that the page's own server offers.
    pub fn open_at_hand(self, name: &str) {
        self.tell("at hand", &[JsValue::from_str(name)]);
    }

    /// One that was opened from disk before.
    pub fn open_again(self, name: &str) {
        self.tell("again", &[JsValue::from_str(name)]);
    }

    /// A model of these files.
    pub fn open_files(self, name: &str, files: &[web_sys::File]) {
        let mut about = vec![JsValue::from_str(name)];
        about.extend(files.iter().map(JsValue::from));
        self.tell("open", &about);
    }

    pub fn remember(self, name: &str) {
        self.recent.update(|recent| {
            recent.retain(|other| other != name);
            recent.insert(0, name.to_owned());
            recent.truncate(MOST_RECENT);
            browser::keep(RECENT, &recent.join("\n"));
        });
    }
}
