//! `atelier` as a person runs it: what it prints, what it refuses, and that its numbers are the
//! reference implementation's.

mod cli {
    mod figures;
    mod golden;
    mod orders;
    mod output;
    mod refusals;
    pub mod support;
}
