//! Sum: the last digit of a sum.

use super::exercise::{AskKind, Exercise, ExerciseAsk};
use super::words::*;
use super::{DataSplit, Dice};

const ASK: &str = " ends in";

/// Level n adds n + 2 digits.
pub fn sum(level: usize, _: AskKind, dice: &mut Dice) -> Exercise {
    let digits: Vec<usize> = (0..level.min(7) + 2).map(|_| dice.below(10)).collect();
    let (mut story, mut sum) = (String::from("The sum"), 0);
    let mut asides = Vec::new();
    for (n, digit) in digits.into_iter().enumerate() {
        if n > 0 {
            // Every sum within it is a row of its own, and perhaps a held-out one.
            if n > 1 && DataSplit::of(&format!("{story}{ASK}")) == DataSplit::Training {
                asides.push((story.len(), DIGITS[sum]));
            }
            story += " +";
        }
        story.push(' ');
        story += DIGITS[digit];
        sum = (sum + digit) % 10;
    }
    Exercise { story, asides, asks: vec![ExerciseAsk::say(ASK).answer(&DIGITS, sum)] }
}
