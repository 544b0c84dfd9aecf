//! Topic: which of four topics most words of a headline come from.

use super::words::*;
use super::{AskKind, Dice, Exercise, ExerciseAsk};

/// Level n has n words of other topics, each of another one; one more than twice as many words in all,
/// and at least four.
pub fn topic(level: usize, _: AskKind, dice: &mut Dice) -> Exercise {
    let answer = dice.below(TOPICS.len());
    let strays = level.min(2);
    let words = (2 * strays + 1).max(4);
    let mut chosen = dice.pick_distinct(&TOPIC_WORDS[answer], words - strays);
    let others = dice.pick_distinct(&[1, 2, 3], strays);
    for other in others {
        chosen.push(dice.pick(&TOPIC_WORDS[(answer + other) % TOPICS.len()]));
    }
    dice.shuffle(&mut chosen);
    let last = chosen.pop().unwrap_or_default();
    let story = format!("The {} and the {last}:", chosen.join(", the "));
    Exercise {
        story,
        asides: Vec::new(),
        asks: vec![ExerciseAsk::say(" this is about").answer(&TOPICS, answer)],
    }
}
