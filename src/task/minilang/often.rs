//! Often: whether somebody always, sometimes or never does a thing, by a diary of a few days.

use super::dice::Dice;
use super::telling::Telling;
use super::words::*;
use super::{Drill, GeneratedRow, finish};

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

pub fn often(level: usize, dice: &mut Dice) -> GeneratedRow {
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
