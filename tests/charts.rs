//! Every picture of every kind of report: what it says, what it draws, and that no file can make it
//! panic. `UPDATE=1 cargo test --test charts` writes the snapshots anew; the difference is reviewed
//! like code.

mod charts {
    mod before;
    mod drawn;
    mod fuzz;
    mod model;
    pub mod reports;
    mod said;
    pub mod snapshot;
}
