//! Settings of the views of a run's inside, as a link holds them.

use super::{LinkPairs, View, changed};
use crate::chart::DepthColour;

/// The reader's settings of these views.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InsideSettings {
    pub colour: DepthColour,
    /// The final norm's scale is that of the run's end.
    pub is_held: bool,
    /// Words to follow; none: the options.
    pub follow: Vec<String>,
    /// Where the window of positions begins; the last ones where nothing is said.
    pub from: Option<usize>,
    /// The position that looks; the last where nothing is said.
    pub query: Option<usize>,
    /// Which run of a block's attention, and which of its heads, is drawn large.
    pub run: usize,
    pub head: usize,
    /// The length of what is carried, in place of the weight.
    pub is_carried: bool,
    /// The first token, which may be a sink, is left out of what heads look at most.
    pub skips_first: bool,
    /// Name of the member that is shown by itself; the first after the embedding where nothing is said.
    pub member: Option<String>,
}

/// Bytes of the longest name that a member has: a block's number, its half, which of its runs.
const NAME: usize = 16;

/// Words that are followed at most.
pub const MOST_FOLLOWED: usize = 8;

/// The name of a colour used in links, and as a choice's value.
pub fn colour_name(colour: DepthColour) -> String {
    match colour {
        DepthColour::Probability => "probability".to_owned(),
        DepthColour::Entropy => "entropy".to_owned(),
        DepthColour::Kl => "kl".to_owned(),
        DepthColour::Followed(n) => format!("word{}", n + 1),
        DepthColour::Rank(n) => format!("rank{}", n + 1),
    }
}

pub fn colour_of(name: &str) -> DepthColour {
    let word = |kind: &str| {
        let n: usize = name.strip_prefix(kind)?.parse().ok()?;
        (1..=MOST_FOLLOWED).contains(&n).then(|| n - 1)
    };
    match name {
        "entropy" => DepthColour::Entropy,
        "kl" => DepthColour::Kl,
        _ => word("word")
            .map(DepthColour::Followed)
            .or_else(|| word("rank").map(DepthColour::Rank))
            .unwrap_or_default(),
    }
}

impl InsideSettings {
    /// Another prompt: its positions are others.
    pub fn forget_positions(&mut self) {
        (self.from, self.query) = (None, None);
    }

    pub(super) fn write(&self, view: View, pairs: &mut LinkPairs) {
        match view {
            View::Member => {
                pairs.known("member", self.member.as_ref());
                pairs.known("show", self.is_carried.then_some("carried"));
            }
            View::Attention => {
                pairs.known("from", self.from);
                pairs.known("query", self.query);
                pairs.known("run", changed(self.run, 0));
                pairs.known("head", changed(self.head, 0));
                pairs.known("show", self.is_carried.then_some("carried"));
                pairs.known("first", self.skips_first.then_some("out"));
            }
            _ => {
                let colour = changed(self.colour, DepthColour::default());
                pairs.known("from", self.from);
                pairs.known("colour", colour.map(colour_name));
                pairs.known("norm", self.is_held.then_some("held"));
                pairs.each("follow", &self.follow);
            }
        }
    }

    /// True if the key is one of these.
    pub(super) fn read(&mut self, key: &str, value: &str) -> bool {
        let number = || value.parse().ok();
        match key {
            "from" => self.from = number(),
            "query" => self.query = number(),
            "run" => self.run = number().unwrap_or_default(),
            "head" => self.head = number().unwrap_or_default(),
            "member" => self.member = Some(value.to_owned()).filter(|name| name.len() <= NAME),
            "show" => self.is_carried = value == "carried",
            "first" => self.skips_first = value == "out",
            "colour" => self.colour = colour_of(value),
            "norm" => self.is_held = value == "held",
            "follow" if self.follow.len() < MOST_FOLLOWED => self.follow.push(value.to_owned()),
            _ => return false,
        }
        true
    }
}
