//! The Leptos page, its worker, and the protocol between them.
//!
//! Pure, and tested natively: [`answers`] (to lessons), [`arrangement`] (a plan as tiles), [`asked`] (of a lesson),
//! [`bars`] (of a step's numbers),
//! [`doors`] (the start page's ways in), [`link`] (the page's state as a URL), [`protocol`], [`queue`] (what waits in
//! the worker), [`state::exchange`] (what the page asked of it),
//! [`machine`] (a look at it, in words), [`examples`], [`first_picture`], [`hub`]'s talk and budgets, [`opened`] (reports),
//! [`joining`] (surveys), [`pace`] (of partial reports), [`roles`], [`sharing`] (of a sweep among
//! workers), [`marks`], [`takes`] (of a model: tasks and lessons), [`tasks`] (that are offered). The rest needs
//! feature `web` and a browser: `shell` (head, bar, drop target: what outlives every change of view),
//! `views` (one folder a view), `widgets` (what several views are made of). The page never calls a
//! model or an engine: only `worker` does, so the page's own file stays small.

pub mod answers;
pub mod arrangement;
pub mod asked;
pub mod at_hand;
pub mod bars;
pub mod doors;
pub mod examples;
pub mod first_picture;
pub mod framing;
pub mod glossary;
pub mod joining;
pub mod link;
pub mod machine;
pub mod marks;
pub mod opened;
pub mod pace;
pub mod protocol;
pub mod queue;
pub mod roles;
pub mod sharing;
pub mod state;
pub mod takes;
pub mod tasks;

#[cfg(feature = "web")]
mod browser;
#[cfg(feature = "web")]
mod client;
#[cfg(feature = "web")]
mod embedding;
#[cfg(feature = "web")]
mod files;
#[cfg(feature = "web")]
mod handing;
#[cfg(any(feature = "cli", feature = "web"))]
pub mod hub;
#[cfg(feature = "web")]
mod served;
#[cfg(feature = "web")]
mod shell;
#[cfg(feature = "web")]
mod views;
#[cfg(feature = "web")]
mod widgets;
#[cfg(feature = "web")]
pub mod worker;

#[cfg(feature = "web")]
pub use shell::{mount, tell_failure};
