//! What the original order said last: other orders of the same prompt are compared with it without running it again.

use std::cell::RefCell;

use super::{LoadedModel, StudyError};
use crate::engine::{Reference, Trace, VocabularyWish};
use crate::model::Prompt;
use crate::plan::Plan;

/// The original order's last stream on the prompt that it ran on last.
#[derive(Default)]
pub struct LastOriginal(RefCell<Option<(Vec<u32>, Vec<f32>)>>);

/// Plans to run for one, and what to read of them.
pub struct Comparison {
    /// The one that was asked is the last; before it the original order, where its last stream is not known.
    pub plans: Vec<Plan>,
    pub wish: VocabularyWish,
    pub is_original: bool,
}

impl LoadedModel {
    /// What to run so that a plan's answer on a prompt is compared with the original order's.
    ///
    /// # Errors
    /// A model without blocks to run.
    pub fn comparison(&self, prompt: &Prompt, plan: &Plan) -> Result<Comparison, StudyError> {
        let original = self.plan(None)?;
        let is_original = original == *plan;
        let known = self.original.0.borrow();
        let known = known.as_ref().filter(|(ids, _)| *ids == prompt.token_ids);
        let (plans, reference) = match known {
            _ if is_original => (vec![original], Reference::None),
            Some((_, stream)) => (vec![plan.clone()], Reference::Streams([stream.clone()].into())),
            None => (vec![original, plan.clone()], Reference::FirstPlan),
        };
        let wish = VocabularyWish { reference, ..VocabularyWish::ANSWER };
        Ok(Comparison { plans, wish, is_original })
    }
}

impl Comparison {
    /// The trace of the plan that was asked, of those of [`Self::plans`]; the model remembers the original
    /// order's last stream where it ran. `None` where there is no trace.
    pub fn asked(
        &self,
        model: &LoadedModel,
        prompt: &Prompt,
        traces: impl IntoIterator<Item = Trace>,
    ) -> Option<Trace> {
        let mut traces: Vec<Trace> = traces.into_iter().collect();
        if !matches!(self.wish.reference, Reference::Streams(_))
            && let Some(original) = traces.first().filter(|trace| !trace.last_stream.is_empty())
        {
            let stream = original.last_stream.clone();
            model.original.0.replace(Some((prompt.token_ids.clone(), stream)));
        }
        traces.pop()
    }
}
