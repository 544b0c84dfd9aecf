//! The other end: a worker that opens the model it is given and runs shares of sweeps, and whom nobody but
//! the worker that called it ever hears.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, DedicatedWorkerGlobalScope, MessageEvent};

use super::talk::{CrewAsk, CrewTell};
use crate::app::protocol::OrdersAsk;
use crate::app::worker::{Stop, failed, opening, post, stop};
use crate::model::{FileBytes, ModelFiles};
use crate::study::orders::PartedSweep;
use crate::study::{LoadedModel, Running};

/// Milliseconds between two signs of life.
const TELL_EVERY: f64 = 100.0;

/// Does what it is told as long as it lives; whoever called it ends it.
pub fn start(scope: DedicatedWorkerGlobalScope) {
    let errands = Rc::new(Errands::default());
    let listener = Rc::clone(&errands);
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        listener.receive(event.data().unchecked_into());
    });
    scope.set_onmessage(Some(on_message.into_js_value().unchecked_ref()));
    post(&scope, &CrewTell::Ready);
    wasm_bindgen_futures::spawn_local(async move {
        let Err(stop) = work(&scope, &errands).await;
        let reason = match stop {
            Stop::Failed(reason) | Stop::Gpu { reason, .. } => reason,
            Stop::Cancelled => "it was stopped".to_owned(),
        };
        post(&scope, &CrewTell::Failed { reason });
    });
}

/// Messages that wait, in their order.
#[derive(Default)]
struct Errands {
    waiting: RefCell<VecDeque<js_sys::Array>>,
    /// Ends the wait for one.
    wake: RefCell<Option<js_sys::Function>>,
}

impl Errands {
    fn receive(&self, message: js_sys::Array) {
        self.waiting.borrow_mut().push_back(message);
        if let Some(wake) = self.wake.take() {
            // What resolves a promise does not fail.
            let _ = wake.call0(&JsValue::NULL);
        }
    }

    async fn next(&self) -> Result<(CrewAsk, js_sys::Array), Stop> {
        loop {
            let next = self.waiting.borrow_mut().pop_front();
            let Some(message) = next else {
                let woken = js_sys::Promise::new(&mut |resolve, _| {
                    self.wake.replace(Some(resolve));
                });
                // It only ever resolves.
                let _ = JsFuture::from(woken).await;
                continue;
            };
            let text = message.get(0).as_string().unwrap_or_default();
            let ask = serde_json::from_str(&text).map_err(failed)?;
            return Ok((ask, message));
        }
    }
}

async fn work(scope: &DedicatedWorkerGlobalScope, errands: &Errands) -> Result<Infallible, Stop> {
    let (ask, message) = errands.next().await?;
    let CrewAsk::Open { name, small, weights } = ask else {
        return Err(Stop::Failed("it was given no model".to_owned()));
    };
    let model = open(&name, small, weights, &message).await?;
    post(scope, &CrewTell::Opened);
    // Of the sweep that is under way, by task.
    let mut sweeps: BTreeMap<usize, PartedSweep> = BTreeMap::new();
    let mut under_way: Option<OrdersAsk> = None;
    loop {
        let (CrewAsk::Run { wanted, share }, _) = errands.next().await? else {
            continue;
        };
        if under_way.as_ref() != Some(&wanted) {
            sweeps.clear();
        }
        let sweep = match sweeps.remove(&share.task) {
            Some(sweep) => sweep,
            None => wanted.sweep(&model, share.task)?,
        };
        let mut part = sweep.part(share.rows.clone());
        let mut told_at = js_sys::Date::now();
        // Nothing that it could hear meanwhile matters: to stop it is to end it.
        while let Some((done, _)) = part.advance().map_err(stop)? {
            let now = js_sys::Date::now();
            if now - told_at >= TELL_EVERY {
                told_at = now;
                post(scope, &CrewTell::Progress { done });
            }
        }
        let rows = part.into_rows();
        sweeps.insert(share.task, sweep);
        under_way = Some(wanted);
        post(scope, &CrewTell::Ran { share, rows });
    }
}

/// The model whose files came with a message.
async fn open(
    name: &str,
    small: Vec<String>,
    weights: Vec<String>,
    message: &js_sys::Array,
) -> Result<LoadedModel, Stop> {
    let mut files = message.iter().skip(1);
    let mut next = move || files.next().unwrap_or(JsValue::UNDEFINED);
    let lost = |file: &str| Stop::Failed(format!("{file} did not reach it"));
    let mut read = Vec::new();
    for file in small {
        let bytes = next().dyn_into::<js_sys::Uint8Array>();
        let bytes = bytes.map_err(|_| lost(&file))?.to_vec();
        read.push((file, FileBytes::Owned(bytes)));
    }
    let mut blobs = Vec::new();
    for file in weights {
        let blob = next().dyn_into::<Blob>().map_err(|_| lost(&file))?;
        blobs.push((file, blob));
    }
    let files = ModelFiles::new(name, read, blobs).map_err(failed)?;
    opening::at_once(&files).await
}
