//! Sweeps over orders (*Transformer Layers as Painters*): plans x rows, scores beside votes.

mod result;
mod sweep;

pub use result::{Measures, Orders, Point, Rows, Variant, Votes};
pub use sweep::{Extent, Sweep};
