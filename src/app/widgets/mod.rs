//! Parts that several views share, one component per file. They read the state and call its actions, and hold no
//! logic of their own.

mod columns;
mod controls;
mod download;
mod drawing;
mod figure;
mod figure_table;
mod index;
mod judging;
mod member_links;
mod menu;
mod open_again;
mod open_model;
mod painters;
mod pictures;
mod predictions;
mod problem;
mod provenance;
mod question;
mod status;
mod stored;
mod term;
mod window;
mod words;

pub use columns::Columns;
pub use controls::{Choice, HeadNumbers, NumberField, Radios, Tick};
pub use download::{CopyFrame, CopyLink, SaveReport};
pub use drawing::Pointing;
pub use figure::FigureView;
pub use figure_table::plain_table;
pub use index::{Index, IndexEntry};
pub use judging::WhichIsRight;
pub use member_links::{MemberHint, MemberLinks};
pub use open_again::open_again;
pub use open_model::OpenModelNote;
pub use painters::Painters;
pub use pictures::{Picture, Pictures};
pub use predictions::{Answered, predictions};
pub use problem::ProblemLine;
pub use provenance::{Agreement, Provenance, SaveRun};
pub use question::Question;
pub use status::{WorkBar, duration};
pub use stored::StoredChoice;
pub use term::{Definitions, Glossary, Term, Terms};
pub use window::Window;
pub use words::Words;
