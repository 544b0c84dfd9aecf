//! Settings of the view of couplings, as a link holds them.

use std::collections::BTreeSet;

use super::{LinkPairs, changed};
use crate::app::protocol::TokenAsk;
use crate::chart::{CouplingShown, metric_name, metric_of};
use crate::study::coupling::{CouplingMetric, RelationTo, USUAL_TOP};
use crate::task::built_in::BuiltInTask;

/// The reader's settings of the pictures of couplings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CouplingSettings {
    pub metric: CouplingMetric,
    /// Leading vectors.
    pub k: usize,
    /// The step of the Jacobian and the step of the basis, as places in the plan; the most alike where nothing is
    /// said.
    pub pair: Option<[usize; 2]>,
    /// After how many steps the tokens are shown; their whole ways where nothing is said.
    pub frame: Option<usize>,
    /// Maps between tokens: a change of them needs another run.
    pub tokens: TokenAsk,
    /// The quantity that the coupling is compared with, over rows.
    pub against: RelationTo,
    /// Rows of which task, the first that the model can be asked where none was chosen; and how many.
    pub task: Option<BuiltInTask>,
    pub rows: usize,
    /// Points that are taken away, by their names.
    pub out: BTreeSet<String>,
}

impl Default for CouplingSettings {
    fn default() -> Self {
        Self {
            metric: CouplingMetric::OffDiagonal,
            k: USUAL_TOP,
            pair: None,
            frame: None,
            tokens: TokenAsk::default(),
            against: AGAINST[0].0,
            task: None,
            rows: 24,
            out: BTreeSet::new(),
        }
    }
}

/// Every K that the page's slider stops at, where the width has so many.
pub const SLIDER: [usize; 8] = [2, 4, 6, 8, 10, 12, 14, 16];
/// Rows that the page runs at most: each is a whole map.
pub const MOST_COUPLED_ROWS: usize = 200;
/// Points that a link can take away.
const MOST_OUT: usize = 64;

/// Quantities that one model's couplings are compared with, with their names in links.
pub const AGAINST: [(RelationTo, &str); 4] = [
    (RelationTo::SwapMargin, "swap"),
    (RelationTo::SwapAccuracy, "swap-accuracy"),
    (RelationTo::DropMargin, "drop"),
    (RelationTo::DropAccuracy, "drop-accuracy"),
];

impl CouplingSettings {
    /// Returns the settings that one prompt's pictures need.
    pub fn shown(&self) -> CouplingShown {
        CouplingShown { metric: self.metric, k: self.k, pair: self.pair, frame: self.frame }
    }

    /// Another prompt or model: its tokens and steps are others.
    pub fn forget_places(&mut self) {
        (self.pair, self.frame) = (None, None);
        self.tokens = TokenAsk { is_wanted: self.tokens.is_wanted, ..TokenAsk::default() };
    }

    pub(super) fn write(&self, pairs: &mut LinkPairs) {
        let default = Self::default();
        let against = changed(self.against, default.against);
        let against = AGAINST.iter().find(|(to, _)| Some(*to) == against);
        let TokenAsk { is_wanted, step, t_in, t_out } = self.tokens;

        pairs.known("metric", changed(self.metric, default.metric).map(metric_name));
        pairs.known("k", changed(self.k, default.k));
        pairs.known("pair", self.pair.map(|[row, column]| format!("{row},{column}")));
        pairs.known("tokens", is_wanted.then_some("yes"));
        pairs.known("step", step);
        pairs.known("t-in", t_in);
        pairs.known("t-out", t_out);
        pairs.known("frame", self.frame);
        pairs.known("against", against.map(|(_, name)| name));
        pairs.known("of", self.task.map(|task| task.name()));
        pairs.known("of-rows", changed(self.rows, default.rows));
        pairs.each("without", &self.out);
    }

    /// True if the key is one of these.
    pub(super) fn read(&mut self, key: &str, value: &str) -> bool {
        let number = || value.parse::<usize>().ok();
        match key {
            "metric" => self.metric = metric_of(value).unwrap_or(CouplingMetric::OffDiagonal),
            "k" => self.k = number().unwrap_or(USUAL_TOP),
            "pair" => self.pair = pair(value),
            "tokens" => self.tokens.is_wanted = value == "yes",
            "step" => self.tokens.step = number(),
            "t-in" => self.tokens.t_in = number(),
            "t-out" => self.tokens.t_out = number(),
            "frame" => self.frame = number(),
            "against" => {
                let found = AGAINST.iter().find(|(_, name)| *name == value);
                self.against = found.map_or(AGAINST[0].0, |(to, _)| *to);
            }
            "of" => self.task = BuiltInTask::from_name(value),
            "of-rows" => {
                let rows = number().unwrap_or(Self::default().rows);
                self.rows = rows.clamp(1, MOST_COUPLED_ROWS);
            }
            "without" if self.out.len() < MOST_OUT => {
                self.out.insert(value.to_owned());
            }
            _ => return false,
        }
        true
    }
}

/// `3,5`, as a cell of the map is called.
pub fn pair(text: &str) -> Option<[usize; 2]> {
    let (row, column) = text.split_once(',')?;
    Some([row.parse().ok()?, column.parse().ok()?])
}
