//! Every picture of every kind of report: what it says, what it draws, and that no file can make it
//! panic.

mod colours;
pub mod drawn;
pub mod fuzz;
mod model;
pub mod reports;
mod said;
mod words;
