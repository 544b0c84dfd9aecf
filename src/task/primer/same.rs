//! Same: whether a story told in other words is still the same.

use super::claim::VERDICTS;
use super::words::*;
use super::{AskKind, Dice, Exercise, ExerciseAsk};

/// Meanings of a clause: who does what to which thing.
type Clause = [usize; 3];

const SLOTS: [[[&str; 2]; 6]; 3] = [PERSON_PAIRS, VERB_PAIRS, THING_PAIRS];

/// Level n has n + 1 clauses, told again in any order, each word as it was or as its synonym. A
/// false one exchanges the things, or what is done, of two clauses; with one clause, another word
/// takes the place of one.
pub fn same(level: usize, _: AskKind, dice: &mut Dice) -> Exercise {
    let count = level.min(2) + 1;
    let slots: Vec<Vec<usize>> =
        (0..3).map(|_| dice.pick_distinct(&[0, 1, 2, 3, 4, 5], count)).collect();
    let clauses: Vec<Clause> =
        (0..count).map(|n| [slots[0][n], slots[1][n], slots[2][n]]).collect();
    let said: Vec<String> = clauses
        .iter()
        .map(|clause| {
            let [who, does, what] = [0, 1, 2].map(|slot| dice.pick(&SLOTS[slot][clause[slot]]));
            format!("{who} {does} {what}")
        })
        .collect();
    let asks = (0..2).map(|_| again(&clauses, dice)).collect();
    Exercise { story: format!("Here {}.", said.join(" and ")), asides: Vec::new(), asks }
}

/// The clauses in other words.
fn again(clauses: &[Clause], dice: &mut Dice) -> ExerciseAsk {
    let answer = dice.below(2);
    let mut told = dice.pick_distinct(clauses, clauses.len());
    if answer == 1 {
        let slot = dice.between(1, 2);
        if let [only] = told.as_mut_slice() {
            only[slot] = (only[slot] + dice.between(1, 5)) % 6;
        } else {
            let at = dice.pick_distinct(&(0..told.len()).collect::<Vec<_>>(), 2);
            (told[at[0]][slot], told[at[1]][slot]) = (told[at[1]][slot], told[at[0]][slot]);
        }
    }
    // The words of a true clause can be foreseen, except which of two synonyms stands there.
    let counted = if answer == 0 { 0.4 } else { 0.0 };
    let mut ask = ExerciseAsk::say(" So");
    for (n, clause) in told.iter().enumerate() {
        ask = ask.and(if n == 0 { " " } else { " and " });
        ask = ask.and(dice.pick(&SLOTS[0][clause[0]]));
        ask = ask.tell(dice.pick(&SLOTS[1][clause[1]]), counted);
        ask = ask.tell(dice.pick(&SLOTS[2][clause[2]]), counted);
    }
    ask.answer(&VERDICTS, answer)
}
