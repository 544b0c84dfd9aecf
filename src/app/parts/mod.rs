//! One component a file. They read and call [`Studio`](super::studio::Studio) and hold no logic of
//! their own.

mod answers;
mod columns;
mod download;
mod editor;
mod engine;
mod figure;
mod foot;
mod head;
mod identity;
mod models;
mod painters;
mod plan_line;
mod problem;
mod prompt_line;
mod provenance;
mod questions;
mod row;
mod status;
mod strategies;
mod sweep;
mod theme_picker;
mod tools;
mod words;

pub use answers::Answers;
pub use columns::Columns;
pub use download::{SaveReport, source};
pub use editor::PromptEditor;
pub use engine::EngineLine;
pub use figure::FigureView;
pub use foot::Foot;
pub use head::Head;
pub use identity::IdentityLine;
pub use models::ModelPicker;
pub use painters::Painters;
pub use plan_line::PlanLine;
pub use prompt_line::{Options, PromptLine};
pub use provenance::Provenance;
pub use questions::Questions;
pub use row::Row;
pub use status::Status;
pub use strategies::Strategies;
pub use sweep::{SweepForm, SweepView};
pub use theme_picker::ThemePicker;
pub use tools::Tools;
pub use words::Words;
