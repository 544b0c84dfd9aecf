//! Holds what commands print and what `atelier figures` writes, while the code behind them moves.

mod commands;
mod figures;
mod json;
