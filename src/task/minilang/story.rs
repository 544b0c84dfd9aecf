//! Tasks about what a short story says: quiz, fact, often, follows, sum, last, and their drills.
//!
//! Where an answer is true or false and the story tells of several things, half of the false claims
//! exchange two of them and the other half name something that is not in the story. Noticing the
//! latter makes a model right in five rows of six; the sixth needs a look at who is where.

use super::dice::Dice;
use super::words::*;
use super::{Drill, Row, finish};

/// A drill being told: its text, and which of its words count fully.
struct Telling {
    text: String,
    counted: Vec<usize>,
}

impl Telling {
    fn of(story: String) -> Self {
        Telling {
            text: story,
            counted: Vec::new(),
        }
    }

    fn say(&mut self, words: &str) -> &mut Self {
        self.text.push(' ');
        self.text += words;
        self
    }

    /// Says a word that follows from what was said before.
    fn count(&mut self, word: &str) -> &mut Self {
        self.counted.push(self.text.split(' ').count());
        self.say(word)
    }

    fn ask(self, options: &[&str], answer: usize) -> Drill {
        Drill {
            row: finish(self.text, options, answer),
            counted: self.counted,
        }
    }
}

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
pub fn quiz(level: usize, dice: &mut Dice) -> Row {
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

pub fn fact(level: usize, dice: &mut Dice) -> Row {
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

/// What one or two people did on some days.
struct Diary {
    /// The one asked about first.
    people: Vec<&'static str>,
    actions: Vec<&'static str>,
    /// Who did what, by index, day by day.
    entries: Vec<(usize, usize)>,
    days: Vec<&'static str>,
}

impl Diary {
    /// The first person does the first action always (`answer` 0), sometimes or never.
    fn write(answer: usize, level: usize, dice: &mut Dice) -> Self {
        let people = dice.pick_distinct(&NAMES, 2);
        let actions = dice.pick_distinct(&ACTIONS, 2);
        let seen = [2, 3, 2, dice.between(2, 3)][level.min(3)];
        let often = [seen, dice.between(1, seen - 1), 0][answer];
        let mut entries: Vec<(usize, usize)> =
            (0..seen).map(|n| (0, usize::from(n >= often))).collect();
        if level >= 2 {
            entries.extend((0..2).map(|_| (1, dice.below(2))));
        }
        dice.shuffle(&mut entries);
        let all: Vec<usize> = (0..DAYS.len()).collect();
        let mut days = dice.pick_distinct(&all, entries.len());
        days.sort_unstable();
        let days = days.into_iter().map(|day| DAYS[day]).collect();
        Diary {
            people,
            actions,
            entries,
            days,
        }
    }

    fn text(&self) -> String {
        let told = self.entries.iter().zip(&self.days);
        let told = told.map(|(&(who, what), day)| {
            format!("on {day} {} {} .", self.people[who], self.actions[what])
        });
        format!("often : {}", told.collect::<Vec<_>>().join(" "))
    }

    /// Index in [`OFTEN`] of how often a person does an action.
    fn often(&self, who: usize, what: usize) -> usize {
        let done = || {
            self.entries
                .iter()
                .filter(|entry| entry.0 == who)
                .map(|entry| entry.1 == what)
        };
        if done().all(|did| did) {
            0
        } else {
            1 + usize::from(!done().any(|did| did))
        }
    }
}

const OFTEN: [&str; 3] = ["always", "sometimes", "never"];

pub fn often(level: usize, dice: &mut Dice) -> Row {
    let answer = dice.below(3);
    let diary = Diary::write(answer, level, dice);
    finish(
        format!(
            "{} so {} {}",
            diary.text(),
            diary.people[0],
            diary.actions[0]
        ),
        &OFTEN,
        answer,
    )
}

/// What somebody does on a day the story tells of, or how often each person does each action.
pub fn often_drill(level: usize, dice: &mut Dice) -> Drill {
    let diary = Diary::write(dice.below(3), level, dice);
    let mut telling = Telling::of(diary.text());
    if dice.one_in(3) {
        let day = dice.below(diary.entries.len());
        let (who, what) = diary.entries[day];
        telling.say(&format!("so on {} {}", diary.days[day], diary.people[who]));
        return telling.ask(&diary.actions, what);
    }
    let people = if diary.entries.iter().any(|entry| entry.0 == 1) {
        2
    } else {
        1
    };
    let mut queries: Vec<(usize, usize)> =
        (0..people).flat_map(|who| [(who, 0), (who, 1)]).collect();
    dice.shuffle(&mut queries);
    let mut answer = 0;
    for (n, (who, what)) in queries.into_iter().enumerate() {
        if n > 0 {
            telling.count(OFTEN[answer]).say(".");
        }
        telling.say(&format!("so {} {}", diary.people[who], diary.actions[what]));
        answer = diary.often(who, what);
    }
    telling.ask(&OFTEN, answer)
}

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
    /// turn of another thing's category or of none in the story (see [`Whereabouts::claim`]).
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

pub fn follows(level: usize, dice: &mut Dice) -> Row {
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

/// The last digit of a sum of 2, 4, 6 or (last level) 3 to 9 digits.
pub fn sum(level: usize, dice: &mut Dice) -> Row {
    let terms = match level {
        0 => 2,
        1 => 4,
        2 => 6,
        _ => dice.between(3, 9),
    };
    let digits: Vec<usize> = (0..terms).map(|_| dice.below(10)).collect();
    let written: Vec<&str> = digits.iter().map(|&digit| DIGITS[digit]).collect();
    finish(
        format!("sum : {} ends in", written.join(" + ")),
        &DIGITS,
        digits.iter().sum::<usize>() % 10,
    )
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
    let answer = options
        .iter()
        .position(|name| *name == order[people - 1])
        .unwrap_or(0);
    finish(
        format!("last : {} who came last ?", told.join(" ")),
        &options,
        answer,
    )
}
