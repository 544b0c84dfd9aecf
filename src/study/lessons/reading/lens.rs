//! Fields of one prompt.

use super::{FieldFound, column, known, no_field, number, word};
use crate::engine::{MemberKind, VocabularyReading, member_names};
use crate::measure::bits::bits;
use crate::measure::decomposition::{ByKind, Triple, argmax, logit_difference};
use crate::study::lessons::found::{FoundLens, ModelFound, StepFound};
use crate::study::lessons::{LessonError, members};
use crate::study::report::Lens;

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
        ["percent", "of_all"] => {
            let otherwise = "the device has no room for the whole vocabulary";
            let vocabulary = known(lens.vocabulary.as_ref(), otherwise)?;
            number(100.0 * vocabulary.option_probabilities[lens.answer])
        }
        ["members"] => number(lens.members.len() as f64),
        ["members_of", name] => {
            let kind = members::kind(name).ok_or_else(|| no_field(parts))?;
            let is_it = lens.members.iter().filter(|member| member.kind == kind);
            number(is_it.count() as f64)
        }
        ["blocks"] => number(of.order.len() as f64),
        ["alone"] => number(alone(lens) as f64),
        ["alone_share"] => number(100.0 * alone(lens) as f64 / lens.members.len() as f64),
        ["sum_error"] => number(decomposition.sum_error),
        ["member", name] => word(said_of(lens, member(lens, name)?)),
        ["block", name] => {
            let block = lens.members[member(lens, name)?].block;
            number(known(block, &format!("{name} is of no block"))? as f64)
        }
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
        [what @ ("mse" | "bias" | "diversity" | "residue" | "sum_of" | "difference_of"), name] => {
            let all = decomposition.triples();
            let columns = [all.probability, all.logit, all.centred, all.paper];
            let triple: Triple = columns[column(name)?];
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
        ["share", kind, name] => {
            let columns =
                [&decomposition.probability, &decomposition.logit, &decomposition.centred];
            let numbers = columns.get(column(name)?);
            let share = numbers.and_then(|numbers| share_of(&numbers.by_kind, kind));
            number(share.ok_or_else(|| no_field(parts))?)
        }
        _ => depth_field(found, of, parts),
    }
}

/// Why a model lacks words.
const NO_TEXT: &str = "the model reads no text";

fn option(lens: &Lens, at: usize) -> FieldFound {
    let text = lens.options.as_ref().and_then(|options| options.get(at));
    word(known(text, NO_TEXT)?.trim())
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
fn member(lens: &Lens, name: &str) -> Result<usize, LessonError> {
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
    known(found, &format!("no {name} wrote on its stream"))
}

/// Returns the member of this name, with the name that pictures write.
pub fn named_member(lens: &Lens, name: &str) -> Result<(usize, String), LessonError> {
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
fn moved(lens: &Lens, before: Option<&StepFound>, name: &str) -> Result<usize, LessonError> {
    let whole = before.and_then(StepFound::lens);
    let whole = known(whole, "no run came before with which to compare")?;
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

/// Members whose own error is larger than that of their mean.
fn beaten(lens: &Lens) -> usize {
    let found = &lens.decomposition.probability;
    let errors = found.member_bias.iter();
    errors.filter(|error| **error > found.total.mse).count()
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
    match *parts {
        ["last_word"] => {
            let last = lens.tokens.as_ref().and_then(|tokens| tokens.last());
            return word(known(last, NO_TEXT)?.trim());
        }
        ["uniform_doubt"] => return number((of.vocabulary as f64).log2()),
        _ => {}
    }
    let depths = lens.logit_lens.as_ref().ok_or_else(|| no_field(parts))?;
    let held = found.held.as_ref().and_then(|held| held.logit_lens.as_ref());
    let held = held.ok_or_else(|| no_field(parts));
    match *parts {
        ["top", depth] => {
            let id = reading_at(depths, depth)?.top_ids.first();
            let words = lens.logit_lens_words.as_ref();
            let text = id.and_then(|id| words?.get(id));
            word(text.map_or("", |text| text.trim()))
        }
        ["top_percent", depth] => {
            let first = reading_at(depths, depth)?.top_log_probabilities.first();
            number(100.0 * first.map_or(0.0, |p| p.exp()))
        }
        ["doubt", depth] => number(bits(reading_at(depths, depth)?.entropy)),
        ["held_doubt", depth] => number(bits(reading_at(held?, depth)?.entropy)),
        ["last_doubt"] => number(bits(reading_at(depths, "last")?.entropy)),
        ["most_doubt" | "most_doubt_at"] => {
            let doubts: Vec<f64> = depths.iter().map(|depth| bits(depth.entropy)).collect();
            let most = argmax(&doubts);
            let is_place = parts == ["most_doubt_at"];
            number(if is_place { most as f64 } else { doubts[most] })
        }
        ["same_winner"] => {
            let pairs = depths.iter().zip(held?);
            let same = pairs.filter(|(a, b)| a.top_ids.first() == b.top_ids.first());
            number(same.count() as f64)
        }
        _ => Err(no_field(parts)),
    }
}

/// The reading at a depth, a number or `last`.
fn reading_at<'a>(
    depths: &'a [VocabularyReading],
    depth: &str,
) -> Result<&'a VocabularyReading, LessonError> {
    let number: Option<usize> = match depth {
        "last" => depths.len().checked_sub(1),
        digits => digits.parse().ok(),
    };
    let reading = number.and_then(|number| depths.get(number));
    known(reading, &format!("its stream has no depth {depth}"))
}
