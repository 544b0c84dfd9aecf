//! The models that come with the page, on held-out rows of generated tasks.

use std::error::Error;

use atelier::model::catalogue::KNOWN;
use atelier::study::StudyError;
use atelier::study::survey::{
    Asking, QuestionSource, Survey, SurveyCell, SurveyModel, SurveyTask, SurveyedOutcome,
    correlations,
};
use atelier::task::item::{Item, TaskRow};
use atelier::task::primer::GeneratedTask;
use atelier::task::score::Score;

use super::{held_out, shipped};

/// A task's rows, in memory.
struct SurveyedRows(Vec<Item>);

impl QuestionSource for SurveyedRows {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn get(&self, row: usize) -> Result<TaskRow, StudyError> {
        Ok(TaskRow::new(row + 1, self.0[row].clone()))
    }
}

/// Every model on every task.
pub fn survey(tasks: &[GeneratedTask], rows: usize) -> Result<Survey, Box<dyn Error>> {
    let asked: Vec<SurveyedRows> =
        tasks.iter().map(|&task| SurveyedRows(held_out(task, rows))).collect();
    let (mut models, mut cells) = (Vec::new(), Vec::new());
    for (m, known) in KNOWN.iter().enumerate() {
        let model = shipped(known.name)?;
        let members = model.engine.members(&model.plan(None)?);
        for (t, rows) in asked.iter().enumerate() {
            let asking = Asking::start(&model, None, tasks[t].name(), rows, false)?;
            let found = asking.found(&members)?.ok_or("there were no rows")?;
            cells.push(SurveyCell {
                model: m,
                task: t,
                outcome: SurveyedOutcome::Found(Box::new(found)),
            });
        }
        models.push(SurveyModel {
            name: model.name.clone(),
            facts: Some(model.facts()),
            engine: model.engine.describe(),
            members,
        });
    }
    let tasks: Vec<SurveyTask> = tasks
        .iter()
        .map(|task| SurveyTask {
            name: task.name().to_owned(),
            about: "a task of the scholars' language".to_owned(),
            source: "held-out rows".to_owned(),
            score: Score::Option,
            levels: None,
            rows,
            notes: Vec::new(),
            fingerprint: format!("{}, {rows} held-out rows", task.name()),
        })
        .collect();
    Ok(Survey {
        rows: Some(rows),
        shots: 0,
        seed: 0,
        correlations: correlations(&cells, tasks.len()),
        models,
        tasks,
        cells,
    })
}
