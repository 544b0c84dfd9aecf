//! From rows' files to the report: the same whoever ran the rows, and in how many parts.

use anyhow::{Context, ensure};
use serde::{Deserialize, Serialize};

use super::asked::Asked;
use super::folder::Folder;
use super::rows_file::RowsFile;
use super::shard::Shard;
use crate::cli::fingerprint;
use crate::cli::out_file::write_whole;
use crate::engine::Member;
use crate::study::facts::ModelFacts;
use crate::study::survey::{
    Aggregate, Survey, SurveyCell, SurveyModel, SurveyReport, SurveyTask, SurveyedOutcome,
    correlations,
};
use crate::task::file;

/// A model's facts, as a survey stores them in `model.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    pub facts: ModelFacts,
    pub engine: String,
    pub members: Vec<Member>,
}

/// As it is written: with the hash of the rest, since nothing else would show that it changed.
#[derive(Serialize, Deserialize)]
struct FactsFile {
    #[serde(flatten)]
    facts: Facts,
    sha256: String,
}

impl Facts {
    pub fn read(folder: &Folder, model: &str) -> anyhow::Result<Option<Self>> {
        let path = folder.facts(model);
        if !path.exists() {
            return Ok(None);
        }
        let text = file::text(&path, file::REPORT)
            .with_context(|| format!("{} cannot be read", path.display()))?;
        let file: FactsFile = serde_json::from_str(&text)
            .with_context(|| format!("{} is not what a survey wrote", path.display()))?;
        ensure!(
            file.sha256 == file.facts.hash()?,
            "{} is not what a survey wrote: its checksum is another; give --out another folder",
            path.display()
        );
        Ok(Some(file.facts))
    }

    pub fn write(&self, folder: &Folder, model: &str) -> anyhow::Result<()> {
        let file = FactsFile { facts: self.clone(), sha256: self.hash()? };
        let text = serde_json::to_string(&file)? + "\n";
        write_whole(&folder.facts(model), text.as_bytes())
    }

    fn hash(&self) -> anyhow::Result<String> {
        Ok(fingerprint::bytes(&serde_json::to_vec(self)?))
    }
}

/// Reads every rows' file once and writes the report.
pub fn finish(folder: &Folder, asked: &Asked) -> anyhow::Result<SurveyReport> {
    let fingerprint = asked.fingerprint()?;
    let mut models = Vec::new();
    let mut cells = Vec::new();
    for (m, name) in asked.models.iter().enumerate() {
        let known = Facts::read(folder, name)?;
        for (t, task) in asked.tasks.iter().enumerate() {
            let outcome = outcome(folder, name, task, known.as_ref(), &fingerprint)?;
            cells.push(SurveyCell { model: m, task: t, outcome });
        }
        let mut model = SurveyModel { name: name.clone(), ..SurveyModel::default() };
        if let Some(Facts { facts, engine, members }) = known {
            model = SurveyModel { facts: Some(facts), engine, members, ..model };
        }
        models.push(model);
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
    let json = report.json().context("the report could not be written as JSON")?;
    write_whole(&folder.report(), json.as_bytes())?;
    Ok(report)
}

fn outcome(
    folder: &Folder,
    model: &str,
    task: &SurveyTask,
    known: Option<&Facts>,
    asked: &str,
) -> anyhow::Result<SurveyedOutcome> {
    let path = folder.rows(model, &task.name);
    if let Some(known) = known
        && path.exists()
    {
        let file = RowsFile::open(&path)?;
        let about = &file.about;
        let shown = path.display();
        ensure!(
            about.is_of(model, &task.name, asked, Shard::WHOLE) && about.members == known.members,
            "{shown} is not of this survey: remove it and run the survey with --resume"
        );
        ensure!(
            file.len() + about.facts.too_long == task.rows,
            "{shown} holds {} rows of {}: remove it and run the survey with --resume",
            file.len(),
            task.rows - about.facts.too_long.min(task.rows)
        );
        let mut aggregate = Aggregate::new(&about.members, file.len(), &about.facts);
        for row in file.rows() {
            aggregate.add(&row.with_context(|| shown.to_string())?);
        }
        if let Some(found) = aggregate.finish(&about.facts) {
            return Ok(SurveyedOutcome::Found(Box::new(found)));
        }
    }
    Ok(SurveyedOutcome::Failed(why_not(folder, model, &task.name)))
}

/// Why a model has no rows on a task.
pub fn why_not(folder: &Folder, model: &str, task: &str) -> String {
    let why = file::text(&folder.failed(model, task), file::REPORT);
    why.unwrap_or_else(|_| "it was not run".into())
}
