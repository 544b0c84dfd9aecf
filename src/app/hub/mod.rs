//! The panel of models and its download worker, in a document of their own (`hub.html`).
//!
//! The page's policy lets it ask nobody but the host it came from, and its worker, which holds the
//! prompt, inherits that. What is fetched from a hub is fetched by this document, whose policy names
//! the hub, and which is never given a prompt: it hands files to the page, and hears from it only
//! which model to hand over.
//!
//! Pure, and tested natively: [`talk`], [`budget`].

pub mod budget;
pub mod talk;

#[cfg(feature = "web")]
mod panel;
#[cfg(feature = "web")]
pub(super) mod shelf;
#[cfg(feature = "web")]
mod worker;

/// Begins as what it was started as: the panel in a document, or the worker.
#[cfg(feature = "web")]
pub fn start() {
    use wasm_bindgen::JsCast;
    match js_sys::global().dyn_into::<web_sys::DedicatedWorkerGlobalScope>() {
        Ok(scope) => worker::start(&scope),
        Err(_) => panel::mount(),
    }
}
