//! Takes in the worker's answers, by the id of the request that they answer.

use std::sync::Arc;

use leptos::prelude::*;

use super::Studio;
use super::exchange::{Exchange, Job};
use super::shown::{Findings, Origin, Place, Problem, Shown};
use super::studio::{WhenLoaded, sentence};
use super::texts::{TextState, WrittenTexts};
use crate::app::client::Heard;
use crate::app::protocol::{Event, Tell};
use crate::app::{browser, first_picture, opened};
use crate::chart::{self, offered};
use crate::measure::decomposition::argmax;
use crate::study::TextEnd;
use crate::study::report::Report;

impl Studio {
    pub(super) fn heard(self, heard: Heard) {
        match heard {
            Heard::Event(event) => self.event(event),
            Heard::Died(sentence) => {
                for (_, then) in self.hands().readers.take() {
                    then(Err(sentence.clone()));
                }
                self.note(Exchange::died);
                if !self.fall_back(&sentence) {
                    self.fail(Place::Model, sentence);
                }
            }
        }
    }

    fn event(self, Event { id, tell }: Event) {
        let reader = {
            let hands = self.hands();
            let mut readers = hands.readers.borrow_mut();
            let own = readers.iter().position(|(own, _)| *own == id);
            own.map(|own| readers.swap_remove(own).1)
        };
        if let Some(then) = reader {
            match tell {
                words @ (Tell::Lessons { .. } | Tell::Fits { .. }) => then(Ok(words)),
                Tell::Failed { reason } => then(Err(sentence(&reason))),
                // Words are read at once: nothing else is said of them.
                _ => self.hands().readers.borrow_mut().push((id, then)),
            }
            return;
        }
        let exchange = self.state.exchange;
        // Events of a request that was given up are late news.
        let work = exchange.with_untracked(|exchange| exchange.under_way(id).cloned());
        let Some(work) = work else { return };
        let time = browser::now() - work.since;
        match tell {
            Tell::Ready { .. } => {}
            Tell::Kept => exchange.update(|exchange| exchange.kept(id)),
            Tell::Engine { line, notice } => self.state.engine.set([line, notice]),
            Tell::Progress { stage, done, total } => {
                exchange.update(|exchange| exchange.progressed(id, (stage, done, total)));
            }
            Tell::Partial { report } => match work.job {
                Job::Run => {
                    exchange.update(|exchange| exchange.answered(id, browser::now()));
                    let report = Arc::new(*report);
                    self.show_live(Arc::clone(&report), time);
                    self.say_answer(&report);
                }
                _ => self.show_sweep(Arc::new(*report), time),
            },
            Tell::English { prompts } => self.state.english.set(prompts),
            Tell::Tasks { refused } => self.state.refused.set(refused),
            Tell::Says { sayings } => {
                let draft = self.draft.get_untracked();
                let is_asked = exchange.with_untracked(|exchange| exchange.is_asked(&draft));
                self.ended(id);
                // Likeliest after a prompt that has been written on since.
                if !is_asked {
                    return;
                }
                if sayings.len() >= 2 {
                    let vocabulary = self
                        .model
                        .with_untracked(|model| model.as_ref().map_or(0, |model| model.vocabulary));
                    let offered = offered(&sayings, vocabulary);
                    self.say(offered.clone());
                    self.step();
                    self.state.draft.update(|draft| {
                        draft.options = sayings.into_iter().map(|s| s.option).collect();
                        draft.answer = None;
                    });
                    self.state.offered.set((self.draft.get_untracked(), offered));
                    self.run();
                } else {
                    let sentence = "Of what the model is likeliest to say next, nothing can be written as an option.";
                    self.fail(Place::Prompt, sentence.to_owned());
                }
            }
            Tell::Wrote { text } if work.job == Job::Write => {
                self.state.texts.update(|texts| texts.grow(text));
            }
            Tell::Written { end } if work.job == Job::Write => {
                self.ended(id);
                self.state.texts.update(|texts| texts.end(TextState::Ended(end)));
            }
            Tell::Wrote { text } => {
                let text = self.state.before.get_value() + &text;
                self.state.written.update(|written| written.1 = text);
            }
            Tell::Written { end } => {
                self.ended(id);
                let text = self.written.get_untracked();
                self.say(match end {
                    TextEnd::Tokens => text,
                    TextEnd::Model => text + " The model ends here.",
                    TextEnd::Context => text + " The model takes no more tokens.",
                });
                // Where it went on as soon as it was here, its first picture is still to come.
                if untrack(|| self.is_stopped()) {
                    self.run_on();
                }
            }
            Tell::Measuring { report, next, done, of } => {
                let (report, next) = (Some(*report), Some((next, done, of)));
                self.state.findings.set(Findings { report, next });
            }
            Tell::Measured { report, was_ended } => {
                self.state.findings.set(Findings { report: Some(*report), next: None });
                self.ended(id);
                self.say(if was_ended {
                    "Stopped: what was measured stays."
                } else {
                    "This machine is measured."
                });
            }
            Tell::Compared { sentence } => {
                self.ended(id);
                self.say(sentence.clone());
                self.state.engine.update(|[_, notice]| *notice = sentence);
            }
            Tell::Loaded { model, vocabulary, served } => {
                self.state.texts.set(WrittenTexts::default());
                self.change(|exchange, now| {
                    let begun = exchange.loaded(id, model, vocabulary, now);
                    begun.unwrap_or_default()
                });
                self.take_origin(served);
                self.state.pace.set(None);
                self.begin_draft();
                match self.state.when_loaded.get_value() {
                    WhenLoaded::Nothing => {}
                    // A report without a prompt of its own, opened meanwhile or gone back to, stays.
                    WhenLoaded::Run if self.is_beside_its_draft() => {}
                    WhenLoaded::Run => self.run_on(),
                    WhenLoaded::Says => self.ask_what_it_says(),
                    WhenLoaded::GoOn => self.go_on(),
                }
            }
            Tell::Done { report, block_runs } => {
                let report = Arc::new(*report);
                if work.job == Job::Sweep {
                    self.clear_problems(&[Place::Model, Place::Sweep]);
                    let are_parts = report.parts.is_some();
                    self.show_sweep(report, time);
                    let what = if are_parts {
                        "Every part was left out once."
                    } else {
                        "The sweep is done."
                    };
                    self.say(what);
                } else {
                    self.clear_problems(&[Place::Prompt]);
                    let whole = time + work.answered_after.unwrap_or_default();
                    let pace = (block_runs > 0).then(|| whole / 1000.0 / block_runs as f64);
                    self.state.pace.set(pace);
                    self.show_live(Arc::clone(&report), work.answered_after.unwrap_or(time));
                    if work.answered_after.is_none() {
                        self.say_answer(&report);
                    }
                }
                self.ended(id);
            }
            // Heard by who reads.
            Tell::Lessons { .. } | Tell::Fits { .. } => {}
            Tell::Stepped { outcome, pictures } => {
                self.clear_problems(&[Place::Model, Place::Sweep]);
                let hands = self.hands();
                let taught = hands.taught.borrow_mut().take_if(|(own, _)| *own == id);
                self.ended(id);
                if let Some((_, then)) = taught {
                    then(Some((*outcome, pictures)));
                }
            }
            Tell::Failed { reason } => {
                self.note(|exchange| exchange.stopped(id));
                let sentence = sentence(&reason);
                let place = match work.job {
                    // A look at the machine fails at nothing that is not in its report.
                    Job::Load | Job::Doctor => Place::Model,
                    Job::Run | Job::Compare => Place::Prompt,
                    Job::Sweep => Place::Sweep,
                    // Why it is missing stands in the text's own place.
                    Job::Write => {
                        let failed = TextState::Failed(sentence);
                        self.state.texts.update(|texts| texts.end(failed));
                        return;
                    }
                };
                if work.job != Job::Load || !self.fall_back(&sentence) {
                    self.fail(place, sentence);
                }
            }
            Tell::Cancelled => {
                self.note(|exchange| exchange.stopped(id));
                self.stopped();
            }
        }
    }

    pub(super) fn ended(self, id: u32) {
        self.note(|exchange| exchange.ended(id));
    }

    fn show_live(self, report: Arc<Report>, milliseconds: f64) {
        let first = (report.model.name == first_picture::MODEL).then(first_picture::report);
        let agrees = first.flatten().and_then(|first| opened::difference(&first, &report));
        let slot = if report.lab.is_some() {
            self.state.lab
        } else if report.coupling.is_some() {
            self.state.compared.set(self.state.comparing.get_value());
            self.state.coupled
        } else {
            self.state.asked.set(self.state.asking.get_value());
            self.state.shown
        };
        slot.set(Some(Shown { report, origin: Origin::Live { milliseconds, agrees } }));
    }

    /// Announces what was just answered.
    fn say_answer(self, report: &Report) {
        if report.coupling.is_some() {
            self.say("The picture is new: the couplings of this prompt.".to_owned());
            return;
        }
        let Some(lens) = opened::run_of(report) else { return };
        let verdict = match untrack(|| self.is_judged()) {
            true => format!(", {}", chart::verdict(lens)),
            false => String::new(),
        };
        let option = chart::option_name(lens, argmax(&lens.probabilities));
        self.say(format!(
            "The picture is new: of the options the model answers {option}{verdict}."
        ));
    }

    fn show_sweep(self, report: Arc<Report>, milliseconds: f64) {
        let slot = if !report.task_coupling.is_empty() {
            self.state.coupled_rows
        } else if !report.need.is_empty() {
            self.state.needed
        } else if report.parts.is_some() {
            self.state.parts
        } else {
            self.state.swept
        };
        slot.set(Some(Shown { report, origin: Origin::Live { milliseconds, agrees: None } }));
    }

    pub(super) fn fail(self, place: Place, sentence: String) {
        self.say(sentence.clone());
        self.state.problems.update(|problems| {
            problems.retain(|problem| problem.place != place);
            problems.push(Problem { place, sentence });
        });
    }

    /// Clears the problems at these places; problems elsewhere stay.
    pub(super) fn clear_problems(self, places: &[Place]) {
        let is_there = |problem: &Problem| places.contains(&problem.place);
        let any = |problems: &Vec<Problem>| problems.iter().any(is_there);
        if self.state.problems.with_untracked(any) {
            self.state.problems.update(|problems| problems.retain(|problem| !is_there(problem)));
        }
    }

    /// The reader stopped something; after a load, what was there before is gone back to.
    pub(super) fn stopped(self) {
        let unopened =
            self.draft.with_untracked(|draft| format!("{} was not opened.", draft.model.name()));
        if !self.fall_back(&unopened) {
            self.say("Stopped.");
        }
    }

    /// After a load that came to nothing, for the reason `why`: the model that was there before answers
    /// again. `false` where there was none.
    fn fall_back(self, why: &str) -> bool {
        let Some((choice, is_kept)) = self.note(Exchange::fall_back).flatten() else {
            return false;
        };
        let ran = self.state.ran.get_value();
        let plan = ran.filter(|(model, _)| *model == choice);
        let plan = plan.map(|(_, plan)| plan).unwrap_or_default();
        let how = if is_kept { "answers as before" } else { "is opened again" };
        self.fail(Place::Model, format!("{why} {} {how}.", choice.name()));
        self.state.draft.update(|draft| {
            draft.model = choice.clone();
            draft.plan = plan;
        });
        let is_current = untrack(|| self.is_current());
        if !is_kept {
            self.state.when_loaded.set_value(if is_current {
                WhenLoaded::Nothing
            } else {
                WhenLoaded::Run
            });
            let engine = self.wish.get_untracked();
            self.change(|exchange, now| exchange.load(&choice, engine, now));
        } else if !is_current {
            self.run_on();
        }
        true
    }
}
