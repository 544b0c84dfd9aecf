//! The page's end of the worker: starts it, waits until it can hear, restarts it when it dies.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use web_sys::{File, MessageEvent, Worker, WorkerOptions, WorkerType};

use super::browser;
use super::hub::budget::DeviceWords;
use super::protocol::{Event, PROTOCOL, Request, Tell};
use super::state::exchange::Post;

/// The script that starts the worker, beside the page. Its name does not change from build to
/// build, so the build's id goes with it and makes a cache ask again.
const SCRIPT: &str = "worker_loader.js";

/// Deaths in a row, without one sign of life between, after which it is left dead until it is asked
/// for something.
const DEATHS: u32 = 2;

/// A message to the page: the worker's, or of its death.
pub enum Heard {
    Event(Event),
    /// The worker died; what it was doing and the model it held are lost. One sentence.
    Died(String),
}

pub struct Client {
    worker: RefCell<Option<Live>>,
    /// Messages posted before the worker listens are lost, so they wait here for its `Ready`.
    waiting: RefCell<Vec<js_sys::Array>>,
    ready: Cell<bool>,
    deaths: Cell<u32>,
    heard: Box<dyn Fn(Heard)>,
}

/// A worker with the closures it calls: they live exactly as long as it does.
struct Live {
    worker: Worker,
    _message: Closure<dyn FnMut(MessageEvent)>,
    _error: Closure<dyn FnMut(web_sys::Event)>,
}

impl Drop for Live {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

impl Client {
    /// Starts the worker. `heard` is called with everything it says.
    pub fn start(heard: impl Fn(Heard) + 'static) -> Rc<Self> {
        let client = Rc::new(Self {
            worker: RefCell::new(None),
            waiting: RefCell::default(),
            ready: Cell::new(false),
            deaths: Cell::new(0),
            heard: Box::new(heard),
        });
        client.spawn();
        client
    }

    /// Sends a request. A worker that was left dead is tried once more: what kept
    /// it from starting, such as a lost connection, may be over.
    pub fn post(self: &Rc<Self>, Post { id, ask }: Post, files: &[File]) {
        if self.deaths.get() >= DEATHS {
            self.deaths.set(DEATHS - 1);
            self.spawn();
        }
        let message = js_sys::Array::new();
        // These types always have a JSON form.
        message.push(&JsValue::from_str(
            &serde_json::to_string(&Request { id, ask }).unwrap_or_default(),
        ));
        for file in files {
            message.push(file);
        }
        if self.ready.get() {
            self.send(&message);
        } else {
            self.waiting.borrow_mut().push(message);
        }
    }

    /// Ends the worker at once and starts a fresh one, which holds no model.
    pub fn restart(self: &Rc<Self>) {
        self.waiting.borrow_mut().clear();
        self.spawn();
    }

    fn send(&self, message: &js_sys::Array) {
        if let Some(live) = &*self.worker.borrow() {
            // Strings and files can always be cloned into a message.
            let _ = live.worker.post_message(message);
        }
    }

    fn spawn(self: &Rc<Self>) {
        self.ready.set(false);
        // Dropping the old one first ends it.
        self.worker.replace(None);
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        // A worker from a blob does not know where its files lie, nor of which build they are, nor whether the screen
        // takes fingers: its name says it.
        let touches = DeviceWords::here().spell_touches();
        options.set_name(&browser::beside(&format!("./?v={}{touches}", browser::build())));
        let worker = start(&script()).and_then(|url| Worker::new_with_options(&url, &options));
        let Ok(worker) = worker else {
            self.died("this browser refused to start it");
            return;
        };
        let on_message = self.listener(|client, event: MessageEvent| client.message(&event));
        let on_error = self.listener(|client, event: web_sys::Event| {
            event.prevent_default();
            client.died(&message_of(&event));
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        self.worker.replace(Some(Live { worker, _message: on_message, _error: on_error }));
    }

    fn listener<E: wasm_bindgen::convert::FromWasmAbi + 'static>(
        self: &Rc<Self>,
        then: impl Fn(&Rc<Self>, E) + 'static,
    ) -> Closure<dyn FnMut(E)> {
        let weak: Weak<Self> = Rc::downgrade(self);
        Closure::new(move |event: E| {
            if let Some(client) = weak.upgrade() {
                then(&client, event);
            }
        })
    }

    fn message(self: &Rc<Self>, event: &MessageEvent) {
        let text = event.data().as_string().unwrap_or_default();
        // From bytes, as everything on the page is read: a second reader would be a second copy of all code
        // that reads reports.
        let Ok(event) = serde_json::from_slice::<Event>(text.as_bytes()) else {
            let stale = "The engine's script is from another version of this page: reload the page without its cache.";
            self.is_stale(stale.to_owned());
            return;
        };
        if let Tell::Ready { protocol } = event.tell {
            if protocol != PROTOCOL {
                let stale = format!(
                    "The engine's script speaks version {protocol} and this page version {PROTOCOL}: reload the page without its \
                     cache."
                );
                self.is_stale(stale);
                return;
            }
            self.ready.set(true);
            for message in self.waiting.take() {
                self.send(&message);
            }
        } else if !matches!(event.tell, Tell::Progress { .. }) {
            self.deaths.set(0);
        }
        (self.heard)(Heard::Event(event));
    }

    /// The worker is from another build: it is left dead, so that whoever asks for something starts another,
    /// which may be told the same, and waits for none that will not answer.
    fn is_stale(self: &Rc<Self>, sentence: String) {
        self.ready.set(false);
        self.deaths.set(DEATHS);
        self.waiting.borrow_mut().clear();
        // The closure that is running now belongs to the worker that goes.
        let client = Rc::clone(self);
        let drop_it = move || {
            if client.deaths.get() >= DEATHS {
                client.worker.replace(None);
            }
        };
        leptos::prelude::set_timeout(drop_it, std::time::Duration::ZERO);
        (self.heard)(Heard::Died(sentence));
    }

    fn died(self: &Rc<Self>, why: &str) {
        let deaths = self.deaths.get() + 1;
        self.deaths.set(deaths);
        // What is sent from now on is the next one's.
        self.ready.set(false);
        self.waiting.borrow_mut().clear();
        let why = if why.trim().is_empty() { "its script could not be loaded" } else { why.trim() };
        let sentence = if deaths < DEATHS {
            // The closure that is running now belongs to the worker being replaced.
            let client = Rc::clone(self);
            leptos::prelude::set_timeout(move || client.spawn(), std::time::Duration::ZERO);
            format!(
                "The engine stopped ({why}) and was started again: run once more, or choose a smaller model."
            )
        } else {
            format!("The engine stopped again ({why}): run once more, or reload the page.")
        };
        (self.heard)(Heard::Died(sentence));
    }
}

/// Returns the message of an error event. A script that could not be loaded sends a plain event without any
/// message, which the typed getter of `ErrorEvent` would trip over.
pub(super) fn message_of(event: &web_sys::Event) -> String {
    js_sys::Reflect::get(event, &JsValue::from_str("message"))
        .ok()
        .and_then(|message| message.as_string())
        .unwrap_or_default()
}

/// The address of a script that does nothing but start `script`. A worker from a file has the policy
/// that its host sends with that file, and most hosts send none; one from a blob has the policy of the
/// page, and so it sends what it holds, a reader's prompts and models, to nobody.
pub(super) fn start(script: &str) -> Result<String, JsValue> {
    browser::blob_url("text/javascript", &format!("import {};", serde_json::Value::from(script)))
}

fn script() -> String {
    browser::beside(&format!("{SCRIPT}?v={}", browser::build()))
}
