//! What a thing is: "So the dog is a beast".
//!
//! Quiz and follows ask for things by their category. A model that finds neither what a thing is nor
//! where it stands gets no help from either; asked for by itself, the first is soon known.

use super::exercise::ExerciseAsk;
use super::words::CATEGORIES;

/// Asks what `thing` is; `category` is an index of [`CATEGORIES`].
pub fn kind_of(thing: &str, category: usize) -> ExerciseAsk {
    ExerciseAsk::say(format!(" So the {thing} is a")).answer(&CATEGORIES, category)
}
