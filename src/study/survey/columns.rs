//! A curve of information as columns, as a small report has them.

use serde::{Deserialize, Deserializer, Serialize};

use super::InformationPoint;
use crate::measure::information::Bounds;
use crate::study::report::columns::{ListColumns, list_or_columns};

/// Reads a curve that is written as a list or as columns.
pub(super) fn read_curve<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Vec<InformationPoint>, D::Error> {
    list_or_columns::<D, InformationPoint, CurveColumns>(from)
}

/// The points of a curve as columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct CurveColumns {
    relevancy: Vec<f64>,
    redundancy: Vec<f64>,
    conditional_redundancy: Vec<f64>,
    joint: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    error: Vec<f64>,
    breaks: Vec<Option<String>>,
}

impl CurveColumns {
    pub fn of(curve: &[InformationPoint]) -> Self {
        let column =
            |number: fn(&InformationPoint) -> f64| curve.iter().map(number).collect::<Vec<f64>>();
        Self {
            relevancy: column(|point| point.relevancy),
            redundancy: column(|point| point.redundancy),
            conditional_redundancy: column(|point| point.conditional_redundancy),
            joint: column(|point| point.joint),
            lower: column(|point| point.bounds.lower),
            upper: column(|point| point.bounds.upper),
            error: column(|point| point.error),
            breaks: curve.iter().map(|point| point.breaks.clone()).collect(),
        }
    }
}

impl ListColumns<InformationPoint> for CurveColumns {
    fn list(self) -> Result<Vec<InformationPoint>, String> {
        let points = self.breaks.len();
        let numbers = [
            &self.relevancy,
            &self.redundancy,
            &self.conditional_redundancy,
            &self.joint,
            &self.lower,
            &self.upper,
            &self.error,
        ];
        if numbers.iter().any(|column| column.len() != points) {
            return Err("the columns of an information curve differ in length".to_owned());
        }
        let [relevancy, redundancy, conditional, joint, lower, upper, error] = numbers;
        let point = |(i, breaks): (usize, &Option<String>)| InformationPoint {
            members: i + 1,
            relevancy: relevancy[i],
            redundancy: redundancy[i],
            conditional_redundancy: conditional[i],
            joint: joint[i],
            bounds: Bounds { lower: lower[i], upper: upper[i] },
            error: error[i],
            breaks: breaks.clone(),
        };
        Ok(self.breaks.iter().enumerate().map(point).collect())
    }
}
