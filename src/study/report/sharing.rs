//! A report that can be published: sweeps and couplings of several as one, without any text of a row.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Report;
use crate::study::orders::Orders;

/// Why reports cannot be one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShareError {
    #[error("nothing is to be shared: name a report")]
    None,
    #[error(
        "a report has neither a sweep over tasks nor a coupling of tasks: share those that have"
    )]
    NoTask,
    #[error("the reports are of {first} and {other}: share those of one model")]
    Model { first: String, other: String },
    #[error(
        "the reports of {name} were computed from different files or on different devices: share those of one"
    )]
    Run { name: String },
    #[error("two of the reports are of {task}: name one of them")]
    Task { task: String },
}

impl Report {
    /// Joins the sweeps and couplings of one model's reports, without what else they have.
    ///
    /// # Errors
    /// Nothing to share, reports of two models, of other files or devices, or two reports of one task.
    pub fn shared(reports: Vec<Self>) -> Result<Self, ShareError> {
        refuse_if!(reports.is_empty(), ShareError::None);
        // A report without tasks adds nothing, and has no files to compare.
        let has_task =
            |report: &Self| !report.orders.is_empty() || !report.task_coupling.is_empty();
        let mut reports = reports.into_iter().filter(has_task);
        let mut all = reports.next().ok_or(ShareError::NoTask)?.tasks_alone();
        for report in reports {
            if report.model != all.model {
                let [first, other] = [&all, &report].map(|report| report.model.name.clone());
                return Err(ShareError::Model { first, other });
            }
            if report.engine != all.engine || report.files() != all.files() {
                return Err(ShareError::Run { name: report.model.name });
            }
            all.medians.clear();
            all.orders.extend(report.orders);
            all.task_coupling.extend(report.task_coupling);
        }
        let sweeps: Vec<&str> = all.orders.iter().map(|orders| orders.task.as_str()).collect();
        let couplings: Vec<&str> = all.task_coupling.iter().map(|of| of.task.as_str()).collect();
        if let Some(task) = [sweeps, couplings].iter().find_map(|tasks| twice(tasks)) {
            return Err(ShareError::Task { task: task.to_owned() });
        }
        all.orders = all.orders.into_iter().map(Orders::shared).collect();
        Ok(all)
    }

    /// Checksums of the files from which the first task's numbers were computed.
    fn files(&self) -> Option<&BTreeMap<String, String>> {
        let sweeps = self.orders.iter().map(|orders| &orders.fingerprint);
        let couplings = self.task_coupling.iter().map(|coupling| &coupling.fingerprint);
        let first = sweeps.chain(couplings).next()?;
        first.as_ref().map(|fingerprint| &fingerprint.files)
    }

    fn tasks_alone(self) -> Self {
        let Self { atelier, model, engine, orders, medians, task_coupling, .. } = self;
        Self { atelier, model, engine, orders, medians, task_coupling, ..Self::default() }
    }

    /// One line of JSON, numbers with seven digits.
    ///
    /// # Errors
    /// A number that JSON cannot hold.
    pub fn short_json(&self) -> Result<String, serde_json::Error> {
        let mut value = serde_json::to_value(self)?;
        round(&mut value);
        Ok(value.to_string() + "\n")
    }
}

/// The first name that stands twice.
fn twice<'a>(names: &[&'a str]) -> Option<&'a str> {
    let (_, name) = names.iter().enumerate().find(|(n, name)| names[..*n].contains(name))?;
    Some(name)
}

/// Shortens every number to seven digits.
pub(in crate::study) fn round(value: &mut Value) {
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
