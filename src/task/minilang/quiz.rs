//! Quiz: which of the things A to D is of the category asked for.

use super::dice::Dice;
use super::telling::Telling;
use super::words::*;
use super::{Drill, GeneratedRow, finish};

/// `count` things of as many categories.
fn things_of(count: usize, dice: &mut Dice) -> (Vec<usize>, Vec<&'static str>) {
    let all: Vec<usize> = (0..CATEGORIES.len()).collect();
    let categories = dice.pick_distinct(&all, count);
    let things = categories
        .iter()
        .map(|&category| dice.pick(&CATEGORY_WORDS[category]))
        .collect();
    (categories, things)
}

fn quiz_text(category: usize, things: &[&str]) -> String {
    let list: Vec<String> = LETTERS
        .iter()
        .zip(things)
        .map(|(letter, thing)| format!("{thing} {letter}"))
        .collect();
    format!(
        "quiz : find the {} : {}",
        CATEGORIES[category],
        list.join(" , ")
    )
}

/// The letter of the thing asked for, among two (level 0), three or four.
pub fn quiz(level: usize, dice: &mut Dice) -> GeneratedRow {
    let count = [2, 3, 4, 4][level.min(3)];
    let (categories, things) = things_of(count, dice);
    let answer = dice.below(count);
    finish(
        format!("{} . answer", quiz_text(categories[answer], &things)),
        &LETTERS[..count],
        answer,
    )
}

/// The thing itself, or the letter of a thing that is named.
pub fn quiz_drill(level: usize, dice: &mut Dice) -> Drill {
    let count = [2, 3, 4, 4][level.min(3)];
    let (categories, things) = things_of(count, dice);
    let answer = dice.below(count);
    let text = quiz_text(categories[answer], &things);
    if dice.one_in(2) {
        Telling::of(format!("{text} . it is the")).ask(&things, answer)
    } else {
        Telling::of(format!("{text} . the {} answer", things[answer]))
            .ask(&LETTERS[..count], answer)
    }
}
