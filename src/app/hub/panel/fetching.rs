//! The panel's end of the download worker, and what is known of downloads.

use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{File, MessageEvent, Worker, WorkerOptions, WorkerType};

use super::page::PageLine;
use crate::app::hub::budget::{Budget, DeviceWords};
use crate::app::hub::shelf::{KeptModel, Shelf, get, storage};
use crate::app::hub::talk::{HubAsk, HubTell, StoredModel};
use crate::app::{browser, client};
use crate::model::hub::{HubAddress, HubName, spell_bytes};

/// Beyond so many bytes a browser is asked to keep what it has.
const LARGE: u64 = 200_000_000;

/// What the hub says of a name.
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
    pub name: String,
    pub done: u64,
    pub total: u64,
    /// When the first bytes came, and how many were there: what came before costs no time.
    began: Option<(f64, u64)>,
    pub rate: Option<f64>,
}

#[derive(Clone, Copy)]
pub struct Downloads {
    line: PageLine,
    /// The hub's host, for people.
    pub host: StoredValue<String>,
    pub address: StoredValue<Option<HubAddress>>,
    pub budget: StoredValue<Option<Budget>>,
    pub kept: RwSignal<Vec<KeptModel>>,
    /// `used of the free`, where the browser says it.
    pub room: RwSignal<String>,
    /// The name that is being looked up.
    pub asked: RwSignal<Option<String>>,
    pub found: RwSignal<Option<LookedUp>>,
    pub under_way: RwSignal<Option<UnderWay>>,
    /// About which name, and one sentence.
    pub problem: RwSignal<Option<(String, String)>>,
    pub notice: RwSignal<String>,
    pub said: RwSignal<String>,
    hands: StoredValue<Rc<DownloadHands>, LocalStorage>,
}

#[derive(Default)]
struct DownloadHands {
    worker: RefCell<Option<Worker>>,
    /// What was asked before the worker listened.
    waiting: RefCell<Vec<HubAsk>>,
    is_ready: std::cell::Cell<bool>,
    /// Models of a browser that keeps no files.
    in_memory: RefCell<Vec<(String, Vec<File>)>>,
}

impl Downloads {
    pub fn start(line: PageLine) -> Self {
        let address = HubAddress::parse(&meta("atelier-hub")).ok();
        let host = address.as_ref().map_or("", |hub| hub.host()).to_owned();
        let downloads = Self {
            line,
            host: StoredValue::new(host),
            address: StoredValue::new(address),
            budget: StoredValue::new(device().budget()),
            kept: RwSignal::default(),
            room: RwSignal::default(),
            asked: RwSignal::default(),
            found: RwSignal::default(),
            under_way: RwSignal::default(),
            problem: RwSignal::default(),
            notice: RwSignal::default(),
            said: RwSignal::default(),
            hands: StoredValue::new_local(Rc::default()),
        };
        downloads.refresh();
        downloads
    }

    /// Looks again at what is there.
    pub fn refresh(self) {
        wasm_bindgen_futures::spawn_local(async move {
            if let Some(shelf) = Shelf::open().await {
                self.kept.set(shelf.models().await);
            }
            let (used, quota) = estimate().await;
            self.room.set(match quota {
                Some(quota) => format!(
                    "{} used, {} free for this page.",
                    spell_bytes(used),
                    spell_bytes(quota.saturating_sub(used))
                ),
                None => String::new(),
            });
        });
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

    /// Fetches, or goes on.
    pub fn fetch(self, model: StoredModel) {
        self.clear();
        wasm_bindgen_futures::spawn_local(async move {
            let (used, quota) = estimate().await;
            let there = self.kept.get_untracked();
            let there = there.iter().find(|kept| kept.model.name == model.name);
            let needed = model.bytes() - there.map_or(0, |kept| kept.bytes.min(model.bytes()));
            if let Some(quota) = quota.filter(|quota| quota.saturating_sub(used) < needed) {
                let sentence = format!(
                    "{} are needed and {} are free: delete a model, or make room on this machine.",
                    spell_bytes(needed),
                    spell_bytes(quota.saturating_sub(used))
                );
                self.fail(model.name, &sentence);
                return;
            }
            if needed > LARGE
                && let Some(persist) = storage().and_then(|storage| storage.persist().ok())
            {
                // Whatever it answers: a browser that does not promise may still keep it.
                let _ = JsFuture::from(persist).await;
            }
            self.under_way.set(Some(UnderWay {
                name: model.name.clone(),
                done: 0,
                total: model.bytes(),
                began: None,
                rate: None,
            }));
            self.say(&format!("Fetching {}.", model.title()));
            self.ask(HubAsk::Fetch { model });
        });
    }

    pub fn pause(self) {
        self.ask(HubAsk::Pause);
    }

    /// Deletes a model; what is under way of it is stopped first.
    pub fn remove(self, name: String) {
        self.clear();
        let is_own = |way: &UnderWay| way.name == name;
        if self
            .under_way
            .with_untracked(|way| way.as_ref().is_some_and(is_own))
        {
            self.pause();
        }
        self.hands()
            .in_memory
            .borrow_mut()
            .retain(|(other, _)| *other != name);
        self.ask(HubAsk::Remove { name });
    }

    /// Hands a model that is there to the page.
    pub fn open(self, name: String) {
        self.clear();
        wasm_bindgen_futures::spawn_local(async move {
            match self.files(&name).await {
                Some(files) => {
                    self.line.remember(&name);
                    self.line.open_files(&name, &files);
                }
                None => self.fail(
                    name,
                    "Its files are not all there any more: fetch it again.",
                ),
            }
        });
    }

    /// The same where the page asks, without the reader.
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
        let in_memory = hands
            .in_memory
            .borrow()
            .iter()
            .find(|(other, _)| other == name)
            .cloned();
        match in_memory {
            Some((_, files)) => Some(files),
            None => Shelf::open().await?.files(name).await,
        }
    }

    fn hands(self) -> Rc<DownloadHands> {
        self.hands.get_value()
    }

    fn clear(self) {
        self.problem.set(None);
        self.notice.set(String::new());
    }

    fn say(self, sentence: &str) {
        self.said.set(sentence.to_owned());
    }

    fn fail(self, name: String, sentence: &str) {
        let sentence = crate::app::state::sentence(sentence);
        self.say(&sentence);
        self.problem.set(Some((name, sentence)));
    }

    fn ask(self, ask: HubAsk) {
        let hands = self.hands();
        if hands.worker.borrow().is_none() {
            self.spawn();
        }
        if !hands.is_ready.get() {
            hands.waiting.borrow_mut().push(ask);
            return;
        }
        if let Some(worker) = &*hands.worker.borrow() {
            send(worker, &ask);
        }
    }

    fn spawn(self) {
        let hands = self.hands();
        hands.is_ready.set(false);
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        // The worker's name is the hub's address.
        options.set_name(&meta("atelier-hub"));
        let script = browser::beside(&format!("hub_boot.js?v={}", browser::build()));
        let worker =
            client::start(&script).and_then(|url| Worker::new_with_options(&url, &options));
        let Ok(worker) = worker else {
            self.fail(
                String::new(),
                "This browser refused to start the download worker.",
            );
            return;
        };
        let heard = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            let message: js_sys::Array = event.data().unchecked_into();
            let text = message.get(0).as_string().unwrap_or_default();
            if let Ok(tell) = serde_json::from_str::<HubTell>(&text) {
                self.hear(tell, &message);
            }
        });
        let died = Closure::<dyn FnMut(web_sys::Event)>::new(move |event: web_sys::Event| {
            event.prevent_default();
            self.died();
        });
        // Both live as long as the panel.
        worker.set_onmessage(Some(heard.into_js_value().unchecked_ref()));
        worker.set_onerror(Some(died.into_js_value().unchecked_ref()));
        hands.worker.replace(Some(worker));
    }

    fn died(self) {
        let hands = self.hands();
        if let Some(worker) = hands.worker.take() {
            worker.terminate();
        }
        hands.is_ready.set(false);
        hands.waiting.borrow_mut().clear();
        let name = self.under_way.get_untracked().map(|way| way.name);
        self.under_way.set(None);
        self.asked.set(None);
        let sentence =
            "The download worker stopped: press again, and it goes on from where it was.";
        self.fail(name.unwrap_or_default(), sentence);
        self.refresh();
    }

    fn hear(self, tell: HubTell, message: &js_sys::Array) {
        let hands = self.hands();
        match tell {
            HubTell::Ready => {
                hands.is_ready.set(true);
                if let Some(worker) = &*hands.worker.borrow() {
                    for ask in hands.waiting.take() {
                        send(worker, &ask);
                    }
                }
            }
            HubTell::Found {
                model,
                is_gated,
                same,
            } => {
                self.asked.set(None);
                self.say(&format!(
                    "{}: {}.",
                    model.title(),
                    spell_bytes(model.bytes())
                ));
                self.found.set(Some(LookedUp {
                    model,
                    is_gated,
                    same,
                }));
            }
            HubTell::Progress { name, done, total } => {
                self.under_way.update(|way| {
                    if let Some(way) = way.as_mut().filter(|way| way.name == name) {
                        let now = browser::now();
                        let (since, first) = *way.began.get_or_insert((now, done));
                        (way.done, way.total) = (done, total);
                        let seconds = (now - since) / 1000.0;
                        way.rate =
                            (seconds > 0.5).then(|| done.saturating_sub(first) as f64 / seconds);
                    }
                });
            }
            HubTell::Notice { sentence } => {
                self.say(&sentence);
                self.notice.set(sentence);
            }
            HubTell::Fetched { name } => {
                self.under_way.set(None);
                self.found.set(None);
                let files: Vec<File> = message.iter().skip(1).map(JsCast::unchecked_into).collect();
                if !files.is_empty() {
                    hands.in_memory.borrow_mut().push((name.clone(), files));
                }
                self.say(&format!("{name} is here, whole and checked."));
                // Who closed the panel meanwhile is at something else.
                if is_shown() {
                    self.open(name);
                }
                self.refresh();
            }
            HubTell::Paused { name } => {
                self.under_way.set(None);
                self.asked.set(None);
                self.say(&format!("{name} is stopped; what has come is kept."));
                self.refresh();
            }
            HubTell::Removed { name } => {
                self.say(&format!("{name} is deleted."));
                self.refresh();
            }
            HubTell::Failed { name, sentence } => {
                self.under_way.set(None);
                self.asked.set(None);
                self.fail(name, &sentence);
                self.refresh();
            }
        }
    }
}

fn send(worker: &Worker, ask: &HubAsk) {
    let text = serde_json::to_string(ask).unwrap_or_default();
    // A string can always be cloned into a message.
    let _ = worker.post_message(&JsValue::from_str(&text));
}

/// A frame in a closed dialog has no height.
fn is_shown() -> bool {
    let height = browser::window().inner_height().ok();
    height
        .and_then(|height| height.as_f64())
        .is_some_and(|height| height > 0.0)
}

/// What the build wrote into this document's head.
fn meta(name: &str) -> String {
    let meta = document()
        .query_selector(&format!("meta[name={name}]"))
        .ok()
        .flatten();
    meta.and_then(|meta| meta.get_attribute("content"))
        .unwrap_or_default()
}

/// Bytes that this origin uses, and may use, where the browser says it.
async fn estimate() -> (u64, Option<u64>) {
    let Some(promise) = storage().and_then(|storage| storage.estimate().ok()) else {
        return (0, None);
    };
    let Ok(estimate) = JsFuture::from(promise).await else {
        return (0, None);
    };
    let number = |name| get(&estimate, name).and_then(|value| value.as_f64());
    let bytes = |value: f64| value as u64;
    (number("usage").map_or(0, bytes), number("quota").map(bytes))
}

fn device() -> DeviceWords {
    let navigator = JsValue::from(browser::window().navigator());
    let number = |name| get(&navigator, name).and_then(|value| value.as_f64());
    let agent = get(&navigator, "userAgent").and_then(|agent| agent.as_string());
    DeviceWords {
        agent: agent.unwrap_or_default(),
        touches: number("maxTouchPoints").unwrap_or(0.0) as u32,
        memory: number("deviceMemory"),
    }
}
