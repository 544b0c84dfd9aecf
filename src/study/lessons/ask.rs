//! The run that a step asks for: the state of a page and nothing else.
//!
//! The page makes a link of it (`app::link`), so that a step opens in the view where a reader can look further.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{LessonPrompt, REAL_MODEL, RowGroup};
use crate::study::orders::{Extent, Sweep};

/// Stands in a plan before the name of the component that is left out.
pub(super) const WITHOUT: &str = "without:";

/// The kind of run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum StepAsk {
    /// One prompt, every member.
    Lens(LensAsk),
    /// Right answers, bias and diversity on rows of tasks, under orders, of models.
    Rows(RowsAsk),
    /// Right answers, bias and diversity on rows of tasks, read from the survey that comes with the page.
    Survey(SurveyAsk),
    /// Whole sweeps over orders: what they keep of what the model has above chance.
    Sweeps(SweepsAsk),
    /// The vote of every member and head, and the losses without it.
    Heads(HeadsAsk),
    /// How alike the linearised blocks are, on rows of one task.
    Coupling(CoupledAsk),
    /// Curves that need no model.
    Theory(TheoryAsk),
}

impl StepAsk {
    /// The prompt that is looked at: its own, or else the lesson's; none where rows are run, or nothing.
    pub fn prompt<'a>(&'a self, lesson: Option<&'a LessonPrompt>) -> Option<&'a LessonPrompt> {
        match self {
            Self::Lens(ask) => ask.prompt.as_ref().or(lesson),
            _ => None,
        }
    }

    /// The rows that are run; none where a prompt is looked at, or nothing is run.
    pub(super) fn groups(&self) -> &[RowGroup] {
        match self {
            Self::Rows(ask) => &ask.rows,
            Self::Sweeps(ask) => &ask.rows,
            Self::Heads(ask) => std::slice::from_ref(&ask.rows),
            Self::Coupling(ask) => std::slice::from_ref(&ask.rows),
            Self::Lens(_) | Self::Survey(_) | Self::Theory(_) => &[],
        }
    }

    /// Returns the rows that are run, to be changed.
    pub(super) fn groups_mut(&mut self) -> &mut [RowGroup] {
        match self {
            Self::Rows(ask) => &mut ask.rows,
            Self::Sweeps(ask) => &mut ask.rows,
            Self::Heads(ask) => std::slice::from_mut(&mut ask.rows),
            Self::Coupling(ask) => std::slice::from_mut(&mut ask.rows),
            Self::Lens(_) | Self::Survey(_) | Self::Theory(_) => &mut [],
        }
    }

    /// The rows of a sweep that are read by themselves under this name.
    pub(super) fn named_group(&self, name: &str) -> Option<&[String]> {
        match self {
            Self::Sweeps(ask) => ask.groups.get(name).map(Vec::as_slice),
            _ => None,
        }
    }

    /// The report that is read where the model is not open: a file beside the page.
    pub fn report(&self) -> Option<&str> {
        match self {
            Self::Sweeps(ask) => ask.report.as_deref(),
            Self::Coupling(ask) => ask.report.as_deref(),
            _ => None,
        }
    }

    /// Returns the plans that the file writes.
    pub(super) fn plans(&self) -> Vec<&String> {
        match self {
            Self::Lens(ask) => ask.plan.iter().collect(),
            Self::Rows(ask) => ask.plans.values().collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the plans that the file writes, to be changed.
    pub(super) fn plans_mut(&mut self) -> Vec<&mut String> {
        match self {
            Self::Lens(ask) => ask.plan.iter_mut().collect(),
            Self::Rows(ask) => ask.plans.values_mut().collect(),
            _ => Vec::new(),
        }
    }
}

/// One prompt under one order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LensAsk {
    /// The lesson's, where nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<LessonPrompt>,
    /// In the one-line notation; the model's own order where nothing is said. `without:` and the name of a member
    /// leaves out what the run before the question names so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// Where it is looked at.
    pub picture: LensPicture,
    pub column: ReadColumn,
    /// The picture that is drawn beside the answer; the first that `picture` has where nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub show: Option<LensShow>,
}

/// One of the pictures of one prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LensShow {
    /// Votes of every component.
    Votes,
    /// Votes of every component, beside its votes in the run before the question.
    Moved,
    /// Every component's own error, smallest first, with the error of their mean.
    Ranked,
    /// Every stroke's bias and diversity.
    Spread,
    /// MSE, bias and diversity of the first n strokes.
    Running,
    /// The last token's stream, decoded depth by depth.
    Depths,
    /// Entropy of the last token's stream, decoded depth by depth.
    Doubt,
}

impl LensAsk {
    /// Returns the plan, where the file says it or a run before the question has made it known.
    pub fn known_plan(&self) -> Option<&str> {
        self.plan.as_deref().filter(|plan| !plan.starts_with(WITHOUT))
    }

    /// Returns the picture that is drawn.
    pub fn shown(&self) -> LensShow {
        self.show.unwrap_or(match self.picture {
            LensPicture::LogitLens => LensShow::Depths,
            LensPicture::Lens | LensPicture::Attention | LensPicture::Orders => LensShow::Votes,
        })
    }
}

/// Where one prompt is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LensPicture {
    /// The members' votes.
    #[default]
    Lens,
    /// The answer decoded from the stream along its depth.
    LogitLens,
    /// Where the heads look.
    Attention,
    /// This order beside the model's own.
    Orders,
}

/// Which numbers the members vote in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReadColumn {
    #[default]
    Probability,
    Logit,
    Paper,
}

/// Rows of tasks, under orders, of models.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowsAsk {
    pub rows: Vec<RowGroup>,
    /// Orders beside the model's own, by the name that fields use: one-line notation, or a strategy.
    #[serde(default)]
    pub plans: BTreeMap<String, String>,
    /// Every block run left out, too: `drop:0`, `drop:1`, …
    #[serde(default)]
    pub drops: bool,
    /// Names of the catalogue; none: the model that is taught with. `moments`: its moments of training,
    /// then itself.
    #[serde(default)]
    pub models: Vec<String>,
    /// Which means are drawn, a picture each; accuracy where nothing is said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub show: Vec<SurveyShow>,
    /// The scale in which MSE, bias and diversity are drawn.
    #[serde(default)]
    pub column: ReadColumn,
    /// Names of rows of two options whose negations turn the right answer round. Where there are some, a map of what
    /// the models say is drawn in place of the means.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turned: Vec<String>,
}

/// Sweeps over orders on rows of tasks, all tasks read together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SweepsAsk {
    pub rows: Vec<RowGroup>,
    pub kinds: Vec<Sweep>,
    /// Shuffles of one size.
    #[serde(default = "single")]
    pub seeds: u64,
    /// Loops run so many times at most.
    #[serde(default = "single")]
    pub rounds: usize,
    /// Middles of several sizes, too, and not only those that the fields of one size speak of?
    #[serde(default)]
    pub every_size: bool,
    /// Is the right answer's place among all tokens drawn, in place of the accuracy among the options?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub draws_first_word: bool,
    /// Middles of a few blocks, too, of every kind?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub few: bool,
    /// Rows that are read by themselves, too: names of `rows`, by the name that fields use.
    #[serde(default)]
    pub groups: BTreeMap<String, Vec<String>>,
    /// The report that comes with the page, which is read where the model that the step is written for is not open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
}

fn single<T: From<u8>>() -> T {
    T::from(1)
}

impl SweepsAsk {
    /// How far its sweeps go.
    pub fn extent(&self) -> Extent {
        Extent { seeds: self.seeds, rounds: self.rounds, heads: 0 }
    }
}

/// Cells of the surveys that come with the page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SurveyAsk {
    /// Which table of it is looked at.
    pub show: SurveyShow,
    /// The scale in which MSE, bias and diversity are drawn.
    pub column: ReadColumn,
    /// The models that are read and drawn; the scholars where nothing is said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<String>,
    /// The tasks that are read and drawn; all where nothing is said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<String>,
    /// Whether accuracy is drawn after every component, in place of the means.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub depths: bool,
}

impl SurveyAsk {
    /// Whether the real model's survey is read, too.
    pub fn reads_real(&self) -> bool {
        self.models.iter().any(|name| name == REAL_MODEL)
    }

    /// Whether a model's numbers on a task are read and drawn.
    pub(super) fn draws(&self, model: &str, task: &str) -> bool {
        let names = |all: &[String], name: &str| all.is_empty() || all.iter().any(|of| of == name);
        names(&self.models, model) && names(&self.tasks, task)
    }
}

/// A table of means: of a survey, or of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SurveyShow {
    #[default]
    Accuracy,
    Mse,
    Bias,
    Diversity,
}

/// Every member and head on rows of one task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeadsAsk {
    pub rows: RowGroup,
    /// Where do heads look, too?
    #[serde(default)]
    pub looks: bool,
    /// Which parts are left out, each once.
    #[serde(default)]
    pub parts: HeadParts,
}

/// Parts of a model that are left out, each once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeadParts {
    /// Attentions, MLPs and heads.
    #[default]
    All,
    /// Attentions and MLPs.
    Components,
    /// The few heads that attend most to the right answer.
    Attending,
}

/// Linearised blocks on rows of one task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CoupledAsk {
    pub rows: RowGroup,
    /// As in [`RowsAsk::models`].
    #[serde(default)]
    pub models: Vec<String>,
    /// Whether the cost of exchanging neighbours is measured, too.
    #[serde(default)]
    pub costs: bool,
    /// The picture that is drawn.
    #[serde(default)]
    pub show: CoupledShow,
    /// As in [`SweepsAsk::report`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
}

/// One of the pictures of linearised blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CoupledShow {
    /// The coupling of all pairs.
    #[default]
    Map,
    /// How straight the ways of all models are, beside a random walk's.
    Straightness,
    /// Neighbours' coupling against what exchanging them costs, without the pair that matters most.
    Swaps,
    /// The state carried by the linearised steps alone, beside the true one.
    Linearised,
}

/// Curves of made-up members, or of chance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum TheoryAsk {
    /// Members of equal skill whose errors are alike to some degree.
    Voters { members: usize },
    /// The gain from each further member, where pairs share a secret in this share of the rows.
    Gains { together: f64 },
    /// The coupling of two blocks whose K leading directions have nothing to do with one another.
    Bases { k: usize },
}
