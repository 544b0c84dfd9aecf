//! Reports of the time before the one page (commit 06ad6b4): they open, and every number in them is there.

use std::path::Path;

use atelier::study::report::Opened;
use atelier::study::survey::SurveyReport;
use serde_json::Value;

/// No longer in reports: it follows from Ω as printed, and was wrong in those of before.
const GONE: &str = "paper_bias";

/// Every leaf of `old` stands in `new`, where it stood.
fn kept(old: &Value, new: &Value, place: &str) -> usize {
    match (old, new) {
        (Value::Object(fields), _) => {
            let each = fields.iter().filter(|(name, _)| *name != GONE);
            each.map(|(name, value)| kept(value, &new[name], &format!("{place}.{name}"))).sum()
        }
        (Value::Array(items), Value::Array(others)) => {
            assert_eq!(items.len(), others.len(), "{place}");
            let pairs = items.iter().zip(others).enumerate();
            pairs.map(|(i, (old, new))| kept(old, new, &format!("{place}[{i}]"))).sum()
        }
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap_or(0.0), b.as_f64().unwrap_or(f64::NAN));
            // Some are kept in half the digits in which they are written.
            assert!((a - b).abs() <= 1e-6 * a.abs().max(1e-3), "{place}: {a}, {b}");
            1
        }
        (Value::Null, _) => 0,
        _ => {
            assert_eq!(old, new, "{place}");
            0
        }
    }
}

#[test]
fn reports_made_before_open_to_the_same_numbers() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/before");
    for (name, least) in [("lens", 60), ("prompts", 200), ("sweep", 200), ("survey", 200)] {
        let path = folder.join(format!("{name}.atelier.json"));
        let bytes = std::fs::read(path).expect("a report");
        let again = match Opened::read(&bytes).expect("a report of before") {
            Opened::Lens(report) | Opened::Prompts(report) | Opened::Lab(report) => {
                serde_json::to_value(&report)
            }
            Opened::Orders(report) | Opened::Coupling(report) => serde_json::to_value(&report),
            Opened::CouplingModels(models) => serde_json::to_value(&models),
            Opened::Survey(_) => {
                let report: SurveyReport = serde_json::from_slice(&bytes).expect("a survey");
                serde_json::to_value(&report)
            }
        };
        let old: Value = serde_json::from_slice(&bytes).expect("JSON");
        let numbers = kept(&old, &again.expect("JSON"), name);
        assert!(numbers >= least, "{name}: {numbers}");
    }
}
