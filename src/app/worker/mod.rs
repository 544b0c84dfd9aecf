//! The worker's end of the protocol: it owns download, tokenizer, weights and engine.
//!
//! Requests wait in a queue and run one after the other; many rows let single prompts pass, and a look at
//! the machine lets everything pass that came after it; the words of lessons wait for nothing. Between chunks of a download or a file the
//! worker lets messages in, so that a `Cancel` is heard, and between block runs ten times a second;
//! a page that cannot wait for a long block ends the worker instead. For a long sweep on the processor it
//! starts workers of its own (`crew`), which the page knows nothing of but their number.

mod classroom;
mod coupling;
mod crew;
mod doctor;
mod fetch;
mod held;
mod inside;
mod job;
mod member;
mod opening;
mod prompt;
mod read;
mod session;
mod source;
mod sweep;
mod wanted;
mod words;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, DedicatedWorkerGlobalScope, File, MessageEvent};

use super::protocol::{Ask, Event, PROTOCOL, Request, Stage, Tell};
use super::queue::Queue;
use crate::engine::EngineError;
use crate::engine::webgpu::GpuError;
use crate::study::StudyError;
use crate::study::lessons::Lesson;
use crate::study::report::Report;
use session::Session;

/// Milliseconds between two reports of progress: one or two frames.
const PROGRESS_EVERY: f64 = 30.0;
/// Milliseconds between two looks for messages during a run.
const LISTEN_EVERY: f64 = 100.0;
/// Milliseconds between two looks for messages with nothing to run: another worker's rows are hardly later for it.
const REST: i32 = 20;

/// Listens to the page and tells it so; a helper in another worker's crew listens to that one.
pub fn start() {
    let Ok(scope) = js_sys::global().dyn_into::<DedicatedWorkerGlobalScope>() else {
        return;
    };
    if scope.name() == crew::talk::NAME {
        return crew::helper::start(scope);
    }
    let desk = Rc::new(Desk {
        scope: scope.clone(),
        queue: RefCell::default(),
        busy: Cell::new(false),
        told: Cell::new(0.0),
        heard: Cell::new(0.0),
        block_runs: Cell::new(0),
        aborts: RefCell::default(),
        lessons: RefCell::default(),
    });
    let session = Rc::new(RefCell::new(Session::default()));
    let listener = Rc::clone(&desk);
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        if let Some(words) = listener.receive(&event) {
            let desk = Rc::clone(&listener);
            wasm_bindgen_futures::spawn_local(async move { words::answer(&desk, words.id).await });
            return;
        }
        if !listener.busy.replace(true) {
            let (desk, session) = (Rc::clone(&listener), Rc::clone(&session));
            wasm_bindgen_futures::spawn_local(async move {
                work_off(&desk, &session, false).await;
                desk.busy.set(false);
            });
        }
    });
    // The worker listens as long as it lives.
    scope.set_onmessage(Some(on_message.into_js_value().unchecked_ref()));
    desk.tell(0, Tell::Ready { protocol: PROTOCOL });
}

/// Why a request ended early.
pub(super) enum Stop {
    /// The page asked.
    Cancelled,
    /// One sentence for the reader.
    Failed(String),
    /// The GPU failed: is it gone, may it work with less in its memory, and why, as a part of a sentence.
    Gpu { is_lost: bool, may_pass: bool, reason: String },
}

impl Stop {
    /// Adds the reason `first` to this stop of a second try, made because the first had failed: the reader learns
    /// both.
    fn after(self, first: &str) -> Self {
        match self {
            Self::Cancelled => Self::Cancelled,
            Self::Failed(reason) | Self::Gpu { reason, .. } => {
                Self::Failed(format!("{first}; and then: {reason}"))
            }
        }
    }
}

/// The queue and the way back to the page.
pub(super) struct Desk {
    scope: DedicatedWorkerGlobalScope,
    queue: RefCell<Queue<File>>,
    /// Is someone working the queue off?
    busy: Cell<bool>,
    /// When progress was told last.
    told: Cell<f64>,
    /// When messages were let in last.
    heard: Cell<f64>,
    /// Blocks that a prompt ran through for the request under way.
    block_runs: Cell<usize>,
    /// Ends the requests to the page's host that are under way: one that is never answered hears nothing.
    aborts: RefCell<HashMap<u32, AbortController>>,
    /// The lessons, once they were read.
    lessons: RefCell<Option<Rc<[Lesson]>>>,
}

impl Desk {
    /// Gives what waits for nothing back; all else waits in the queue.
    fn receive(&self, event: &MessageEvent) -> Option<Request> {
        let message: js_sys::Array = event.data().unchecked_into();
        let text = message.get(0).as_string().unwrap_or_default();
        // The page and this file are built together, and the page checks that in `Ready`.
        let request = serde_json::from_str::<Request>(&text).ok()?;
        if words::is_asked(&request.ask) {
            return Some(request);
        }
        let files = message.iter().skip(1).map(JsCast::unchecked_into).collect();
        let ended = match request.ask {
            Ask::Cancel { id } => Some(id),
            _ => None,
        };
        let over = self.queue.borrow_mut().receive(request, files);
        if let Some(id) = ended.filter(|id| self.queue.borrow().is_cancelled(*id))
            && let Some(abort) = self.aborts.borrow_mut().remove(&id)
        {
            abort.abort();
        }
        if let Some(id) = over {
            self.tell(id, Tell::Cancelled);
        }
        None
    }

    pub(super) fn tell(&self, id: u32, tell: Tell) {
        post(&self.scope, &Event { id, tell });
    }

    pub(super) fn progress(&self, id: u32, stage: Stage, done: f64, total: f64) {
        let now = js_sys::Date::now();
        if now - self.told.get() >= PROGRESS_EVERY {
            self.told.set(now);
            self.tell(id, Tell::Progress { stage, done, total });
        }
    }

    /// Counts blocks that a prompt ran through.
    pub(super) fn ran(&self, block_runs: usize) {
        self.block_runs.set(self.block_runs.get() + block_runs);
    }

    /// Lets messages in, then says whether this request was cancelled.
    pub(super) async fn listen(&self, id: u32) -> Result<(), Stop> {
        self.listen_for(id, 0).await
    }

    /// Waits for another worker with nothing to do, lets messages in, then says whether this request was cancelled.
    pub(super) async fn rest(&self, id: u32) -> Result<(), Stop> {
        self.listen_for(id, REST).await
    }

    async fn listen_for(&self, id: u32, milliseconds: i32) -> Result<(), Stop> {
        sleep(&self.scope, milliseconds).await;
        self.heard.set(js_sys::Date::now());
        if self.is_cancelled(id) { Err(Stop::Cancelled) } else { Ok(()) }
    }

    /// Was this request, which runs now, cancelled?
    pub(super) fn is_cancelled(&self, id: u32) -> bool {
        self.queue.borrow().is_cancelled(id)
    }

    /// A request has ended.
    pub(super) fn over(&self, id: u32) {
        self.aborts.borrow_mut().remove(&id);
        self.queue.borrow_mut().over(id);
    }

    /// A request that could not be answered yet.
    pub(super) fn put_back(&self, request: Request) {
        self.queue.borrow_mut().put_back(request);
    }

    /// The next waiting request that a sweep may answer in between, so that the lab stays live.
    pub(super) fn take_quick(&self) -> Option<Request> {
        self.queue.borrow_mut().take_quick()
    }

    /// Between two steps of a run: lets messages in, and the GPU's answer where the run waits for it; else only if
    /// that is [`LISTEN_EVERY`] ago: a browser makes each time-out wait 4 ms, which a small model's block does not
    /// take.
    pub(super) async fn turn(&self, id: u32, is_waiting: bool) -> Result<(), Stop> {
        let is_due = js_sys::Date::now() - self.heard.get() >= LISTEN_EVERY;
        if is_waiting || is_due { self.listen(id).await } else { Ok(()) }
    }
}

/// Posts a message as JSON to who started this worker.
fn post(scope: &DedicatedWorkerGlobalScope, message: &impl serde::Serialize) {
    if let Ok(text) = serde_json::to_string(message) {
        // A string can always be cloned into a message.
        let _ = scope.post_message(&JsValue::from_str(&text));
    }
}

/// Lets messages in, for so many milliseconds.
pub async fn sleep(scope: &DedicatedWorkerGlobalScope, milliseconds: i32) {
    let promise = js_sys::Promise::new(&mut |resolve, _| {
        let waits =
            scope.set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, milliseconds);
        // With no time-out to wait for, the promise would never resolve: resolve it at once.
        if waits.is_err() {
            let _ = resolve.call0(&JsValue::NULL);
        }
    });
    // It only ever resolves.
    let _ = JsFuture::from(promise).await;
}

/// How a request ended.
pub(super) fn told(answer: Result<Tell, Stop>) -> Tell {
    match answer {
        Ok(tell) => tell,
        Err(Stop::Cancelled) => Tell::Cancelled,
        Err(Stop::Failed(reason) | Stop::Gpu { reason, .. }) => Tell::Failed { reason },
    }
}

/// Answers what waits, and what comes meanwhile, one request after the other. In a look at the machine
/// another look waits for its end.
async fn work_off(desk: &Desk, session: &RefCell<Session>, is_in_look: bool) {
    loop {
        if is_in_look && desk.queue.borrow().is_look_next() {
            break;
        }
        let next = desk.queue.borrow_mut().take();
        let Some((Request { id, ask }, files)) = next else {
            break;
        };
        // Only this loop uses the session: it takes it along, so that nothing is borrowed while it waits.
        let mut current = session.take();
        let answer = current.answer(desk, id, ask, files).await;
        session.replace(current);
        desk.tell(id, told(answer));
        desk.over(id);
    }
}

fn done(desk: &Desk, report: Report) -> Tell {
    Tell::Done { report: Box::new(report), block_runs: desk.block_runs.get() }
}

fn failed(error: impl std::fmt::Display) -> Stop {
    Stop::Failed(error.to_string())
}

/// Sorts an error of a run: a GPU's fault stands apart, since then there is another way.
fn stop(error: impl Into<StudyError>) -> Stop {
    match error.into() {
        // A prompt too much for the GPU's memory: a smaller one still runs there.
        StudyError::Engine(EngineError::Gpu(error @ GpuError::Memory(_))) => failed(error),
        other => stop_opening(other),
    }
}

/// Sorts an error as [`stop`] does, while a model is put into an engine: memory that runs out now leaves the GPU no
/// model to run.
fn stop_opening(error: impl Into<StudyError>) -> Stop {
    match error.into() {
        StudyError::Engine(EngineError::Gpu(error)) => Stop::Gpu {
            is_lost: matches!(error, GpuError::Lost(_)),
            may_pass: error.may_pass(),
            reason: error.to_string(),
        },
        other => failed(other),
    }
}
