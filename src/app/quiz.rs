//! The eight questions on the page: what the reader predicted, and what the model answered.

use leptos::prelude::*;

use super::protocol::Ask;
use super::studio::Studio;
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
    pub cards: RwSignal<[Card; ALL.len()]>,
    /// The question whose sweep is under way, and that sweep's request.
    pub asked: RwSignal<Option<(usize, u32)>>,
}

impl Quiz {
    pub fn start(studio: Studio) -> Self {
        let quiz = Self {
            studio,
            cards: RwSignal::default(),
            asked: RwSignal::new(None),
        };
        Effect::new(move |_| {
            let finished = studio.finished.get();
            let under_way = studio.sweep.with(|work| work.as_ref().map(|work| work.id));
            let Some((question, id)) = quiz.asked.get_untracked() else {
                return;
            };
            if finished == Some(id) {
                quiz.hear(question);
            } else if under_way != Some(id) {
                // Stopped, failed, or another sweep took its place.
                quiz.asked.set(None);
            }
        });
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

    pub fn predict(self, question: usize, choice: usize) {
        self.cards
            .update(|cards| cards[question].predicted = Some(choice));
    }

    /// Puts a question to the model.
    pub fn ask(self, question: usize) {
        self.cards.update(|cards| cards[question].answered = None);
        self.studio.start_sweep(Ask::Orders {
            tasks: TASKS.iter().map(|task| task.name().to_owned()).collect(),
            rows: ROWS,
            sweeps: ALL[question].sweeps.to_vec(),
            extent: EXTENT,
        });
        let id = self
            .studio
            .sweep
            .with_untracked(|work| work.as_ref().map(|work| work.id));
        self.asked.set(id.map(|id| (question, id)));
    }

    fn hear(self, asked: usize) {
        self.asked.set(None);
        let answered = self.studio.swept.with_untracked(|swept| {
            let report = &swept.as_ref()?.report;
            let name = report.model.name.clone();
            Some((name, answer(&ALL[asked], &report.orders)))
        });
        self.cards.update(|cards| cards[asked].answered = answered);
    }
}
