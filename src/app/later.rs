//! The part of the page's program that the views behind the first one need. It travels behind the first
//! picture, in a file of its own that the build cuts off (`xtask/src/split`). A function that is called before
//! it has come fetches it then and there, so everything here is about not having to wait for that.

use std::time::Duration;

use leptos::prelude::*;
use wasm_bindgen::prelude::*;

/// How long the first picture stands before the rest of the program is fetched unasked.
const PATIENCE: Duration = Duration::from_millis(1000);

/// How far a part of the page is that is fetched behind the first picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    Not,
    Asked,
    There,
    Failed,
}

impl Arrival {
    /// What came of fetching it.
    pub async fn of(promise: Result<js_sys::Promise, JsValue>) -> Self {
        let come = match promise {
            Ok(promise) => wasm_bindgen_futures::JsFuture::from(promise).await,
            Err(error) => Err(error),
        };
        come.map_or(Self::Failed, |_| Self::There)
    }
}

#[derive(Clone, Copy)]
pub struct Later(RwSignal<Arrival>);

impl Later {
    pub fn start() -> Self {
        keep_first(&wasm_bindgen::exports());
        let later = Self(RwSignal::new(Arrival::Not));
        set_timeout(move || later.fetch(), PATIENCE);
        later
    }

    pub fn is_there(self) -> bool {
        self.0.get() == Arrival::There
    }

    pub fn has_failed(self) -> bool {
        self.0.get() == Arrival::Failed
    }

    /// Fetches it, unless it is there or on its way.
    pub fn fetch(self) {
        if matches!(self.0.get_untracked(), Arrival::Asked | Arrival::There) {
            return;
        }
        self.0.set(Arrival::Asked);
        leptos::task::spawn_local(async move {
            self.0.set(Arrival::of(fetch_later()).await);
        });
    }
}

/// What the functions that were cut off call in their absence. (Here so that the program imports it.)
#[wasm_bindgen]
pub fn call_later() {
    load_later();
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = keepFirst)]
    fn keep_first(exports: &JsValue);

    #[wasm_bindgen(catch, js_name = fetchLater)]
    fn fetch_later() -> Result<js_sys::Promise, JsValue>;

    #[wasm_bindgen(js_name = loadLater)]
    fn load_later();
}
