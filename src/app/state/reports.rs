//! Files that come from outside: a model, or a report of any kind. What a file is, its content says.

use std::sync::Arc;

use leptos::prelude::*;
use web_sys::File;

use super::shown::{Origin, Place, Shown};
use super::{Studio, Surveys};
use crate::app::files::Chosen;
use crate::app::link::{Choice, View};
use crate::app::opened;
use crate::study::report::Report;

impl Studio {
    /// Opens what was chosen or dropped: reports where only JSON came that no model is made of, and
    /// else a model.
    pub fn open_files(self, surveys: Surveys, chosen: Chosen) {
        let is_report = |file: &File| {
            let name = file.name();
            name.ends_with(".json") && !opened::is_of_a_model(&name)
        };
        if chosen.files.is_empty() {
            self.refuse(
                "There were no files in it: open a model's folder, its files, or a report that atelier wrote.",
            );
        } else if chosen.files.iter().all(is_report) {
            self.open_reports(surveys, chosen.files);
        } else {
            self.choose_folder(chosen.name, chosen.files);
        }
    }

    fn open_reports(self, surveys: Surveys, files: Vec<File>) {
        leptos::task::spawn_local(async move {
            for file in files {
                let name = file.name();
                let Some(text) = super::reading::text(&file).await else {
                    self.refuse(&format!(
                        "The browser could not read {name}: choose it again."
                    ));
                    continue;
                };
                if opened::holds_survey(&text) {
                    surveys.open_text(&name, &text);
                    if self.view.get_untracked() != View::Theory {
                        self.open_view(View::Survey);
                    }
                    continue;
                }
                match opened::read(&name, &text) {
                    Ok(report) => self.show_report(report),
                    // Where no model is at work, the sentence stands with the reports.
                    Err(sentence) if !self.view.get_untracked().is_live() => {
                        surveys.refuse(sentence);
                    }
                    Err(sentence) => self.fail(Place::Model, sentence),
                }
            }
        });
    }

    fn show_report(self, report: Report) {
        self.change(|exchange, _| exchange.give_up_work());
        self.clear_problems(&Place::ALL);
        self.step();
        let now = self.draft.with_untracked(|draft| draft.model.clone());
        let draft = opened::draft_of(&report, &now);
        let shown = Shown {
            report: Arc::new(report),
            origin: Origin::Opened,
        };
        let parts = &shown.report;
        let mut view = View::Lens;
        if parts.lens.is_some() || parts.prompts.is_some() {
            self.state.shown.set(Some(shown.clone()));
        }
        if parts.lab.is_some() {
            self.state.lab.set(Some(shown.clone()));
            view = View::Orders;
        }
        if !parts.orders.is_empty() {
            self.change(|exchange, _| exchange.give_up_sweep());
            self.state.swept.set(Some(shown.clone()));
            view = View::Orders;
        }
        if let Some(draft) = draft {
            self.state.draft.set(draft);
        }
        self.state.view.set(view);
        self.wake();
        if self.state.is_awake.get_untracked() {
            self.fetch_for_report();
        }
    }

    /// Is the picture that is shown one that the reader opened?
    pub(super) fn shows_report(self) -> bool {
        self.picture().with(|shown| {
            shown
                .as_ref()
                .is_some_and(|shown| shown.origin == Origin::Opened)
        })
    }

    /// Whoever changes the prompt next is answered by the report's own model: it is fetched now, where
    /// it comes with the page. The report's picture stays.
    pub(super) fn fetch_for_report(self) {
        let choice = self.draft.with_untracked(|draft| draft.model.clone());
        let exchange = self.state.exchange;
        if exchange.with_untracked(|x| x.holds(&choice) || x.is_loading(&choice)) {
            return;
        }
        if matches!(choice, Choice::Known(_)) {
            self.state.run_when_loaded.set_value(false);
            self.fetch_model();
        } else {
            self.change(|exchange, _| exchange.unload());
        }
    }
}
