//! Several models side by side: the file that compares them.

use serde::{Deserialize, Serialize};

use super::over_models;
use super::relation::Relation;
use crate::study::report::{Opened, Report, ReportError, VERSION};

/// The whole file of several models.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelsCouplingReport {
    /// Version of the layout: [`crate::study::report::VERSION`].
    pub atelier: u32,
    pub coupling_models: ModelsCoupling,
}

/// Several models, each with its own report of the same prompt or of the same tasks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelsCoupling {
    pub models: Vec<ModelCoupling>,
    /// Over the models.
    pub relations: Vec<Relation>,
}

/// One model's couplings among those of others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelCoupling {
    /// Steps of training behind it, where its name says so (`…-step-004000`, `@step1000`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub training_step: Option<u64>,
    pub report: Report,
}

impl ModelsCoupling {
    /// From each model's own report.
    pub fn of(reports: Vec<Report>) -> Self {
        let models: Vec<ModelCoupling> = reports
            .into_iter()
            .map(|report| ModelCoupling {
                training_step: training_step(&report.model.name),
                report,
            })
            .collect();
        Self { relations: over_models::relations(&models), models }
    }
}

impl ModelsCouplingReport {
    /// As this version writes it.
    pub fn new(coupling_models: ModelsCoupling) -> Self {
        Self { atelier: VERSION, coupling_models }
    }

    /// # Errors
    /// See [`ReportError`].
    pub fn read(text: &str) -> Result<Self, ReportError> {
        Ok(Self::new(Opened::read(text.as_bytes())?.models()?))
    }
}

/// The number behind the last `step` of a name: `scholar-4-step-004000`, `pythia-70m@step1000`.
fn training_step(name: &str) -> Option<u64> {
    let lower = name.to_lowercase();
    let (_, rest) = lower.rsplit_once("step")?;
    let rest = rest.trim_start_matches(['-', '_', '=', ' ']);
    let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_training_by_name() {
        let of = training_step;
        assert_eq!(of("scholar-4-step-004000"), Some(4000));
        assert_eq!(of("EleutherAI/pythia-70m@step1000"), Some(1000));
        assert_eq!(of("SmolLM2-135M@step-120000"), Some(120_000));
        assert_eq!(of("scholar-12"), None);
        assert_eq!(of("stepwise"), None);
    }
}
