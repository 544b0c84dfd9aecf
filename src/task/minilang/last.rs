//! Last: whose name comes last in an order told in pieces.

use super::dice::Dice;
use super::words::*;
use super::{GeneratedRow, finish};

/// People in an order told pair by pair, the pairs shuffled and each said either way round. Level
/// 0 has two people, level 1 three, from level 2 four.
pub fn last(level: usize, dice: &mut Dice) -> GeneratedRow {
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
