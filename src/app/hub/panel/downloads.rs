//! The state of downloads, and the reader's actions on them.

use std::rc::Rc;

use leptos::prelude::*;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::File;

use super::device::estimate;
use super::hands::DownloadHands;
use super::page::PageLine;
use crate::app::browser;
use crate::app::hub::budget::{Budget, DeviceWords};
use crate::app::hub::shelf::{KeptModel, Shelf, storage};
use crate::app::hub::talk::{DownloadRate, HubAsk, StoredModel};
use crate::model::hub::{HubAddress, HubName, spell_bytes};

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

#[derive(Clone, Copy, Default)]
pub struct Downloads {
    pub line: PageLine,
    /// The hub's host, for people.
    pub host: StoredValue<String>,
    pub address: StoredValue<Option<HubAddress>>,
    pub budget: StoredValue<Option<Budget>>,
    pub kept: RwSignal<Vec<KeptModel>>,
    /// `used of the free`, where the browser says it.
    pub room: RwSignal<String>,
    /// Key of the line whose button was pressed last: there stands what became of it. Empty before any.
    pub pressed: RwSignal<String>,
    /// The name that is being looked up.
    pub asked: RwSignal<Option<String>>,
    pub found: RwSignal<Option<LookedUp>>,
    pub under_way: RwSignal<Option<UnderWay>>,
    /// About which name, and one sentence.
    pub problem: RwSignal<Option<(String, String)>>,
    pub notice: RwSignal<String>,
    /// Why nothing comes for a while; empty while something does.
    pub waiting: RwSignal<String>,
    /// Outcome of the reader's last request, in a sentence.
    pub said: RwSignal<String>,
    hands: StoredValue<Rc<DownloadHands>, LocalStorage>,
}

impl Downloads {
    pub fn start(line: PageLine) -> Self {
        let address = HubAddress::parse(&browser::meta("atelier-hub")).ok();
        let host = address.as_ref().map_or("", |hub| hub.host()).to_owned();
        let downloads = Self {
            line,
            host: StoredValue::new(host),
            address: StoredValue::new(address),
            budget: StoredValue::new(DeviceWords::here().budget()),
            ..Self::default()
        };
        downloads.refresh();
        downloads
    }

    /// Looks again at what is there, without the files that are nobody's.
    pub fn refresh(self) {
        wasm_bindgen_futures::spawn_local(async move {
            if let Some(shelf) = Shelf::open().await {
                shelf.tidy().await;
                let models = shelf.models().await;
                // A line that is drawn anew forgets that its reader is about to delete.
                if self.kept.with_untracked(|kept| *kept != models) {
                    self.kept.set(models);
                }
            }
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
                let name = name.to_string();
                self.asked.set(Some(name.clone()));
                self.ask(HubAsk::LookUp { name, ending });
            }
            Err(error) => self.fail(name.to_owned(), &error.to_string()),
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
        wasm_bindgen_futures::spawn_local(async move {
            let (used, quota) = estimate().await;
            let kept_bytes = match Shelf::open().await {
                Some(shelf) => shelf.bytes(&model).await,
                None => 0,
            };
            let needed = model.bytes().saturating_sub(kept_bytes);
            if let Some(quota) = quota.filter(|quota| quota.saturating_sub(used) < needed) {
                let sentence = format!(
                    "{} are needed and {} are free: delete a model, or make room on this machine.",
                    spell_bytes(needed),
                    spell_bytes(quota.saturating_sub(used))
                );
                self.under_way.set(None);
                self.fail(model.name, &sentence);
                return;
            }
            self.say(&format!("Fetching {}.", model.title()));
            self.ask(HubAsk::Fetch { model });

            // The download waits for no answer: some browsers ask the reader, and one that does not promise may
            // still keep it.
            if needed > LARGE
                && let Some(persist) = storage().and_then(|storage| storage.persist().ok())
            {
                let _ = JsFuture::from(persist).await;
            }
        });
    }

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
        self.hands().in_memory.borrow_mut().retain(|(other, _)| *other != model.name);
        self.ask(HubAsk::Remove { model });
    }

    /// Is a model of this name here, whole, at another commit than this one?
    pub fn has_other(self, model: &StoredModel) -> bool {
        let is_other = |kept: &KeptModel| {
            let other = &kept.model;
            other.name == model.name && other.commit != model.commit && kept.is_whole()
        };
        self.kept.with(|kept| kept.iter().any(is_other))
    }

    /// Hands a model that is there to the page.
    pub fn open(self, name: String) {
        self.problem.set(None);
        wasm_bindgen_futures::spawn_local(async move {
            match self.files(&name).await {
                Some(files) => {
                    self.line.remember(&name);
                    self.line.open_files(&name, &files);
                }
                None => {
                    // Its own line goes, and takes along what stands there.
                    self.press("");
                    self.fail(name, "Its files are not all there any more: fetch it again.");
                    self.refresh();
                }
            }
        });
    }

    /// Hands a model to the page where the page asks, without the reader; tells the page if it is not there.
    pub fn open_if_there(self, name: String) {
        wasm_bindgen_futures::spawn_local(async move {
            match self.files(&name).await {
                Some(files) => self.line.open_files(&name, &files),
                None => self.line.tell("none", &[JsValue::from_str(&name)]),
            }
        });
    }

    async fn files(self, name: &str) -> Option<Vec<File>> {
        let hands = self.hands();
        let in_memory = hands.in_memory.borrow().iter().find(|(other, _)| other == name).cloned();
        match in_memory {
            Some((_, files)) => Some(files),
            None => Shelf::open().await?.files(name).await,
        }
    }

    pub fn hands(self) -> Rc<DownloadHands> {
        self.hands.get_value()
    }

    fn clear(self) {
        self.problem.set(None);
        self.notice.set(String::new());
        self.said.set(String::new());
    }

    pub fn say(self, sentence: &str) {
        self.said.set(sentence.to_owned());
    }

    pub fn fail(self, name: String, sentence: &str) {
        let sentence = crate::app::state::sentence(sentence);
        self.said.set(String::new());
        self.problem.set(Some((name, sentence)));
    }
}
