//! Blocks of every shape, and whole models, against slow twins.

mod blocks;
mod formats;
mod models;
mod tangents;
