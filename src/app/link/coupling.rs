//! Settings of the view of couplings, as a link holds them.

use std::collections::BTreeSet;

use super::LinkPairs;
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
        if self.metric != default.metric {
            pairs.push("metric", metric_name(self.metric));
        }
        if self.k != default.k {
            pairs.push("k", &self.k.to_string());
        }
        if let Some([row, column]) = self.pair {
            pairs.push("pair", &format!("{row},{column}"));
        }
        let TokenAsk { is_wanted, step, t_in, t_out } = self.tokens;
        if is_wanted {
            pairs.push("tokens", "yes");
        }
        let numbers = [("step", step), ("t-in", t_in), ("t-out", t_out), ("frame", self.frame)];
        for (key, value) in numbers {
            if let Some(value) = value {
                pairs.push(key, &value.to_string());
            }
        }
        if let Some((_, name)) = AGAINST.iter().find(|(to, _)| *to == self.against)
            && self.against != default.against
        {
            pairs.push("against", name);
        }
        if let Some(task) = self.task {
            pairs.push("of", task.name());
        }
        if self.rows != default.rows {
            pairs.push("of-rows", &self.rows.to_string());
        }
        for name in &self.out {
            pairs.push("without", name);
        }
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
