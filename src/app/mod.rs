//! The Leptos page, its worker, and the protocol between them.
//!
//! Pure, tested natively: [`link`] (the page's state as a URL), [`protocol`], [`examples`]. The rest
//! needs a browser. The page never calls a model or an engine: only [`worker`] does, so the page's
//! own file stays small enough to draw the first picture early.

mod browser;
mod client;
mod echarts;
pub mod examples;
mod files;
pub mod link;
mod pages;
mod parts;
pub mod protocol;
mod studio;
mod theme;
pub mod worker;

pub use pages::mount;
