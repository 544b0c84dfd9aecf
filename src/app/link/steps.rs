//! Where a step of a lesson is looked at further: the view of its kind, set to what it ran.

use std::collections::BTreeSet;

use super::{Choice, Draft, Link, MOST_COUPLED_ROWS, MOST_ROWS, MeanOf, View};
use crate::chart::Column;
use crate::study::lessons::{LensPicture, Lesson, ReadColumn, RowGroup, StepAsk, SurveyShow};
use crate::study::orders::Sweep;
use crate::task::built_in::BuiltInTask;

impl Link {
    /// The link of what a step of `lesson` runs, where `model` answers.
    pub fn of_step(lesson: &Lesson, ask: &StepAsk, model: Choice) -> Self {
        match ask {
            StepAsk::Lens(ask) => {
                let mut link = Self::to(match ask.picture {
                    LensPicture::Lens => View::Lens,
                    LensPicture::LogitLens => View::LogitLens,
                    LensPicture::Attention => View::Attention,
                    LensPicture::Orders => View::Orders,
                });
                if let Some(prompt) = ask.prompt.as_ref().or(lesson.prompt.as_ref()) {
                    link.draft = Some(Draft {
                        model,
                        prompt: prompt.text.clone(),
                        options: prompt.options.clone(),
                        answer: Some(prompt.answer),
                        plan: ask.known_plan().unwrap_or_default().to_owned(),
                    });
                }
                link.column = match ask.column {
                    ReadColumn::Probability => Column::Probability,
                    ReadColumn::Logit => Column::Logit,
                    ReadColumn::Paper => Column::Paper,
                };
                link
            }
            StepAsk::Rows(ask) => {
                let mut link = Self::of_rows(&ask.rows, model);
                if ask.drops {
                    link.sweeping.kinds = vec![Sweep::Drop];
                }
                // One order of the step's own stands in the lab; of several, none.
                let lines: Vec<&String> = ask.plans.values().collect();
                if let ([line], Some(draft)) = (lines.as_slice(), &mut link.draft) {
                    draft.plan.clone_from(line);
                }
                link
            }
            StepAsk::Sweeps(ask) => {
                let mut link = Self::of_rows(&ask.rows, model);
                link.sweeping.kinds.clone_from(&ask.kinds);
                link.sweeping.extent = ask.extent();
                link
            }
            StepAsk::Heads(ask) => Self::of_rows(std::slice::from_ref(&ask.rows), model),
            StepAsk::Coupling(ask) => {
                let mut link = Self::to(View::Coupling);
                if let Some(draft) = &mut link.draft {
                    draft.ask(model);
                }
                link.coupling.task = BuiltInTask::from_name(&ask.rows.task);
                link.coupling.rows = ask.rows.count.clamp(1, MOST_COUPLED_ROWS);
                link
            }
            StepAsk::Survey(ask) => {
                let mut link = Self::to(View::Survey);
                link.looking.mean = match ask.show {
                    SurveyShow::Accuracy => MeanOf::Accuracy,
                    SurveyShow::Mse => MeanOf::Mse,
                    SurveyShow::Bias => MeanOf::Bias,
                    SurveyShow::Diversity => MeanOf::Diversity,
                };
                link
            }
            StepAsk::Theory(_) => Self::to(View::Theory),
        }
    }

    /// The lab of orders on these rows.
    fn of_rows(rows: &[RowGroup], model: Choice) -> Self {
        let mut link = Self::to(View::Orders);
        if let Some(draft) = &mut link.draft {
            draft.ask(model);
        }
        let tasks = rows.iter().filter_map(|group| BuiltInTask::from_name(&group.task));
        let tasks: BTreeSet<BuiltInTask> = tasks.collect();
        let most = rows.iter().map(|group| group.count).max();
        link.sweeping.tasks = Some(tasks.into_iter().collect());
        link.sweeping.rows = most.unwrap_or_default().clamp(1, MOST_ROWS);
        link
    }
}
