//! Fields of one prompt.

use super::{FieldFound, lacks, number, word};
use crate::engine::{MemberKind, VocabularyReading, member_names};
use crate::measure::bits::bits;
use crate::measure::decomposition::{ByKind, Triple, argmax, logit_difference};
use crate::study::lessons::FieldValue;
use crate::study::lessons::found::{FoundLens, ModelFound, StepFound};
use crate::study::lessons::members;
use crate::study::report::Lens;

pub const FIELDS: &str = "right, says, lead, percent.right, percent.wrong, percent.of_all, members, members_of.KIND, blocks, plan, alone, alone_share, \
                          sum_error, member.MEMBER, block.MEMBER, vote.MEMBER, lead_without.MEMBER, moved.MEMBER, largest_vote, mse|bias|diversity|residue|sum_of|difference_of.COLUMN, \
                          own_error, best_error, best_member, beaten, beaten_share, share.KIND.COLUMN, and where depths were read \
                          last_word, top.DEPTH, top_percent.DEPTH, doubt.DEPTH, held_doubt.DEPTH, most_doubt, most_doubt_at, \
                          last_doubt, uniform_doubt, same_winner (MEMBER: emb, 3a, 3m, or by its vote opponent, loudest)";

/// The attention that votes most against the right option.
pub const OPPONENT: &str = "opponent";
/// The attention or MLP with the largest vote.
pub const LOUDEST: &str = "loudest";

/// How far a vote must move to be said to have moved, in logits.
pub const MOVED: f64 = 0.1;

pub fn field(
    found: &FoundLens,
    of: &ModelFound,
    before: Option<&StepFound>,
    parts: &[&str],
) -> FieldFound {
    let lens = &found.lens;
    let decomposition = &lens.decomposition;
    match *parts {
        ["right"] => option(lens, lens.answer),
        ["says"] => option(lens, argmax(&lens.probabilities)),
        ["plan"] => word(lens.plan.clone()),
        ["lead"] => number(logit_difference(&lens.logits, lens.answer)),
        ["percent", "right"] => number(100.0 * lens.probabilities[lens.answer]),
        ["percent", "wrong"] => number(100.0 * (1.0 - lens.probabilities[lens.answer])),
        ["percent", "of_all"] => match &lens.vocabulary {
            Some(vocabulary) => number(100.0 * vocabulary.option_probabilities[lens.answer]),
            None => Err(lacks("the device has no room for the whole vocabulary".to_owned())),
        },
        ["members"] => number(lens.members.len() as f64),
        ["members_of", name] => {
            let Some(kind) = members::kind(name) else {
                return Ok(None);
            };
            let is_it = lens.members.iter().filter(|member| member.kind == kind);
            number(is_it.count() as f64)
        }
        ["blocks"] => number(of.order.len() as f64),
        ["alone"] => number(alone(lens) as f64),
        ["alone_share"] => number(100.0 * alone(lens) as f64 / lens.members.len() as f64),
        ["sum_error"] => number(decomposition.sum_error),
        ["member", name] => word(said_of(lens, member(lens, name)?)),
        ["block", name] => match lens.members[member(lens, name)?].block {
            Some(block) => number(block as f64),
            None => Err(lacks(format!("{name} is of no block"))),
        },
        ["vote", name] => number(vote(lens, member(lens, name)?)),
        ["lead_without", name] => {
            number(logit_difference(&lens.logits, lens.answer) - vote(lens, member(lens, name)?))
        }
        ["moved", name] => number(moved(lens, before, name)? as f64),
        ["largest_vote"] => {
            let votes = (0..lens.members.len()).map(|i| vote(lens, i));
            let votes: Vec<f64> = votes.collect();
            word(said_of(lens, argmax(&votes)))
        }
        [
            what @ ("mse" | "bias" | "diversity" | "residue" | "sum_of" | "difference_of"),
            column,
        ] => {
            let Some(triple) = triple(lens, column) else {
                return Ok(None);
            };
            number(match what {
                "mse" => triple.mse,
                "bias" => triple.bias,
                "diversity" => triple.diversity,
                "sum_of" => triple.bias + triple.diversity,
                "difference_of" => triple.bias - triple.diversity,
                _ => triple.mse - (triple.bias - triple.diversity),
            })
        }
        ["own_error"] => number(decomposition.share_error),
        ["best_error"] => {
            let errors = decomposition.probability.member_bias.iter();
            number(errors.copied().fold(f64::INFINITY, f64::min))
        }
        ["best_member"] => {
            let errors = decomposition.probability.member_bias.iter();
            let less: Vec<f64> = errors.map(|error| -error).collect();
            word(said_of(lens, argmax(&less)))
        }
        ["beaten"] => number(beaten(lens) as f64),
        ["beaten_share"] => number(100.0 * beaten(lens) as f64 / lens.members.len() as f64),
        ["share", kind, column] => share(lens, kind, column),
        _ => depth_field(found, of, parts),
    }
}

fn option(lens: &Lens, at: usize) -> FieldFound {
    let text = lens.options.as_ref().and_then(|options| options.get(at));
    match text {
        Some(text) => word(text.trim()),
        None => Err(lacks("the model reads no text".to_owned())),
    }
}

fn vote(lens: &Lens, member: usize) -> f64 {
    logit_difference(&lens.member_logits[member], lens.answer)
}

fn said_of(lens: &Lens, member: usize) -> String {
    members::spoken(&name_of(lens, member))
}

fn name_of(lens: &Lens, member: usize) -> String {
    member_names(&lens.members).swap_remove(member)
}

/// The member of this name, or the one that its vote makes the opponent or the loudest.
fn member(lens: &Lens, name: &str) -> Result<usize, crate::study::lessons::LessonError> {
    let by_vote = |kinds: &[MemberKind], sign: f64| {
        let is_it = |&at: &usize| kinds.contains(&lens.members[at].kind);
        let all = (0..lens.members.len()).filter(is_it);
        all.max_by(|&a, &b| (sign * vote(lens, a)).total_cmp(&(sign * vote(lens, b))))
    };
    let found = match name {
        OPPONENT => by_vote(&[MemberKind::Attention], -1.0),
        LOUDEST => by_vote(&[MemberKind::Attention, MemberKind::Mlp], 1.0),
        _ => member_names(&lens.members).iter().position(|of| of == name),
    };
    found.ok_or_else(|| lacks(format!("no {name} wrote on its stream")))
}

/// Returns the member of this name, with the name that pictures write.
pub fn named_member(
    lens: &Lens,
    name: &str,
) -> Result<(usize, String), crate::study::lessons::LessonError> {
    let member = member(lens, name)?;
    Ok((member, name_of(lens, member)))
}

/// Counts the members whose largest vote is for the right option.
fn alone(lens: &Lens) -> usize {
    let is_right = |logits: &&Vec<f32>| {
        let wide: Vec<f64> = logits.iter().map(|&x| f64::from(x)).collect();
        argmax(&wide) == lens.answer
    };
    lens.member_logits.iter().filter(is_right).count()
}

/// Counts the members behind one that vote otherwise than before.
fn moved(
    lens: &Lens,
    before: Option<&StepFound>,
    name: &str,
) -> Result<usize, crate::study::lessons::LessonError> {
    let whole = before.and_then(StepFound::lens);
    let whole =
        whole.ok_or_else(|| lacks("no run came before with which to compare".to_owned()))?;
    let behind = member(whole, name)? + 1;
    let moved = moved_members(whole, lens);
    Ok(moved.into_iter().filter(|member| *member >= behind).count())
}

/// Returns the members of a run, counted from 0, that vote otherwise in a later run.
pub fn moved_members(before: &Lens, after: &Lens) -> Vec<usize> {
    let names = member_names(&after.members);
    let has_moved = |(i, name): (usize, &String)| {
        let now = names.iter().position(|other| other == name)?;
        ((vote(after, now) - vote(before, i)).abs() > MOVED).then_some(i)
    };
    member_names(&before.members).iter().enumerate().filter_map(has_moved).collect()
}

fn triple(lens: &Lens, column: &str) -> Option<Triple> {
    let found = lens.decomposition.triples();
    match column {
        "probability" => Some(found.probability),
        "logit" => Some(found.logit),
        "centred" => Some(found.centred),
        "paper" => Some(found.paper),
        _ => None,
    }
}

/// Members whose own error is larger than that of their mean.
fn beaten(lens: &Lens) -> usize {
    let found = &lens.decomposition.probability;
    let errors = found.member_bias.iter();
    errors.filter(|error| **error > found.total.mse).count()
}

fn share(lens: &Lens, kind: &str, column: &str) -> FieldFound {
    let found = &lens.decomposition;
    let column = match column {
        "probability" => &found.probability,
        "logit" => &found.logit,
        "centred" => &found.centred,
        _ => return Ok(None),
    };
    match share_of(&column.by_kind, kind) {
        Some(share) => number(share),
        None => Ok(None),
    }
}

/// A kind's part of the diversity, per cent.
pub fn share_of(by_kind: &ByKind, kind: &str) -> Option<f64> {
    let kind = members::kind(kind)?;
    let all: f64 = by_kind.shares().map(|(_, share)| share.diversity).sum();
    let own = by_kind.shares().find(|(of, _)| *of == kind);
    Some(100.0 * own.map_or(0.0, |(_, share)| share.diversity) / all)
}

fn depth_field(found: &FoundLens, of: &ModelFound, parts: &[&str]) -> FieldFound {
    let lens = &found.lens;
    if let ["last_word"] = *parts {
        let last = lens.tokens.as_ref().and_then(|tokens| tokens.last());
        return match last {
            Some(last) => word(last.trim()),
            None => Err(lacks("the model reads no text".to_owned())),
        };
    }
    if let ["uniform_doubt"] = *parts {
        return number((of.vocabulary as f64).log2());
    }
    let Some(depths) = &lens.logit_lens else {
        return Ok(None);
    };
    let held = found.held.as_ref().and_then(|held| held.logit_lens.as_ref());
    let at = |depths: &[VocabularyReading], depth: &str| {
        let number: Option<usize> = match depth {
            "last" => depths.len().checked_sub(1),
            digits => digits.parse().ok(),
        };
        let found = number.and_then(|number| depths.get(number)).cloned();
        found.ok_or_else(|| lacks(format!("its stream has no depth {depth}")))
    };
    let word_of = |reading: &VocabularyReading| {
        let words = lens.logit_lens_words.as_ref();
        let id = reading.top_ids.first();
        let text = id.and_then(|id| words?.get(id));
        text.map_or_else(String::new, |text| text.trim().to_owned())
    };
    match *parts {
        ["top", depth] => word(word_of(&at(depths, depth)?)),
        ["top_percent", depth] => {
            let reading = at(depths, depth)?;
            let first = reading.top_log_probabilities.first();
            number(100.0 * first.map_or(0.0, |p| p.exp()))
        }
        ["doubt", depth] => number(bits(at(depths, depth)?.entropy)),
        ["held_doubt", depth] => match held {
            Some(held) => number(bits(at(held, depth)?.entropy)),
            None => Ok(None),
        },
        ["last_doubt"] => number(bits(at(depths, "last")?.entropy)),
        ["most_doubt" | "most_doubt_at"] => {
            let doubts: Vec<f64> = depths.iter().map(|depth| bits(depth.entropy)).collect();
            let most = argmax(&doubts);
            let is_place = parts == ["most_doubt_at"];
            number(if is_place { most as f64 } else { doubts[most] })
        }
        ["same_winner"] => {
            let Some(held) = held else {
                return Ok(None);
            };
            let pairs = depths.iter().zip(held);
            let same = pairs.filter(|(a, b)| a.top_ids.first() == b.top_ids.first());
            Ok(Some(FieldValue::exact(same.count() as f64)))
        }
        _ => Ok(None),
    }
}
