//! Whole experiments, and [`report`], the file they all write.

pub mod lens;
pub mod report;
