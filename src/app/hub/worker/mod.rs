//! The download worker: from the hub onto the shelf, and nothing else.

mod asking;
mod keeping;
mod lock;
mod looking;
mod receiving;
mod sink;

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use web_sys::{AbortController, DedicatedWorkerGlobalScope, MessageEvent, WorkerGlobalScope};

use super::talk::{HubAsk, HubTell, PROTOCOL, StoredModel};
use crate::app::worker::sleep;
use crate::model::hub::{HubAddress, HubError};

/// Milliseconds between two reports of progress.
const PROGRESS_EVERY: f64 = 100.0;

/// Listens to the page. The worker's name is the hub's address.
pub fn start() {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    let Ok(hub) = HubAddress::parse(&scope.name()) else {
        return;
    };
    // What is looked up waits for no download, and what is removed for no look-up.
    let held = Rc::default();
    let fetcher = Rc::new(Fetcher::new(&scope, &hub, &held));
    let asker = Rc::new(Fetcher::new(&scope, &hub, &held));
    let remover = Rc::new(Fetcher::new(&scope, &hub, &held));
    let listener = Rc::clone(&fetcher);
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let text = event.data().as_string().unwrap_or_default();
        let Ok(ask) = serde_json::from_slice::<HubAsk>(text.as_bytes()) else {
            return listener.tell(&HubTell::Unread);
        };
        match ask {
            HubAsk::Ping => listener.tell(&HubTell::Alive),
            HubAsk::Pause => listener.pause(),
            HubAsk::GiveUp => asker.pause(),
            HubAsk::LookUp { .. } => asker.take(ask),
            HubAsk::Remove(ref model) if !listener.has(model) => remover.take(ask),
            HubAsk::Fetch(_) | HubAsk::Remove(_) => listener.take(ask),
        }
    });
    // The worker listens as long as it lives.
    scope.set_onmessage(Some(on_message.into_js_value().unchecked_ref()));
    fetcher.tell(&HubTell::Ready { protocol: PROTOCOL });
}

/// Why a download ended early.
enum FetchStop {
    Paused,
    Failed(HubError),
}

impl From<HubError> for FetchStop {
    fn from(error: HubError) -> Self {
        Self::Failed(error)
    }
}

/// Milliseconds of a clock that nobody sets.
fn now() -> f64 {
    let scope: WorkerGlobalScope = js_sys::global().unchecked_into();
    scope.performance().map_or(0.0, |clock| clock.now())
}

struct Fetcher {
    scope: DedicatedWorkerGlobalScope,
    hub: HubAddress,
    queue: RefCell<VecDeque<HubAsk>>,
    is_busy: Cell<bool>,
    /// The model that is being fetched.
    under_way: RefCell<Option<StoredModel>>,
    /// The name of the model that this worker keeps other tabs from.
    held: Rc<RefCell<Option<String>>>,
    /// Bytes that came from the hub in this download.
    received: Cell<u64>,
    is_paused: Cell<bool>,
    /// Ends the request under way.
    abort: RefCell<Option<AbortController>>,
    told: Cell<f64>,
}

impl Fetcher {
    fn new(
        scope: &DedicatedWorkerGlobalScope,
        hub: &HubAddress,
        held: &Rc<RefCell<Option<String>>>,
    ) -> Self {
        Self {
            scope: scope.clone(),
            hub: hub.clone(),
            queue: RefCell::default(),
            is_busy: Cell::new(false),
            under_way: RefCell::default(),
            held: Rc::clone(held),
            received: Cell::new(0),
            is_paused: Cell::new(false),
            abort: RefCell::default(),
            told: Cell::new(0.0),
        }
    }

    /// Does what is asked, after what was asked before.
    fn take(self: &Rc<Self>, ask: HubAsk) {
        self.queue.borrow_mut().push_back(ask);
        if !self.is_busy.replace(true) {
            let own = Rc::clone(self);
            wasm_bindgen_futures::spawn_local(async move {
                own.work_off().await;
                own.is_busy.set(false);
            });
        }
    }

    /// Is this model being fetched, or about to be?
    fn has(&self, model: &StoredModel) -> bool {
        let is_it = |ask: &HubAsk| matches!(ask, HubAsk::Fetch(other) if other.is_same(model));
        self.under_way.borrow().as_ref().is_some_and(|other| other.is_same(model))
            || self.queue.borrow().iter().any(is_it)
    }

    async fn work_off(&self) {
        loop {
            let next = self.queue.borrow_mut().pop_front();
            let Some(ask) = next else { return };
            self.is_paused.set(false);
            match ask {
                HubAsk::Pause | HubAsk::GiveUp | HubAsk::Ping => {}
                HubAsk::LookUp { name, ending, beside } => {
                    self.tell(&match self.look_up_beside(&name, ending.as_deref(), beside).await {
                        Ok(found) => found,
                        Err(stop) => {
                            let sentence = match stop {
                                FetchStop::Paused => "the look-up was stopped".to_owned(),
                                FetchStop::Failed(error) => error.to_string(),
                            };
                            HubTell::NotFound(sentence)
                        }
                    });
                }
                HubAsk::Fetch(model) => {
                    let name = model.name.clone();
                    self.under_way.replace(Some(model.clone()));
                    let ended = self.fetch(&model).await;
                    self.under_way.take();
                    match ended {
                        // With the files themselves, where the browser keeps none.
                        Ok(files) => self.tell_with(&HubTell::Fetched(name), &files),
                        Err(FetchStop::Paused) => self.tell(&HubTell::Paused(name)),
                        Err(FetchStop::Failed(error)) => {
                            self.tell(&HubTell::Failed(error.to_string()));
                        }
                    }
                }
                HubAsk::Remove(model) => {
                    self.tell(&match self.remove(&model).await {
                        Ok(()) => HubTell::Removed(model),
                        Err(error) => HubTell::Stays(error.to_string()),
                    });
                }
            }
        }
    }

    fn pause(&self) {
        self.is_paused.set(true);
        if let Some(abort) = &*self.abort.borrow() {
            abort.abort();
        }
    }

    fn tell(&self, tell: &HubTell) {
        self.tell_with(tell, &js_sys::Array::new());
    }

    fn tell_with(&self, tell: &HubTell, files: &js_sys::Array) {
        let message = js_sys::Array::of1(&JsValue::from_str(
            &serde_json::to_string(tell).unwrap_or_default(),
        ));
        for file in files.iter() {
            message.push(&file);
        }
        // Strings and files can always be cloned into a message.
        let _ = self.scope.post_message(&message);
    }

    fn progress(&self, name: &str, done: u64, total: u64) {
        let now = now();
        if done == total || now - self.told.get() >= PROGRESS_EVERY {
            self.told.set(now);
            let (name, received) = (name.to_owned(), self.received.get());
            self.tell(&HubTell::Progress { name, done, received });
        }
    }

    /// Lets messages in meanwhile.
    async fn sleep(&self, milliseconds: u64) -> Result<(), FetchStop> {
        let until = now() + milliseconds as f64;
        // In short steps, so that a pause is heard.
        while now() < until {
            let left = (until - now()).clamp(1.0, 100.0) as i32;
            sleep(&self.scope, left).await;
            self.listen()?;
        }
        Ok(())
    }

    /// Lets messages in.
    async fn turn(&self) -> Result<(), FetchStop> {
        sleep(&self.scope, 0).await;
        self.listen()
    }

    fn listen(&self) -> Result<(), FetchStop> {
        if self.is_paused.get() { Err(FetchStop::Paused) } else { Ok(()) }
    }
}
