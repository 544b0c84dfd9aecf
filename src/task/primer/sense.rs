//! Sense: whether a word has one sense or two in what is seen.

use super::words::*;
use super::{AskKind, Dice, Exercise, ExerciseAsk};

const SENSES: [&str; 2] = ["one", "two"];

/// Level n has n + 1 ambiguous words, each seen twice: with things of one of its domains, or of both.
pub fn sense(level: usize, _: AskKind, dice: &mut Dice) -> Exercise {
    let count = level.min(2) + 1;
    let words = dice.pick_distinct(&AMBIGUOUS, count);
    let senses: Vec<usize> = (0..count).map(|_| dice.below(2)).collect();
    let mut seen = Vec::new();
    for ((word, domains), two) in words.iter().zip(&senses) {
        let first = dice.below(2);
        let sides = [first, (first + two) % 2];
        let by = if sides[0] == sides[1] {
            dice.pick_distinct(&DOMAIN_WORDS[domains[first]], 2)
        } else {
            sides.map(|side| dice.pick(&DOMAIN_WORDS[domains[side]])).to_vec()
        };
        seen.extend(by.into_iter().map(|thing| format!("the {thing} {word}")));
    }
    dice.shuffle(&mut seen);
    let last = seen.pop().unwrap_or_default();
    let asks = words
        .iter()
        .zip(senses)
        .map(|((word, _), two)| ExerciseAsk::say(format!(" Senses of {word}")).answer(&SENSES, two))
        .collect();
    Exercise { story: format!("We see {} and {last}.", seen.join(", ")), asides: Vec::new(), asks }
}
