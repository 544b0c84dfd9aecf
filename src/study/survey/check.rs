//! A survey's file as text: written with seven digits, read by the one reader with every length
//! checked, since people edit files.

use std::collections::HashSet;

use super::LevelAccuracy;
use super::columns::CurveColumns;
use super::report::{Found, Survey, SurveyReport, SurveyedOutcome};
use crate::study::report::columns::DepthColumns;
use crate::study::report::{Opened, ReportError, VERSION, check, round};

impl SurveyReport {
    /// In the layout of this version.
    pub fn new(survey: Survey) -> Self {
        Self { atelier: VERSION, survey }
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

    /// One line of JSON in about half the bytes: lists of junction points and of information are written as columns.
    ///
    /// # Errors
    /// A number that JSON cannot hold.
    pub fn short_json(&self) -> Result<String, serde_json::Error> {
        let mut value = serde_json::to_value(self)?;
        for (index, cell) in self.survey.cells.iter().enumerate() {
            let SurveyedOutcome::Found(found) = &cell.outcome else {
                continue;
            };
            let written = &mut value["survey"]["cells"][index]["outcome"]["found"];
            let depths = DepthColumns::of(&found.averages.by_depth);
            written["averages"]["by_depth"] = serde_json::to_value(depths)?;
            if let Ok(information) = &found.information {
                let written = &mut written["information"]["found"];
                for (name, estimate) in
                    [("votes", &information.votes), ("copula", &information.copula)]
                {
                    let curve = CurveColumns::of(&estimate.curve);
                    written[name]["curve"] = serde_json::to_value(curve)?;
                }
            }
        }
        round(&mut value);
        Ok(value.to_string() + "\n")
    }

    /// # Errors
    /// See [`ReportError`].
    pub fn read(text: &str) -> Result<Self, ReportError> {
        Ok(Self::new(Opened::read(text.as_bytes())?.survey()?))
    }
}

impl Survey {
    pub(in crate::study) fn check(&self) -> Result<(), ReportError> {
        let shape = |place: String, reason: String| Err(ReportError::Shape { place, reason });
        if self.cells.is_empty() {
            return shape("the survey".into(), "it has no cells".into());
        }
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
            Some(index) => {
                shape(format!("correlation {index}"), "it is of a task that is not listed".into())
            }
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
    if members == 0 {
        return Some("its model has no members".into());
    }
    if let Err(reason) = check::averages(&found.averages, members) {
        return Some(reason);
    }
    let levels = &found.levels;
    let counts = |of: fn(&LevelAccuracy) -> usize| {
        let rows = levels.iter().map(of);
        rows.fold(0, usize::saturating_add)
    };
    if levels.windows(2).any(|two| two[0].level >= two[1].level)
        || levels.iter().any(|of| of.correct > of.rows || of.rows == 0)
        || counts(|of| of.rows) > found.averages.rows
    {
        return Some("its levels do not count its rows".into());
    }
    let mut choices = found.choices.iter().flat_map(|choice| [choice.right, choice.chosen]);
    if choices.any(|share| !(0.0..=1.0 + 1e-6).contains(&share)) {
        return Some("a share of its options is none".into());
    }
    let mut shares = [found.first_word, found.mass].into_iter().flatten();
    if shares.any(|share| !(0.0..=1.0 + 1e-6).contains(&share)) {
        return Some("a share of the whole vocabulary is none".into());
    }
    let sample = found.samples.iter().find(|sample| {
        let options = sample.option_ids.len();
        sample.answer >= options
            || sample.answered >= options
            || sample.right.is_some_and(|right| right >= sample.choices.len())
    });
    if let Some(sample) = sample {
        return Some(format!("row {} answers with no option of its own", sample.row));
    }
    let parts = found.samples.iter().find_map(|sample| {
        let row = format!("row {}", sample.row);
        check::column_sums(&row, [sample.logit, sample.centred, sample.offset]).err()
    });
    if parts.is_some() {
        return parts;
    }
    let information = found.information.as_ref().ok()?;
    let curves = [&information.votes.curve, &information.copula.curve];
    let long = curves.iter().find(|curve| {
        let mut points = curve.iter().enumerate();
        curve.len() > members || points.any(|(index, point)| point.members != index + 1)
    });
    long.map(|_| "an information curve does not count its members from 1".into())
}
