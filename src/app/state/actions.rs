//! The reader's changes: to the draft, to the view, and to the settings of a view.

use std::time::Duration;

use leptos::prelude::*;

use super::Studio;
use super::shown::Shown;
use super::studio::sentence;
use crate::app::link::{CouplingSettings, Draft, InsideSettings, MOST_FOLLOWED, View};
use crate::app::{examples, tasks};
use crate::task::built_in::BuiltInTask;

/// Typing is over when nothing was typed for this long.
pub(super) const PAUSE: Duration = Duration::from_millis(350);

impl Studio {
    /// Changes the draft and runs it when typing has stopped.
    pub fn edit(self, change: impl FnOnce(&mut Draft)) {
        let prompt = self.draft.with_untracked(|draft| draft.prompt.clone());
        self.state.draft.update(change);
        if self.draft.with_untracked(|draft| draft.prompt != prompt) {
            self.inside.update(InsideSettings::forget_positions);
            self.coupling.update(CouplingSettings::forget_places);
        }
        let edit = self.state.edits.with_value(|n| n.wrapping_add(1));
        self.state.edits.set_value(edit);
        let pause = self.end_pause();
        set_timeout(
            move || {
                if self.state.pauses.get_value() == pause {
                    self.run();
                }
            },
            PAUSE,
        );
    }

    /// Ends the pause after typing, whose edit then runs no more by itself. Returns the number of the next pause.
    pub(super) fn end_pause(self) -> u32 {
        let pause = self.state.pauses.with_value(|n| n.wrapping_add(1));
        self.state.pauses.set_value(pause);
        pause
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

    /// Returns the task that is asked until the reader chooses one: see [`tasks::first`].
    pub fn first_task(self) -> Option<BuiltInTask> {
        self.refused.with(|refused| tasks::first(refused))
    }

    /// Says why the model held cannot be asked this task.
    pub fn task_refusal(self, task: BuiltInTask) -> Option<String> {
        self.refused.with(|refused| tasks::reason(refused, task).map(sentence))
    }

    /// Says which of these tasks the model held cannot be asked, and why.
    pub fn tasks_refusal(self, group: &[BuiltInTask]) -> Option<String> {
        let model = self.held.with(|held| held.as_ref().map(|held| held.facts.name.clone()))?;
        self.refused.with(|refused| tasks::refusal(refused, group, &model))
    }

    /// Changes what is looked at of couplings, and runs again where that is another thing.
    pub fn set_coupling(self, change: impl FnOnce(&mut CouplingSettings)) {
        let before = self.coupling.with_untracked(|coupling| coupling.tokens);
        self.coupling.update(change);
        let is_other = self.coupling.with_untracked(|coupling| coupling.tokens != before);
        if is_other && !untrack(|| self.is_current()) {
            self.run();
        }
    }

    /// Back to the list of lessons.
    pub fn go_to_list(self) {
        self.step();
        self.lessons.update(|lessons| {
            lessons.lesson = None;
            lessons.step = 0;
        });
    }

    /// Opens a step of a lesson, as a step that going back undoes.
    pub fn go_to_step(self, lesson: usize, step: usize) {
        self.step();
        self.lessons.update(|lessons| {
            lessons.lesson = Some(lesson);
            lessons.step = step;
        });
    }

    /// Changes what is looked at inside a run, and runs again where that is another thing.
    pub fn set_inside(self, change: impl FnOnce(&mut InsideSettings)) {
        self.inside.update(change);
        if !untrack(|| self.is_current()) {
            self.run();
        }
    }

    /// One more word to follow along the depth.
    pub fn follow_word(self, word: String) {
        self.set_inside(|inside| {
            if !inside.follow.contains(&word) && inside.follow.len() < MOST_FOLLOWED {
                inside.follow.push(word);
            }
        });
    }

    /// Opens a view, as a step, and runs the draft for it where its picture is another's.
    pub fn open_view(self, view: View) {
        if self.view.get_untracked() != view {
            self.step();
        }
        self.show_view(view);
    }

    /// Shows a view that an address brought, and runs the draft for it where its picture is another's.
    pub(super) fn show_view(self, view: View) {
        self.state.view.set(view);
        if view.is_live() {
            self.wake();
            if !untrack(|| self.is_current()) {
                self.run();
            }
        }
    }

    /// Says something to screen readers. A sentence that is said again gets a blank, so that they hear a change.
    pub fn say(self, sentence: impl Into<String>) {
        let mut sentence = sentence.into();
        self.state.said.update(|said| {
            if *said == sentence {
                sentence.push('\u{a0}');
            }
            *said = sentence;
        });
    }

    /// The change to come is a step to another place, which going back undoes.
    pub(super) fn step(self) {
        self.state.step.set_value(true);
    }

    /// The draft with which another view opens: the first example stands for no prompt of the reader's,
    /// and orders show more on another. Beside a report that is no one prompt's it stands for that report.
    pub fn draft_for(self, view: View) -> Draft {
        let draft = self.draft.get();
        let is_beside = self.shown.with(|shown| shown.as_ref().is_some_and(Shown::is_beside));
        match view {
            View::Orders if self.view.get() != view && draft == examples::first() && !is_beside => {
                examples::of_orders()
            }
            // Lessons run on the models that come with the page; the first picture's prompt is not in their words.
            View::Lessons if self.is_absent.get() => match Shown::first_of(&draft) {
                Some(_) => examples::first(),
                None => Draft { model: examples::first().model, plan: String::new(), ..draft },
            },
            _ => draft,
        }
    }
}
