//! From rows' files to the report: the same whoever ran the rows, and in how many parts.

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::asked::Asked;
use super::folder::Folder;
use super::rows_file::RowsFile;
use crate::cli::output::write_whole;
use crate::engine::Member;
use crate::study::facts::ModelFacts;
use crate::study::survey::{
    Aggregate, Cell, Survey, SurveyModel, SurveyReport, SurveyedOutcome, correlations,
};

/// What a survey keeps of a model, in `model.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    pub facts: ModelFacts,
    pub engine: String,
    pub members: Vec<Member>,
}

impl Facts {
    pub fn read(folder: &Folder, model: &str) -> anyhow::Result<Option<Self>> {
        let path = folder.facts(model);
        if !path.exists() {
            return Ok(None);
        }
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("{} cannot be read", path.display()))?;
        let facts = serde_json::from_str(&text)
            .with_context(|| format!("{} is not what a survey wrote", path.display()))?;
        Ok(Some(facts))
    }
}

/// Reads every rows' file once and writes the report.
pub fn finish(folder: &Folder, asked: &Asked) -> anyhow::Result<SurveyReport> {
    let mut models = Vec::new();
    let mut cells = Vec::new();
    for (m, name) in asked.models.iter().enumerate() {
        let known = Facts::read(folder, name)?;
        for (t, task) in asked.tasks.iter().enumerate() {
            let outcome = outcome(folder, name, &task.name, known.as_ref())?;
            cells.push(Cell {
                model: m,
                task: t,
                outcome,
            });
        }
        models.push(match known {
            Some(known) => SurveyModel {
                name: name.clone(),
                facts: Some(known.facts),
                engine: known.engine,
                members: known.members,
            },
            None => SurveyModel {
                name: name.clone(),
                facts: None,
                engine: String::new(),
                members: Vec::new(),
            },
        });
    }
    let survey = Survey {
        rows: asked.rows,
        shots: asked.shots,
        seed: asked.seed,
        correlations: correlations(&cells, asked.tasks.len()),
        models,
        tasks: asked.tasks.clone(),
        cells,
    };
    let report = SurveyReport::new(survey);
    let json = report
        .json()
        .context("the report could not be written as JSON")?;
    write_whole(&folder.report(), json.as_bytes())?;
    Ok(report)
}

fn outcome(
    folder: &Folder,
    model: &str,
    task: &str,
    known: Option<&Facts>,
) -> anyhow::Result<SurveyedOutcome> {
    let rows = folder.rows(model, task);
    if rows.exists() && known.is_some() {
        let file = RowsFile::open(&rows)?;
        let about = &file.about;
        let mut aggregate = Aggregate::new(&about.members, file.len(), &about.facts);
        for row in file.rows() {
            aggregate.add(&row.with_context(|| rows.display().to_string())?);
        }
        if let Some(found) = aggregate.finish(&about.facts) {
            return Ok(SurveyedOutcome::Found(Box::new(found)));
        }
    }
    let why = std::fs::read_to_string(folder.failed(model, task));
    Ok(SurveyedOutcome::Failed(
        why.unwrap_or_else(|_| "it was not run".into()),
    ))
}
