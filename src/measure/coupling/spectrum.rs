use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The singular values of one step's Jacobian.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spectrum {
    /// The first 16, or as many as are known, largest first.
    pub singular_values: Vec<f64>,
    /// `- sum p ln p` of all D, `p = s / sum s`, nats. This and the next three are `None` where only the
    /// leading singular values were computed, and for a Jacobian of zeros.
    pub entropy: Option<f64>,
    /// `e^entropy`
    pub effective_rank: Option<f64>,
    /// `sum s^2 / s_1^2`
    pub stable_rank: Option<f64>,
    /// `sqrt(sum s^2)`
    pub frobenius: Option<f64>,
    /// For every K: the least of `(s_k - s_(k+1)) / s_k` for `k <= K`. Under [`ILL_POSED`] two of the
    /// first K vectors can be turned into one another at next to no cost, and so the coupling is
    /// not a property of the model. `None` where some `s_k` is zero.
    pub gap: BTreeMap<usize, Option<f64>>,
}

/// See [`Spectrum::gap`].
pub const ILL_POSED: f64 = 1e-3;
