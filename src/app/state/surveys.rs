//! Surveys: the reports that are open, and what of them is looked at.

use std::collections::BTreeSet;
use std::sync::Arc;

use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use super::reading;
use crate::app::browser;
use crate::app::joining::{self, Joined};
use crate::app::link::Looking;
use crate::chart::number::counted;
use crate::chart::plot::Room;
use crate::study::survey::{Survey, SurveyedOutcome};

/// The survey that comes with the page.
const BAKED: &str = "examples/survey.atelier.json";
const NARROW: &str = "(max-width: 40rem)";

/// A survey that is open.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenSurvey {
    /// The file's.
    pub name: String,
    /// Told apart from others of that name.
    pub id: u32,
    pub baked: bool,
    pub survey: Arc<Survey>,
}

#[derive(Clone, Copy)]
pub struct Surveys {
    pub looking: Signal<Looking>,
    pub opened: Signal<Vec<OpenSurvey>>,
    /// All reports as one; `None` until one is there.
    pub joined: Memo<Option<Arc<Joined>>>,
    /// Its ticked models and tasks.
    pub shown: Memo<Option<Arc<Survey>>>,
    pub hidden_models: Memo<BTreeSet<String>>,
    pub hidden_tasks: Memo<BTreeSet<String>>,
    pub busy: Signal<bool>,
    pub problem: Signal<String>,
    /// Said to screen readers, politely.
    pub said: Signal<String>,
    /// How much stands side by side.
    pub room: Memo<Room>,
    state: SurveyState,
}

#[derive(Clone, Copy)]
struct SurveyState {
    looking: RwSignal<Looking>,
    opened: RwSignal<Vec<OpenSurvey>>,
    busy: RwSignal<bool>,
    problem: RwSignal<String>,
    said: RwSignal<String>,
    count: StoredValue<u32>,
    is_awake: StoredValue<bool>,
}

impl Surveys {
    /// With nothing open yet: that waits until a view wants it.
    pub fn start(looking: Looking) -> Self {
        let state = SurveyState {
            looking: RwSignal::new(looking),
            opened: RwSignal::new(Vec::new()),
            busy: RwSignal::new(false),
            problem: RwSignal::new(String::new()),
            said: RwSignal::new(String::new()),
            count: StoredValue::new(0),
            is_awake: StoredValue::new(false),
        };
        let joined = Memo::new(move |_| {
            state.opened.with(|opened| {
                let named = opened.iter().map(|one| (one.name.as_str(), &*one.survey));
                joining::join(&named.collect::<Vec<_>>()).map(Arc::new)
            })
        });
        let hidden_models =
            Memo::new(move |_| state.looking.with(|looking| looking.hidden_models.clone()));
        let hidden_tasks =
            Memo::new(move |_| state.looking.with(|looking| looking.hidden_tasks.clone()));
        let shown = Memo::new(move |_| {
            let joined = joined.get()?;
            let (models, tasks): (BTreeSet<String>, BTreeSet<String>) =
                (hidden_models.get(), hidden_tasks.get());
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
        Self {
            looking: state.looking.into(),
            opened: state.opened.into(),
            joined,
            shown,
            hidden_models,
            hidden_tasks,
            busy: state.busy.into(),
            problem: state.problem.into(),
            said: state.said.into(),
            room: Memo::new(move |_| if narrow.get() { Room::NARROW } else { Room::wide(2) }),
            state,
        }
    }

    /// Opens the baked survey, the first time a view wants one and no other came.
    pub fn wake(self) {
        if !self.state.is_awake.get_value() {
            self.state.is_awake.set_value(true);
            self.open_baked();
        }
    }

    /// Names of the models that are shown.
    pub fn shown_models(self) -> Vec<String> {
        let shown = self.shown.get();
        let models = shown.iter().flat_map(|survey| &survey.models);
        models.map(|model| model.name.clone()).collect()
    }

    /// None of what came was for surveys: the baked one is wanted when a view is.
    pub(super) fn rest(self) {
        self.state.is_awake.set_value(false);
    }

    /// A survey comes, or one that came cannot be opened: the baked one is not wanted.
    pub(super) fn expect(self, busy: bool) {
        self.state.is_awake.set_value(true);
        self.state.busy.set(busy);
    }

    /// Changes what is looked at.
    pub fn look(self, change: impl FnOnce(&mut Looking)) {
        self.state.looking.update(change);
    }

    /// The chosen model that has numbers, as an index of the survey shown.
    pub fn model(self) -> Option<usize> {
        let shown = self.shown.get()?;
        let has =
            |model: usize| shown.cells.iter().any(|c| c.model == model && is_found(&c.outcome));
        let name = self.looking.with(|looking| looking.model.clone());
        let wanted = shown.models.iter().position(|m| m.name == name);
        let wanted = wanted.filter(|&model| has(model));
        // Of the scholars the deepest has most to show.
        wanted.or_else(|| {
            let all = (0..shown.models.len()).filter(|&model| has(model));
            all.max_by_key(|&model| (shown.models[model].members.len(), std::cmp::Reverse(model)))
        })
    }

    /// The chosen task, or the first on which the model has numbers.
    pub fn task(self) -> Option<usize> {
        let shown = self.shown.get()?;
        let name = self.looking.with(|looking| looking.task.clone());
        let wanted = shown.tasks.iter().position(|t| t.name == name);
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
        self.look(|looking| looking.model = name);
    }

    pub fn choose_task(self, name: String) {
        self.look(|looking| looking.task = name);
    }

    /// Opens the rows of a model on a task.
    pub fn open_rows(self, model: &str, task: &str) {
        self.look(|looking| {
            looking.model = model.to_owned();
            looking.task = task.to_owned();
            looking.rows = true;
        });
        self.state.said.set(format!("Rows of {model} on {task} are below the table."));
    }

    /// One line under saved drawings: what they are of.
    pub fn source(self) -> String {
        self.opened.with(|opened| {
            let names = opened
                .iter()
                .map(|one| if one.baked { "the precomputed survey" } else { &one.name });
            format!("atelier, from {}", names.collect::<Vec<_>>().join(", "))
        })
    }

    /// Opens the text of a report that holds a survey, or says why not.
    pub(super) fn open_text(self, name: &str, text: &str) {
        self.state.problem.set(String::new());
        match reading::survey(name, text) {
            Ok(survey) => self.add(name.to_owned(), survey, false),
            Err(sentence) => self.refuse(sentence),
        }
    }

    pub fn close(self, id: u32) {
        self.state.opened.update(|opened| opened.retain(|one| one.id != id));
    }

    pub fn open_baked(self) {
        // With the build's id, so that a browser does not show the one it kept of an older build.
        let url = browser::beside(&format!("{BAKED}?v={}", browser::build()));
        let name = "survey.atelier.json";
        self.state.busy.set(true);
        leptos::task::spawn_local(async move {
            match reading::fetched(name, &url).await {
                Ok(survey) => self.add(name.to_owned(), survey, true),
                Err(sentence) => self.refuse(sentence),
            }
            self.state.busy.set(false);
        });
    }

    pub fn refuse(self, sentence: String) {
        self.state.said.set(sentence.clone());
        self.state.problem.set(sentence);
    }

    fn add(self, name: String, survey: Survey, baked: bool) {
        self.state.count.update_value(|count| *count += 1);
        let models = counted(survey.models.len(), "model");
        let tasks = counted(survey.tasks.len(), "task");
        self.state.said.set(format!("{name} is open: {models}, {tasks}."));
        let one =
            OpenSurvey { id: self.state.count.get_value(), baked, survey: Arc::new(survey), name };
        self.state.opened.update(|opened| opened.push(one));
    }
}

pub fn is_found(outcome: &SurveyedOutcome) -> bool {
    matches!(outcome, SurveyedOutcome::Found(_))
}
