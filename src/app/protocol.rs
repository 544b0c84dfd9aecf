//! What the page and its worker say to each other.
//!
//! The worker owns download, tokenizer, weights and engine; the page only draws. A request's `id`
//! comes back on each of its events. Every request ends in exactly one of `Loaded`, `Done`,
//! `Failed` or `Cancelled`.

use serde::{Deserialize, Serialize};

use crate::study::report::{ModelFacts, Report};

/// Raised at every change of these types: a worker file from an older build, kept by a cache, is
/// told from a current one by the first message it sends.
pub const PROTOCOL: u32 = 1;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Request {
    pub id: u32,
    pub ask: Ask,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Ask {
    /// Fetch one of the shipped models by its catalogue name.
    LoadKnown { name: String },
    /// Open files the reader chose; the `File` objects travel beside this message.
    LoadFiles { name: String },
    /// One prompt through the lens, on the model loaded last.
    Lens {
        prompt: String,
        options: Vec<String>,
        answer: usize,
        plan: Option<String>,
    },
    /// The pieces of a text, as the loaded model's tokenizer cuts it.
    Tokenize { text: String },
    /// Stop the request with this id.
    Cancel { id: u32 },
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Event {
    /// 0 for `Ready`, which answers no request.
    pub id: u32,
    pub tell: Tell,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Tell {
    Ready {
        protocol: u32,
    },
    Progress {
        stage: Stage,
        done: f64,
        total: f64,
    },
    Loaded {
        model: ModelFacts,
    },
    Tokens {
        pieces: Vec<String>,
    },
    Done {
        report: Box<Report>,
    },
    /// One sentence for the reader.
    Failed {
        reason: String,
    },
    Cancelled,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stage {
    /// Bytes.
    Download,
    /// Tensors.
    Weights,
    /// Block runs.
    Run,
}
