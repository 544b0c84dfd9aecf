//! Last: the last name of a line of people, which is told pair by pair from its end.

use super::fact::{first_and_others, turns};
use super::words::*;
use super::{AskKind, Dice, Exercise, ExerciseAsk};

/// At level n the last of the line is n + 1 "leads" away from the person asked about first. There are
/// two lines (three at level 0), and the other options are of the story too.
pub fn last(level: usize, _: AskKind, dice: &mut Dice) -> Exercise {
    let steps = level.min(2) + 1;
    let lines = if steps == 1 { 3 } else { 2 };
    let mut names = dice.pick_distinct(&NAMES, NAMES.len());
    // Each from its end.
    let told: Vec<Vec<&str>> =
        (0..lines).map(|_| (0..=steps).filter_map(|_| names.pop()).collect()).collect();
    let story: Vec<String> = turns(lines, steps, dice)
        .into_iter()
        .map(|(line, at)| format!("{} leads {}.", told[line][at + 1], told[line][at]))
        .collect();
    let asked = (dice.below(lines), steps);
    let asks = first_and_others(asked, lines, 1..steps + 1, dice)
        .into_iter()
        .take(4)
        .map(|(line, at)| {
            let (name, right) = (told[line][at], told[line][0]);
            // The first and the last person of a line are named once, those within twice. So the first
            // persons of lines are better wrong options than persons within.
            let ends = told.iter().map(|names| names[0]);
            let begins = told.iter().map(|names| names[steps]);
            let mut within: Vec<&str> =
                told.iter().flat_map(|names| &names[1..steps]).copied().collect();
            dice.shuffle(&mut within);
            let others = ends.chain(begins).chain(within);
            let others = others.filter(|other| ![name, right].contains(other));
            let mut options: Vec<&'static str> = others.take(3).collect();
            dice.shuffle(&mut options);
            let answer = dice.below(4);
            options.insert(answer, right);
            ExerciseAsk::say(format!(" So last after {name}")).answer(&options, answer)
        })
        .collect();
    Exercise { story: story.join(" "), asides: Vec::new(), asks }
}
