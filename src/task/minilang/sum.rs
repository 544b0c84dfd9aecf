//! Sum: the last digit of a sum.

use super::dice::Dice;
use super::words::*;
use super::{GeneratedRow, finish};

/// The last digit of a sum of 2, 4, 6 or (last level) 3 to 9 digits.
pub fn sum(level: usize, dice: &mut Dice) -> GeneratedRow {
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
