//! Several models side by side.

use super::{ModelCoupling, ModelsCoupling, ModelsCouplingReport, relations};
use crate::study::report::{Opened, Report, ReportError, VERSION};

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
        Self {
            relations: relations::of_models(&models),
            models,
        }
    }
}

impl ModelsCouplingReport {
    /// As this version writes it.
    pub fn new(coupling_models: ModelsCoupling) -> Self {
        Self {
            atelier: VERSION,
            coupling_models,
        }
    }

    /// # Errors
    /// See [`ReportError`].
    pub fn read(text: &str) -> Result<Self, ReportError> {
        Ok(Self::new(Opened::read(text.as_bytes())?.models()?))
    }
}

/// The number behind the last `step` of a name: `apprentice-4-step-004000`, `pythia-70m@step1000`.
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
        assert_eq!(of("apprentice-4-step-004000"), Some(4000));
        assert_eq!(of("EleutherAI/pythia-70m@step1000"), Some(1000));
        assert_eq!(of("SmolLM2-135M@step-120000"), Some(120_000));
        assert_eq!(of("apprentice-12"), None);
        assert_eq!(of("stepwise"), None);
    }
}
