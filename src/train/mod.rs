//! Makes the apprentices: the shipped teaching models, trained on [`crate::task::minilang`].
