//! One view a folder: the start, the lens, the inside of a run, one member of it, couplings, the lab of orders,
//! surveys, theorems, lessons.

mod attention;
mod coupling;
mod lens;
mod lessons;
mod logit_lens;
mod member;
mod orders;
mod start;
mod survey;
mod theory;

pub use attention::AttentionView;
pub use coupling::CouplingView;
pub use lens::LensView;
pub use lessons::LessonsView;
pub use logit_lens::LogitLensView;
pub use member::MemberView;
pub use orders::OrdersView;
pub use start::StartView;
pub use survey::SurveyView;
pub use theory::TheoryView;
