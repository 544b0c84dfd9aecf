//! Follows: whether a general sentence follows from particular ones. False claims are as in
//! [`super::fact`].

use super::dice::Dice;
use super::telling::Telling;
use super::words::*;
use super::{Drill, GeneratedRow, finish};

/// Things of different categories, each with its own event.
struct Happenings {
    categories: Vec<usize>,
    /// Categories that nothing in the story is of.
    absent: Vec<usize>,
    things: Vec<&'static str>,
    events: Vec<&'static str>,
}

impl Happenings {
    /// One thing on level 0, two on the next, up to three on the last.
    fn draw(level: usize, least: usize, dice: &mut Dice) -> Self {
        let count = [1, 2, dice.between(1, 2), dice.between(1, 3)][level.min(3)].max(least);
        // Category 0 is color: a color does not fall.
        let mut categories = dice.pick_distinct(&[1, 2, 3, 4, 5, 6, 7], CATEGORIES.len() - 1);
        let absent = categories.split_off(count);
        let things = categories
            .iter()
            .map(|&category| dice.pick(&CATEGORY_WORDS[category]))
            .collect();
        Self {
            categories,
            absent,
            things,
            events: dice.pick_distinct(&EVENTS, count),
        }
    }

    fn text(&self) -> String {
        let told = self.things.iter().zip(&self.events);
        let told: Vec<String> = told
            .map(|(thing, event)| format!("the {thing} {event}"))
            .collect();
        format!("follows : {} .", told.join(" , "))
    }

    /// "some animal falls" follows (1) from "the dog falls"; not (0) when something else falls, in
    /// turn of another thing's category or of none in the story (see `Whereabouts::claim` in [`super::fact`]).
    fn conclusion(&self, dice: &mut Dice) -> (String, usize) {
        let count = self.things.len();
        let answer = dice.below(2);
        let event = dice.below(count);
        let category = if answer == 1 {
            self.categories[event]
        } else if count > 1 && dice.one_in(2) {
            self.categories[(event + dice.between(1, count - 1)) % count]
        } else {
            dice.pick(&self.absent)
        };
        (
            format!("so some {} {} ?", CATEGORIES[category], self.events[event]),
            answer,
        )
    }
}

const FOLLOWS: [&str; 2] = ["No", "Yes"];

pub fn follows(level: usize, dice: &mut Dice) -> GeneratedRow {
    let story = Happenings::draw(level, 1, dice);
    let (conclusion, answer) = story.conclusion(dice);
    finish(format!("{} {conclusion}", story.text()), &FOLLOWS, answer)
}

/// Says in general what happened, in another order.
pub fn follows_drill(level: usize, dice: &mut Dice) -> Drill {
    let story = Happenings::draw(level, 2, dice);
    let mut telling = Telling::of(story.text());
    let all: Vec<usize> = (0..story.things.len()).collect();
    let mut again = dice.pick_distinct(&all, all.len());
    let answer = again.pop().unwrap_or(0);
    for n in again {
        let category = CATEGORIES[story.categories[n]];
        telling
            .say(&format!("so some {category}"))
            .count(story.events[n])
            .say(".");
    }
    telling.say(&format!("so some {}", CATEGORIES[story.categories[answer]]));
    telling.ask(&story.events, answer)
}
