//! One view a folder: the lens, the inside of a run, couplings, the lab of orders, surveys, theorems.

mod attention;
mod coupling;
mod lens;
mod logit_lens;
mod orders;
mod survey;
mod theory;

pub use attention::AttentionView;
pub use coupling::CouplingView;
pub use lens::LensView;
pub use logit_lens::LogitLensView;
pub use orders::OrdersView;
pub use survey::SurveyView;
pub use theory::TheoryView;
