//! The `lab` part of a report: one question under the model's own order and under the reader's.

use serde::{Deserialize, Serialize};

use super::geometry::Geometry;
use super::report::Lens;

/// Before and after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lab {
    /// The model's own order.
    pub original: Lens,
    /// The reader's.
    pub arranged: Lens,
    /// From the original's distribution over the options to the other's, nats.
    pub kl: f64,
    /// Both streams, in the same order.
    pub geometry: [Geometry; 2],
}
