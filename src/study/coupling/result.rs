//! Coupling on one prompt: the `coupling` part of a report.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::measure::coupling::{BothMetrics, Spectrum, Undefined};

/// How alike the linearised steps of one run are. S steps, T tokens, D width; J_i is the Jacobian of step
/// i **without its skip**, at the stream that entered it in this run.
///
/// `atelier coupling --json` prints it as:
///
/// ```json
/// { "atelier": 1, "model": {…}, "engine": "CPU (f32)", "coupling": {
///   "prompt": "…", "token_ids": [1, 5, 9], "tokens": ["a", "b", "c"],
///   "plan": "0-11", "steps": ["0", "1", …], "top": [4, 8, 16],
///   "method": "whole", "reason": "fewer_products", "products": {"jvp": 1536, "vjp": 0},
///   "spectrum": [{"singular_values": [3.1, …], "entropy": 3.9, "effective_rank": 52.4,
///                 "stable_rank": 15.6, "frobenius": 7.4, "gap": {"4": 0.01, "8": 0.003, "16": null}}, …],
///   "depth_wise": {"8": {"off_diagonal": [[0, 0.91, null], …], "singular": [[0, 0.97, null], …],
///                        "why_row": [null, null, "zero"], "why_column": [null, null, "rank"],
///                        "coupling": {"off_diagonal": 0.11, "singular": 0.05},
///                        "chance": {"off_diagonal": 0.935, "singular": 1}}, …},
///   "aligned": {"k": 16, "pairs": [[[[1.2, 0.01, …], …], null], …]},
///   "token_wise": {"k": 8,
///     "self": {"t": [0, 3, 5], "pairs": [{"steps": [5, 6], "off_diagonal": [[…]], "singular": [[…]], "gap": [0.02, …]}]},
///     "fixed_input": {"t_in": 8, "t_out": [8, 9, 11], "pairs": […]},
///     "fixed_output": {"t_out": 11, "t_in": [0, 4, 11], "pairs": […]}},
///   "linearised": {"cosine": [0.8, …], "relative_error": [0.6, …]},
///   "trajectories": {"explained_variance_ratio": [0.15, 0.12], "states": [[[0.2, 3.5], …], …]},
///   "line_shape_score": 2.04, "expodistance": 0.43 } }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Coupling {
    /// Text, where it came as one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// `[T]`
    pub token_ids: Vec<u32>,
    /// The prompt's tokens as text. `[T]`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Vec<String>>,
    /// In the one-line notation.
    pub plan: String,
    /// Each step in that notation: `3`, `3a`, `(4-6)`. `[S]`
    pub steps: Vec<String>,
    /// Every K, ascending.
    pub top: Vec<usize>,
    pub method: CouplingMethod,
    pub reason: MethodReason,
    /// Seed of a search's random start; whole Jacobians have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u32>,
    /// Products of Jacobians with vectors, over all steps and pairs of tokens.
    pub products: ProductCount,
    /// Each step at (last, last). `[S]`
    pub spectrum: Vec<Spectrum>,
    /// The last token's couplings, for every K.
    pub depth_wise: BTreeMap<usize, DepthWise>,
    /// Matrices behind the map at (last, last), where they are not too large to carry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aligned: Option<Aligned>,
    /// Between tokens, where asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_wise: Option<TokenWise>,
    pub linearised: Linearised,
    pub trajectories: TokenPaths,
    /// Line-shape score of the last token's path: 1 for a straight line, `sqrt(S)` for a random walk; `None` for a
    /// stream that never moves.
    pub line_shape_score: Option<f64>,
    /// Spread of the growth of the last token's state relative to its mean, where it has one.
    pub expodistance: Option<f64>,
}

/// How the leading singular vectors were found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CouplingMethod {
    /// Every Jacobian was formed, D products each.
    #[default]
    Whole,
    /// Block Golub-Kahan-Lanczos on products alone: fewer of them at a large width, and no room for
    /// matrices. The tail of the spectrum stays unknown.
    Lanczos,
}

/// Why they were found so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MethodReason {
    #[default]
    Asked,
    /// The other takes more.
    FewerProducts,
    /// Whole Jacobians would not fit in the memory that they may take.
    Memory,
}

/// Products with vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProductCount {
    /// `J z`
    pub jvp: u64,
    /// `J^T w`
    pub vjp: u64,
}

/// Mis-coupling of every Jacobian of a row in the basis of every one of a column: 0 where they share
/// their leading vectors, about the chance line where nothing does, `None` where it is undefined. Not
/// symmetric. `[R][C]`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MisCoupling {
    pub off_diagonal: Vec<Vec<Option<f64>>>,
    pub singular: Vec<Vec<Option<f64>>>,
    /// Why a row has no numbers; empty where all have. `[R]` or `[0]`
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub why_row: Vec<Option<Undefined>>,
    /// Why a column has none; empty where all have. `[C]` or `[0]`
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub why_column: Vec<Option<Undefined>>,
}

/// All pairs of steps at (last, last): row = whose Jacobian, column = whose basis. `[S][S]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DepthWise {
    #[serde(flatten)]
    pub map: MisCoupling,
    /// 1 less the mean over all defined pairs of different steps; `None` without any.
    pub coupling: BothMetrics<Option<f64>>,
    /// The mis-coupling of unrelated bases. The coupling's chance is 1 less it.
    pub chance: BothMetrics<f64>,
}

/// `A = U_j^T J_i V_j` of every pair of steps at (last, last), i the row and j the column of the map. That
/// of a smaller K is its upper left corner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Aligned {
    /// The largest K asked for that is at most 16.
    pub k: usize,
    /// With five digits; `None` where the pair is undefined at this K. `[S][S][K][K]`
    pub pairs: Vec<Vec<Option<Vec<Vec<f32>>>>>,
}

/// Mis-coupling between tokens, two steps at a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TokenWise {
    pub k: usize,
    #[serde(rename = "self", default, skip_serializing_if = "Option::is_none")]
    pub same: Option<TokenMap>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed_input: Option<TokenMap>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed_output: Option<TokenMap>,
}

impl TokenWise {
    /// The maps that are there.
    pub fn maps(&self) -> impl Iterator<Item = &TokenMap> {
        [&self.same, &self.fixed_input, &self.fixed_output].into_iter().flatten()
    }
}

/// A map between tokens, for pairs of steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TokenMap {
    #[serde(flatten)]
    pub positions: TokenPositions,
    pub pairs: Vec<StepPair>,
}

/// Rows and columns of a map between tokens: the same positions, counted from 0, of either step. `[R]`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "a map between tokens has t, or t_in and t_out, as positions counted from 0"
)]
pub enum TokenPositions {
    /// `J(t, t)` of the first step against `J'(t', t')` of the second, all t and t'.
    Same { t: Vec<usize> },
    /// `J(t_out, t_in)` against `J'(t_out', t_in)`, from one token to each of several.
    Input { t_in: usize, t_out: Vec<usize> },
    /// `J(t_out, t_in)` against `J'(t_out, t_in')`, from each of several tokens to one.
    Output { t_out: usize, t_in: Vec<usize> },
}

impl TokenPositions {
    /// Name of the map in files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Same { .. } => "self",
            Self::Input { .. } => "fixed_input",
            Self::Output { .. } => "fixed_output",
        }
    }

    /// `(t_in, t_out)` of each Jacobian.
    pub fn places(&self) -> Vec<(usize, usize)> {
        match self {
            Self::Same { t } => t.iter().map(|&t| (t, t)).collect(),
            Self::Input { t_in, t_out } => t_out.iter().map(|&t_out| (*t_in, t_out)).collect(),
            Self::Output { t_out, t_in } => t_in.iter().map(|&t_in| (t_in, *t_out)).collect(),
        }
    }
}

/// Two steps over the same positions: row = (first step, position), column = (second step, position).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepPair {
    /// Places in the plan, counted from 0.
    pub steps: [usize; 2],
    #[serde(flatten)]
    pub map: MisCoupling,
    /// Gap of every column's basis at this K: see [`Spectrum::gap`]. `[C]`
    pub gap: Vec<Option<f64>>,
}

/// The last token's state carried by the linearised steps alone: `x~_0 = x_0`,
/// `x~_l = x~_(l-1) + J_(l-1) x~_(l-1)`, beside the true one, after each step. `[S]`; `None` where one of
/// the two is zero.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Linearised {
    pub cosine: Vec<Option<f64>>,
    /// `||x_l - x~_l|| / ||x_l||`
    pub relative_error: Vec<Option<f64>>,
}

/// Every token's state on the two principal components of the last states.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TokenPaths {
    /// Share of the last states' variance along each.
    pub explained_variance_ratio: [f64; 2],
    /// Before the first step and after each. `[S + 1][T]`
    pub states: Vec<Vec<[f64; 2]>>,
}
