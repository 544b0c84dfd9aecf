//! The page's state: the reports that are open, and what of them is looked at.

use std::collections::BTreeSet;
use std::sync::Arc;

use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::File;

use super::address::{self, Address, View};
use super::reading;
use crate::app::browser;
use crate::app::joining::{self, Joined};
use crate::chart::plot::Room;
use crate::study::survey::{Survey, SurveyedOutcome};

/// The survey that comes with the page.
const BAKED: &str = "examples/survey.atelier.json";
const NARROW: &str = "(max-width: 40rem)";

/// A report that is open.
#[derive(Clone, Debug, PartialEq)]
pub struct Opened {
    /// The file's.
    pub name: String,
    /// Told apart from others of that name.
    pub id: u32,
    pub baked: bool,
    pub survey: Arc<Survey>,
}

#[derive(Clone, Copy)]
pub struct Desk {
    pub view: RwSignal<View>,
    pub opened: RwSignal<Vec<Opened>>,
    /// All reports as one; `None` until one is there.
    pub joined: Memo<Option<Arc<Joined>>>,
    /// What of it is ticked.
    pub shown: Memo<Option<Arc<Survey>>>,
    pub hidden_models: RwSignal<BTreeSet<String>>,
    pub hidden_tasks: RwSignal<BTreeSet<String>>,
    /// Names of what the reader chose; what is not there is replaced by the first that is.
    model: RwSignal<String>,
    task: RwSignal<String>,
    /// Whether the rows of the chosen model on the chosen task are open.
    pub rows: RwSignal<bool>,
    pub busy: RwSignal<bool>,
    pub problem: RwSignal<String>,
    /// Said to screen readers, politely.
    pub said: RwSignal<String>,
    /// How much stands side by side.
    pub room: Memo<Room>,
    count: StoredValue<u32>,
}

impl Desk {
    /// Opens what the address names, or the baked survey.
    pub fn start() -> Self {
        let here = Address::here();
        let opened: RwSignal<Vec<Opened>> = RwSignal::new(Vec::new());
        let joined = Memo::new(move |_| {
            opened.with(|opened| {
                let named = opened.iter().map(|one| (one.name.as_str(), &*one.survey));
                joining::join(&named.collect::<Vec<_>>()).map(Arc::new)
            })
        });
        let hidden_models = RwSignal::new(BTreeSet::new());
        let hidden_tasks: RwSignal<BTreeSet<String>> = RwSignal::new(BTreeSet::new());
        let shown = Memo::new(move |_| {
            let joined = joined.get()?;
            let (models, tasks): (BTreeSet<String>, _) = (hidden_models.get(), hidden_tasks.get());
            let part = joining::part(
                &joined.survey,
                |model| !models.contains(model),
                |task| !tasks.contains(task),
            );
            Some(Arc::new(part))
        });
        let narrow = RwSignal::new(browser::matches(NARROW));
        if let Ok(Some(list)) = browser::window().match_media(NARROW) {
            let changed = Closure::<dyn FnMut(web_sys::MediaQueryListEvent)>::new(
                move |event: web_sys::MediaQueryListEvent| narrow.set(event.matches()),
            );
            // The page listens as long as it is open.
            list.set_onchange(Some(changed.into_js_value().unchecked_ref()));
        }
        let desk = Self {
            view: RwSignal::new(here.view),
            opened,
            joined,
            shown,
            hidden_models,
            hidden_tasks,
            model: RwSignal::new(here.model),
            task: RwSignal::new(here.task),
            rows: RwSignal::new(here.rows),
            busy: RwSignal::new(false),
            problem: RwSignal::new(String::new()),
            said: RwSignal::new(String::new()),
            room: Memo::new(move |_| {
                if narrow.get() {
                    Room::NARROW
                } else {
                    Room::wide(2)
                }
            }),
            count: StoredValue::new(0),
        };
        match address::reports() {
            Ok(reports) if reports.is_empty() => desk.open_baked(),
            Ok(reports) => desk.fetch(reports, false),
            Err(sentence) => {
                desk.refuse(sentence);
                desk.open_baked();
            }
        }
        desk.keep_address();
        desk
    }

    /// The chosen model that has numbers, as an index of the survey shown.
    pub fn model(self) -> Option<usize> {
        let shown = self.shown.get()?;
        let has = |model: usize| {
            shown
                .cells
                .iter()
                .any(|c| c.model == model && is_found(&c.outcome))
        };
        let wanted = self
            .model
            .with(|name| shown.models.iter().position(|m| m.name == *name));
        let wanted = wanted.filter(|&model| has(model));
        // Of the apprentices the deepest has most to show.
        wanted.or_else(|| {
            let all = (0..shown.models.len()).filter(|&model| has(model));
            all.max_by_key(|&model| (shown.models[model].members.len(), std::cmp::Reverse(model)))
        })
    }

    /// The chosen task, or the first on which the model has numbers.
    pub fn task(self) -> Option<usize> {
        let shown = self.shown.get()?;
        let wanted = self
            .task
            .with(|name| shown.tasks.iter().position(|t| t.name == *name));
        wanted.or_else(|| {
            let model = self.model()?;
            let two = |options: Option<usize>| options == Some(2);
            let found = shown.cells.iter().filter(|cell| cell.model == model);
            let found = found.filter_map(|cell| match &cell.outcome {
                SurveyedOutcome::Found(found) => Some((cell.task, found.options)),
                SurveyedOutcome::Failed(_) => None,
            });
            // Two options are what all estimators can do most with.
            let first = found.clone().find(|(_, options)| two(*options));
            first.or_else(|| found.clone().next()).map(|(task, _)| task)
        })
    }

    /// Are these the model and the task whose rows are looked at?
    pub fn is_chosen(self, model: &str, task: &str) -> bool {
        let (Some(shown), Some(own_model), Some(own_task)) =
            (self.shown.get(), self.model(), self.task())
        else {
            return false;
        };
        shown.models[own_model].name == model && shown.tasks[own_task].name == task
    }

    pub fn choose_model(self, name: String) {
        self.model.set(name);
    }

    pub fn choose_task(self, name: String) {
        self.task.set(name);
    }

    /// One line under saved drawings: what they are of.
    pub fn source(self) -> String {
        self.opened.with(|opened| {
            let names = opened.iter().map(|one| {
                if one.baked {
                    "the baked survey"
                } else {
                    &one.name
                }
            });
            format!("atelier, from {}", names.collect::<Vec<_>>().join(", "))
        })
    }

    pub fn open_files(self, files: Vec<File>) {
        if files.is_empty() {
            self.refuse(
                "There was no file in it: open a survey.atelier.json that `atelier survey` wrote."
                    .to_owned(),
            );
            return;
        }
        self.busy.set(true);
        self.problem.set(String::new());
        leptos::task::spawn_local(async move {
            for file in files {
                match reading::file(file).await {
                    Ok((name, survey)) => self.add(name, survey, false),
                    Err(sentence) => self.refuse(sentence),
                }
            }
            self.busy.set(false);
        });
    }

    pub fn close(self, id: u32) {
        self.opened
            .update(|opened| opened.retain(|one| one.id != id));
    }

    pub fn open_baked(self) {
        // With the build's id, so that a browser does not show the one it kept of an older build.
        let url = browser::beside(&format!("{BAKED}?v={}", browser::build()));
        self.fetch(vec![("survey.atelier.json".to_owned(), url)], true);
    }

    pub fn refuse(self, sentence: String) {
        self.said.set(sentence.clone());
        self.problem.set(sentence);
    }

    fn fetch(self, reports: Vec<(String, String)>, baked: bool) {
        self.busy.set(true);
        leptos::task::spawn_local(async move {
            for (name, url) in reports {
                match reading::fetched(&name, &url).await {
                    Ok(survey) => self.add(name, survey, baked),
                    Err(sentence) => self.refuse(sentence),
                }
            }
            self.busy.set(false);
        });
    }

    fn add(self, name: String, survey: Survey, baked: bool) {
        self.count.update_value(|count| *count += 1);
        let (models, tasks) = (survey.models.len(), survey.tasks.len());
        self.said
            .set(format!("{name} is open: {models} models, {tasks} tasks."));
        let one = Opened {
            id: self.count.get_value(),
            baked,
            survey: Arc::new(survey),
            name,
        };
        self.opened.update(|opened| opened.push(one));
    }

    /// Keeps address and state in step.
    fn keep_address(self) {
        let address = move || Address {
            view: self.view.get(),
            model: self.model.get(),
            task: self.task.get(),
            rows: self.rows.get(),
        };
        Effect::new(move |before: Option<String>| {
            let fragment = address().fragment();
            // The first address is left as the reader wrote it.
            if before.is_some_and(|before| before != fragment) {
                browser::set_fragment(&fragment);
            }
            fragment
        });
        let changed = window_event_listener(leptos::ev::hashchange, move |_| {
            let here = Address::here();
            self.view.set(here.view);
            if !here.model.is_empty() {
                self.model.set(here.model);
            }
            if !here.task.is_empty() {
                self.task.set(here.task);
                self.rows.set(here.rows);
            }
        });
        on_cleanup(move || changed.remove());
    }
}

pub fn is_found(outcome: &SurveyedOutcome) -> bool {
    matches!(outcome, SurveyedOutcome::Found(_))
}
