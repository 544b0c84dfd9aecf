//! The Leptos page, its worker, and the protocol between them.
//!
//! Pure, and tested natively: [`arrangement`] (a plan as tiles), [`link`] (the page's state as a
//! URL), [`protocol`], [`examples`], [`opened`] (reports), [`joining`] (surveys), [`roles`], [`spacing`]. The
//! rest needs feature `web` and a browser. `survey` is a page of its own, so that its code does not
//! travel before the lens's first picture. The page never calls a model
//! or an engine: only `worker` does, so the page's own file stays small enough to draw the first
//! picture early.

pub mod arrangement;
pub mod examples;
pub mod joining;
pub mod link;
pub mod opened;
pub mod protocol;
pub mod roles;
pub mod spacing;

#[cfg(feature = "web")]
mod bench;
#[cfg(feature = "web")]
mod browser;
#[cfg(feature = "web")]
mod client;
#[cfg(feature = "web")]
mod echarts;
#[cfg(feature = "web")]
mod files;
#[cfg(feature = "web")]
mod pages;
#[cfg(feature = "web")]
mod parts;
#[cfg(feature = "web")]
mod quiz;
#[cfg(feature = "web")]
mod studio;
#[cfg(feature = "web")]
pub mod survey;
#[cfg(feature = "web")]
mod sweeps;
#[cfg(feature = "web")]
mod theme;
#[cfg(feature = "web")]
pub mod worker;

#[cfg(feature = "web")]
pub use pages::mount;
