//! Quiz: which of the things A to D is of the category asked for.

use super::kind_of::kind_of;
use super::words::*;
use super::{AskKind, Dice, Exercise, ExerciseAsk};

/// Two things at level 0, three, or four; all four letters may be answered. Where words are told, some
/// are asked for by their own name, and of some it is asked what they are.
pub fn quiz(level: usize, kind: AskKind, dice: &mut Dice) -> Exercise {
    let count = (level + 2).min(4);
    let categories = dice.pick_distinct(&[0, 1, 2, 3, 4, 5], count);
    let things: Vec<&str> =
        categories.iter().map(|&category| dice.pick(&CATEGORY_WORDS[category])).collect();
    let mut list: Vec<String> =
        things.iter().zip(LETTERS).map(|(thing, letter)| format!("{thing} {letter}")).collect();
    let last = list.pop().unwrap_or_default();
    let order = dice.pick_distinct(&[0, 1, 2, 3][..count], count);
    let asks = order
        .into_iter()
        .map(|n| {
            let (thing, category) = (things[n], categories[n]);
            let asked = match kind {
                AskKind::Claimed => CATEGORIES[category],
                AskKind::Told => match dice.below(3) {
                    0 => CATEGORIES[category],
                    1 => thing,
                    _ => return kind_of(thing, category),
                },
            };
            ExerciseAsk::say(format!(" So take {asked}")).answer(&LETTERS, n)
        })
        .collect();
    Exercise { story: format!("We see {} and {last}.", list.join(", ")), asides: Vec::new(), asks }
}
