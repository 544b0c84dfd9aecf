//! Every part of a model on rows, and where its heads look.

use super::StepRunning;
use super::tasks::items;
use crate::engine::{AttentionWish, Capture, EngineError, Run, Trace};
use crate::model::Prompt;
use crate::plan::Plan;
use crate::study::lessons::HeadsAsk;
use crate::study::lessons::ask::HeadParts;
use crate::study::lessons::found::{FoundHeads, PartFound, TaskLooks};
use crate::study::need::Needing;
use crate::study::orders::Reading;
use crate::study::without::PlanPart;
use crate::study::{LoadedModel, Running, SEED, StudyError};
use crate::task::item::Item;

pub struct HeadsRunning<'a> {
    model: &'a LoadedModel,
    /// `None` only while its parts are chosen.
    needing: Option<Needing<'a>>,
    parts: HeadParts,
    /// Rows whose right option stands in the prompt: the prompt, and where.
    seen: Vec<(Prompt, usize)>,
    wants_looks: bool,
    looks: Option<Box<dyn Run<Trace> + 'a>>,
    found: Option<TaskLooks>,
}

impl<'a> HeadsRunning<'a> {
    pub fn start(model: &'a LoadedModel, ask: &HeadsAsk) -> Result<Self, StudyError> {
        let items = items(&ask.rows)?;
        let needing = Needing::start(model, ask.rows.name(), &items, SEED)?;
        let needing = match ask.parts {
            HeadParts::Components => needing.only(|part| part.head.is_none()),
            HeadParts::All | HeadParts::Attending => needing,
        };
        let mut seen = Vec::new();
        for item in items.iter().filter(|_| ask.looks) {
            let reading = Reading::new(model, item)?;
            if let Some(at) = position_of_answer(model, item, &reading)? {
                seen.push((reading.prompt, at));
            }
        }
        Ok(Self {
            model,
            needing: Some(needing),
            parts: ask.parts,
            wants_looks: !seen.is_empty(),
            seen,
            looks: None,
            found: None,
        })
    }

    /// Reads where every head attends on every row, and chooses the parts that are left out.
    fn look(&mut self) -> Result<(usize, usize), StudyError> {
        let all = self.seen.len();
        let mut run = match self.looks.take() {
            Some(run) => run,
            None => {
                let prompts: Vec<Prompt> =
                    self.seen.iter().map(|(prompt, _)| prompt.clone()).collect();
                let capture =
                    Capture { attention: vec![AttentionWish::default()], ..Capture::default() };
                let own = Plan::whole(&self.model.shape().order)?;
                self.model.engine.start(prompts.into(), [own].into(), capture)?
            }
        };
        if run.advance()?.is_some() {
            self.looks = Some(run);
            return Ok((0, all));
        }
        let traces = run.finish()?.into_iter().flatten();
        let mut looks = TaskLooks::default();
        for (trace, (_, at)) in traces.zip(&self.seen) {
            let readings = trace.attention.into_iter().flatten();
            for (run, reading) in readings.enumerate() {
                let rows = reading.first(&reading.weights);
                for (head, weights) in reading.heads.iter().zip(rows) {
                    let weight = weights.get(*at).copied().unwrap_or_default();
                    looks.weights.entry((run, *head)).or_default().push(f64::from(weight));
                }
            }
        }
        if self.parts == HeadParts::Attending {
            let heads = attending(&looks);
            let is_wanted =
                |part: &PlanPart| part.head.is_some_and(|head| heads.contains(&(part.run, head)));
            self.needing = self.needing.take().map(|needing| needing.only(is_wanted));
        }
        self.found = Some(looks);
        Ok((0, all))
    }
}

impl Running for HeadsRunning<'_> {
    fn is_waiting(&self) -> bool {
        self.needing.as_ref().is_some_and(Needing::is_waiting)
            || self.looks.as_ref().is_some_and(|run| run.is_waiting())
    }

    fn advance(&mut self) -> Result<Option<(usize, usize)>, StudyError> {
        // Where heads attend is known first: it may say which of them are left out.
        if self.wants_looks && self.found.is_none() {
            return self.look().map(Some);
        }
        self.needing.as_mut().map_or(Ok(None), Needing::advance)
    }
}

impl StepRunning for HeadsRunning<'_> {
    fn finish(self: Box<Self>) -> Result<PartFound, StudyError> {
        let needing = self.needing.ok_or(EngineError::Cancelled)?;
        let rows = needing.rows();
        let found = FoundHeads { need: needing.need(), rows, looks: self.found };
        Ok(PartFound::Heads(Box::new(found)))
    }
}

/// Heads that are left out of a model that has many.
const ATTENDING: usize = 12;

/// Returns the heads that attend most to the right answer, each as a run and a head.
fn attending(looks: &TaskLooks) -> Vec<(usize, usize)> {
    let mean = |weights: &[f64]| weights.iter().sum::<f64>() / weights.len().max(1) as f64;
    let mut heads: Vec<_> =
        looks.weights.iter().map(|(head, weights)| (*head, mean(weights))).collect();
    heads.sort_by(|a, b| b.1.total_cmp(&a.1));
    heads.into_iter().take(ATTENDING).map(|(head, _)| head).collect()
}

/// Returns where the right option stands in the prompt: its token, or where a line begins with it, the same word
/// without its space; of several the last.
fn position_of_answer(
    model: &LoadedModel,
    item: &Item,
    reading: &Reading,
) -> Result<Option<usize>, StudyError> {
    let right = reading.prompt.option_ids.get(reading.answer);
    let ids = &reading.prompt.token_ids;
    let position = ids.iter().rposition(|id| Some(id) == right);
    let (None, Item::Option { prompt, options, answer }) = (position, item) else {
        return Ok(position);
    };
    let word = options.get(*answer).map(|option| option.trim());
    let pieces = model.tokenizer()?.pieces(prompt)?;
    // A token that begins every text stands before them.
    let before = ids.len().saturating_sub(pieces.len());
    let found = pieces.iter().rposition(|piece| Some(piece.trim()) == word);
    Ok(found.map(|position| before + position))
}
