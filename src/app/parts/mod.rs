//! One component a file. They read and call [`Studio`](super::studio::Studio) and hold no logic of
//! their own.

mod columns;
mod download;
mod editor;
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
mod status;
mod words;

pub use columns::Columns;
pub use editor::PromptEditor;
pub use figure::FigureView;
pub use foot::Foot;
pub use head::Head;
pub use identity::IdentityLine;
pub use models::ModelPicker;
pub use painters::Painters;
pub use plan_line::PlanLine;
pub use prompt_line::PromptLine;
pub use provenance::Provenance;
pub use status::Status;
