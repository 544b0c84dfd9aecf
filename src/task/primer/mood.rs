//! Mood: whether a review is good or bad, through people who deny what others say.

use super::words::*;
use super::{AskKind, Dice, Exercise, ExerciseAsk};

const MOODS: [&str; 2] = ["good", "bad"];

/// Level n has n negations: people who deny, and perhaps a "not"; up to two people who only say.
pub fn mood(level: usize, _: AskKind, dice: &mut Dice) -> Exercise {
    let turns = level.min(6);
    let not = turns > 0 && dice.one_in(2);
    let mut verbs = vec!["denies"; turns - usize::from(not)];
    verbs.extend(vec!["says"; dice.below(3)]);
    dice.shuffle(&mut verbs);
    let names = dice.pick_distinct(&NAMES, verbs.len());
    let start = dice.below(2);
    // The answers' own words would be right as often as they are repeated.
    let adjective = dice.pick(&[GOOD, BAD][start][usize::from(turns > 0)..]);
    let thing = dice.pick(&REVIEWED);
    let said: String =
        names.iter().zip(&verbs).map(|(name, verb)| format!("{name} {verb} that ")).collect();
    let not_said = if not { "not " } else { "" };
    let story = format!("{said}the {thing} is {not_said}{adjective}.");
    let answer = (start + turns) % 2;
    let (first, rest) = story.split_at(1);
    Exercise {
        story: first.to_uppercase() + rest,
        asides: Vec::new(),
        asks: vec![ExerciseAsk::say(" So it is").answer(&MOODS, answer)],
    }
}
