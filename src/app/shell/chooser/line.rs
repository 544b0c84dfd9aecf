//! The page's line to the download worker, which runs in a frame: started when it is first wanted, and looked after.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use leptos::logging;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use web_sys::{File, HtmlIFrameElement, MessageEvent, Worker};

use super::downloads::Downloads;
use crate::app::browser;
use crate::app::hub::shelf::get;
use crate::app::hub::talk::HubAsk;

/// The frame's document, whose policy alone names the hub.
const DOCUMENT: &str = "hub.html";

/// Between two questions whether a busy worker lives.
const WATCHED_EVERY: Duration = Duration::from_secs(3);

/// Why a worker is given up, and what to do.
const NOT_LOADED: &str = "The part of this page that downloads models could not be loaded. Press again, or reload the page.";
const STOPPED: &str = "The download worker stopped. Press again to resume.";
pub(super) const STALE: &str =
    "The download worker is from another version of this page: reload the page without its cache.";

#[derive(Default)]
pub struct DownloadLine {
    worker: RefCell<Option<Worker>>,
    /// Requests made before the worker listened.
    waiting: RefCell<Vec<HubAsk>>,
    is_ready: Cell<bool>,
    /// Models of a browser that keeps no files.
    pub in_memory: RefCell<Vec<(String, Vec<File>)>>,
    /// Times in a row that it was asked for a sign of life and gave none.
    unanswered: Cell<u32>,
    is_watched: Cell<bool>,
}

impl DownloadLine {
    fn send(&self, ask: &HubAsk) {
        let Some(worker) = self.worker.borrow().clone() else {
            return logging::error!("no download worker hears {ask:?}");
        };
        let text = match serde_json::to_string(ask) {
            Ok(text) => text,
            Err(error) => return logging::error!("{ask:?} cannot be written: {error}"),
        };
        if let Err(error) = worker.post_message(&JsValue::from_str(&text)) {
            logging::error!("{ask:?} cannot be sent: {error:?}");
        }
    }

    /// Sends what waited until the worker listened.
    pub fn begin(&self) {
        self.is_ready.set(true);
        for ask in self.waiting.take() {
            self.send(&ask);
        }
    }
}

/// The frame, as long as its worker is wanted. A worker that is given up goes with its frame.
#[component]
pub fn DownloadFrame(downloads: Downloads) -> impl IntoView {
    let source = browser::beside(&format!("{DOCUMENT}?v={}", browser::build()));
    let start = move |event: web_sys::Event| downloads.start_worker(&event_target(&event));
    view! {
        <Show when=move || downloads.has_frame.get()>
            <iframe id="downloads" title="Downloads" hidden src=source.clone() on:load=start></iframe>
        </Show>
    }
}

/// Asks the frame's document for its worker; `None` where another one came in its place, such as the browser's page
/// about an error.
fn worker_of(frame: &HtmlIFrameElement) -> Option<Worker> {
    let start = get(frame.content_window()?.as_ref(), "startWorker")?;
    let start: js_sys::Function = start.dyn_into().ok()?;
    start.call0(&JsValue::NULL).ok().map(JsCast::unchecked_into)
}

impl Downloads {
    /// Asks the worker, which is started first where it is not there.
    pub fn ask(self, ask: HubAsk) {
        let line = self.line.get_value();
        if line.is_ready.get() {
            return line.send(&ask);
        }
        line.waiting.borrow_mut().push(ask);
        self.has_frame.set(true);
        if !line.is_watched.replace(true) {
            set_interval(move || self.watch(), WATCHED_EVERY);
        }
    }

    fn start_worker(self, frame: &HtmlIFrameElement) {
        // A frame that loads once more does not hear the worker of its first document.
        if self.line.with_value(|line| line.worker.borrow().is_some()) {
            return self.give_up_worker(STOPPED);
        }
        let Some(worker) = worker_of(frame) else {
            return self.give_up_worker(NOT_LOADED);
        };
        let heard = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            self.take(&event);
        });
        let died = Closure::<dyn FnMut(web_sys::Event)>::new(move |event: web_sys::Event| {
            event.prevent_default();
            let is_ready = self.line.with_value(|line| line.is_ready.get());
            self.give_up_worker(if is_ready { STOPPED } else { NOT_LOADED });
        });
        // Both live as long as the page.
        worker.set_onmessage(Some(heard.into_js_value().unchecked_ref()));
        worker.set_onerror(Some(died.into_js_value().unchecked_ref()));
        self.line.with_value(|line| line.worker.replace(Some(worker)));
    }

    /// Takes a message of the worker: what it tells, and then files.
    fn take(self, event: &MessageEvent) {
        let message: js_sys::Array = event.data().dyn_into().unwrap_or_default();
        let text = message.get(0).as_string().unwrap_or_default();
        self.line.with_value(|line| line.unanswered.set(0));
        match serde_json::from_slice(text.as_bytes()) {
            Ok(tell) => {
                self.hear(tell, message.iter().skip(1).map(JsCast::unchecked_into).collect());
            }
            Err(_) => self.give_up_worker(STALE),
        }
    }

    /// Notices a worker that the browser ended: it says nothing, and neither does the browser.
    fn watch(self) {
        let line = self.line.get_value();
        let is_busy = self.under_way.with_untracked(Option::is_some)
            || self.is_asking.get_untracked()
            || !line.waiting.borrow().is_empty();
        if !is_busy {
            line.unanswered.set(0);
            return;
        }
        let unanswered = line.unanswered.get() + 1;
        line.unanswered.set(unanswered);
        // Its program has to come first.
        let (most, sentence) = if line.is_ready.get() { (4, STOPPED) } else { (20, NOT_LOADED) };
        if unanswered > most {
            self.give_up_worker(sentence);
        } else if line.is_ready.get() {
            line.send(&HubAsk::Ping);
        }
    }

    /// Ends the worker and what it was doing, so that the next question starts another.
    pub(super) fn give_up_worker(self, sentence: &str) {
        let line = self.line.get_value();
        if let Some(worker) = line.worker.take() {
            worker.terminate();
        }
        self.has_frame.set(false);
        line.is_ready.set(false);
        line.waiting.borrow_mut().clear();
        line.unanswered.set(0);
        self.under_way.set(None);
        self.is_asking.set(false);
        self.waiting.set(String::new());
        self.fail(sentence);
        self.refresh();
    }
}
