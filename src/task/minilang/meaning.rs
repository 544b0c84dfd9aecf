//! Tasks about what words mean: topic, mood, same, sense.

use super::dice::Dice;
use super::words::*;
use super::{GeneratedRow, finish};

/// Four words, most of them from one topic; from level 1 one of them strays.
pub fn topic(level: usize, dice: &mut Dice) -> GeneratedRow {
    let answer = dice.below(TOPICS.len());
    let strays = if level == 0 { 0 } else { dice.below(2) };
    let mut chosen = dice.pick_distinct(&TOPIC_WORDS[answer], 4 - strays);
    for _ in 0..strays {
        let other = (answer + dice.between(1, TOPICS.len() - 1)) % TOPICS.len();
        chosen.push(dice.pick(&TOPIC_WORDS[other]));
    }
    dice.shuffle(&mut chosen);
    let [a, b, c, d] = [chosen[0], chosen[1], chosen[2], chosen[3]];
    finish(
        format!("topic : the {a} and the {b} met the {c} near the {d} . this is about"),
        &TOPICS,
        answer,
    )
}

/// An even number of `not` keeps the adjective's side, an odd one turns it over.
pub fn mood(level: usize, dice: &mut Dice) -> GeneratedRow {
    let answer = dice.below(2);
    let most = [1, 2, 3, 4][level.min(3)];
    let nots = dice.between(0, most);
    let stresses = dice.below(3);
    let mut chain: Vec<&str> = vec!["not"; nots];
    chain.extend((0..stresses).map(|_| dice.pick(&STRESS)));
    dice.shuffle(&mut chain);
    let positive = (answer == 1) == nots.is_multiple_of(2);
    chain.push(dice.pick(if positive { &GOOD } else { &BAD }));
    let thing = dice.pick(&REVIEWED);
    finish(
        format!("mood : the {thing} is {} . it is", chain.join(" ")),
        &["negative", "positive"],
        answer,
    )
}

/// Two sentences; the second says each word as it was or with its synonym. A "no" changes the
/// meaning of some: of the only word (level 0), of one or both of two (level 1), of two or three
/// of four, of one or two of four. What is left unchanged always speaks for "yes".
pub fn same(level: usize, dice: &mut Dice) -> GeneratedRow {
    const SLOTS: [[[&str; 2]; 6]; 4] = [ADJECTIVE_PAIRS, PERSON_PAIRS, VERB_PAIRS, THING_PAIRS];
    let answer = dice.below(2);
    let (words, least, most) = [(1, 1, 1), (2, 1, 2), (4, 2, 3), (4, 1, 2)][level.min(3)];
    let changes = if answer == 1 {
        0
    } else {
        dice.between(least, most)
    };
    let from = dice.below(SLOTS.len() - words + 1);
    let slots: Vec<usize> = (from..from + words).collect();
    let changed = dice.pick_distinct(&slots, changes);
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for slot in slots {
        let meaning = dice.below(6);
        let other = if changed.contains(&slot) {
            (meaning + dice.between(1, 5)) % 6
        } else {
            meaning
        };
        first.push(dice.pick(&SLOTS[slot][meaning]));
        second.push(dice.pick(&SLOTS[slot][other]));
    }
    let sentence = |w: &[&str]| match w {
        [a, b, c, d] => format!("the {a} {b} {c} the {d}"),
        few => few.join(" "),
    };
    let prompt = format!(
        "same : {} . {} . same meaning ?",
        sentence(&first),
        sentence(&second)
    );
    finish(prompt, &["no", "yes"], answer)
}

/// An ambiguous word with two companions each time (one from level 2): from one domain, or from
/// the word's two domains.
pub fn sense(level: usize, dice: &mut Dice) -> GeneratedRow {
    let answer = dice.below(2);
    let (word, domains) = dice.pick(&AMBIGUOUS);
    let first = dice.pick(&domains);
    let second = if answer == 1 {
        first
    } else {
        domains[0] + domains[1] - first
    };
    let mut companions = |domain: usize| {
        let words = dice.pick_distinct(&DOMAIN_WORDS[domain], 2);
        if level < 2 {
            format!("the {} and the {}", words[0], words[1])
        } else {
            format!("the {}", words[0])
        }
    };
    let (one, two) = (companions(first), companions(second));
    finish(
        format!("sense : the {word} with {one} . the {word} with {two} . same sense ?"),
        &["No", "Yes"],
        answer,
    )
}
