//! Fact: whether a claim about who is where holds in the story.
//!
//! Half of the false claims exchange two things of the story and the other half name something that
//! is not in it. Noticing the latter makes a model right in five rows of six; the sixth needs a look
//! at who is where.

use super::dice::Dice;
use super::telling::Telling;
use super::words::*;
use super::{Drill, GeneratedRow, finish};

/// Who is where.
struct Whereabouts {
    names: Vec<&'static str>,
    places: Vec<&'static str>,
    /// Places that nobody is in.
    empty: Vec<&'static str>,
}

impl Whereabouts {
    /// One person on level 0, two on the next, up to three on the last.
    fn draw(level: usize, least: usize, dice: &mut Dice) -> Self {
        let people = [1, 2, dice.between(1, 2), dice.between(1, 3)][level.min(3)].max(least);
        let names = dice.pick_distinct(&NAMES, people);
        let mut places = dice.pick_distinct(&PLACES, PLACES.len());
        let empty = places.split_off(people);
        Self {
            names,
            places,
            empty,
        }
    }

    fn text(&self) -> String {
        let told = self.names.iter().zip(&self.places);
        let told: Vec<String> = told
            .map(|(name, place)| format!("{name} is in the {place} ."))
            .collect();
        format!("fact : {}", told.join(" "))
    }

    /// A claim about one of the people: their place (0, true), or (1, false) in turn another's or
    /// a place nobody is in. With exchanges alone every model stayed at chance: noticing a place
    /// that nobody is in is the step towards comparing.
    fn claim(&self, dice: &mut Dice) -> (String, usize) {
        let people = self.names.len();
        let answer = dice.below(2);
        let person = dice.below(people);
        let place = if answer == 0 {
            self.places[person]
        } else if people > 1 && dice.one_in(2) {
            self.places[(person + dice.between(1, people - 1)) % people]
        } else {
            dice.pick(&self.empty)
        };
        (
            format!("so {} is in the {place} ?", self.names[person]),
            answer,
        )
    }
}

const TRUTHS: [&str; 2] = ["True", "False"];

pub fn fact(level: usize, dice: &mut Dice) -> GeneratedRow {
    let story = Whereabouts::draw(level, 1, dice);
    let (claim, answer) = story.claim(dice);
    finish(format!("{} {claim}", story.text()), &TRUTHS, answer)
}

/// Restates the facts in another order.
pub fn fact_drill(level: usize, dice: &mut Dice) -> Drill {
    let story = Whereabouts::draw(level, 2, dice);
    let mut telling = Telling::of(story.text());
    let all: Vec<usize> = (0..story.names.len()).collect();
    let mut again = dice.pick_distinct(&all, all.len());
    let answer = again.pop().unwrap_or(0);
    for n in again {
        telling
            .say(&format!("so {} is in the", story.names[n]))
            .count(story.places[n])
            .say(".");
    }
    telling.say(&format!("so {} is in the", story.names[answer]));
    telling.ask(&story.places, answer)
}
