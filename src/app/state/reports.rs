//! Files that come from outside: a model, or a report of any kind. What a file is, its content says.

use std::sync::Arc;

use leptos::prelude::*;
use web_sys::File;

use super::shown::{Origin, Place, Shown};
use super::studio::WhenLoaded;
use super::{Studio, Surveys, reading};
use crate::app::files::Chosen;
use crate::app::link::{Choice, Draft, Link, View};
use crate::app::opened::Showable;
use crate::app::served::{self, ServedFolder};
use crate::app::{at_hand, browser, examples, first_picture, opened};
use crate::study::coupling::ModelsCoupling;
use crate::study::report::Report;

impl Studio {
    /// Opens what was chosen or dropped: reports where only JSON came that no model is made of, and
    /// else a model.
    pub fn open_files(self, surveys: Surveys, chosen: Chosen) {
        self.clear_problems(&[Place::Address]);
        let is_report = |file: &File| {
            let name = file.name();
            name.ends_with(".json") && !opened::is_of_a_model(&name)
        };
        if chosen.files.is_empty() {
            let sentence = "There were no files in it: open a model's folder, its files, or a report that atelier wrote.";
            self.refuse_report(surveys, Place::Model, sentence.to_owned());
        } else if chosen.files.iter().all(is_report) {
            self.open_reports(surveys, chosen.files);
        } else {
            self.choose_folder(chosen.name, chosen.files);
        }
    }

    /// Opens what the address names beside the view: reports (`?report=`), the folder of a model that is served
    /// beside the page (`?model=`), and the list of those at hand (`?models=`). Whatever comes after the `#` goes before
    /// what they say.
    pub fn open_linked(self, surveys: Surveys) {
        let is_bare = browser::fragment().trim_start_matches('#').is_empty();
        match served::linked() {
            None => {}
            Some(Ok(folder)) => {
                self.hands().served.borrow_mut().push(folder.clone());
                self.hands().first.replace(Some(folder));
                if is_bare {
                    let draft = self.start_link().draft.unwrap_or_else(examples::first);
                    self.state.shown.set(Shown::first_of(&draft));
                    self.state.draft.set(draft);
                }
            }
            Some(Err(sentence)) => self.fail(Place::Address, sentence),
        }
        let refuse = |sentence| self.fail(Place::Address, sentence);
        let at_hand = served::at_hand().and_then(|folder| folder.map_err(refuse).ok());
        match reading::linked() {
            Ok(reports) if reports.is_empty() => {
                if let Some(folder) = at_hand {
                    self.state.is_coming.set(true);
                    leptos::task::spawn_local(async move {
                        self.list(&folder, is_bare).await;
                        self.state.is_coming.set(false);
                    });
                }
            }
            Ok(reports) => {
                self.state.is_coming.set(true);
                surveys.expect(true);
                leptos::task::spawn_local(async move {
                    if let Some(folder) = at_hand {
                        self.list(&folder, false).await;
                    }
                    let mut is_survey = false;
                    for (name, url) in reports {
                        let text = reading::fetched_text(&name, &url).await;
                        is_survey |= self.open_text(surveys, &name, text, Place::Address, is_bare);
                    }
                    surveys.expect(false);
                    if !is_survey {
                        surveys.rest();
                    }
                    // Only now, so that no model is fetched that the report does not want.
                    self.state.is_coming.set(false);
                });
            }
            Err(sentence) => self.refuse_report(surveys, Place::Address, sentence),
        }
    }

    /// Lists the models of this machine. Where its server is no longer the one that the address speaks of, a page with
    /// nothing else asked begins as elsewhere.
    async fn list(self, folder: &ServedFolder, is_bare: bool) {
        const LIST: &str = "models.json";
        let url = format!("{}{LIST}", folder.url);
        let text = reading::fetched_text(LIST, &url).await.ok();
        let Some(models) = text.and_then(|text| at_hand::read(&text).ok()) else {
            let sentence = "The models of this machine could not be listed: open the page by the address that `cargo xtask \
                            serve` or `atelier open` printed last.";
            self.fail(Place::Address, sentence.to_owned());
            if is_bare && let Some(first) = self.hands().first.take() {
                self.hands().served.borrow_mut().clear();
                // What the reader asked meanwhile stays.
                let first = Choice::Folder(first.name);
                if self.draft.with_untracked(|draft| draft.model == first) {
                    self.state.begins.set_value(false);
                    self.state.draft.set(first_picture::draft());
                }
            }
            return;
        };
        let folders = models.iter().map(|model| folder.inner(&model.name));
        self.hands().served.borrow_mut().extend(folders);
        self.state.at_hand.set(models);
    }

    /// The page's start: on the model that the address names beside the view, where it names one, with an example that
    /// it reads.
    pub(super) fn start_link(self) -> Link {
        let mut link = Link::start();
        let hands = self.hands();
        if let Some(first) = &*hands.first.borrow() {
            let model = Choice::Folder(first.name.clone());
            let is_held = self.state.exchange.with_untracked(|exchange| exchange.holds(&model));
            let is_scholar = is_held && self.english.with_untracked(Vec::is_empty);
            let example = if is_scholar { &examples::ALL[0] } else { &examples::PLAIN };
            link.draft = Some(example.draft(model));
            self.state.begins.set_value(!is_held);
        }
        link
    }

    /// Are reports on their way that the address names?
    pub fn awaits_reports(self) -> bool {
        self.state.is_coming.get()
    }

    /// Shows a report, and says whether it is one that surveys have to show. One that was chosen or dropped, whose
    /// problems stand at the model, is a step that going back undoes; one that the address names is no step away from
    /// that address, and goes where it is shown only if the address `is_bare`.
    fn open_text(
        self,
        surveys: Surveys,
        name: &str,
        text: Result<String, String>,
        place: Place,
        is_bare: bool,
    ) -> bool {
        let view = self.view.get_untracked();
        let (is_live, is_step) = (view.is_live(), place == Place::Model);
        let text = match text {
            Ok(text) => text,
            Err(sentence) => {
                self.refuse_report(surveys, place, sentence);
                return !is_live;
            }
        };

        // 1. Surveys have their own reader.
        let holds_survey = opened::holds_survey(&text);
        if holds_survey == Some(true) {
            surveys.open_text(name, &text);
            match is_step {
                true if view != View::Theory => self.open_view(View::Survey),
                false if is_bare => self.show_view(View::Survey),
                _ => {}
            }
            return true;
        }

        // 2. All other reports.
        let read = opened::read_any(name, &text);
        if is_step && read.is_ok() {
            self.step();
        }
        match read {
            Ok(Showable::Models(models)) => {
                self.show_models(*models, is_bare);
                false
            }
            Ok(Showable::Report(report)) => {
                // A link that was changed since says what is asked now.
                let tokens = self.coupling.with_untracked(|settings| settings.tokens);
                let is_asked = |draft: &Draft| opened::is_asked(&report, draft, tokens);
                if is_bare || is_live && self.draft.with_untracked(is_asked) {
                    self.show_report(*report, !is_bare);
                }
                false
            }
            Err(sentence) => {
                self.refuse_report(surveys, place, sentence);
                !is_live && holds_survey.is_none()
            }
        }
    }

    /// Says what is wrong with something that was opened: beside the reports, where they are shown, else at `place`.
    pub fn refuse_report(self, surveys: Surveys, place: Place, sentence: String) {
        if self.view.get_untracked().is_of_surveys() {
            surveys.refuse(sentence);
        } else {
            self.fail(place, sentence);
        }
    }

    fn open_reports(self, surveys: Surveys, files: Vec<File>) {
        leptos::task::spawn_local(async move {
            for file in files {
                let text = reading::text(&file).await;
                self.open_text(surveys, &file.name(), text, Place::Model, true);
            }
        });
    }

    /// Shows a report. Of couplings, an address that says more than which report it is keeps what it
    /// says: the view, the prompt, what is looked at and which points are taken away.
    fn show_report(self, report: Report, keeps: bool) {
        self.change(|exchange, _| exchange.give_up_work());
        self.clear_problems(&Place::ALL);
        let mut now = self.draft.get_untracked();
        let mut draft = opened::draft_of(&report, &now.model);
        // A report without a prompt continues with its model, but takes no place of one that the reader opened.
        let own = opened::model_of(&report, &now.model);
        let is_readers =
            matches!(now.model, Choice::Folder(_)) && !untrack(|| self.is_absent.get());
        if draft.is_none() && !is_readers && now.model != own && self.needs_no_help(&own) {
            now.ask(own);
            self.state.draft.set(now.clone());
        }
        let shown = Shown {
            report: Arc::new(report),
            origin: Origin::Opened { beside: draft.is_none().then_some(now) },
        };
        let parts = &shown.report;
        let mut view = View::Lens;
        // Where its first picture stands, if not at the top.
        let mut title = None;
        if parts.lens.is_some() || parts.prompts.is_some() {
            self.state.asked.set(None);
            self.state.shown.set(Some(shown.clone()));
        }
        if parts.lab.is_some() {
            self.state.lab.set(Some(shown.clone()));
            view = View::Orders;
        }
        if parts.parts.is_some() {
            self.state.parts.set(Some(shown.clone()));
            title = Some("parts-title");
        }
        let slots = [
            (parts.orders.is_empty(), self.state.swept),
            (parts.need.is_empty(), self.state.needed),
        ];
        for (_, slot) in slots.into_iter().filter(|(is_empty, _)| !is_empty) {
            self.change(|exchange, _| exchange.give_up_sweep());
            slot.set(Some(shown.clone()));
            view = View::Orders;
            title = Some("sweeps-title");
        }
        if let Some(coupling) = &parts.coupling {
            let tokens = opened::compared(coupling);
            self.state.compared.set(Some(tokens));
            self.coupling.update(|settings| {
                if !keeps {
                    settings.forget_places();
                }
                settings.tokens = tokens;
            });
            self.state.coupled.set(Some(shown.clone()));
            view = View::Coupling;
        }
        if !parts.task_coupling.is_empty() {
            self.change(|exchange, _| exchange.give_up_sweep());
            self.state.coupled_rows.set(Some(shown.clone()));
            if !keeps {
                self.coupling.update(|settings| settings.out.clear());
            }
            view = View::Coupling;
            title = Some("cost-title");
        }
        if keeps && view == View::Coupling {
            (draft, view) = (None, self.view.get_untracked());
        }
        if let Some(mut draft) = draft {
            // A coupling is of no options: the reader's stay, and nobody says which is right.
            if draft.options.is_empty() {
                draft.options = self.draft.with_untracked(|now| now.options.clone());
            }
            self.state.draft.set(draft);
        }
        self.state.view.set(view);
        if let Some(title) = title.filter(|_| !keeps) {
            browser::show_soon(title);
        }
        self.wake();
        if self.state.is_awake.get_untracked() {
            self.fetch_for_report();
        }
    }

    /// Can the model be loaded without the reader's help?
    fn needs_no_help(self, choice: &Choice) -> bool {
        match choice {
            Choice::Known(_) => true,
            Choice::Folder(name) => self.hands().can_open(name),
        }
    }

    /// Holds several models' couplings, and goes there where nothing else is asked.
    fn show_models(self, models: ModelsCoupling, is_asked: bool) {
        self.clear_problems(&Place::ALL);
        self.state.coupled_models.set(Some(Arc::new(models)));
        if is_asked {
            self.coupling.update(|settings| settings.out.clear());
            self.show_view(View::Coupling);
        }
    }

    /// Is the picture that is shown one that the reader opened?
    pub(super) fn shows_report(self) -> bool {
        self.picture().with(|shown| {
            shown.as_ref().is_some_and(|shown| matches!(shown.origin, Origin::Opened { .. }))
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
        if self.needs_no_help(&choice) {
            self.state.when_loaded.set_value(WhenLoaded::Nothing);
            self.fetch_model();
        } else {
            self.change(|exchange, _| exchange.unload());
        }
    }
}
