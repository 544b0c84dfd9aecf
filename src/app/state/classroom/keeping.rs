//! Stores answers in this browser, and saves them as a file.
//!
//! Several windows may have lessons open: stored answers are read again before anything is changed, so that none
//! removes what another stored, or brings back what another forgot.

use leptos::prelude::*;

use super::{OpenLesson, StepPlace};
use crate::app::answers::{AnswerBook, StepAnswer};
use crate::app::browser;

/// Where answers are kept.
const KEY: &str = "atelier-answers";

/// Where texts are kept that another version of the page wrote, until they are forgotten.
const EARLIER: &str = "atelier-answers-before";

/// Returns the stored answers, and the reason why they, or those stored before, cannot be read.
pub(super) fn kept() -> (AnswerBook, String) {
    let (book, unread) = match browser::kept(KEY).map(|text| AnswerBook::read(&text)) {
        None => (AnswerBook::default(), String::new()),
        Some(Ok(book)) => (book, String::new()),
        Some(Err(sentence)) => (AnswerBook::default(), sentence),
    };
    // The same is to be said of it as when it was found.
    let earlier = browser::kept(EARLIER).and_then(|text| AnswerBook::read(&text).err());
    (book, earlier.unwrap_or(unread))
}

impl OpenLesson {
    /// Changes what is known of a step, and keeps it.
    pub fn change(self, place: &StepPlace, change: impl FnOnce(&mut StepAnswer)) {
        self.read_again();
        let page = browser::build();
        self.book.update(|book| book.change(&place.lesson, &place.step, &page, change));
        let text = self.book.with_untracked(AnswerBook::written);
        let is_kept = set_aside() && browser::keep(KEY, &text);
        self.written.set_value(is_kept.then_some(text));
        self.is_kept.set(is_kept);
    }

    /// Follows what other windows kept or forgot since. What this browser could not keep is here alone.
    fn read_again(self) {
        let now = browser::kept(KEY);
        if !self.is_kept.get_untracked() || self.written.with_value(|own| *own == now) {
            return;
        }
        let (book, unread) = kept();
        self.written.set_value(now);
        self.book.set(book);
        self.unread.set(unread);
    }

    /// Follows other windows as long as lessons are open.
    pub(super) fn follow_others(self) {
        let heard = window_event_listener(leptos::ev::storage, move |event| {
            if event.key().is_some_and(|key| key != KEY && key != EARLIER) {
                return;
            }
            let was_run = untrack(|| self.answer()).is_run();
            self.read_again();
            if was_run && !untrack(|| self.answer()).is_run() {
                self.begin_step();
            }
        });
        on_cleanup(move || heard.remove());
    }

    /// Nothing of what was answered is kept.
    pub fn forget(self) {
        browser::forget(KEY);
        browser::forget(EARLIER);
        self.written.set_value(None);
        self.unread.set(String::new());
        self.book.set(AnswerBook::default());
        self.pictures.set(Vec::new());
        self.begin_step();
    }

    /// Saves the stored answers as a file for the reader.
    pub fn save(self) {
        let text = self.book.with_untracked(AnswerBook::written);
        self.save_as("atelier-answers.json", &text);
    }

    /// Saves the answers of another version of the page, as that version wrote them.
    pub fn save_earlier(self) {
        let unread = |key| browser::kept(key).filter(|text| AnswerBook::read(text).is_err());
        if let Some(text) = unread(EARLIER).or_else(|| unread(KEY)) {
            self.save_as("atelier-answers-before.json", &text);
        }
    }

    fn save_as(self, name: &str, text: &str) {
        let saved = browser::save(name, "application/json", text);
        self.studio.say(match saved {
            Ok(()) => "Your answers are saved as a file.",
            Err(_) => "The browser refused to make the file.",
        });
    }
}

/// Puts aside what cannot be read, behind what was put aside before. Is there room for new answers now?
fn set_aside() -> bool {
    let Some(text) = browser::kept(KEY).filter(|text| AnswerBook::read(text).is_err()) else {
        return true;
    };
    let all = match browser::kept(EARLIER) {
        Some(before) => format!("{before}\n{text}"),
        None => text,
    };
    browser::keep(EARLIER, &all)
}
