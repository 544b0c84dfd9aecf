//! An item made ready for a model: what is tokenised, where members are read, what is scored.

use crate::model::{ModelError, Passage, Prompt};
use crate::study::{LoadedModel, Question, StudyError, Unknown};
use crate::task::item::Item;
use crate::task::score;

/// One row, as token ids.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// Members are read at its last token. Its options are empty for `Rivals::Original`.
    pub prompt: Prompt,
    pub rivals: Rivals,
    /// Index of the right option among the prompt's.
    pub answer: usize,
    /// Texts whose last tokens are scored, and the bytes of those: one a candidate, or the word.
    pub passages: Vec<(Passage, usize)>,
    /// Index of the right one of the row's own choices, and their number; `None` where it has none.
    pub choice: Option<(usize, usize)>,
    /// The text that a generated answer must contain.
    pub expected: Option<String>,
}

/// The tokens that the right one is compared with, where members vote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rivals {
    /// The row's own options.
    Given,
    /// The tokens that the model's own order finds likeliest besides this right one.
    Original { right: u32 },
}

impl Reading {
    /// Reads every row of a task.
    ///
    /// # Errors
    /// The first row that the model cannot read, by its number.
    pub fn all(model: &LoadedModel, task: &str, items: &[Item]) -> Result<Vec<Self>, StudyError> {
        let read = |(row, item)| {
            let reading = Self::new(model, item);
            reading.map_err(|error| error.in_row(task, row + 1))
        };
        items.iter().enumerate().map(read).collect()
    }

    /// # Errors
    /// Whatever the model cannot read: see [`LoadedModel::question`]; a text past the context.
    pub fn new(model: &LoadedModel, item: &Item) -> Result<Self, StudyError> {
        match item {
            Item::Option { prompt, options, answer } => {
                Ok(Self::given(model.question(prompt, options, *answer)?))
            }
            Item::Ids { token_ids, option_ids, answer } => {
                Ok(Self::given(model.question_from_ids(token_ids, option_ids, *answer)?))
            }
            Item::Continuation { candidates, answer } => {
                let passages = candidates
                    .iter()
                    .map(|candidate| passage(model, &candidate.context, &candidate.continuation))
                    .collect::<Result<Vec<_>, _>>()?;
                Self::open(model, passages, *answer, Some((*answer, candidates.len())))
            }
            Item::LastWord { context, word } => {
                Self::open(model, vec![passage(model, context, word)?], 0, None)
            }
            Item::Generate { prompt, answer } => {
                let right = passage(model, prompt, &format!(" {answer}"))?;
                Ok(Self {
                    passages: Vec::new(),
                    expected: Some(answer.clone()),
                    ..Self::open(model, vec![right], 0, None)?
                })
            }
        }
    }

    /// Whether the model knows every word of what it reads before the answer.
    ///
    /// # Errors
    /// An option that it does not know.
    pub fn is_known(&self, item: &Item, unknown: &Unknown) -> Result<bool, StudyError> {
        if let Item::Option { options, .. } = item {
            let option = |at: usize| options.get(at).map(String::as_str);
            unknown.check(&self.prompt.option_ids, option)?;
        }
        let passages = self.passages.iter().map(|(p, _)| &p.token_ids);
        let mut texts = passages.chain([&self.prompt.token_ids]);
        Ok(!texts.any(|ids| unknown.is_in(ids)))
    }

    /// Tokens of the right answer, which a perplexity is a mean over; a last word counts as one.
    pub fn answer_tokens(&self) -> usize {
        let right = self.choice.and_then(|(answer, _)| self.passages.get(answer));
        right.map_or(1, |(passage, _)| passage.scored)
    }

    /// Is the only thing wrong with it that the model's context is too short for it?
    pub fn is_too_long(model: &LoadedModel, item: &Item) -> bool {
        let read = Self::new(model, item);
        matches!(read, Err(StudyError::Model(ModelError::TooLong { .. })))
    }

    fn given(question: Question) -> Self {
        Self {
            choice: Some((question.answer, question.prompt.option_ids.len())),
            prompt: question.prompt,
            rivals: Rivals::Given,
            answer: question.answer,
            passages: Vec::new(),
            expected: None,
        }
    }

    /// Members are read where the right passage's first scored token is foreseen.
    fn open(
        model: &LoadedModel,
        passages: Vec<(Passage, usize)>,
        right: usize,
        choice: Option<(usize, usize)>,
    ) -> Result<Self, StudyError> {
        let Passage { token_ids, scored } = &passages[right].0;
        let (context, continuation) = token_ids.split_at(token_ids.len() - scored);
        Ok(Self {
            prompt: Prompt::from_ids(model.shape(), context.to_vec(), Vec::new())?,
            rivals: Rivals::Original { right: continuation[0] },
            answer: 0,
            passages,
            choice,
            expected: None,
        })
    }
}

/// How many rows of `task` have words that the model does not know; `items` are what was made ready.
///
/// # Errors
/// The first row with an option that it does not know.
pub fn count_unknown(
    task: &str,
    readings: &[Reading],
    items: &[Item],
    unknown: &Unknown,
) -> Result<usize, StudyError> {
    let mut count = 0;
    for (row, (reading, item)) in readings.iter().zip(items).enumerate() {
        let known = reading.is_known(item, unknown);
        count += usize::from(!known.map_err(|error| error.in_row(task, row + 1))?);
    }
    Ok(count)
}

/// `continuation` after `context`: the tokens of both together from the first that differs from the
/// context's own, since a tokenizer may cut across the seam.
fn passage(
    model: &LoadedModel,
    context: &str,
    continuation: &str,
) -> Result<(Passage, usize), StudyError> {
    let tokenizer = model.tokenizer()?;
    let before = tokenizer.encode(context)?;
    let whole = tokenizer.encode(&format!("{context}{continuation}"))?;
    let same = whole.iter().zip(&before).take_while(|(a, b)| a == b).count();
    let (context, scored) = whole.split_at(same.min(whole.len().saturating_sub(1)));
    Ok((Passage::new(model.shape(), context, scored)?, score::bytes(continuation)))
}
