//! Follows: whether a general sentence follows from particular ones.

use super::claim::claim;
use super::kind_of::kind_of;
use super::words::*;
use super::{AskKind, Dice, Exercise, ExerciseAsk};

/// Level n tells what n + 2 things of different categories do; a false sentence says of one what
/// another does. Where words are told, some are asked of the thing itself, or what it is.
pub fn follows(level: usize, kind: AskKind, dice: &mut Dice) -> Exercise {
    let count = level.min(3) + 2;
    // The last category is color, and a color does not fall.
    let categories = dice.pick_distinct(&[0, 1, 2, 3, 4], count);
    let events = dice.pick_distinct(&EVENTS, count);
    let things: Vec<&str> =
        categories.iter().map(|&category| dice.pick(&CATEGORY_WORDS[category])).collect();
    let told = things.iter().zip(&events);
    let story: Vec<String> = told.map(|(thing, event)| format!("The {thing} {event}.")).collect();
    let asked = dice.pick_distinct(&(0..count).collect::<Vec<_>>(), count.min(4));
    let asks = asked
        .into_iter()
        .map(|n| {
            let general = format!(" So some {}", CATEGORIES[categories[n]]);
            if kind == AskKind::Told {
                let before = match dice.below(3) {
                    0 => general,
                    1 => format!(" So the {}", things[n]),
                    _ => return kind_of(things[n], categories[n]),
                };
                return ExerciseAsk::say(before).answer(&events, n);
            }
            claim(general, &events, n, dice)
        })
        .collect();
    Exercise { story: story.join(" "), asides: Vec::new(), asks }
}
