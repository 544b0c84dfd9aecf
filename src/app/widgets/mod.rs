//! What several views are made of, one component a file. They read the state and call its actions,
//! and hold no logic of their own.

mod answered;
mod columns;
mod download;
mod editor;
mod figure;
mod figure_table;
mod index;
mod judging;
mod member_links;
mod menu;
mod number;
mod open_again;
mod open_model;
mod painters;
mod predictions;
mod problem;
mod prompt_line;
mod provenance;
mod status;
mod window;
mod words;

pub use answered::PromptAndAnswer;
pub use columns::Columns;
pub use download::{CopyFrame, CopyLink, SaveReport, source};
pub use editor::PromptEditor;
pub use figure::FigureView;
pub use index::{Index, IndexEntry};
pub use judging::WhichIsRight;
pub use member_links::{MemberHint, MemberLinks};
pub use number::show_number;
pub use open_again::open_again;
pub use open_model::OpenModelNote;
pub use painters::Painters;
pub use predictions::{Answered, predictions};
pub use problem::ProblemLine;
pub use prompt_line::{Options, PromptLine};
pub use provenance::Provenance;
pub use status::{WorkBar, duration};
pub use window::Window;
pub use words::Words;
