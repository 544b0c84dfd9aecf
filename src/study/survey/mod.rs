//! Surveys: models x tasks, every row read as the lens reads a prompt (*Diversity of Transformer
//! Layers*, sections 3 to 5).
//!
//! [`Asking`] runs one model on one task's rows, batch by batch, and gives a [`MeasuredRow`] for each.
//! [`Aggregate`] takes those rows one after another, in the rows' order, and never holds more than
//! sums; only the information of section 5 looks at many rows at once, and at no more than
//! [`INFORMATION_ROWS`]. [`Survey`] is what is known of all cells: the file that the page opens.

mod aggregate;
mod asking;
mod check;
mod choices;
mod columns;
mod correlations;
mod information;
mod levels;
mod report;
mod row;
mod scoring;
mod sharing;

pub use aggregate::Aggregate;
pub use asking::{Asking, BATCH, CellFacts, WINDOW};
pub use choices::ChoiceShare;
pub use correlations::{Coefficient, ColumnCorrelations, Correlated, Pair, correlations};
pub use information::{Estimate, INFORMATION_ROWS, Information, InformationPoint};
pub use levels::{LevelAccuracy, counted};
pub use report::{
    Found, Sample, Survey, SurveyCell, SurveyModel, SurveyReport, SurveyTask, SurveyedOutcome,
};
pub use row::MeasuredRow;
pub use sharing::JoinError;
