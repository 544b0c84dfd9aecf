//! A step as a model takes it: its places are blocks of that model, and where the model reads plain English, it is
//! asked that instead of the scholars' riddles.
//!
//! The result is a step as any other, with nothing left to choose: plans in the one-line notation, tasks and
//! prompts that are run, and texts and predicates that speak of these.

mod after;
mod count;
mod places;
mod sorted;
mod taker;
mod words;

use super::ask::HeadParts;
use super::{FieldName, Lesson, LessonError, LessonPrompt, LessonStep, RowGroup, StepAsk};
use crate::model::catalogue;
use crate::task::built_in::BuiltInTask;
use crate::task::plain::PlainTask;
pub use count::LessonFit;
use places::StepPlaces;
pub use sorted::LessonFits;
pub use taker::LessonTaker;
pub(super) use taker::StepTaker;
use words::{StepTasks, StepWords};

impl Lesson {
    /// Returns the lesson as the models take it that its steps are written for.
    ///
    /// # Errors
    /// A text, a plan or a mark that names no place or task of its step.
    pub fn as_written(&self) -> Result<Self, LessonError> {
        let mut lesson = self.clone();
        for step in &mut lesson.steps {
            *step = self.written(step)?;
        }
        Ok(lesson)
    }

    /// Returns the step as the model takes it that it is written for.
    ///
    /// # Errors
    /// As [`Lesson::as_written`].
    pub fn written(&self, step: &LessonStep) -> Result<LessonStep, LessonError> {
        self.taken(step, StepTaker::Written)
    }

    /// Returns the step as a model takes it: `step` is one of this lesson's, as the file has it.
    ///
    /// # Errors
    /// The reason why the model cannot be asked, as far as that is known before anything runs.
    pub fn fitted(
        &self,
        step: &LessonStep,
        by: &LessonTaker<'_>,
    ) -> Result<LessonStep, LessonError> {
        if !step.runs_taught() {
            return self.taken(step, StepTaker::Written);
        }
        let order = &by.model.shape().order;
        let repeats = "it runs its blocks more than once, and the plans of this step do not";
        let is_plain_order = order.iter().copied().eq(0..order.len());
        refuse_if!(step.has_places() && !is_plain_order, LessonError::lacking(repeats));
        let taken = self.taken(step, StepTaker::Model(by))?;
        let shares_none = order.windows(2).all(|pair| pair[0] != pair[1]);
        let lacking = LessonError::lacking("its blocks share no weights");
        refuse_if!(taken.compares_shared() && shares_none, lacking);
        let asks = taken.before.iter().chain([&taken.action]);
        for ask in asks.filter(|ask| ask.runs_taught()) {
            self.check(ask, by)?;
        }
        Ok(taken)
    }

    /// Checks that the model can be asked this, as far as that is known before it runs.
    fn check(&self, ask: &StepAsk, by: &LessonTaker<'_>) -> Result<(), LessonError> {
        ask.models(&by.model.name)?;
        let prompt = ask.prompt(self.prompt.as_ref());
        if let Some(reason) = prompt.and_then(|prompt| by.prompt_refusal(prompt)) {
            return Err(LessonError::lacking(reason));
        }
        for group in ask.groups() {
            let task = BuiltInTask::from_name(&group.task);
            if let Some(reason) = task.and_then(|task| by.task_refusal(task)) {
                return Err(LessonError::lacking(format!("{}: {reason}", group.task)));
            }
        }
        for plan in ask.plans() {
            super::work::fits(plan, by.model).map_err(LessonError::lacking)?;
        }
        Ok(())
    }

    /// Returns the step with nothing left to choose.
    pub(super) fn taken(
        &self,
        step: &LessonStep,
        by: StepTaker<'_>,
    ) -> Result<LessonStep, LessonError> {
        // 1. What is asked: prompts and rows.
        let mut taken = step.clone();
        let mut tasks = StepTasks::default();
        let mut is_plain = false;
        for ask in taken.before.iter_mut().chain([&mut taken.action]) {
            is_plain |= ask.take_prompt(self.prompt.as_ref(), by);
            for group in ask.groups_mut() {
                is_plain |= tasks.take_rows(group, by);
            }
            ask.take_tasks(&tasks);
        }

        // 2. Where: plans, and what is pointed at.
        let plain = taken.plain.take().filter(|_| is_plain);
        let mut named = std::mem::take(&mut taken.places);
        named.extend(plain.iter().flat_map(|plain| plain.places.clone()));
        let known = catalogue::find(self.model_of(step));
        let written_depth = known.map_or(0, |known| known.blocks);
        let depth = match by {
            StepTaker::Written => written_depth,
            StepTaker::Plain { blocks } => blocks,
            StepTaker::Model(by) => by.model.shape().order.len(),
        };
        let places = StepPlaces { named: &named, written_depth, depth };
        places.check()?;
        for ask in taken.before.iter_mut().chain([&mut taken.action]) {
            for plan in ask.plans_mut() {
                *plan = places.plan(plan)?;
            }
        }
        for place in std::mem::take(&mut taken.marks.places) {
            taken.marks.blocks.extend(places.blocks(&place)?);
        }

        // 3. What is said.
        if let Some(plain) = plain {
            plain.replace(&mut taken);
        }
        StepWords { places, tasks }.fill_in_step(&mut taken)?;
        Ok(taken)
    }
}

impl StepTasks {
    /// Notes which task the rows are of; in plain English, where the model takes them so: then `true`.
    fn take_rows(&mut self, group: &mut RowGroup, by: StepTaker<'_>) -> bool {
        let name = group.name().to_owned();
        let plain = group
            .plain
            .take()
            .filter(|plain| PlainTask::from_name(&plain.task).is_some_and(|task| by.answers(task)));
        let is_plain = plain.is_some();
        if let Some(plain) = plain {
            *group = RowGroup {
                task: plain.task.clone(),
                name: None,
                count: plain.count,
                seed: group.seed,
                level: None,
                plain: None,
            };
            self.renamed.insert(name.clone(), plain.task);
        }
        self.asked.insert(name, group.task.clone());
        is_plain
    }
}

impl StepWords<'_> {
    /// Fills in every text of a step, and renames what its predicates compare.
    fn fill_in_step(&self, step: &mut LessonStep) -> Result<(), LessonError> {
        for text in [&mut step.say, &mut step.ask, &mut step.reveal, &mut step.caveat] {
            self.fill_in(text)?;
        }
        for option in &mut step.options {
            let said = [&mut option.text, &mut option.why].into_iter();
            for text in said.chain(&mut option.but).chain(&mut option.belief) {
                self.fill_in(text)?;
            }
            self.rename(option.holds.fields_mut());
        }
        if let Some(premise) = &mut step.when {
            self.fill_in(&mut premise.lacking)?;
            self.rename(premise.holds.fields_mut());
        }
        Ok(())
    }

    fn rename(&self, fields: Vec<&mut FieldName>) {
        for field in fields {
            *field = self.renamed(field.clone());
        }
    }
}

impl StepAsk {
    /// Takes the prompt in plain English where it looks at one that has it, and the model reads that: then `true`.
    fn take_prompt(&mut self, lesson: Option<&LessonPrompt>, by: StepTaker<'_>) -> bool {
        let Self::Lens(ask) = self else { return false };
        let plain = ask.prompt.as_ref().or(lesson).and_then(|prompt| prompt.plain.as_deref());
        let plain = plain.filter(|plain| by.reads(plain)).cloned();
        let is_plain = plain.is_some();
        ask.prompt = plain.or(ask.prompt.take());
        is_plain
    }

    /// Follows the names of its rows; of a real model, asked plain English, fewer parts and orders are run.
    fn take_tasks(&mut self, tasks: &StepTasks) {
        let is_plain = self.groups().iter().any(|group| tasks.is_plain(group.name()));
        match self {
            Self::Heads(ask) if is_plain => {
                ask.parts = if ask.looks { HeadParts::Attending } else { HeadParts::Components }
            }
            Self::Sweeps(ask) => {
                ask.every_size &= !is_plain;
                for name in ask.groups.values_mut().flatten() {
                    if let Some(other) = tasks.renamed.get(name) {
                        name.clone_from(other);
                    }
                }
            }
            _ => {}
        }
    }
}

impl LessonStep {
    /// Whether there are places in its plans or marks.
    fn has_places(&self) -> bool {
        let mut asks = self.before.iter().chain([&self.action]);
        !self.places.is_empty()
            || !self.marks.places.is_empty()
            || asks.any(|ask| ask.plans().iter().any(|plan| plan.contains('<')))
    }

    /// Whether it speaks of neighbours with the same weights.
    fn compares_shared(&self) -> bool {
        let mut holds = self.options.iter().flat_map(|option| option.holds.fields());
        holds.any(|field| field.parts.iter().any(|part| part == "twins"))
    }
}

#[cfg(all(test, feature = "cli"))]
mod tests;
