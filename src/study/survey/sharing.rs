//! A survey that can be published: several as one, and without the text of rows that are others'.

use super::report::{Found, Survey, SurveyModel, SurveyTask, SurveyedOutcome};
use super::{SurveyCell, correlations};

/// From so many rows on, an option that is the same in all of them is the task's and not a row's.
const ROWS_OF_ONE_OPTION: usize = 20;

/// Why surveys cannot be one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JoinError {
    #[error("there is no survey to join")]
    None,
    #[error("two of the surveys asked {task}: name one of them")]
    Task { task: String },
    #[error("the surveys ran different models called {model}: join those of one model")]
    Model { model: String },
    #[error(
        "the surveys put different worked examples before their questions: join those that agree"
    )]
    Shots,
}

impl Survey {
    /// Joins surveys of different tasks into one.
    ///
    /// # Errors
    /// A task that two of them asked, two models of one name, or other worked examples.
    pub fn joined(surveys: &[Self]) -> Result<Self, JoinError> {
        let (first, others) = surveys.split_first().ok_or(JoinError::None)?;
        let mut all = first.clone();
        for other in others {
            refuse_if!((other.shots, other.seed) != (all.shots, all.seed), JoinError::Shots);
            let models = other.models.iter().map(|model| all.place_of(model));
            let models = models.collect::<Result<Vec<usize>, JoinError>>()?;

            let before = all.tasks.len();
            for task in &other.tasks {
                if all.tasks.iter().any(|known| known.name == task.name) {
                    return Err(JoinError::Task { task: task.name.clone() });
                }
                all.tasks.push(task.clone());
            }
            all.cells.extend(other.cells.iter().map(|cell| SurveyCell {
                model: models[cell.model],
                task: before + cell.task,
                outcome: cell.outcome.clone(),
            }));
            all.rows = all.rows.max(other.rows);
        }
        all.correlations = correlations(&all.cells, all.tasks.len());
        Ok(all)
    }

    /// Returns a model's index, and lists the model where it is new.
    fn place_of(&mut self, model: &SurveyModel) -> Result<usize, JoinError> {
        match self.models.iter().position(|known| known.name == model.name) {
            Some(index) if self.models[index] == *model => Ok(index),
            Some(_) => Err(JoinError::Model { model: model.name.clone() }),
            None => {
                self.models.push(model.clone());
                Ok(self.models.len() - 1)
            }
        }
    }

    /// Leaves out all text of rows but those of the tasks that `keeps` names. A task's own options, the same in every
    /// row, stay, and so do the numbers of some rows.
    #[must_use]
    pub fn without_row_text(mut self, keeps: impl Fn(&SurveyTask) -> bool) -> Self {
        for cell in &mut self.cells {
            if keeps(&self.tasks[cell.task]) {
                continue;
            }
            match &mut cell.outcome {
                SurveyedOutcome::Found(found) => found.leave_out_text(),
                // A refusal may quote a row.
                SurveyedOutcome::Failed(why) => {
                    *why = "it was refused; the survey's folder says why".to_owned();
                }
            }
        }
        self
    }
}

impl Found {
    fn leave_out_text(&mut self) {
        if let Some(why) = &mut self.facts.instead {
            *why = "an option is several tokens".to_owned();
        }
        let is_fixed = self.averages.rows >= ROWS_OF_ONE_OPTION
            && !self.choices.is_empty()
            && self.choices.iter().all(|choice| choice.option.is_some());
        if !is_fixed {
            // Tokens of a row's own options are words of it.
            self.samples.clear();
            for choice in &mut self.choices {
                choice.option = None;
            }
        }
        for sample in &mut self.samples {
            sample.prompt = None;
            sample.choices.clear();
            sample.right = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::survey::SurveyReport;

    fn shipped() -> Survey {
        let text = include_str!("../../../public/examples/survey.atelier.json");
        SurveyReport::read(text).expect("the shipped survey").survey
    }

    /// One of these tasks' part of a survey.
    fn part(survey: &Survey, tasks: std::ops::Range<usize>) -> Survey {
        let cells = survey.cells.iter().filter(|cell| tasks.contains(&cell.task));
        let cells: Vec<SurveyCell> = cells
            .map(|cell| SurveyCell { task: cell.task - tasks.start, ..cell.clone() })
            .collect();
        Survey {
            correlations: correlations(&cells, tasks.len()),
            tasks: survey.tasks[tasks].to_vec(),
            cells,
            ..survey.clone()
        }
    }

    #[test]
    fn two_parts_of_a_survey_join_to_the_whole() {
        let whole = shipped();
        let joined = Survey::joined(&[part(&whole, 0..4), part(&whole, 4..10)]).expect("two parts");
        assert_eq!((&joined.models, &joined.tasks), (&whole.models, &whole.tasks));
        for cell in &whole.cells {
            assert!(joined.cells.contains(cell), "{} {}", cell.model, cell.task);
        }
        assert_eq!(joined.correlations.len(), 11);
    }

    #[test]
    fn what_is_not_one_survey_is_refused() {
        let whole = shipped();
        let [a, b] = [part(&whole, 0..4), part(&whole, 3..10)];
        let task = whole.tasks[3].name.clone();
        assert_eq!(Survey::joined(&[a.clone(), b]), Err(JoinError::Task { task }));
        let mut other = part(&whole, 4..10);
        other.models[1].engine = "another".to_owned();
        let model = other.models[1].name.clone();
        assert_eq!(Survey::joined(&[a.clone(), other]), Err(JoinError::Model { model }));
        let other = Survey { shots: 2, ..part(&whole, 4..10) };
        assert_eq!(Survey::joined(&[a, other]), Err(JoinError::Shots));
        assert_eq!(Survey::joined(&[]), Err(JoinError::None));
    }

    #[test]
    fn a_report_without_text_keeps_its_numbers() {
        let whole = shipped();
        let bare = whole.clone().without_row_text(|task| task.name == "mood");
        for ((_, task, bare), (_, _, whole)) in bare.found().zip(whole.found()) {
            assert_eq!((&bare.averages, &bare.information), (&whole.averages, &whole.information));
            if task.name == "mood" {
                assert_eq!(bare, whole);
                continue;
            }
            for sample in &bare.samples {
                assert_eq!((&sample.prompt, sample.choices.len()), (&None, 0), "{}", task.name);
            }
            let is_fixed = whole.choices.iter().all(|choice| choice.option.is_some());
            assert_eq!(bare.samples.len(), if is_fixed { 8 } else { 0 }, "{}", task.name);
        }
        // It is still a survey that opens, in both layouts.
        let report = SurveyReport::new(bare);
        let [long, short] =
            [report.json(), report.short_json()].map(|json| json.expect("finite numbers"));
        let [one, other] = [&long, &short].map(|json| SurveyReport::read(json).expect("a survey"));
        assert_eq!(one.survey.tasks, other.survey.tasks);
        assert!(short.len() * 10 < long.len() * 7, "{} of {}", short.len(), long.len());
    }
}
