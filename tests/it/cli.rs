//! `atelier` as a person runs it: what it prints, what it refuses, and that its numbers are the
//! reference implementation's.

mod about;
mod at_hand;
mod changed;
mod coupling;
mod coupling_models;
mod coupling_resumed;
mod doctor;
mod figures;
mod generate;
mod golden;
mod inputs;
mod member;
mod orders;
mod output;
mod outputs;
mod refusals;
mod resumed;
mod share;
pub mod support;
mod survey_folder;
#[cfg(target_os = "linux")]
mod terminal;
mod usage;
