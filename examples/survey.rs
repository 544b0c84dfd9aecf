//! A survey from code: models x tasks, and the report that the page and `atelier figures` open.
//!
//! ```sh
//! cargo run --release --example survey -- 100 > survey.atelier.json
//! cargo run --release -- figures survey.atelier.json --out pictures
//! ```
//!
//! `atelier survey` does the same with files: it writes every row, goes on where it was stopped, and is
//! divided among machines.

use std::collections::BTreeMap;
use std::error::Error;

use atelier::model::catalogue;
use atelier::study::LoadedModel;
use atelier::study::survey::{
    Asking, Survey, SurveyCell, SurveyModel, SurveyReport, SurveyTask, SurveyedOutcome,
    correlations,
};
use atelier::task::built_in::BuiltInTask;
use atelier::task::catalogue::Task;
use atelier::task::item::TaskRow;
use atelier::task::primer::GeneratedTask;

#[allow(dead_code)] // Its test calls `run`.
fn main() -> Result<(), Box<dyn Error>> {
    let rows = std::env::args().nth(1).map_or(Ok(100), |rows| rows.parse())?;
    let tasks = [GeneratedTask::Sum, GeneratedTask::Mood];
    let report = run(&["scholar-2", "scholar-8"], &tasks, rows)?;
    println!("{}", report.json()?);
    Ok(())
}

pub fn run(
    models: &[&str],
    tasks: &[GeneratedTask],
    rows: usize,
) -> Result<SurveyReport, Box<dyn Error>> {
    let asked: Vec<Vec<TaskRow>> =
        tasks.iter().map(|&task| BuiltInTask::Generated(task).rows(rows)).collect();
    let (mut surveyed, mut cells) = (Vec::new(), Vec::new());
    for (m, name) in models.iter().enumerate() {
        // A model that is compiled into this program.
        let files = catalogue::find(name).ok_or("no such scholar")?.open()?;
        let model = LoadedModel::from_files(&files, &mut |_, _| ())?;
        let members = model.engine.members(&model.plan(None)?);
        for (t, rows) in asked.iter().enumerate() {
            let asking = Asking::start(&model, tasks[t].name(), rows, false)?;
            let found = asking.found(&members)?.ok_or("there were no rows")?;
            cells.push(SurveyCell {
                model: m,
                task: t,
                outcome: SurveyedOutcome::Found(Box::new(found)),
            });
        }
        surveyed.push(SurveyModel {
            name: model.name.clone(),
            facts: Some(model.facts()),
            engine: model.engine.describe(),
            members,
            files: BTreeMap::new(),
        });
    }
    let tasks: Vec<SurveyTask> = tasks
        .iter()
        .map(|&task| {
            let about = Task::BuiltIn(BuiltInTask::Generated(task));
            SurveyTask {
                name: about.name().to_string(),
                about: about.about().to_string(),
                source: about.source().to_string(),
                score: about.score(),
                levels: about.levels().map(str::to_owned),
                rows,
                notes: Vec::new(),
                // Fingerprint of the questions: the task, and the number of drawn rows.
                fingerprint: format!("{}, {rows} rows drawn by this example", about.name()),
            }
        })
        .collect();
    Ok(SurveyReport::new(Survey {
        rows: Some(rows),
        shots: 0,
        seed: 0,
        correlations: correlations(&cells, tasks.len()),
        models: surveyed,
        tasks,
        cells,
    }))
}
