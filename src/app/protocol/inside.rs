//! Requests for the inside of a run.

use serde::{Deserialize, Serialize};

/// Which maps between tokens come with a coupling, at the last positions of a long prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenAsk {
    /// Also where they are many products: in a wide model.
    pub is_wanted: bool,
    /// This step with itself and with the next; the middle one where nothing is said.
    pub step: Option<usize>,
    /// The token whose sendings are compared; the first where nothing is said.
    pub t_in: Option<usize>,
    /// The token whose takings are; the last where nothing is said.
    pub t_out: Option<usize>,
}

/// Readings of a run beside its members.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum InsideAsk {
    /// The answers decoded from the streams, at `count` positions from `from`, or at the last ones.
    Depths {
        /// Words, one token each; none: the options.
        follow: Vec<String>,
        is_held: bool,
        from: Option<usize>,
        count: usize,
    },
    /// Where all heads look from `query`, or from the last token, and one head's `count` rows from
    /// `from`, or the last ones; beside it what the model's own order answers. `run` counts the
    /// runs of a block's attention; past the last it is the last.
    Attention { query: Option<usize>, run: usize, head: usize, from: Option<usize>, count: usize },
    /// One member by itself, by its name in the run: what it reads, writes and costs. The first after the
    /// embedding where none is named.
    Member { name: Option<String> },
}
