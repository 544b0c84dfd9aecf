//! What commands print and what `atelier figures` writes, held while the code behind them moves.

mod commands;
mod figures;
mod json;
