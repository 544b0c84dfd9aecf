//! Turns one row's trace and scores into its numbers.

use super::MeasuredRow;
use super::asking::RowPlace;
use crate::engine::{TokenScore, Trace, VocabularyReading};
use crate::measure::decomposition::argmax;
use crate::model::{Passage, Prompt};
use crate::study::orders::Reading;
use crate::task::item::{Candidate, Item, TaskRow};
use crate::task::score::per_byte;

/// The row's votes; right is what their sum says, until a score says otherwise.
pub(super) fn measured(
    place: &RowPlace<'_>,
    reading: &Reading,
    prompt: &Prompt,
    trace: &Trace,
) -> MeasuredRow {
    let &RowPlace { row, asked: &TaskRow { line, level, ref item } } = place;
    let logits: Vec<f64> = trace.logits.iter().map(|&x| f64::from(x)).collect();
    let answered = argmax(&logits);
    let (text, choices) = shown(item);
    let mut measured = MeasuredRow {
        row,
        line,
        level,
        tokens: prompt.token_ids.len(),
        answer: reading.answer,
        answered,
        correct: answered == reading.answer,
        option_ids: prompt.option_ids.clone(),
        logits: trace.logits.clone(),
        member_logits: trace.member_logits.concat(),
        answer_tokens: reading.answer_tokens(),
        prompt: text,
        choices,
        right: item.answer(),
        ..MeasuredRow::default()
    };
    let found = measured.decomposition(&trace.members);
    let triples = found.triples();
    measured.sum_error = found.sum_error;
    measured.probability = triples.probability.numbers();
    measured.logit = triples.logit.numbers();
    measured.centred = triples.centred.numbers();
    measured.offset = triples.offset.numbers();
    measured.paper = triples.paper.numbers();
    if let Some(vocabulary) = &trace.vocabulary {
        let has_options = reading.passages.is_empty() && reading.expected.is_none();
        read_vocabulary(&mut measured, vocabulary, has_options);
    }
    measured
}

/// The whole vocabulary where the members vote; where that decides what is right, what it says of the options.
fn read_vocabulary(row: &mut MeasuredRow, vocabulary: &VocabularyReading, has_options: bool) {
    let options = &vocabulary.followed;
    row.log_partition = Some(vocabulary.log_partition);
    row.entropy = Some(vocabulary.entropy);
    row.option_ranks = options.iter().map(|option| option.rank).collect();
    if has_options {
        row.log_likelihoods = options.iter().map(|option| option.log_probability).collect();
        row.mass = Some(row.log_likelihoods.iter().map(|x| x.exp()).sum());
        row.first_word = Some(options[row.answer].rank == 1);
    }
}

/// The row's candidates, or its one word, as the model scores them.
pub(super) fn scored(row: &mut MeasuredRow, reading: &Reading, scores: &[TokenScore]) {
    let sums: Vec<f64> = scores.iter().map(|score| score.log_probability).collect();
    match reading.choice {
        Some((answer, _)) => {
            let bytes: Vec<usize> = reading.passages.iter().map(|(_, bytes)| *bytes).collect();
            let each = per_byte(&sums, &bytes);
            row.correct = argmax(&sums) == answer;
            row.correct_per_byte = Some(argmax(&each) == answer);
            row.first_word = Some(scores[answer].greedy);
            row.mass = exclude_each_other(&reading.passages)
                .then(|| sums.iter().map(|sum| sum.exp()).sum());
        }
        None => {
            row.correct = scores.iter().all(|score| score.greedy);
            row.first_word = Some(row.correct);
        }
    }
    row.log_likelihoods = sums;
}

/// Whether at most one of the continuations can come true: all follow the same context, and none begins another.
fn exclude_each_other(passages: &[(Passage, usize)]) -> bool {
    let context = |passage: &Passage| passage.token_ids.len() - passage.scored;
    let mut pairs = passages.iter().enumerate().flat_map(|(i, (first, _))| {
        let others = passages.iter().enumerate().filter(move |(j, _)| *j != i);
        others.map(move |(_, (other, _))| (first, other))
    });
    pairs.all(|(first, other)| {
        let (start, other_start) = (context(first), context(other));
        first.token_ids[..start] == other.token_ids[..other_start]
            && !other.token_ids.starts_with(&first.token_ids)
    })
}

/// A question as a reader sees it, and what it offers.
fn shown(item: &Item) -> (Option<String>, Vec<String>) {
    match item {
        Item::Option { prompt, options, .. } => (Some(prompt.clone()), options.clone()),
        Item::Ids { .. } => (None, Vec::new()),
        Item::Continuation { candidates, .. } => {
            let same = candidates.windows(2).all(|two| two[0].context == two[1].context);
            let choice = |c: &Candidate| {
                if same {
                    c.continuation.clone()
                } else {
                    format!("{}{}", c.context, c.continuation)
                }
            };
            let context = candidates.first().filter(|_| same);
            (
                context.map(|candidate| candidate.context.clone()),
                candidates.iter().map(choice).collect(),
            )
        }
        Item::LastWord { context, word } => (Some(context.clone()), vec![word.clone()]),
        Item::Generate { prompt, answer } => (Some(prompt.clone()), vec![answer.clone()]),
    }
}

/// Returns the tokens that all candidates begin with, and the first in which each differs from the others; `None`
/// where two have the same next token, or one ends.
pub(super) fn parting(reading: &Reading) -> Option<Prompt> {
    let all: Vec<&[u32]> = reading.passages.iter().map(|(p, _)| &p.token_ids[..]).collect();
    let first = *all.first()?;
    let same = |at: usize| all.iter().all(|ids| ids.get(at) == first.get(at));
    let common = (0..first.len()).take_while(|&at| same(at)).count();
    let next: Option<Vec<u32>> = all.iter().map(|ids| ids.get(common).copied()).collect();
    let option_ids = next.filter(|_| common > 0)?;
    let mut distinct = option_ids.clone();
    distinct.sort_unstable();
    distinct.dedup();
    (distinct.len() == option_ids.len())
        .then(|| Prompt { token_ids: first[..common].to_vec(), option_ids })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::orders::Rivals;
    use crate::task::score::bytes;

    /// Bytes are counted without the joining space, for a survey's row as for a sweep.
    #[test]
    fn the_joining_space_is_no_length() {
        let passage = |text: &str| {
            let token_ids = vec![1, 2];
            (Passage { token_ids, scored: 1 }, bytes(text))
        };
        let prompt = Prompt { token_ids: vec![1], option_ids: vec![2, 3] };
        let reading = Reading {
            prompt: prompt.clone(),
            rivals: Rivals::Original { right: 2 },
            answer: 0,
            passages: vec![passage(" a"), passage(" abcd")],
            choice: Some((1, 2)),
            expected: None,
        };
        let score = |log_probability| TokenScore { log_probability, greedy: false };
        let scores = [score(-3.0), score(-8.0)];
        let mut row = MeasuredRow {
            line: 1,
            tokens: 1,
            option_ids: prompt.option_ids,
            logits: vec![0.0; 2],
            member_logits: vec![0.0; 2],
            answer_tokens: 1,
            ..MeasuredRow::default()
        };
        scored(&mut row, &reading, &scores);
        // -3 / 1 against -8 / 4; with the spaces, -3 / 2 against -8 / 5.
        assert_eq!((row.correct, row.correct_per_byte), (false, Some(true)));
        // Both passages are the same: they do not exclude each other.
        assert_eq!((row.first_word, row.mass), (Some(false), None));
        let mut rows = crate::study::orders::OrderRows::default();
        rows.push_passages(&reading, &scores);
        assert_eq!((&*rows.correct, &*rows.correct_per_byte), (&[false][..], &[true][..]));
    }
}
