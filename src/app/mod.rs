//! The Leptos page, its worker, and the protocol between them.

pub mod protocol;
