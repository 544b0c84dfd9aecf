//! Messages between a worker and the helpers of its crew.
//!
//! A helper's first words are [`PROGRAM`], by `worker_loader.js`: it is given the worker's own program (a
//! `WebAssembly.Module`) and runs that. All else is JSON: to a helper an array, of a [`CrewAsk`] and of the
//! files that it speaks of; from a helper a [`CrewTell`]. Both ends are one program, so nothing has a
//! version.

use serde::{Deserialize, Serialize};

use crate::app::protocol::OrdersAsk;
use crate::app::sharing::RowShare;
use crate::study::orders::OrderRows;

/// The name of a helper's global scope: the worker that a page starts has another.
pub const NAME: &str = "crew";

/// Asks for the program.
pub const PROGRAM: &str = "program";

#[derive(Debug, Serialize, Deserialize)]
pub enum CrewAsk {
    /// Puts a model on the processor. Its files travel beside this message: the bytes of the `small` ones,
    /// then the `weights`, which stay the browser's.
    Open { name: String, small: Vec<String>, weights: Vec<String> },
    /// Runs a share of a sweep of the model that is open.
    Run { wanted: OrdersAsk, share: RowShare },
}

#[derive(Debug, Serialize, Deserialize)]
pub enum CrewTell {
    /// It listens.
    Ready,
    /// The model is open.
    Opened,
    /// Block runs done of the share it runs.
    Progress { done: usize },
    /// Rows of a share: under the model's own order, then under each of the others.
    Ran { share: RowShare, rows: Vec<OrderRows> },
    /// It does nothing more: why, as a part of a sentence.
    Failed { reason: String },
}
