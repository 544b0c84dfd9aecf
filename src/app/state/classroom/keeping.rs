//! Stores answers in this browser, and saves them as a file.
//!
//! Several windows may have lessons open: stored answers are read again before anything is changed, so that none
//! removes what another stored, or brings back what another forgot.

use std::collections::BTreeMap;

use leptos::prelude::*;

use super::{OpenLesson, StepPlace};
use crate::app::answers::{AnswerBook, StepAnswer};
use crate::app::browser;

/// Where answers are kept.
const KEY: &str = "atelier-answers";

/// Returns the stored answers, or the reason why they cannot be read.
pub(super) fn kept() -> (AnswerBook, String) {
    match browser::kept(KEY).map(|text| AnswerBook::read(&text)) {
        None => (AnswerBook::default(), String::new()),
        Some(Ok(book)) => (book, String::new()),
        Some(Err(sentence)) => (AnswerBook::default(), sentence),
    }
}

impl OpenLesson {
    /// Changes what is known of a step, and keeps it; not over a text that this page cannot read.
    pub fn change(self, place: &StepPlace, change: impl FnOnce(&mut StepAnswer)) {
        self.read_again();
        let page = browser::build();
        self.book.update(|book| book.change(&place.lesson, &place.step, &page, change));
        let text = self.book.with_untracked(AnswerBook::written);
        let is_free = self.unread.with_untracked(String::is_empty);
        let is_kept = is_free && browser::keep(KEY, &text);
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
        browser::hear(leptos::ev::storage, move |event| {
            if event.key().is_some_and(|key| key != KEY) {
                return;
            }
            let was_run = untrack(|| self.answer()).is_run();
            self.read_again();
            if was_run && !untrack(|| self.answer()).is_run() {
                self.begin_step();
            }
        });
    }

    /// Nothing of what was answered is kept.
    pub fn forget(self) {
        browser::forget(KEY);
        self.written.set_value(None);
        self.is_kept.set(true);
        self.unread.set(String::new());
        self.book.set(AnswerBook::default());
        self.pictures.set(BTreeMap::new());
        self.begin_step();
    }

    /// Saves the stored answers as a file for the reader.
    pub fn save(self) {
        let text = self.book.with_untracked(AnswerBook::written);
        let saved = browser::save("atelier-answers.json", "application/json", &text);
        self.studio.say(match saved {
            Ok(()) => "Your answers are saved as a file.",
            Err(_) => "The browser refused to make the file.",
        });
    }
}
