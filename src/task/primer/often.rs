//! Often: whether somebody does a thing always, sometimes or never, by a diary of a few days.

use super::words::*;
use super::{AskKind, Dice, Exercise, ExerciseAsk};

const OFTEN: [&str; 3] = ["always", "sometimes", "never"];

/// Level n has n + 2 days of the person asked about first, and from level 1 on two of another.
pub fn often(level: usize, _: AskKind, dice: &mut Dice) -> Exercise {
    let seen = level.min(3) + 2;
    let people = dice.pick_distinct(&NAMES, 2);
    let actions = dice.pick_distinct(&ACTIONS, 2);
    let answer = dice.below(3);
    let done = [seen, dice.between(1, seen - 1), 0][answer];
    let mut entries: Vec<(usize, usize)> = (0..seen).map(|n| (0, usize::from(n >= done))).collect();
    if level > 0 {
        entries.extend((0..2).map(|_| (1, dice.below(2))));
    }
    dice.shuffle(&mut entries);
    let mut days = dice.pick_distinct(&[0, 1, 2, 3, 4, 5, 6], entries.len());
    days.sort_unstable();
    let told: Vec<String> = entries
        .iter()
        .zip(days)
        .map(|(&(who, what), day)| format!("On {} {} {}.", DAYS[day], people[who], actions[what]))
        .collect();
    let often = |who: usize, what: usize| {
        let days = || entries.iter().filter(move |entry| entry.0 == who);
        match days().filter(|entry| entry.1 == what).count() {
            0 => 2,
            done if done == days().count() => 0,
            _ => 1,
        }
    };
    let mut asked = vec![(0, 1)];
    if level > 0 {
        asked.extend([(1, 0), (1, 1)]);
    }
    dice.shuffle(&mut asked);
    asked.insert(0, (0, 0));
    let asks = asked
        .into_iter()
        .map(|(who, what)| {
            ExerciseAsk::say(format!(" So {} {}", people[who], actions[what]))
                .answer(&OFTEN, often(who, what))
        })
        .collect();
    Exercise { story: told.join(" "), asides: Vec::new(), asks }
}
