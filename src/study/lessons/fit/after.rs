//! A step once its set-up ran: a component that the step names by its vote is one of the model's.

use crate::plan::Plan;
use crate::study::lessons::ask::WITHOUT;
use crate::study::lessons::reading::named_member;
use crate::study::lessons::{LessonError, LessonStep, ModelFound, PartFound, StepAsk, StepFound};
use crate::study::report::Lens;
use crate::study::without::without;

impl LessonStep {
    /// Returns the step with what its set-up found.
    ///
    /// # Errors
    /// The model has no such component, or nothing runs without it.
    pub fn after(&self, before: Option<&StepFound>) -> Result<Self, LessonError> {
        let mut step = self.clone();
        let Some((model, lens)) = before.and_then(single) else {
            return Ok(step);
        };
        if let StepAsk::Lens(ask) = &mut step.action
            && let Some(plan) = &mut ask.plan
            && let Some(name) = plan.strip_prefix(WITHOUT)
        {
            let (member, _) = named_member(lens, name)?;
            let own = Plan::whole(&model.order).ok();
            let left = own.and_then(|own| without(&own, member));
            let nothing = "nothing of it runs without that component";
            *plan = left.ok_or_else(|| LessonError::lacking(nothing))?.to_string();
        }
        for member in &mut step.marks.members {
            if let Ok((_, name)) = named_member(lens, member) {
                *member = name;
            }
        }
        Ok(step)
    }
}

/// Returns the run, where it is of one prompt on one model.
fn single(found: &StepFound) -> Option<(&ModelFound, &Lens)> {
    match found.models.as_slice() {
        [model] => match &model.part {
            PartFound::Lens(lens) => Some((model, &lens.lens)),
            _ => None,
        },
        _ => None,
    }
}
