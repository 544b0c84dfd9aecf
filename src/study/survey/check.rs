//! A survey's file as text: written with seven digits, read with every length checked, since people
//! edit files.

use std::collections::HashSet;

use serde_json::Value;

use super::report::{Found, Survey, SurveyReport, SurveyedOutcome};
use crate::study::report::VERSION;

/// Why a file is no survey to look at.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReportError {
    #[error("it is no atelier report ({reason})")]
    Json { reason: String },
    #[error(
        "it was written by a newer atelier (layout {found}, this one reads up to {VERSION}): use a newer one"
    )]
    Newer { found: u64 },
    #[error("it is an atelier report without a survey in it")]
    NoSurvey,
    #[error("{place} does not fit the rest of the file ({reason}): was it edited by hand?")]
    Shape { place: String, reason: String },
}

impl SurveyReport {
    pub fn new(survey: Survey) -> Self {
        Self {
            atelier: VERSION,
            survey,
        }
    }

    /// One line of JSON, numbers with seven digits.
    ///
    /// # Errors
    /// A number that JSON cannot hold.
    pub fn json(&self) -> Result<String, serde_json::Error> {
        let mut value = serde_json::to_value(self)?;
        round(&mut value);
        Ok(value.to_string() + "\n")
    }

    /// # Errors
    /// See [`ReportError`].
    pub fn read(text: &str) -> Result<Self, ReportError> {
        let json = |error: serde_json::Error| ReportError::Json {
            reason: error.to_string(),
        };
        let value: Value = serde_json::from_str(text).map_err(json)?;
        match value["atelier"].as_u64() {
            Some(found) if found > u64::from(VERSION) => return Err(ReportError::Newer { found }),
            Some(_) => {}
            None => {
                return Err(ReportError::Json {
                    reason: "it does not say which version it is of".into(),
                });
            }
        }
        if value.get("survey").is_none() {
            return Err(ReportError::NoSurvey);
        }
        let report: Self = serde_json::from_value(value).map_err(json)?;
        report.survey.check()?;
        Ok(report)
    }
}

impl Survey {
    fn check(&self) -> Result<(), ReportError> {
        let shape = |place: String, reason: String| Err(ReportError::Shape { place, reason });
        let models = self.models.iter().map(|model| model.name.as_str());
        let tasks = self.tasks.iter().map(|task| task.name.as_str());
        if let Some(name) = doubled(models).or_else(|| doubled(tasks)) {
            return shape(name.to_string(), "it is listed twice".into());
        }
        let mut seen = HashSet::new();
        for (index, cell) in self.cells.iter().enumerate() {
            let (Some(model), Some(task)) =
                (self.models.get(cell.model), self.tasks.get(cell.task))
            else {
                let reason = "it is of a model or a task that is not listed".into();
                return shape(format!("cell {index}"), reason);
            };
            if !seen.insert((cell.model, cell.task)) {
                let place = format!("{} on {}", model.name, task.name);
                return shape(place, "it is there twice".into());
            }
            let SurveyedOutcome::Found(found) = &cell.outcome else {
                continue;
            };
            if let Some(reason) = wrong(found, model.members.len()) {
                return shape(format!("{} on {}", model.name, task.name), reason);
            }
        }
        let place = self.correlations.iter().position(|found| {
            let task = found.task;
            task.is_some_and(|task| task >= self.tasks.len())
        });
        match place {
            Some(index) => shape(
                format!("correlation {index}"),
                "it is of a task that is not listed".into(),
            ),
            None => Ok(()),
        }
    }
}

/// The first name that comes again.
fn doubled<'a>(names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut seen = HashSet::new();
    names.into_iter().find(|name| !seen.insert(*name))
}

/// A list of another length than the model has members.
fn wrong(found: &Found, members: usize) -> Option<String> {
    let averages = &found.averages;
    if members == 0 {
        return Some("its model has no members".into());
    }
    let lists = [
        ("by_depth", averages.by_depth.len()),
        (
            "probability.member_bias",
            averages.probability.member_bias.len(),
        ),
        (
            "probability.member_diversity",
            averages.probability.member_diversity.len(),
        ),
        ("logit.member_bias", averages.logit.member_bias.len()),
        (
            "logit.member_diversity",
            averages.logit.member_diversity.len(),
        ),
    ];
    if let Some((name, length)) = lists.iter().find(|(_, length)| *length != members) {
        return Some(format!("{name} has {length} entries for {members} members"));
    }
    if averages.rows == 0 {
        return Some("it has numbers of 0 rows".into());
    }
    let sample = found.samples.iter().find(|sample| {
        let options = sample.option_ids.len();
        sample.answer >= options
            || sample.answered >= options
            || sample
                .right
                .is_some_and(|right| right >= sample.choices.len())
    });
    if let Some(sample) = sample {
        return Some(format!(
            "row {} answers with no option of its own",
            sample.row
        ));
    }
    let information = found.information.as_ref().ok()?;
    let curves = [&information.votes.curve, &information.copula.curve];
    let long = curves.iter().find(|curve| {
        let mut points = curve.iter().enumerate();
        curve.len() > members || points.any(|(index, point)| point.members != index + 1)
    });
    long.map(|_| "an information curve does not count its members from 1".into())
}

fn round(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            let x = number.as_f64().unwrap_or_default();
            // Through text, so that the value written is the short one.
            let short = format!("{x:.6e}").parse().unwrap_or(x);
            *value = Value::from(short);
        }
        Value::Array(list) => list.iter_mut().for_each(round),
        Value::Object(fields) => fields.values_mut().for_each(round),
        _ => {}
    }
}
