//! Tasks about what a short story says: quiz, fact, often, follows, sum, last, and their drills.
//!
//! Wrong answers are drawn from the same story: a place that the story does not name would give
//! the answer away without a look at who is where.

use super::dice::Dice;
use super::words::*;
use super::{Drill, Row, finish};

/// `count` things of as many categories, out of `CATEGORIES[from..]`.
fn things_of(from: usize, count: usize, dice: &mut Dice) -> (Vec<usize>, Vec<&'static str>) {
    let all: Vec<usize> = (from..CATEGORIES.len()).collect();
    let categories = dice.pick_distinct(&all, count);
    let things = categories.iter().map(|&category| dice.pick(&CATEGORY_WORDS[category])).collect();
    (categories, things)
}

fn quiz_text(category: usize, things: &[&str]) -> String {
    let list: Vec<String> = LETTERS.iter().zip(things).map(|(letter, thing)| format!("{thing} {letter}")).collect();
    format!("quiz : find the {} : {}", CATEGORIES[category], list.join(" , "))
}

/// The letter of the thing asked for, among two (level 0), three or four.
pub fn quiz(level: usize, dice: &mut Dice) -> Row {
    let count = [2, 3, 4, 4][level.min(3)];
    let (categories, things) = things_of(0, count, dice);
    let answer = dice.below(count);
    finish(format!("{} . answer", quiz_text(categories[answer], &things)), &LETTERS[..count], answer)
}

/// The thing itself, or the letter of a thing that is named.
pub fn quiz_drill(level: usize, dice: &mut Dice) -> Drill {
    let count = [2, 3, 4, 4][level.min(3)];
    let (categories, things) = things_of(0, count, dice);
    let answer = dice.below(count);
    let text = quiz_text(categories[answer], &things);
    let row = if dice.one_in(2) {
        finish(format!("{text} . it is the"), &things, answer)
    } else {
        finish(format!("{text} . the {} answer", things[answer]), &LETTERS[..count], answer)
    };
    Drill { row, dense: 1 }
}

/// Who is where: distinct names in distinct places.
fn whereabouts(people: usize, dice: &mut Dice) -> (Vec<&'static str>, Vec<&'static str>, String) {
    let names = dice.pick_distinct(&NAMES, people);
    let places = dice.pick_distinct(&PLACES, people);
    let story: Vec<String> =
        names.iter().zip(&places).map(|(name, place)| format!("{name} is in the {place} .")).collect();
    (names, places, format!("fact : {}", story.join(" ")))
}

/// A claim about one of the people, with their place or another's. On level 0 there is one person,
/// and a wrong place is any other.
pub fn fact(level: usize, dice: &mut Dice) -> Row {
    let people = [1, 2, 3, 3][level.min(3)];
    let (names, places, story) = whereabouts(people, dice);
    let answer = dice.below(2);
    let person = dice.below(people);
    let claimed = if answer == 0 {
        places[person]
    } else if people == 1 {
        dice.pick_distinct(&PLACES, 2).into_iter().find(|place| *place != places[0]).unwrap_or(PLACES[0])
    } else {
        places[(person + dice.between(1, people - 1)) % people]
    };
    finish(format!("{story} so {} is in the {claimed} ?", names[person]), &["True", "False"], answer)
}

/// Restates the facts in another order.
pub fn fact_drill(level: usize, dice: &mut Dice) -> Drill {
    let people = [2, 2, 3, 3][level.min(3)];
    let (names, places, story) = whereabouts(people, dice);
    let all: Vec<usize> = (0..people).collect();
    let mut again = dice.pick_distinct(&all, people);
    let answer = again.pop().unwrap_or(0);
    let told: String = again.iter().map(|&n| format!(" so {} is in the {} .", names[n], places[n])).collect();
    let row = finish(format!("{story}{told} so {} is in the", names[answer]), &places, answer);
    Drill { row, dense: 1 + 8 * (people - 1) }
}

/// What one or two people did on some days; about the one asked for, all, some or none of it.
fn diary(level: usize, dice: &mut Dice) -> (usize, &'static str, Vec<&'static str>, Vec<String>) {
    let answer = dice.below(3);
    let people = dice.pick_distinct(&NAMES, 2);
    let actions = dice.pick_distinct(&ACTIONS, 2);
    let seen = [2, 3, 2, dice.between(2, 3)][level.min(3)];
    let mut entries: Vec<(&str, &str)> = match answer {
        0 => vec![(people[0], actions[0]); seen],
        2 => vec![(people[0], actions[1]); seen],
        _ => {
            let often = dice.between(1, seen - 1);
            (0..seen).map(|day| (people[0], actions[usize::from(day >= often)])).collect()
        }
    };
    if level >= 2 {
        entries.extend((0..2).map(|_| (people[1], dice.pick(&actions))));
    }
    dice.shuffle(&mut entries);
    let mut days: Vec<usize> = (0..DAYS.len()).collect();
    dice.shuffle(&mut days);
    days.truncate(entries.len());
    days.sort_unstable();
    let story =
        entries.iter().zip(days).map(|((who, what), day)| format!("on {} {who} {what} .", DAYS[day])).collect();
    (answer, people[0], actions, story)
}

pub fn often(level: usize, dice: &mut Dice) -> Row {
    let (answer, who, actions, story) = diary(level, dice);
    let prompt = format!("often : {} so {who} {}", story.join(" "), actions[0]);
    finish(prompt, &["always", "sometimes", "never"], answer)
}

/// What somebody does on a day the story tells of.
pub fn often_drill(level: usize, dice: &mut Dice) -> Drill {
    let (_, _, actions, story) = diary(level, dice);
    let entry = &story[dice.below(story.len())];
    let told: Vec<&str> = entry.split(' ').collect();
    let answer = usize::from(told[3] != actions[0]);
    let row = finish(format!("often : {} so on {} {}", story.join(" "), told[1], told[2]), &actions, answer);
    Drill { row, dense: 1 }
}

/// Things, each of its own category and with its own event.
fn happenings(count: usize, dice: &mut Dice) -> (Vec<usize>, Vec<&'static str>, String) {
    // Category 0 is color: a color does not fall.
    let (categories, things) = things_of(1, count, dice);
    let events = dice.pick_distinct(&EVENTS, count);
    let told: Vec<String> = things.iter().zip(&events).map(|(thing, event)| format!("the {thing} {event}")).collect();
    (categories, events, format!("follows : {} .", told.join(" , ")))
}

/// "some animal falls" follows from "the dog falls". It does not when something else falls. On
/// level 0 one thing happens, and a wrong conclusion is about any other category.
pub fn follows(level: usize, dice: &mut Dice) -> Row {
    let count = [1, 2, 2, dice.between(2, 3)][level.min(3)];
    let (categories, events, story) = happenings(count, dice);
    let answer = dice.below(2);
    let event = dice.below(count);
    let category = if answer == 1 {
        categories[event]
    } else if count == 1 {
        1 + (categories[0] - 1 + dice.between(1, CATEGORIES.len() - 2)) % (CATEGORIES.len() - 1)
    } else {
        categories[(event + dice.between(1, count - 1)) % count]
    };
    finish(format!("{story} so some {} {} ?", CATEGORIES[category], events[event]), &["No", "Yes"], answer)
}

/// Says in general what happened, in another order.
pub fn follows_drill(level: usize, dice: &mut Dice) -> Drill {
    let count = [2, 2, 2, dice.between(2, 3)][level.min(3)];
    let (categories, events, story) = happenings(count, dice);
    let all: Vec<usize> = (0..count).collect();
    let mut again = dice.pick_distinct(&all, count);
    let answer = again.pop().unwrap_or(0);
    let told: String =
        again.iter().map(|&n| format!(" so some {} {} .", CATEGORIES[categories[n]], events[n])).collect();
    let row = finish(format!("{story}{told} so some {}", CATEGORIES[categories[answer]]), &events, answer);
    Drill { row, dense: 1 + 5 * (count - 1) }
}

/// The last digit of a sum of 2, 3, 4 or (last level) 3 to 6 digits.
pub fn sum(level: usize, dice: &mut Dice) -> Row {
    let terms = match level {
        0 => 2,
        1 => 3,
        2 => 4,
        _ => dice.between(3, 6),
    };
    let digits: Vec<usize> = (0..terms).map(|_| dice.below(10)).collect();
    let written: Vec<&str> = digits.iter().map(|&digit| DIGITS[digit]).collect();
    finish(format!("sum : {} ends in", written.join(" + ")), &DIGITS, digits.iter().sum::<usize>() % 10)
}

/// People in an order told pair by pair, the pairs shuffled and each said either way round. Level
/// 0 has two people, level 1 three, from level 2 four.
pub fn last(level: usize, dice: &mut Dice) -> Row {
    let people = [2, 3, 4, 4][level.min(3)];
    let order = dice.pick_distinct(&NAMES, people);
    let mut told: Vec<String> = order
        .windows(2)
        .map(|pair| {
            if dice.one_in(2) {
                format!("{} came before {} .", pair[0], pair[1])
            } else {
                format!("{} came after {} .", pair[1], pair[0])
            }
        })
        .collect();
    dice.shuffle(&mut told);
    let mut options = order.clone();
    dice.shuffle(&mut options);
    let answer = options.iter().position(|name| *name == order[people - 1]).unwrap_or(0);
    finish(format!("last : {} who came last ?", told.join(" ")), &options, answer)
}
