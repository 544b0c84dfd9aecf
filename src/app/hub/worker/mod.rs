//! The download worker: from the hub onto the shelf, and nothing else.

mod asking;
mod receiving;
mod sink;

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, DedicatedWorkerGlobalScope, MessageEvent};

use super::shelf::{Shelf, part_name, record_name, state_name};
use super::talk::{HubAsk, HubTell, StoredModel};
use crate::model::catalogue::published::published;
use crate::model::hub::{HubAddress, HubError, HubName, MAIN, index_of, pick, shards};

/// Milliseconds between two reports of progress.
const PROGRESS_EVERY: f64 = 100.0;

/// Listens to the panel. The worker's name is the hub's address.
pub fn start(scope: &DedicatedWorkerGlobalScope) {
    let Ok(hub) = HubAddress::parse(&scope.name()) else {
        return;
    };
    let fetcher = Rc::new(Fetcher {
        scope: scope.clone(),
        hub,
        queue: RefCell::default(),
        is_busy: Cell::new(false),
        is_paused: Cell::new(false),
        abort: RefCell::default(),
        told: Cell::new(0.0),
    });
    let listener = Rc::clone(&fetcher);
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let text = event.data().as_string().unwrap_or_default();
        // Panel and worker are one program.
        let Ok(ask) = serde_json::from_str::<HubAsk>(&text) else {
            return;
        };
        if matches!(ask, HubAsk::Pause) {
            listener.pause();
            return;
        }
        listener.queue.borrow_mut().push_back(ask);
        if !listener.is_busy.replace(true) {
            let fetcher = Rc::clone(&listener);
            wasm_bindgen_futures::spawn_local(async move {
                fetcher.work_off().await;
                fetcher.is_busy.set(false);
            });
        }
    });
    // The worker listens as long as it lives.
    scope.set_onmessage(Some(on_message.into_js_value().unchecked_ref()));
    fetcher.tell(&HubTell::Ready);
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

struct Fetcher {
    scope: DedicatedWorkerGlobalScope,
    hub: HubAddress,
    queue: RefCell<VecDeque<HubAsk>>,
    is_busy: Cell<bool>,
    is_paused: Cell<bool>,
    /// Ends the request under way.
    abort: RefCell<Option<AbortController>>,
    told: Cell<f64>,
}

impl Fetcher {
    async fn work_off(&self) {
        loop {
            let next = self.queue.borrow_mut().pop_front();
            let Some(ask) = next else { return };
            self.is_paused.set(false);
            match ask {
                HubAsk::Pause => {}
                HubAsk::LookUp { name, ending } => {
                    let found = self.look_up_step(&name, ending.as_deref()).await;
                    self.end(name, found, |_, found| found);
                }
                HubAsk::Fetch { model } => {
                    let name = model.name.clone();
                    match self.fetch(&model).await {
                        // The files of a browser that keeps none.
                        Ok(files) if files.length() > 0 => {
                            self.tell_with(&HubTell::Fetched { name }, &files);
                        }
                        ended => self.end(name, ended, |name, _| HubTell::Fetched { name }),
                    }
                }
                HubAsk::Remove { name } => {
                    self.remove(&name).await;
                    self.tell(&HubTell::Removed { name });
                }
            }
        }
    }

    fn end<T>(
        &self,
        name: String,
        ended: Result<T, FetchStop>,
        well: impl FnOnce(String, T) -> HubTell,
    ) {
        self.tell(&match ended {
            Ok(value) => well(name, value),
            Err(FetchStop::Paused) => HubTell::Paused { name },
            Err(FetchStop::Failed(error)) => HubTell::Failed {
                name,
                sentence: error.to_string(),
            },
        });
    }

    /// What a name means, and, of a step of training, whether the hub serves it as another too.
    async fn look_up_step(&self, name: &str, ending: Option<&str>) -> Result<HubTell, FetchStop> {
        let (model, is_gated) = self.look_up(name, ending).await?;
        let name = HubName::parse(name)?;
        let of_list = published().iter().find(|known| known.repo == name.repo);
        let beside = of_list.and_then(|known| known.neighbours(name.revision()));
        let mut same = Vec::new();
        for other in beside
            .into_iter()
            .flat_map(|steps| steps.into_iter().chain([MAIN.to_owned()]))
        {
            let (found, _) = self.look_up(&name.at(&other).to_string(), ending).await?;
            if found.weights() == model.weights() {
                same.push(other);
            }
        }
        Ok(HubTell::Found {
            model,
            is_gated,
            same,
        })
    }

    /// Commit, terms, and the files that are the model.
    async fn look_up(
        &self,
        text: &str,
        ending: Option<&str>,
    ) -> Result<(StoredModel, bool), FetchStop> {
        let name = HubName::parse(text)?;
        let info = self.info(&name).await?;
        let listed = match self.list(&name, &info.commit).await {
            Err(FetchStop::Failed(HubError::NoRepo { repo, .. })) if info.is_gated => {
                let page = self.hub.page(&repo);
                return Err(HubError::Gated { repo, page }.into());
            }
            listed => listed?,
        };
        let mut files = pick(&name, ending, &listed)?;
        if let Some(index) = index_of(&files).cloned()
            && !info.is_gated
        {
            let url = self.hub.resolve(&name.repo, &info.commit, &index.path);
            let (bytes, _) = self.short(&name, &url).await?;
            files.extend(shards(&name, &bytes, &listed)?);
        }
        let model = StoredModel {
            name: name.to_string(),
            commit: info.commit,
            licence: info.licence,
            files,
        };
        Ok((model, info.is_gated))
    }

    /// Fetches what is missing; the files themselves where this browser keeps none.
    async fn fetch(&self, model: &StoredModel) -> Result<js_sys::Array, FetchStop> {
        let name = HubName::parse(&model.name)?;
        let shelf = Shelf::open().await;
        if let Some(shelf) = &shelf {
            // First, so that what has come is found again.
            self.keep_record(shelf, model).await?;
        } else {
            let sentence = "This browser keeps no files for pages: the model stays in memory until the page is closed.".to_owned();
            self.tell(&HubTell::Notice { sentence });
        }
        let total = model.bytes();
        let mut before = 0;
        let files = js_sys::Array::new();
        for file in &model.files {
            let is_there = match &shelf {
                Some(shelf) => shelf.file(file.hash.hex()).await,
                None => None,
            };
            if is_there.is_none_or(|there| there.size() as u64 != file.size) {
                let mut told = |done| self.progress(&model.name, before + done, total);
                let kept = self
                    .receive(&name, &model.commit, file, shelf.as_ref(), &mut told)
                    .await?;
                if let Some(kept) = kept {
                    files.push(&kept);
                }
            }
            before += file.size;
            self.progress(&model.name, before, total);
        }
        Ok(files)
    }

    async fn keep_record(&self, shelf: &Shelf, model: &StoredModel) -> Result<(), FetchStop> {
        let text = serde_json::to_vec(model).unwrap_or_default();
        let written = sink::write_whole(shelf, &record_name(&model.name), &text).await;
        written.map_err(|error| sink::unwritten(&error, &model.name, text.len() as u64).into())
    }

    /// A model's record goes first: without it, what is left is nobody's and is tidied up later.
    async fn remove(&self, name: &str) {
        let Some(shelf) = Shelf::open().await else {
            return;
        };
        let all = shelf.models().await;
        let Some(own) = all.iter().find(|kept| kept.model.name == name) else {
            return;
        };
        shelf.remove(&record_name(name)).await;
        for file in &own.model.files {
            let others = all.iter().filter(|kept| kept.model.name != name);
            let is_shared = others
                .flat_map(|kept| &kept.model.files)
                .any(|other| other.hash == file.hash);
            if !is_shared {
                for name in [
                    file.hash.hex().to_owned(),
                    part_name(file),
                    state_name(file),
                ] {
                    shelf.remove(&name).await;
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
        let now = js_sys::Date::now();
        if done == total || now - self.told.get() >= PROGRESS_EVERY {
            self.told.set(now);
            let name = name.to_owned();
            self.tell(&HubTell::Progress { name, done, total });
        }
    }

    /// Lets messages in meanwhile.
    async fn sleep(&self, milliseconds: u64) -> Result<(), FetchStop> {
        let until = js_sys::Date::now() + milliseconds as f64;
        // In short steps, so that a pause is heard.
        while js_sys::Date::now() < until {
            let left = (until - js_sys::Date::now()).clamp(1.0, 100.0) as i32;
            let promise = js_sys::Promise::new(&mut |resolve, _| {
                let scope = &self.scope;
                let set =
                    scope.set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, left);
                if set.is_err() {
                    let _ = resolve.call0(&JsValue::NULL);
                }
            });
            let _ = JsFuture::from(promise).await;
            self.listen()?;
        }
        Ok(())
    }

    fn listen(&self) -> Result<(), FetchStop> {
        if self.is_paused.get() {
            Err(FetchStop::Paused)
        } else {
            Ok(())
        }
    }
}
