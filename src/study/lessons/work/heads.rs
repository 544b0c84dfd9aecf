//! Every part of a model on rows, and where its heads look.

use super::SEED;
use super::rows::items;
use crate::engine::{AttentionWish, Capture, Run, Trace};
use crate::model::Prompt;
use crate::plan::Plan;
use crate::study::lessons::HeadsAsk;
use crate::study::lessons::found::{FoundHeads, TaskLooks};
use crate::study::need::Needing;
use crate::study::orders::Reading;
use crate::study::{LoadedModel, StudyError};
use crate::task::item::Item;

pub struct HeadsRunning<'a> {
    needing: Needing<'a>,
    /// Rows whose right option stands in the prompt: the prompt, and where.
    seen: Vec<(Prompt, usize)>,
    wants_looks: bool,
    looks: Option<Box<dyn Run<Trace> + 'a>>,
    found: Option<TaskLooks>,
}

impl<'a> HeadsRunning<'a> {
    pub fn start(model: &'a LoadedModel, ask: &HeadsAsk) -> Result<Self, StudyError> {
        let items = items(&ask.rows)?;
        let mut needing = Needing::start(model, ask.rows.name(), &items, SEED)?;
        if ask.components_alone {
            needing = needing.of_components();
        }
        let mut seen = Vec::new();
        for item in items.iter().filter(|_| ask.looks) {
            let reading = Reading::new(model, item)?;
            if let Some(at) = position_of_answer(model, item, &reading)? {
                seen.push((reading.prompt, at));
            }
        }
        Ok(Self { needing, wants_looks: !seen.is_empty(), seen, looks: None, found: None })
    }

    /// Is the device to answer first?
    pub fn is_waiting(&self) -> bool {
        self.needing.is_waiting() || self.looks.as_ref().is_some_and(|run| run.is_waiting())
    }

    pub fn advance(
        &mut self,
        model: &'a LoadedModel,
    ) -> Result<Option<(usize, usize)>, StudyError> {
        if let Some(progress) = self.needing.advance()? {
            return Ok(Some(progress));
        }
        if !self.wants_looks || self.found.is_some() {
            return Ok(None);
        }
        let all = self.seen.len();
        let mut run = match self.looks.take() {
            Some(run) => run,
            None => {
                let prompts: Vec<Prompt> =
                    self.seen.iter().map(|(prompt, _)| prompt.clone()).collect();
                let capture =
                    Capture { attention: vec![AttentionWish::default()], ..Capture::default() };
                let own = Plan::whole(&model.shape().order)?;
                model.engine.start(prompts.into(), [own].into(), capture)?
            }
        };
        if run.advance()?.is_some() {
            self.looks = Some(run);
            return Ok(Some((all, all)));
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
        self.found = Some(looks);
        Ok(Some((all, all)))
    }

    pub fn finish(self) -> FoundHeads {
        let rows = self.needing.rows();
        FoundHeads { need: self.needing.need(), rows, looks: self.found }
    }
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
