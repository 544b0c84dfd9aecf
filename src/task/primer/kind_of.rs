//! Asks for the category of a thing: "So the dog is a beast".
//!
//! Quiz and follows ask for things by their category. A model that finds neither the category of a thing
//! nor its position gets no help from either. Asked for by itself, the category is soon learned.

use super::exercise::ExerciseAsk;
use super::words::CATEGORIES;

/// Asks for the category of `thing`; `category` is an index of [`CATEGORIES`].
pub fn kind_of(thing: &str, category: usize) -> ExerciseAsk {
    ExerciseAsk::say(format!(" So the {thing} is a")).answer(&CATEGORIES, category)
}
