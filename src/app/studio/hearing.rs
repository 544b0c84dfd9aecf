//! What goes to the worker and comes back: requests begun, given up, cancelled; events heard.

use std::sync::Arc;
use std::time::Duration;

use leptos::prelude::*;
use web_sys::File;

use super::{Origin, Place, Problem, Shown, Studio, Task, Work, sentence};
use crate::app::client::Heard;
use crate::app::protocol::{Ask, Event, Tell};
use crate::app::{browser, examples, opened};
use crate::study::report::Report;

/// How long a worker may take to hear a `Cancel` before it is ended.
const PATIENCE: Duration = Duration::from_millis(500);

impl Studio {
    /// Stops what is under way: asked first, ended if it does not hear.
    pub fn cancel(self, slot: RwSignal<Option<Work>>) {
        let Some(work) = slot.get_untracked() else {
            return;
        };
        let desk = self.desk();
        let Some(client) = desk.client.borrow().clone() else {
            return;
        };
        client.ask(Ask::Cancel { id: work.id }, &[]);
        set_timeout(
            move || {
                if slot.with_untracked(|now| now.as_ref().is_some_and(|now| now.id == work.id)) {
                    client.restart();
                    self.model.set(None);
                    self.sweep.set(None);
                    self.work.set(None);
                    self.stopped();
                }
            },
            PATIENCE,
        );
    }

    /// Says why something the reader offered cannot be opened.
    pub fn refuse(self, sentence: &str) {
        self.fail(Place::Model, sentence.to_owned());
    }

    pub(super) fn begin(self, task: Task, ask: Ask, files: &[File]) {
        let desk = self.desk();
        let Some(client) = desk.client.borrow().clone() else {
            return;
        };
        let id = client.ask(ask, files);
        self.problem.set(None);
        let slot = if task == Task::Sweep {
            self.sweep
        } else {
            self.work
        };
        slot.set(Some(Work {
            id,
            task,
            progress: None,
            since: browser::now(),
        }));
    }

    /// A newer request makes the one under way pointless.
    pub(super) fn give_up(self, slot: RwSignal<Option<Work>>) {
        if let Some(work) = slot.get_untracked() {
            if let Some(client) = &*self.desk().client.borrow() {
                client.ask(Ask::Cancel { id: work.id }, &[]);
            }
            slot.set(None);
        }
    }

    pub(super) fn heard(self, heard: Heard) {
        match heard {
            Heard::Event(event) => self.event(event),
            Heard::Died(sentence) => {
                self.work.set(None);
                self.sweep.set(None);
                self.model.set(None);
                self.fail(Place::Model, sentence);
            }
        }
    }

    pub(super) fn event(self, Event { id, tell }: Event) {
        // Events of a request that was given up are late news.
        let under_way = [self.work, self.sweep].into_iter().find_map(|slot| {
            let work = slot.get_untracked().filter(|work| work.id == id)?;
            Some((slot, work))
        });
        let Some((slot, work)) = under_way else {
            return;
        };
        match tell {
            Tell::Ready { .. } => {}
            Tell::Engine { line, notice } => self.engine.set([line, notice]),
            Tell::Compared { sentence } => {
                slot.set(None);
                self.said.set(sentence.clone());
                self.engine.update(|[_, notice]| *notice = sentence);
            }
            Tell::Partial { report } => self.show_sweep(*report, browser::now() - work.since),
            Tell::Progress { stage, done, total } => {
                slot.set(Some(Work {
                    progress: Some((stage, done, total)),
                    ..work
                }));
            }
            Tell::Loaded { model } => {
                self.work.set(None);
                self.model.set(Some(model));
                self.run();
                if let Some(ask) = self.waiting.try_update_value(Option::take).flatten() {
                    self.start_sweep(ask);
                }
            }
            Tell::Done { report } => {
                slot.set(None);
                self.problem.set(None);
                let time = browser::now() - work.since;
                if work.task == Task::Sweep {
                    self.show_sweep(*report, time);
                    self.finished.set(Some(id));
                    self.said.set("The sweep is done.".to_owned());
                } else {
                    self.show_live(*report, time);
                }
            }
            Tell::Failed { reason } => {
                slot.set(None);
                self.waiting.set_value(None);
                let place = match work.task {
                    Task::Load => Place::Model,
                    Task::Run => Place::Prompt,
                    Task::Sweep => Place::Sweep,
                };
                self.fail(place, sentence(&reason));
            }
            Tell::Cancelled => {
                slot.set(None);
                self.stopped();
            }
        }
    }

    pub(super) fn show_live(self, report: Report, milliseconds: f64) {
        let agrees = examples::baked().and_then(|baked| opened::difference(&baked, &report));
        let slot = if report.lab.is_some() {
            self.lab
        } else {
            self.shown
        };
        let arranged = report.lab.as_ref().map(|lab| &lab.arranged);
        let said = report.lens.as_ref().or(arranged).map(|lens| {
            let verdict = if lens.correct { "right" } else { "wrong" };
            let option = crate::chart::option_name(
                lens,
                crate::measure::decomposition::argmax(&lens.probabilities),
            );
            format!("The picture is new: the model answers {option}, which is {verdict}.")
        });
        slot.set(Some(Shown {
            report: Arc::new(report),
            origin: Origin::Live {
                milliseconds,
                agrees,
            },
        }));
        self.said.set(said.unwrap_or_default());
    }

    pub(super) fn show_sweep(self, report: Report, milliseconds: f64) {
        self.swept.set(Some(Shown {
            report: Arc::new(report),
            origin: Origin::Live {
                milliseconds,
                agrees: None,
            },
        }));
    }

    pub(super) fn fail(self, place: Place, sentence: String) {
        self.said.set(sentence.clone());
        self.problem.set(Some(Problem { place, sentence }));
    }

    pub(super) fn stopped(self) {
        self.said.set("Stopped.".to_owned());
    }
}
