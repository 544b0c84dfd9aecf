//! Surveys: the reports that are open, and what of them is looked at.

use std::collections::BTreeSet;
use std::sync::Arc;

use leptos::prelude::*;

use super::reading;
use crate::app::browser;
use crate::app::joining::{self, Joined};
use crate::app::link::{Looking, ShippedSurvey};
use crate::chart::number::counted;
use crate::chart::plot::Room;
use crate::study::survey::{Survey, SurveyedOutcome};

/// The folder of the surveys that come with the page.
const FOLDER: &str = "examples";
const NARROW: &str = "(max-width: 40rem)";

/// A survey that is open.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenSurvey {
    /// The file's.
    pub name: String,
    /// Told apart from others of that name.
    pub id: u32,
    /// Which of the page's own it is; `None` for one that the reader opened.
    pub shipped: Option<ShippedSurvey>,
    pub survey: Arc<Survey>,
}

#[derive(Clone, Copy)]
pub struct Surveys {
    pub looking: RwSignal<Looking>,
    pub opened: Signal<Vec<OpenSurvey>>,
    /// Which of the page's own surveys is chosen.
    pub shipped: Memo<ShippedSurvey>,
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

#[derive(Clone, Copy, Default)]
struct SurveyState {
    opened: RwSignal<Vec<OpenSurvey>>,
    busy: RwSignal<bool>,
    problem: RwSignal<String>,
    said: RwSignal<String>,
    count: StoredValue<u32>,
    is_awake: StoredValue<bool>,
    /// Which of the page's own surveys is on its way.
    coming: StoredValue<Option<ShippedSurvey>>,
}

impl Surveys {
    /// With nothing open yet: that waits until a view wants it.
    pub fn start(looking: Looking) -> Self {
        let (state, looking) = (SurveyState::default(), RwSignal::new(looking));
        let joined = Memo::new(move |_| {
            state.opened.with(|opened| {
                let named = opened.iter().map(|one| (one.name.as_str(), &*one.survey));
                joining::join(&named.collect::<Vec<_>>()).map(Arc::new)
            })
        });
        let hidden_models =
            Memo::new(move |_| looking.with(|looking| looking.hidden_models.clone()));
        let hidden_tasks = Memo::new(move |_| looking.with(|looking| looking.hidden_tasks.clone()));
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
        let narrow = browser::matching(NARROW);
        let surveys = Self {
            looking,
            opened: state.opened.into(),
            shipped: Memo::new(move |_| looking.with(|looking| looking.shipped)),
            joined,
            shown,
            hidden_models,
            hidden_tasks,
            busy: state.busy.into(),
            problem: state.problem.into(),
            said: state.said.into(),
            room: Memo::new(move |_| if narrow.get() { Room::NARROW } else { Room::wide(2) }),
            state,
        };
        // Another one that is chosen, here or by the address, takes the place of that which is open.
        Effect::new(move |before: Option<ShippedSurvey>| {
            let now = surveys.shipped.get();
            if before.is_some_and(|before| before != now) && surveys.has_other(now) {
                surveys.open_baked();
            }
            now
        });
        surveys
    }

    /// Whether one of the page's own surveys is open or on its way, and is not this one.
    fn has_other(self, now: ShippedSurvey) -> bool {
        let is_other = |shipped: Option<ShippedSurvey>| shipped.is_some_and(|one| one != now);
        match self.state.coming.get_value() {
            None => {
                self.state.opened.with_untracked(|all| all.iter().any(|one| is_other(one.shipped)))
            }
            coming => is_other(coming),
        }
    }

    /// Whether one of the page's own surveys is open.
    fn has_shipped(self) -> bool {
        self.state.opened.with_untracked(|all| all.iter().any(|one| one.shipped.is_some()))
    }

    /// Chooses one of the page's own surveys, and opens it.
    pub fn choose_shipped(self, shipped: ShippedSurvey) {
        let is_open = self.has_shipped() || self.state.coming.get_value().is_some();
        self.state.problem.set(String::new());
        self.looking.update(|looking| *looking = looking.with_shipped(shipped));
        if !is_open {
            self.expect(false);
            self.open_baked();
        }
    }

    /// Opens the page's own survey, the first time a view wants one and no other came.
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

    /// Opens the rows of a model on a task.
    pub fn open_rows(self, model: &str, task: &str) {
        self.looking.update(|looking| {
            looking.model = model.to_owned();
            looking.task = task.to_owned();
            looking.rows = true;
        });
        self.state.said.set(format!("Rows of {model} on {task} are below the table."));
    }

    /// The reports that are open, as a sentence names them.
    pub fn names(self) -> String {
        self.opened.with(|opened| {
            let names = opened
                .iter()
                .map(|one| one.shipped.map_or(one.name.as_str(), |shipped| shipped.title()));
            names.collect::<Vec<_>>().join(", ")
        })
    }

    /// One line under saved drawings: what they are of.
    pub fn source(self) -> String {
        format!("atelier, from {}", self.names())
    }

    /// Opens the text of a report that holds a survey, or says why not.
    pub(super) fn open_text(self, name: &str, text: &str) {
        self.state.problem.set(String::new());
        match reading::survey(name, text) {
            Ok(survey) => self.add(name.to_owned(), survey, None),
            Err(sentence) => self.refuse(sentence),
        }
    }

    pub fn close(self, id: u32) {
        self.state.opened.update(|opened| opened.retain(|one| one.id != id));
    }

    /// Fetches and opens that of the page's own surveys which is chosen; the other one is closed then.
    pub fn open_baked(self) {
        let shipped = self.looking.with_untracked(|looking| looking.shipped);
        let name = shipped.file();
        // With the build's id, so that a browser does not show the one it kept of an older build.
        let url = browser::beside(&format!("{FOLDER}/{name}?v={}", browser::build()));
        self.state.coming.set_value(Some(shipped));
        self.state.busy.set(true);
        leptos::task::spawn_local(async move {
            let fetched = reading::fetched(name, &url).await;
            // Another one was chosen meanwhile.
            if self.state.coming.get_value() != Some(shipped) {
                return;
            }
            self.state.coming.set_value(None);
            match fetched {
                Ok(survey) => self.add(name.to_owned(), survey, Some(shipped)),
                Err(sentence) => self.refuse(sentence),
            }
            self.state.busy.set(false);
        });
    }

    pub fn refuse(self, sentence: String) {
        self.state.said.set(sentence.clone());
        self.state.problem.set(sentence);
    }

    fn add(self, name: String, survey: Survey, shipped: Option<ShippedSurvey>) {
        self.state.count.update_value(|count| *count += 1);
        let models = counted(survey.models.len(), "model");
        let tasks = counted(survey.tasks.len(), "task");
        self.state.said.set(format!("{name} is open: {models}, {tasks}."));
        let id = self.state.count.get_value();
        let one = OpenSurvey { id, shipped, survey: Arc::new(survey), name };
        self.state.opened.update(|opened| {
            if shipped.is_none() {
                opened.push(one);
            } else {
                // First, so that the reader's models keep their names beside it.
                opened.retain(|other| other.shipped.is_none());
                opened.insert(0, one);
            }
        });
    }
}

pub fn is_found(outcome: &SurveyedOutcome) -> bool {
    matches!(outcome, SurveyedOutcome::Found(_))
}
