//! How every painter of a row voted in the run of that row.

use super::{Arrangement, Strokes};
use crate::chart::stroke_votes;
use crate::study::report::Lens;

/// A painter's two votes; `None` for a stroke that is switched off.
pub type Votes = [Option<f64>; 2];

impl Arrangement {
    /// `[spot][painter]` attention's and MLP's votes in logits, which add up over repeats as they do
    /// over strokes. `None` where the run is of another row.
    pub fn votes(&self, lens: &Lens) -> Option<Vec<Vec<Votes>>> {
        if self.plan().ok()?.to_string() != lens.plan {
            return None;
        }
        let votes = stroke_votes(lens);
        let sum = |members: &[usize]| -> Option<f64> {
            let each: Option<Vec<f64>> = members.iter().map(|&i| votes.get(i).copied()).collect();
            each.filter(|each| !each.is_empty()).map(|each| each.iter().sum())
        };
        let painter = |strokes: &Strokes| [sum(&strokes.attention), sum(&strokes.mlp)];
        Some(self.strokes().iter().map(|spot| spot.iter().map(painter).collect()).collect())
    }
}
