//! Downloads from a hub, and the models that this browser keeps.
//!
//! The page's policy lets it ask nobody but the host it came from, and its worker, which holds the
//! prompt, inherits that. What is fetched from a hub is fetched by a worker of another document, `hub.html`, whose
//! policy names the hub. The page holds that document in a frame that shows nothing. Its worker is asked for a model by
//! its name, is never given a prompt, and puts files onto the shelf, where the page finds them, or, where a browser
//! stores nothing for pages, hands them to the page.
//!
//! Pure, and tested natively: [`talk`], [`budget`].

pub mod budget;
pub mod talk;

#[cfg(feature = "web")]
pub(super) mod shelf;
#[cfg(feature = "web")]
mod worker;

#[cfg(feature = "web")]
pub use worker::start;
