//! The panel's end of the download worker: started when it is first wanted, and looked after.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use web_sys::{File, MessageEvent, Worker, WorkerOptions, WorkerType};

use super::downloads::Downloads;
use crate::app::hub::talk::{HubAsk, HubTell};
use crate::app::{browser, client};

/// Between two questions whether a busy worker lives.
const WATCHED_EVERY: Duration = Duration::from_secs(3);

#[derive(Default)]
pub struct DownloadHands {
    pub worker: RefCell<Option<Worker>>,
    /// Requests made before the worker listened.
    pub waiting: RefCell<Vec<HubAsk>>,
    pub is_ready: Cell<bool>,
    /// Models of a browser that keeps no files.
    pub in_memory: RefCell<Vec<(String, Vec<File>)>>,
    /// Times in a row that it was asked for a sign of life and gave none.
    pub unanswered: Cell<u32>,
    is_watched: Cell<bool>,
}

impl Downloads {
    pub fn ask(self, ask: HubAsk) {
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
        options.set_name(&browser::meta("atelier-hub"));
        let script = browser::beside(&format!("hub_boot.js?v={}", browser::build()));
        let worker =
            client::start(&script).and_then(|url| Worker::new_with_options(&url, &options));
        let Ok(worker) = worker else {
            self.fail(String::new(), "This browser refused to start the download worker.");
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
        hands.unanswered.set(0);
        if !hands.is_watched.replace(true) {
            set_interval(move || self.watch(), WATCHED_EVERY);
        }
    }

    /// A worker that the browser ended says nothing, and neither does the browser.
    fn watch(self) {
        let hands = self.hands();
        let is_busy = self.under_way.with_untracked(Option::is_some)
            || self.asked.with_untracked(Option::is_some)
            || !hands.waiting.borrow().is_empty();
        if !is_busy || hands.worker.borrow().is_none() {
            hands.unanswered.set(0);
            return;
        }
        let unanswered = hands.unanswered.get() + 1;
        hands.unanswered.set(unanswered);
        let is_ready = hands.is_ready.get();
        // Its program has to come first.
        let most = if is_ready { 4 } else { 20 };
        if unanswered > most {
            self.died();
        } else if is_ready && let Some(worker) = &*hands.worker.borrow() {
            send(worker, &HubAsk::Ping);
        }
    }

    fn died(self) {
        let hands = self.hands();
        if let Some(worker) = hands.worker.take() {
            worker.terminate();
        }
        hands.is_ready.set(false);
        hands.waiting.borrow_mut().clear();
        let name = self.under_way.get_untracked().map(|way| way.model.name);
        self.under_way.set(None);
        self.asked.set(None);
        self.waiting.set(String::new());
        let sentence = "The download worker stopped. Press again to resume.";
        self.fail(name.unwrap_or_default(), sentence);
        self.refresh();
    }
}

pub fn send(worker: &Worker, ask: &HubAsk) {
    let text = serde_json::to_string(ask).unwrap_or_default();
    // A string can always be cloned into a message.
    let _ = worker.post_message(&JsValue::from_str(&text));
}
