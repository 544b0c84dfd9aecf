//! When the texts beside the lab's answer are asked for: after the answer, one after the other, until the next change.

use leptos::prelude::*;

use super::Studio;
use super::shown::{Origin, Shown};
use super::texts::{Text, TextStep, TextWish, wanted};

impl Studio {
    /// The texts beside the answer that the lab shows, as far as they are there, each with what it is written after:
    /// none beside a report that was opened.
    pub fn lab_texts(self) -> Vec<(TextWish, Option<Text>)> {
        let wanted = self.lab.with(|shown| shown.as_ref().map(wanted_beside).unwrap_or_default());
        self.state.texts.with(|texts| {
            let all = wanted.into_iter().map(|wish| {
                let text = texts.text(&wish).cloned();
                (wish, text)
            });
            all.collect()
        })
    }

    /// Begins the next text, or gives up the one that nobody wants any more; an effect calls this again whenever
    /// something has changed that it reads.
    pub fn keep_writing(self) {
        let wanted = match self.is_current() {
            true => self.lab.with(|shown| shown.as_ref().map(wanted_beside).unwrap_or_default()),
            false => Vec::new(),
        };
        let is_free = self.work.with(Option::is_none) && self.model.with(Option::is_some);
        let is_writing = self.state.exchange.with_untracked(|exchange| exchange.is_writing());
        match self.state.texts.with(|texts| texts.step(&wanted, is_free, is_writing)) {
            TextStep::Nothing => {}
            TextStep::GiveUp => self.stop_writing(),
            TextStep::Begin(wish) => {
                let ask = wish.ask();
                self.change(|exchange, now| exchange.write(ask, now));
                self.state.texts.update(|texts| texts.begin(wish));
            }
        }
    }

    /// Gives up the text under way.
    pub fn stop_writing(self) {
        self.change(|exchange, _| exchange.give_up_writing());
        self.state.texts.update(|texts| texts.give_up());
    }
}

/// The texts that belong beside a lab's answer that was computed here.
fn wanted_beside(shown: &Shown) -> Vec<TextWish> {
    match shown.origin {
        Origin::Live { .. } => wanted(&shown.report),
        _ => Vec::new(),
    }
}
