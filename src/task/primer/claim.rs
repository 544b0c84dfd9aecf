//! Claims that hold or do not: "So Ben sings indeed." or "So Ben paints not."
//!
//! A claim begins as the told answer does, so that a model that foresees the right word has only to
//! see that another one stands there.

use super::dice::Dice;
use super::exercise::ExerciseAsk;

pub const VERDICTS: [&str; 2] = ["indeed", "not"];

/// `before` and the `right` one of all words, or another of them instead.
pub fn claim(before: String, words: &[&str], right: usize, dice: &mut Dice) -> ExerciseAsk {
    let answer = dice.below(2);
    let ask = ExerciseAsk::say(before);
    let ask = if answer == 0 {
        ask.tell(words[right], 1.0)
    } else {
        let mut wrong = words.to_vec();
        wrong.remove(right);
        ask.and(" ").and(dice.pick(&wrong))
    };
    ask.answer(&VERDICTS, answer)
}
