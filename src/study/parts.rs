//! Losses of the answer to one prompt without each part of the plan on the screen, one part at a time: first
//! members, then single heads (docs/definitions.md, "Vote and need").

use std::collections::VecDeque;

use rand_mt::Mt;
use serde::{Deserialize, Serialize};

use super::lens;
use super::report::Report;
use super::without::{PlanPart, parts};
use super::{LoadedModel, Question, Running, StudyError};
use crate::engine::schedule::Schedule;
use crate::engine::{
    Capture, EngineError, FollowedToken, Reference, Run, Trace, VocabularyReading, VocabularyWish,
};
use crate::measure::decomposition::logit_difference;
use crate::model::Prompt;
use crate::plan::Plan;

/// Rows that plans run together with: many enough for the kernels, few enough that a worker soon hears "cancel".
const ROWS: usize = 512;
/// Plans that run together at least, however long the prompt: each run begins with the whole plan again.
const MIN_PLANS: usize = 16;
/// Prompts of tokens drawn at random, whose answers have nothing to do with the prompt's.
const UNRELATED: usize = 16;
/// Seed of those draws.
const SEED: u32 = 0;

/// Losses of one run without each of its parts. The run is the report's lens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartLosses {
    /// ln P of the right option over the whole vocabulary, with every part.
    pub log_probability: f64,
    /// The run's logit of the right option less the mean of the others'.
    pub lead: f64,
    /// KL from the run's answer to the nearest of those to unrelated prompts. The model breaks without a part
    /// where its answer is as far away.
    pub unrelated_kl: Option<f64>,
    /// Attentions and MLPs, in the order in which they run.
    pub members: Vec<PartLoss>,
    /// Single heads, in the order in which they run.
    pub heads: Vec<PartLoss>,
}

/// Loss without one part, all else run again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartLoss {
    /// Which of the lens's members; of a head its attention.
    pub member: usize,
    /// A query head of the attention, counted from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<usize>,
    /// The plan without it.
    pub plan: String,
    /// ln P of the right option with every part, less that without this one. Nats; below 0 where the
    /// answer gains.
    pub lost: f64,
    /// The logit difference with every part, less that without this one.
    pub lead_lost: f64,
    /// KL over the whole vocabulary from the answer with every part. Nats.
    pub kl: f64,
    /// Place of the right option in the whole vocabulary without the part, counted from 1.
    pub rank: usize,
}

impl PartLosses {
    /// Does the model break without this part?
    pub fn is_broken(&self, part: &PartLoss) -> bool {
        self.unrelated_kl.is_some_and(|far| part.kl >= far)
    }
}

/// A run of [`PartLosses`] in steps.
pub struct LeavingOut<'a> {
    model: &'a LoadedModel,
    question: Question,
    plan: Plan,
    parts: Vec<PlanPart>,
    run: Option<Box<dyn Run<Trace> + 'a>>,
    /// Runs still to be made, one after another: their prompts and plans.
    waiting: VecDeque<(Vec<Prompt>, Vec<Plan>)>,
    /// Block runs of the runs that are over, of the one under way, and of all.
    done: usize,
    advanced: usize,
    total: usize,
    /// The question with every part.
    whole: Option<Trace>,
    /// Number of unrelated prompts, which run with every part.
    unrelated: usize,
    /// KL from the question's answer to that of each unrelated prompt that has run.
    unrelated_kl: Vec<f64>,
    /// Losses without each part that has been left out, in the order of `parts`.
    losses: Vec<PartLoss>,
}

impl<'a> LeavingOut<'a> {
    /// Begins to leave out every part of `plan` once.
    ///
    /// # Errors
    /// A device without room for the whole vocabulary; as [`Engine::start`](crate::engine::Engine::start).
    pub fn start(
        model: &'a LoadedModel,
        question: &Question,
        plan: Plan,
    ) -> Result<Self, StudyError> {
        let prompt = &question.prompt;
        let parts = parts(&plan, model.shape());
        let unrelated = unrelated_prompts(model, prompt);
        let mut leaving = Self {
            model,
            question: question.clone(),
            run: None,
            waiting: VecDeque::from([(vec![prompt.clone()], vec![plan.clone()])]),
            done: 0,
            advanced: 0,
            total: 0,
            whole: None,
            unrelated: unrelated.len(),
            unrelated_kl: Vec::new(),
            losses: Vec::new(),
            plan,
            parts,
        };
        if !unrelated.is_empty() {
            leaving.waiting.push_back((unrelated, vec![leaving.plan.clone()]));
        }

        // Parts that are left out in one run.
        let count = (ROWS / prompt.token_ids.len().max(1)).max(MIN_PLANS);
        for parts in leaving.parts.chunks(count) {
            let plans = parts.iter().map(|part| part.without.clone()).collect();
            leaving.waiting.push_back((vec![prompt.clone()], plans));
        }

        let work = |(prompts, plans): &(Vec<Prompt>, Vec<Plan>)| {
            prompts.len() * Schedule::new(plans).block_runs()
        };
        leaving.total = leaving.waiting.iter().map(work).sum();
        leaving.check_room()?;
        leaving.begin()?;
        Ok(leaving)
    }

    /// Refuses a device without room for the whole vocabulary; its memory may have run out in the last run.
    fn check_room(&self) -> Result<(), EngineError> {
        let lack = self.model.engine.vocabulary_lack();
        lack.map_or(Ok(()), |bytes| Err(EngineError::NoVocabulary { bytes }))
    }

    /// Begins the next run, its answers compared with that of the first; does nothing where none is left.
    fn begin(&mut self) -> Result<(), StudyError> {
        let Some((prompts, plans)) = self.waiting.pop_front() else {
            return Ok(());
        };
        let reference = match &self.whole {
            None => Reference::FirstPlan,
            Some(whole) => {
                Reference::Streams(vec![whole.last_stream.clone(); prompts.len()].into())
            }
        };
        let wish = VocabularyWish { reference, ..VocabularyWish::ANSWER };
        let capture = Capture { vocabulary: Some(wish), ..Capture::default() };
        self.run = Some(self.model.engine.start(prompts.into(), plans.into(), capture)?);
        Ok(())
    }

    /// Takes in the next trace: of the question, then of each unrelated prompt, then without each part.
    fn take_in(&mut self, trace: Trace) -> Result<(), EngineError> {
        let Some(whole) = &self.whole else {
            self.whole = Some(trace);
            return Ok(());
        };
        let kl = vocabulary(&trace)?.kl;
        if self.unrelated_kl.len() < self.unrelated {
            self.unrelated_kl.push(kl);
            return Ok(());
        }

        let answer = self.question.answer;
        let part = self.parts.get(self.losses.len()).ok_or(EngineError::Cancelled)?;
        let (before, after) = (right(whole, answer)?, right(&trace, answer)?);
        let lead = logit_difference(&whole.logits, answer);
        self.losses.push(PartLoss {
            member: part.member,
            head: part.head,
            plan: part.without.to_string(),
            lost: before.log_probability - after.log_probability,
            lead_lost: lead - logit_difference(&trace.logits, answer),
            kl,
            rank: after.rank as usize,
        });
        Ok(())
    }

    /// Returns the run as a lens, and beside it what is lost without its parts.
    ///
    /// # Errors
    /// Called too early: [`EngineError::Cancelled`].
    pub fn report(self) -> Result<Report, StudyError> {
        let answer = self.question.answer;
        let whole = self.whole.ok_or(EngineError::Cancelled)?;
        refuse_if!(self.losses.len() < self.parts.len(), EngineError::Cancelled.into());
        let (heads, members) = self.losses.into_iter().partition(|part| part.head.is_some());
        let parts = PartLosses {
            log_probability: right(&whole, answer)?.log_probability,
            lead: logit_difference(&whole.logits, answer),
            unrelated_kl: self.unrelated_kl.into_iter().reduce(f64::min),
            members,
            heads,
        };
        let lens = lens::lens(self.model, &self.question, &self.plan, whole);
        Ok(Report { parts: Some(Box::new(parts)), ..lens::report(self.model, lens) })
    }
}

impl Running for LeavingOut<'_> {
    fn advance(&mut self) -> Result<Option<(usize, usize)>, StudyError> {
        let Some(mut run) = self.run.take() else {
            return Ok(None);
        };
        if let Some((advanced, _)) = run.advance()? {
            self.advanced = advanced;
            self.run = Some(run);
        } else {
            self.done += std::mem::take(&mut self.advanced);
            let traces = run.finish()?;
            self.check_room()?;
            for trace in traces.into_iter().flatten() {
                self.take_in(trace)?;
            }
            self.begin()?;
        }
        Ok(Some((self.done + self.advanced, self.total)))
    }

    fn is_waiting(&self) -> bool {
        self.run.as_ref().is_some_and(|run| run.is_waiting())
    }
}

fn vocabulary(trace: &Trace) -> Result<&VocabularyReading, EngineError> {
    trace.vocabulary.as_ref().ok_or(EngineError::Cancelled)
}

/// Returns how the right option fares: the prompt's options are followed, and nothing else.
fn right(trace: &Trace, answer: usize) -> Result<&FollowedToken, EngineError> {
    vocabulary(trace)?.followed.get(answer).ok_or(EngineError::Cancelled)
}

/// Tokens at a prompt's beginning that the tokenizer puts before every text.
fn leading_tokens(model: &LoadedModel, prompt: &Prompt) -> usize {
    let empty = model.tokenizer.as_ref().and_then(|tokenizer| tokenizer.encode("").ok());
    let before = empty.iter().flatten().zip(&prompt.token_ids);
    before.take_while(|(before, id)| before == id).count()
}

/// Draws prompts unlike this one, of as many tokens, which begin as every text does; none where nothing follows that.
fn unrelated_prompts(model: &LoadedModel, prompt: &Prompt) -> Vec<Prompt> {
    let (before, text) = prompt.token_ids.split_at(leading_tokens(model, prompt));
    let texts = unlike(text, model.shape().vocabulary);
    let prompts = texts.into_iter().map(|drawn| Prompt {
        token_ids: before.iter().copied().chain(drawn).collect(),
        option_ids: prompt.option_ids.clone(),
    });
    prompts.collect()
}

/// Draws [`UNRELATED`] texts of as many tokens from the whole vocabulary, none of them `text` itself.
fn unlike(text: &[u32], vocabulary: usize) -> Vec<Vec<u32>> {
    if text.is_empty() || vocabulary < 2 {
        return Vec::new();
    }
    let mut random = Mt::new(SEED);
    let mut draw = || ((u64::from(random.next_u32()) * vocabulary as u64) >> 32) as u32;
    let drawn = std::iter::repeat_with(|| text.iter().map(|_| draw()).collect::<Vec<u32>>());
    drawn.filter(|drawn| drawn != text).take(UNRELATED).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unrelated_texts_have_the_length_and_the_vocabulary() {
        let drawn = unlike(&[2, 3], 7);
        assert_eq!(drawn.len(), UNRELATED);
        assert!(drawn.iter().all(|text| text.len() == 2 && text.iter().all(|&id| id < 7)));
        assert_ne!(drawn[0], drawn[1]);
        assert_eq!(drawn, unlike(&[2, 3], 7));
    }

    #[test]
    fn no_unrelated_text_is_the_text_itself() {
        for id in 0..3 {
            assert!(unlike(&[id], 3).iter().all(|text| text[0] != id));
        }
        // Nothing is unlike nothing, nor unlike the one token there is.
        assert!(unlike(&[], 7).is_empty() && unlike(&[0], 1).is_empty());
    }
}
