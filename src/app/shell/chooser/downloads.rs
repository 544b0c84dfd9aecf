//! The state of downloads, and the reader's actions on them.

use std::rc::Rc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen_futures::JsFuture;

use super::line::DownloadLine;
use super::opening::recent;
use crate::app::hub::shelf::{KeptModel, Shelf, estimate, storage};
use crate::app::hub::talk::{DownloadRate, HubAsk, StoredModel};
use crate::app::state::{Studio, Surveys, sentence};
use crate::model::catalogue::published::published;
use crate::model::hub::{HubName, MAIN, spell_bytes};

/// Beyond so many bytes a browser is asked to keep what it has.
const LARGE: u64 = 200_000_000;

/// The hub's answer to a name.
#[derive(Clone, Debug, PartialEq)]
pub struct LookedUp {
    pub model: StoredModel,
    pub is_gated: bool,
    /// Other steps with the very same weights.
    pub same: Vec<String>,
}

/// A download under way.
#[derive(Clone, Debug, PartialEq)]
pub struct UnderWay {
    pub model: StoredModel,
    pub done: u64,
    pub rate: DownloadRate,
}

#[derive(Clone, Copy)]
pub struct Downloads {
    pub studio: Studio,
    pub surveys: Surveys,
    /// The name of the page's model.
    pub current: Memo<String>,
    /// Names of models opened of late, newest first.
    pub recent: RwSignal<Vec<String>>,
    /// Models of the hub that this browser keeps, whole or in part.
    pub kept: RwSignal<Vec<KeptModel>>,
    /// Is it known what this browser keeps?
    pub is_shelf_read: RwSignal<bool>,
    /// `used of the free`, where the browser says it.
    pub room: RwSignal<String>,
    /// Key of the line whose button was pressed last: there stands what became of it. Empty before any.
    pub pressed: RwSignal<String>,
    /// Is a name being looked up?
    pub is_asking: RwSignal<bool>,
    pub found: RwSignal<Option<LookedUp>>,
    pub under_way: RwSignal<Option<UnderWay>>,
    /// The failure of the last request, in a sentence; empty where none failed.
    pub problem: RwSignal<String>,
    pub notice: RwSignal<String>,
    /// Why nothing comes for a while; empty while something does.
    pub waiting: RwSignal<String>,
    /// Outcome of the reader's last request, in a sentence.
    pub said: RwSignal<String>,
    pub line: StoredValue<Rc<DownloadLine>, LocalStorage>,
    /// Is the frame wanted in which the worker runs?
    pub has_frame: RwSignal<bool>,
}

impl Downloads {
    /// Begins with nothing asked and nothing fetched, and reads the names of earlier visits.
    pub fn start(studio: Studio, surveys: Surveys) -> Self {
        let current = Memo::new(move |_| studio.draft.with(|draft| draft.model.name().to_owned()));
        Self {
            studio,
            surveys,
            current,
            recent: RwSignal::new(recent()),
            kept: RwSignal::default(),
            is_shelf_read: RwSignal::default(),
            room: RwSignal::default(),
            pressed: RwSignal::default(),
            is_asking: RwSignal::default(),
            found: RwSignal::default(),
            under_way: RwSignal::default(),
            problem: RwSignal::default(),
            notice: RwSignal::default(),
            waiting: RwSignal::default(),
            said: RwSignal::default(),
            line: StoredValue::new_local(Rc::default()),
            has_frame: RwSignal::default(),
        }
    }

    /// Looks again at what is there, without the files that are nobody's.
    pub fn refresh(self) {
        spawn_local(async move {
            if let Some(shelf) = Shelf::open().await {
                shelf.tidy().await;
                let models = shelf.models().await;
                // A line that is drawn anew forgets that its reader is about to delete.
                if self.kept.with_untracked(|kept| *kept != models) {
                    self.kept.set(models);
                }
            }
            self.is_shelf_read.set(true);
            let (used, quota) = estimate().await;
            self.room.set(match quota {
                Some(quota) => format!(
                    "{} used for this page; the browser says that there may be {} more.",
                    spell_bytes(used),
                    spell_bytes(quota.saturating_sub(used))
                ),
                None => String::new(),
            });
        });
    }

    /// Takes back what was said elsewhere: what follows is said at the line with this key.
    pub fn press(self, key: &str) {
        self.clear();
        self.found.set(None);
        self.pressed.set(key.to_owned());
    }

    /// Asks the hub what a name means: the first thing that is asked of it.
    pub fn look_up(self, name: &str, ending: Option<String>) {
        self.clear();
        match HubName::parse(name) {
            Ok(name) => {
                let listed = published().iter().find(|listed| listed.repo == name.repo);
                // The hub may serve a step of the training with the weights of the next, or of the last.
                let beside = listed.and_then(|listed| listed.neighbours(name.revision()));
                let beside = beside.map_or_else(Vec::new, |mut steps| {
                    steps.push(MAIN.to_owned());
                    steps
                });
                self.is_asking.set(true);
                self.ask(HubAsk::LookUp { name: name.to_string(), ending, beside });
            }
            Err(error) => self.fail(&error.to_string()),
        }
    }

    /// Fetches, or goes on. Two quick clicks are one.
    pub fn fetch(self, model: StoredModel) {
        if self.under_way.with_untracked(Option::is_some) {
            return;
        }
        self.clear();
        let rate = DownloadRate::default();
        self.under_way.set(Some(UnderWay { model: model.clone(), done: 0, rate }));
        spawn_local(async move {
            let (used, quota) = estimate().await;
            let kept_bytes = match Shelf::open().await {
                Some(shelf) => shelf.bytes(&model).await,
                None => 0,
            };
            // The worker may have been given up meanwhile.
            let is_wanted = |way: &UnderWay| way.model.is_same(&model);
            if !self.under_way.with_untracked(|way| way.as_ref().is_some_and(is_wanted)) {
                return;
            }
            let needed = model.bytes().saturating_sub(kept_bytes);
            if let Some(quota) = quota.filter(|quota| quota.saturating_sub(used) < needed) {
                let sentence = format!(
                    "{} are needed and {} are free: delete a model, or make room on this machine.",
                    spell_bytes(needed),
                    spell_bytes(quota.saturating_sub(used))
                );
                self.under_way.set(None);
                self.fail(&sentence);
                return;
            }
            self.say(&format!("Fetching {}.", model.title()));
            self.ask(HubAsk::Fetch(model));

            // The download waits for no answer: some browsers ask the reader, and one that does not promise may
            // still keep it.
            if needed > LARGE
                && let Some(persist) = storage().and_then(|storage| storage.persist().ok())
            {
                let _ = JsFuture::from(persist).await;
            }
        });
    }

    /// Stops the download under way; what has come stays.
    pub fn pause(self) {
        self.ask(HubAsk::Pause);
    }

    /// Asks the hub no further.
    pub fn give_up(self) {
        self.ask(HubAsk::GiveUp);
    }

    /// Deletes a model at its commit; what is under way of it is stopped first.
    pub fn remove(self, model: StoredModel) {
        self.clear();
        let is_own = |way: &UnderWay| way.model.is_same(&model);
        if self.under_way.with_untracked(|way| way.as_ref().is_some_and(is_own)) {
            self.pause();
        }
        self.line.with_value(|line| {
            line.in_memory.borrow_mut().retain(|(other, _)| *other != model.name);
        });
        self.ask(HubAsk::Remove(model));
    }

    /// Is a model of this name here, whole, at another commit than this one?
    pub fn has_other(self, model: &StoredModel) -> bool {
        let is_other = |kept: &KeptModel| {
            let other = &kept.model;
            other.name == model.name && other.commit != model.commit && kept.is_whole()
        };
        self.kept.with(|kept| kept.iter().any(is_other))
    }

    fn clear(self) {
        self.problem.set(String::new());
        self.notice.set(String::new());
        self.said.set(String::new());
    }

    /// Says what became of the reader's last request.
    pub fn say(self, sentence: &str) {
        self.said.set(sentence.to_owned());
    }

    /// Says what went wrong, in place of what was said before.
    pub fn fail(self, why: &str) {
        self.said.set(String::new());
        self.problem.set(sentence(why));
    }
}
