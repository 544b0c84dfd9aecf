//! A member's own row, computed: the run, the run without the member, then the whole vocabulary read in parts.

use std::sync::Arc;

use super::{HeadReading, LISTED, MemberAccount, MemberWithout, TokenVote};
use crate::engine::{
    AttentionWish, Capture, EngineError, Member, MemberKind, Reference, Run, Trace, member_names,
};
use crate::measure::decomposition::{argmax, logit_difference, softmax};
use crate::plan::Plan;
use crate::study::lens::beyond_options;
use crate::study::original::OriginalAfter;
use crate::study::report::Report;
use crate::study::without::without;
use crate::study::{LoadedModel, Question, Running, StudyError, lens};

/// Tokens that are read at a time: between two times a browser's worker can hear "cancel".
const CHUNK: u32 = 2048;

/// An account on its way.
pub struct Accounting<'a> {
    model: &'a LoadedModel,
    question: Question,
    /// The plan, and the one without the member where there is one.
    plans: Vec<Plan>,
    members: Vec<Member>,
    index: usize,
    name: String,
    run: Option<Box<dyn Run<Trace> + 'a>>,
    /// Whether the answer is compared with the original order's, whose run on the prompt was known.
    is_compared: bool,
    /// Block runs of both plans, once they are done.
    runs: usize,
    traces: Vec<Trace>,
    /// The member's votes on the tokens read so far.
    votes: Vec<f32>,
}

impl<'a> Accounting<'a> {
    /// Begins the account of the member that a run of `plan` calls `name`.
    ///
    /// # Errors
    /// No such member; as [`Engine::start`](crate::engine::Engine::start).
    pub fn start(
        model: &'a LoadedModel,
        question: &Question,
        plan: Plan,
        name: &str,
    ) -> Result<Self, StudyError> {
        let members = model.engine.members(&plan);
        let names = member_names(&members);
        let index = names.iter().position(|own| own == name);
        let index = index.ok_or_else(|| StudyError::NoMember {
            name: name.to_owned(),
            plan: plan.to_string(),
            last: names.last().cloned().unwrap_or_default(),
        })?;
        let block = members[index].block;
        let attention = block.filter(|_| members[index].kind == MemberKind::Attention);
        let wish = |block| AttentionWish { blocks: vec![block], ..AttentionWish::default() };
        let vocabulary = model.answer_wish(&question.prompt, &plan)?;
        let is_compared = !matches!(vocabulary.reference, Reference::None);
        let capture = Capture {
            written: Some(index),
            attention: attention.map(wish).into_iter().collect(),
            vocabulary: Some(vocabulary),
            ..Capture::default()
        };
        let mut plans = vec![plan];
        plans.extend(without(&plans[0], index));
        let prompts: Arc<[_]> = Arc::from([question.prompt.clone()]);
        let run = model.engine.start(prompts, plans.clone().into(), capture)?;
        Ok(Self {
            model,
            question: question.clone(),
            plans,
            members,
            index,
            name: name.to_owned(),
            run: Some(run),
            is_compared,
            runs: 0,
            traces: Vec::new(),
            votes: Vec::new(),
        })
    }

    /// Begins the original order's run with which the answer is still to be compared. See
    /// [`LoadedModel::original_after`].
    ///
    /// # Errors
    /// Called too early: [`EngineError::Cancelled`]; when the engine fails.
    pub fn original_after(&self) -> Result<Option<OriginalAfter<'a>>, StudyError> {
        let trace = self.traces.first().ok_or(EngineError::Cancelled)?;
        self.model.original_after(&self.question.prompt, &self.plans[0], trace)
    }

    /// The run as a lens, and the account beside it.
    ///
    /// # Errors
    /// Called too early: [`EngineError::Cancelled`].
    pub fn report(self) -> Result<Report, StudyError> {
        let answer = self.question.answer;
        let mut traces = self.traces.into_iter();
        let mut trace = traces.next().ok_or(EngineError::Cancelled)?;
        let reads = reads(&mut trace, &self.plans[0], &self.members, self.index);
        let without = traces.next().zip(self.plans.get(1));
        let without = without.map(|(trace, plan)| {
            let logits: Vec<f64> = trace.logits.iter().map(|&x| f64::from(x)).collect();
            let beyond = trace.vocabulary;
            MemberWithout {
                plan: plan.to_string(),
                lead: logit_difference(&logits, answer),
                correct: argmax(&logits) == answer,
                probabilities: softmax(&logits),
                vocabulary: beyond.map(|beyond| beyond_options(self.model, &self.question, beyond)),
                logits: trace.logits,
            }
        });
        let logits: Vec<f64> = trace.logits.iter().map(|&x| f64::from(x)).collect();
        let [raises, lowers] = extremes(&self.votes, LISTED).map(|votes| {
            let named = votes.into_iter();
            named
                .map(|(id, vote)| TokenVote { id, text: self.model.token_text(id), vote })
                .collect()
        });
        let sum: f64 = self.votes.iter().map(|&vote| f64::from(vote)).sum();
        let account = MemberAccount {
            name: self.name,
            index: self.index,
            reads,
            raises,
            lowers,
            mean_vote: sum / self.votes.len().max(1) as f64,
            vocabulary: self.votes.len(),
            lead: logit_difference(&logits, answer),
            without,
        };
        let read = if self.is_compared { lens::compared_lens } else { lens::lens };
        let lens = read(self.model, &self.question, &self.plans[0], trace);
        Ok(Report { member: Some(Box::new(account)), ..lens::report(self.model, lens) })
    }
}

impl Running for Accounting<'_> {
    fn advance(&mut self) -> Result<Option<(usize, usize)>, StudyError> {
        let vocabulary = self.model.shape().vocabulary;
        let parts = vocabulary.div_ceil(CHUNK as usize);
        if let Some(mut run) = self.run.take() {
            if let Some((done, of)) = run.advance()? {
                self.run = Some(run);
                self.runs = of;
                return Ok(Some((done, of + parts)));
            }
            self.traces = run.finish()?.into_iter().flatten().collect();
        }
        let read = self.votes.len();
        if read >= vocabulary {
            return Ok(None);
        }
        let trace = self.traces.first().ok_or(EngineError::Cancelled)?;
        let is_bias = self.members[self.index].kind == MemberKind::Bias;
        let written = (!is_bias).then_some(trace.written.as_slice());
        let (first, last) = (read as u32, (read + CHUNK as usize).min(vocabulary) as u32);
        let votes = self.model.engine.read_out(written, trace.scale, first..last)?;
        self.votes.extend(votes);
        let done = self.votes.len().div_ceil(CHUNK as usize);
        Ok(Some((self.runs + done, self.runs + parts)))
    }

    fn is_waiting(&self) -> bool {
        self.run.as_ref().is_some_and(|run| run.is_waiting())
    }
}

/// Takes out of a trace where the member's heads look: a block that runs again looks again.
fn reads(trace: &mut Trace, plan: &Plan, members: &[Member], index: usize) -> Vec<HeadReading> {
    let before = members[..index].iter();
    let nth = before.filter(|other| **other == members[index]).count();
    let all = std::mem::take(&mut trace.attention).into_iter().next();
    let Some(reading) = all.and_then(|runs| runs.into_iter().nth(nth)) else {
        return Vec::new();
    };
    let of_block =
        plan.block_runs().filter(|run| run.index == reading.block && run.half.has_attention());
    let off = of_block.into_iter().nth(nth).map(|run| run.heads_off);
    let weights = reading.first(&reading.weights);
    let carried = reading.first(&reading.carried);
    let heads = reading.heads.iter().zip(weights).zip(carried);
    heads
        .map(|((&head, weights), carried)| HeadReading {
            head,
            is_off: off.is_some_and(|off| off.contains(head)),
            weights,
            carried,
        })
        .collect()
}

/// The largest votes, and the smallest, each the farthest first; of equal ones the first token.
fn extremes(votes: &[f32], count: usize) -> [Vec<(u32, f32)>; 2] {
    let mut order: Vec<u32> = (0..).take(votes.len()).collect();
    let vote = |id: u32| (id, votes[id as usize]);
    order.sort_by(|&a, &b| vote(b).1.total_cmp(&vote(a).1));
    let raised = order.iter().take(count).map(|&id| vote(id)).collect();
    order.sort_by(|&a, &b| vote(a).1.total_cmp(&vote(b).1));
    [raised, order.iter().take(count).map(|&id| vote(id)).collect()]
}
