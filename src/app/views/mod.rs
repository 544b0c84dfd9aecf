//! One view a folder: the lens, the lab of orders, surveys, theorems.

mod lens;
mod orders;
mod survey;
mod theory;

pub use lens::LensView;
pub use orders::OrdersView;
pub use survey::SurveyView;
pub use theory::TheoryView;
