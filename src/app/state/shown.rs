//! The page's pictures and problems.

use std::sync::Arc;

use crate::app::link::Draft;
use crate::app::{first_picture, opened};
use crate::chart::{number, unnamed_heads};
use crate::study::doctor::DoctorReport;
use crate::study::report::{Lens, Report};

/// Where a picture came from.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// Computed when the page was built, by the same engine.
    Baked,
    /// Computed here, in so many milliseconds. `agrees` is the largest difference to the baked
    /// example's logits, where this is the baked example run again.
    Live { milliseconds: f64, agrees: Option<f64> },
    /// A report the reader opened; beside which draft, where it has none of its own.
    Opened { beside: Option<Draft> },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    pub report: Arc<Report>,
    pub origin: Origin,
}

impl Shown {
    /// Returns the first picture, where it is that of the draft.
    pub fn first_of(draft: &Draft) -> Option<Self> {
        let is_first = |report: &Report| draft.answer.is_some() && opened::asks_for(report, draft);
        let report = first_picture::report().filter(is_first)?;
        Some(Self { report: Arc::new(report), origin: Origin::Baked })
    }

    /// Is it a report that has no draft of its own?
    pub fn is_beside(&self) -> bool {
        matches!(self.origin, Origin::Opened { beside: Some(_) })
    }

    /// Is it the picture of the draft?
    pub fn answers(&self, draft: &Draft) -> bool {
        let beside = match &self.origin {
            Origin::Opened { beside } => beside.as_ref(),
            _ => None,
        };
        opened::answers(&self.report, draft, beside)
    }

    /// Says where the picture comes from; `counted` says on what, such as `40 rows of “sum”`.
    pub fn provenance(&self, counted: &str) -> String {
        let name = &self.report.model.name;
        match self.origin {
            Origin::Baked => format!("Precomputed example: {name} on {counted}."),
            Origin::Live { milliseconds, .. } => {
                let time = number::fixed(milliseconds / 1000.0, 1);
                format!("Computed here by {name} in {time} s: {counted}.")
            }
            Origin::Opened { .. } => format!("From a report: {name}, {counted}."),
        }
    }

    /// Says which heads are never left out alone, in a sentence with a space before it; nothing where there are none.
    pub fn unnamed_heads(&self) -> String {
        let unnamed = unnamed_heads(&self.report.model);
        unnamed.map_or_else(String::new, |sentence| format!(" {sentence}"))
    }

    /// One prompt's run: the lens's, or the reader's order in the lab.
    pub fn lens(&self) -> Option<&Lens> {
        opened::run_of(&self.report)
    }
}

/// The part of the page an error belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A problem of the address's: it stands until something else is opened.
    Address,
    Model,
    Prompt,
    Sweep,
}

impl Place {
    /// Those that the next load or run may put right.
    pub const ALL: [Self; 3] = [Self::Model, Self::Prompt, Self::Sweep];
}

/// The findings of this machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// `None` before the first.
    pub report: Option<DoctorReport>,
    /// The measurement under way, in words; how many steps are over, and of how many.
    pub next: Option<(String, usize, usize)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub place: Place,
    pub sentence: String,
}
