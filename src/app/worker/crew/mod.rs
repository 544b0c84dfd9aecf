//! Workers that help one with a sweep: on a device without a GPU one thread computes, and the others of
//! its cores have nothing to do.
//!
//! Helpers are workers of the worker's own, started from its script's address: they inherit its policy,
//! and what they hold they send to nobody but it. Each opens the model again from the same files on the
//! processor, so that it can run any rows; the sweep's own worker makes the report of them all.

pub(super) mod helper;
pub(super) mod talk;

use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use web_sys::{Blob, DedicatedWorkerGlobalScope, MessageEvent, Worker, WorkerOptions, WorkerType};

use self::talk::{CrewAsk, CrewTell};
use crate::app::client::message_of;
use crate::app::hub::budget::{DeviceWords, workers};
use crate::app::protocol::OrdersAsk;
use crate::app::sharing::{RowShare, Sharing};
use crate::model::{ModelFiles, TokenizerFiles};
use crate::study::LoadedModel;
use crate::study::orders::OrderRows;

/// The number of the worker that calls the others.
pub(super) const FIRST: usize = 0;

/// The most bytes of a model's weights that each worker holds a copy of.
const MOST_WEIGHTS: u64 = 64_000_000;

/// Bytes that the browser itself takes for one more worker, besides that one's own memory: a guess, and
/// no small one.
const WORKER_ITSELF: u64 = 16_000_000;

/// Milliseconds after which a helper that has something to do and gives no sign is given up. A helper
/// gives ten a second, but for a step of a run that takes longer, or a large file that is read.
const SILENCE: f64 = 30_000.0;

/// Messages of helpers, by number; for a helper that died, the reason.
type Mail = Rc<RefCell<VecDeque<(usize, Result<JsValue, String>)>>>;

/// Takes in the rows of a share; an error says why they are not what they should be.
pub type TakeIn<'a> = dyn FnMut(&RowShare, Vec<OrderRows>) -> Result<(), String> + 'a;

/// The helpers; ended when dropped.
#[derive(Default)]
pub struct Crew {
    helpers: Vec<Helper>,
    mail: Mail,
    /// Helpers called so far: the last one's number.
    called: usize,
    /// Helpers that ran rows of the sweep under way, or of the last one.
    helped: BTreeSet<usize>,
    /// Why helpers that were called for that sweep, or were there, do nothing more.
    lost: Vec<String>,
    /// When what they sent was read last.
    listened: f64,
}

struct Helper {
    number: usize,
    worker: Worker,
    _message: Closure<dyn FnMut(MessageEvent)>,
    _error: Closure<dyn FnMut(web_sys::Event)>,
    /// Holds the model.
    is_open: bool,
    /// When it gave its last sign, or had nothing to do last.
    heard: f64,
    /// Block runs of the share it runs.
    done: usize,
}

impl Drop for Helper {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

/// Workers that may share a sweep on this model, the first with them: 1 on a GPU, which is one for all,
/// and where copies of the weights would be large.
pub fn most_workers(scope: &DedicatedWorkerGlobalScope, model: &LoadedModel) -> usize {
    let engine = &model.engine;
    let copied = engine.stored().weights + engine.stored().head;
    if !engine.is_on_processor() || copied > MOST_WEIGHTS {
        return 1;
    }
    // Another takes what this one took, which ran such rows: its memory never shrinks.
    let memory: js_sys::WebAssembly::Memory = wasm_bindgen::memory().unchecked_into();
    let buffer: js_sys::ArrayBuffer = memory.buffer().unchecked_into();
    let each = u64::from(buffer.byte_length()) + WORKER_ITSELF;
    let cores = scope.navigator().hardware_concurrency() as usize;
    workers(cores, each, DeviceWords::here().budget())
}

impl Crew {
    /// Another sweep begins.
    pub fn begin(&mut self) {
        self.helped.clear();
        self.lost.clear();
        // Nobody asked anything of them meanwhile.
        let now = js_sys::Date::now();
        self.listened = now;
        self.helpers.iter_mut().for_each(|helper| helper.heard = now);
    }

    /// Helpers, and those of this sweep that were lost: nobody is called in their place.
    pub fn tried(&self) -> usize {
        self.helpers.len() + self.lost.len()
    }

    /// Says how many workers ran the sweep's rows so far: `", 2 workers"`, nothing for one alone.
    pub fn words(&self) -> String {
        let workers = 1 + self.helped.len();
        let lost = self.lost.first().map(|why| {
            let count = self.lost.len();
            let were = if count == 1 { "was" } else { "were" };
            format!(" ({count} more {were} called and ended early: {why})")
        });
        match (workers, lost) {
            (1, None) => String::new(),
            (1, Some(lost)) => format!(", 1 worker{lost}"),
            (_, lost) => format!(", {workers} workers{}", lost.unwrap_or_default()),
        }
    }

    /// Calls helpers until there are so many.
    pub fn call(&mut self, helpers: usize) {
        while self.tried() < helpers {
            let refused = "this browser refused to start it";
            match self.start() {
                Ok(helper) => self.helpers.push(helper),
                Err(_) => self.lost.push(refused.to_owned()),
            }
        }
    }

    fn start(&mut self) -> Result<Helper, JsValue> {
        let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        options.set_name(talk::NAME);
        let worker = Worker::new_with_options(&scope.location().href(), &options)?;
        self.called += 1;
        let number = self.called;
        let mail = Rc::clone(&self.mail);
        let message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            mail.borrow_mut().push_back((number, Ok(event.data())));
        });
        let mail = Rc::clone(&self.mail);
        let error = Closure::<dyn FnMut(web_sys::Event)>::new(move |event: web_sys::Event| {
            // It is told with the engine, and is no fault of the page's.
            event.prevent_default();
            let why = match message_of(&event) {
                why if why.trim().is_empty() => "its script could not be loaded".to_owned(),
                why => why.trim().to_owned(),
            };
            mail.borrow_mut().push_back((number, Err(why)));
        });
        worker.set_onmessage(Some(message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(error.as_ref().unchecked_ref()));
        Ok(Helper {
            number,
            worker,
            _message: message,
            _error: error,
            is_open: false,
            heard: js_sys::Date::now(),
            done: 0,
        })
    }

    /// Reads what helpers sent, and gives `take_in` the rows that came. Who cannot be understood, or says
    /// nothing for long, is gone, and what it had waits again.
    pub fn hear(
        &mut self,
        sharing: &mut Sharing,
        files: &ModelFiles<Blob>,
        take_in: &mut TakeIn<'_>,
    ) {
        loop {
            let next = self.mail.borrow_mut().pop_front();
            let Some((number, said)) = next else { break };
            let Some(helper) = self.helpers.iter_mut().find(|helper| helper.number == number)
            else {
                continue;
            };
            helper.heard = js_sys::Date::now();
            let heard = said.and_then(|said| helper.understand(&said, files));
            let heard = heard.and_then(|ran| {
                let Some((share, rows)) = ran else {
                    return Ok(());
                };
                if !sharing.has(number, &share) {
                    return Err("it ran what it was not asked to".to_owned());
                }
                // Until its rows are found good, the share is one to be run again.
                take_in(&share, rows)?;
                sharing.came_back(number, &share);
                helper.done = 0;
                self.helped.insert(number);
                Ok(())
            });
            if let Err(why) = heard {
                self.lose(number, why, sharing);
            }
        }
        let now = js_sys::Date::now();
        if now - std::mem::replace(&mut self.listened, now) > SILENCE / 2.0 {
            // The machine slept: nobody could say anything.
            self.helpers.iter_mut().for_each(|helper| helper.heard = now);
        }
        let is_silent = |helper: &&Helper| {
            let is_busy = !helper.is_open || sharing.held_by(helper.number) > 0;
            is_busy && now - helper.heard > SILENCE
        };
        let silent = self.helpers.iter().filter(is_silent);
        let silent: Vec<usize> = silent.map(|helper| helper.number).collect();
        for number in silent {
            let why = format!("it was silent for {} seconds", SILENCE / 1000.0);
            self.lose(number, why, sharing);
        }
    }

    fn lose(&mut self, number: usize, why: String, sharing: &mut Sharing) {
        self.helpers.retain(|helper| helper.number != number);
        self.lost.push(why);
        sharing.give_back(number);
    }

    /// Gives shares to those who have none, or soon will have none.
    pub fn hand_out(&mut self, sharing: &mut Sharing, wanted: &OrdersAsk) {
        let workers = 1 + self.helpers.len();
        for helper in self.helpers.iter_mut().filter(|helper| helper.is_open) {
            let share = match sharing.held_by(helper.number) {
                0 => {
                    helper.heard = js_sys::Date::now();
                    sharing.take(helper.number)
                }
                1 => sharing.take_ahead(helper.number, workers),
                _ => None,
            };
            if let Some(share) = share {
                let wanted = wanted.clone();
                helper.ask(&CrewAsk::Run { wanted, share }, &[]);
            }
        }
    }

    /// Block runs done of shares that did not come back yet.
    pub fn under_way(&self) -> usize {
        self.helpers.iter().map(|helper| helper.done).sum()
    }
}

impl Helper {
    /// Reads a message of this helper and answers it; returns the rows that it ran, if it sent any.
    fn understand(
        &mut self,
        said: &JsValue,
        files: &ModelFiles<Blob>,
    ) -> Result<Option<(RowShare, Vec<OrderRows>)>, String> {
        let text = said.as_string().unwrap_or_default();
        if text == talk::PROGRAM {
            let posted = self.worker.post_message(&wasm_bindgen::module());
            return match posted {
                Ok(()) => Ok(None),
                Err(_) => Err("this browser does not share a program".to_owned()),
            };
        }
        // A number that is none has no JSON form: what holds one is not understood, and is run again here.
        let tell = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        match tell {
            CrewTell::Ready => self.open(files),
            CrewTell::Opened => self.is_open = true,
            CrewTell::Progress { done } => self.done = done,
            CrewTell::Ran { share, rows } => return Ok(Some((share, rows))),
            CrewTell::Failed { reason } => return Err(reason),
        }
        Ok(None)
    }

    /// Blobs are cloned without their bytes.
    fn open(&self, files: &ModelFiles<Blob>) {
        let named = |name: &str, bytes: &[u8]| (name.to_owned(), js_sys::Uint8Array::from(bytes));
        let config = files.config.as_ref().map(|bytes| named("config.json", bytes));
        let tokenizer = files.tokenizer.iter().flat_map(TokenizerFiles::named);
        let tokenizer = tokenizer.map(|(name, bytes)| named(name, bytes));
        let index = files.index.as_ref();
        let index = index.map(|(name, bytes)| named(name, bytes));
        let small = config.into_iter().chain(tokenizer).chain(index);
        let (small, bytes): (Vec<String>, Vec<js_sys::Uint8Array>) = small.unzip();
        let weights = files.weights.iter().map(|(name, _)| name.clone()).collect();
        let blobs = files.weights.iter().map(|(_, blob)| JsValue::from(&**blob));
        let beside: Vec<JsValue> = bytes.into_iter().map(JsValue::from).chain(blobs).collect();
        let name = files.name.clone();
        let open = CrewAsk::Open { name, small, weights };
        self.ask(&open, &beside);
    }

    fn ask(&self, ask: &CrewAsk, beside: &[JsValue]) {
        // These types always have a JSON form.
        let text = serde_json::to_string(ask).unwrap_or_default();
        let message = js_sys::Array::of1(&JsValue::from_str(&text));
        for value in beside {
            message.push(value);
        }
        // Strings, bytes and blobs can always be cloned into a message.
        let _ = self.worker.post_message(&message);
    }
}
