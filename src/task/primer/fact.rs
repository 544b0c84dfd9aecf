//! Fact: whether a claim about who does what holds in the story. Some copy others, who copy others,
//! who do something.

use super::claim::claim;
use super::words::*;
use super::{AskKind, Dice, Exercise, ExerciseAsk};

/// At level n the person asked about first is n "copies" away from what is done. There are two such
/// chains (three at level 0) to as many actions, and wrong claims name the others'.
pub fn fact(level: usize, kind: AskKind, dice: &mut Dice) -> Exercise {
    let links = level.min(3);
    let chains = if links == 0 { 3 } else { 2 };
    let mut names = dice.pick_distinct(&NAMES, NAMES.len());
    let actions = dice.pick_distinct(&ACTIONS, chains);
    let told: Vec<Vec<&str>> =
        (0..chains).map(|_| (0..=links).filter_map(|_| names.pop()).collect()).collect();
    let story: Vec<String> = turns(chains, links + 1, dice)
        .into_iter()
        .map(|(chain, at)| match at {
            0 => format!("{} {}.", told[chain][0], actions[chain]),
            _ => format!("{} copies {}.", told[chain][at], told[chain][at - 1]),
        })
        .collect();
    let asked = (dice.below(chains), links);
    let asks = first_and_others(asked, chains, 0..links + 1, dice)
        .into_iter()
        .map(|(chain, at)| {
            let before = format!(" So {}", told[chain][at]);
            if kind == AskKind::Told {
                return ExerciseAsk::say(before).answer(&actions, chain);
            }
            claim(before, &actions, chain, dice)
        })
        .take(if kind == AskKind::Told { 8 } else { 4 })
        .collect();
    Exercise { story: story.join(" "), asides: Vec::new(), asks }
}

/// Every (chain, link), chains in the order of chance and the links of each in their own.
pub fn turns(chains: usize, links: usize, dice: &mut Dice) -> Vec<(usize, usize)> {
    let mut turns: Vec<usize> = (0..chains).flat_map(|chain| vec![chain; links]).collect();
    dice.shuffle(&mut turns);
    let mut told = vec![0; chains];
    turns
        .into_iter()
        .map(|chain| {
            told[chain] += 1;
            (chain, told[chain] - 1)
        })
        .collect()
}

/// `first`, then every other (chain, place) in the order of chance.
pub fn first_and_others(
    first: (usize, usize),
    chains: usize,
    places: std::ops::Range<usize>,
    dice: &mut Dice,
) -> Vec<(usize, usize)> {
    let mut all: Vec<(usize, usize)> = (0..chains)
        .flat_map(|chain| places.clone().map(move |place| (chain, place)))
        .filter(|&other| other != first)
        .collect();
    dice.shuffle(&mut all);
    all.insert(0, first);
    all
}
