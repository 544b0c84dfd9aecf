//! The eight questions on the page: what the reader predicted, and what the model answered.

use leptos::prelude::*;

use super::Studio;
use crate::app::protocol::Ask;
use crate::study::questions::{ALL, Answer, EXTENT, ROWS, TASKS, answer};

/// Where one question stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Card {
    /// Index of the reader's choice.
    pub predicted: Option<usize>,
    /// The model that was asked and what came out of it; `None` where the sweep could not tell.
    pub answered: Option<(String, Option<Answer>)>,
}

#[derive(Clone, Copy)]
pub struct Quiz {
    studio: Studio,
    cards: RwSignal<[Card; ALL.len()]>,
    /// The question whose sweep is under way.
    asked: RwSignal<Option<usize>>,
}

impl Quiz {
    pub fn start(studio: Studio) -> Self {
        let quiz = Self {
            studio,
            cards: RwSignal::default(),
            asked: RwSignal::new(None),
        };
        // Another model has answered nothing yet.
        Effect::new(move |before: Option<String>| {
            let name = studio.draft.with(|draft| draft.model.name().to_owned());
            if before.is_some_and(|before| before != name) {
                quiz.cards.update(|cards| {
                    cards.iter_mut().for_each(|card| card.answered = None);
                });
            }
            name
        });
        quiz
    }

    pub fn card(self, question: usize) -> Card {
        self.cards.with(|cards| cards[question].clone())
    }

    pub fn is_asked(self, question: usize) -> bool {
        self.asked.get() == Some(question)
    }

    pub fn predict(self, question: usize, choice: usize) {
        self.cards
            .update(|cards| cards[question].predicted = Some(choice));
        self.open(question);
    }

    /// Opens a question, so that a link leads to it.
    pub fn open(self, question: usize) {
        self.studio
            .set_sweeping(|sweeping| sweeping.question = Some(question));
    }

    /// Puts a question to the model, and waits for this very sweep.
    pub fn ask(self, question: usize) {
        self.cards.update(|cards| cards[question].answered = None);
        self.asked.set(Some(question));
        let ask = Ask::Orders {
            tasks: TASKS.iter().map(|task| task.name().to_owned()).collect(),
            rows: ROWS,
            sweeps: ALL[question].sweeps.to_vec(),
            extent: EXTENT,
            plans: Vec::new(),
        };
        self.studio.start_sweep(ask, move |report| {
            // Another question may have taken its place.
            if self.asked.get_untracked() == Some(question) {
                self.asked.set(None);
            }
            let Some(report) = report else { return };
            let found = answer(&ALL[question], &report.orders);
            self.cards.update(|cards| {
                cards[question].answered = Some((report.model.name.clone(), found));
            });
        });
    }
}
