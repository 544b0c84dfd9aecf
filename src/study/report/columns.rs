//! Lists of numbers as columns, as a small report has them: each number is named once, and what follows from others
//! is left out.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{DeserializeOwned, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::AverageDepth;
use crate::measure::decomposition::{Triple, Triples};

/// Columns that hold a list.
pub(in crate::study) trait ListColumns<T>: DeserializeOwned {
    /// Puts the list together.
    ///
    /// # Errors
    /// Columns of different lengths.
    fn list(self) -> Result<Vec<T>, String>;
}

/// Reads a list that is written as one or as columns.
pub(in crate::study) fn list_or_columns<'de, D, T, C>(from: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
    C: ListColumns<T>,
{
    from.deserialize_any(LayoutVisitor::<T, C>(PhantomData))
}

/// Reads junction points in either layout.
pub(super) fn depths<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<AverageDepth>, D::Error> {
    list_or_columns::<D, AverageDepth, DepthColumns>(from)
}

struct LayoutVisitor<T, C>(PhantomData<(T, C)>);

impl<'de, T: DeserializeOwned, C: ListColumns<T>> Visitor<'de> for LayoutVisitor<T, C> {
    type Value = Vec<T>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a list, or the columns of one")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Vec<T>, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, columns: A) -> Result<Vec<T>, A::Error> {
        C::deserialize(MapAccessDeserializer::new(columns))?.list().map_err(A::Error::custom)
    }
}

/// Junction points. An MSE is bias less diversity, the offset is logit less centred, and the paper's bias and
/// diversity are the probability's and the logit's: only the paper's MSE is a number of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::study) struct DepthColumns {
    accuracy: Vec<f64>,
    paper_mse: Vec<f64>,
    probability: PartColumns,
    logit: PartColumns,
    centred: PartColumns,
}

/// The two parts of an MSE.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct PartColumns {
    bias: Vec<f64>,
    diversity: Vec<f64>,
}

impl PartColumns {
    fn of(depths: &[AverageDepth], pick: fn(&Triples) -> Triple) -> Self {
        let column = |number: fn(Triple) -> f64| {
            depths.iter().map(|depth| number(pick(&depth.triples))).collect()
        };
        Self { bias: column(|triple| triple.bias), diversity: column(|triple| triple.diversity) }
    }

    fn has(&self, points: usize) -> bool {
        self.bias.len() == points && self.diversity.len() == points
    }

    fn triple(&self, point: usize) -> Triple {
        let (bias, diversity) = (self.bias[point], self.diversity[point]);
        Triple { mse: bias - diversity, bias, diversity }
    }
}

impl DepthColumns {
    /// The columns of a list.
    pub fn of(depths: &[AverageDepth]) -> Self {
        Self {
            accuracy: depths.iter().map(|depth| depth.accuracy).collect(),
            paper_mse: depths.iter().map(|depth| depth.triples.paper.mse).collect(),
            probability: PartColumns::of(depths, |triples| triples.probability),
            logit: PartColumns::of(depths, |triples| triples.logit),
            centred: PartColumns::of(depths, |triples| triples.centred),
        }
    }

    fn depth(&self, point: usize) -> AverageDepth {
        let probability = self.probability.triple(point);
        let [logit, centred] = [&self.logit, &self.centred].map(|parts| parts.triple(point));
        let triples = Triples {
            paper: Triple {
                mse: self.paper_mse[point],
                bias: probability.bias,
                diversity: logit.diversity,
            },
            probability,
            logit,
            centred,
            offset: Triple {
                mse: logit.mse - centred.mse,
                bias: logit.bias - centred.bias,
                diversity: logit.diversity - centred.diversity,
            },
        };
        AverageDepth { members: point + 1, triples, accuracy: self.accuracy[point] }
    }
}

impl ListColumns<AverageDepth> for DepthColumns {
    fn list(self) -> Result<Vec<AverageDepth>, String> {
        let points = self.accuracy.len();
        let parts = [&self.probability, &self.logit, &self.centred];
        if self.paper_mse.len() != points || !parts.iter().all(|parts| parts.has(points)) {
            return Err("the columns of its junction points differ in length".to_owned());
        }
        Ok((0..points).map(|point| self.depth(point)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::report::Opened;
    use crate::study::survey::Survey;

    fn shipped() -> Survey {
        let text = include_bytes!("../../../public/examples/survey.atelier.json");
        Opened::read(text).and_then(Opened::survey).expect("the shipped survey")
    }

    /// Every number of every junction point comes back, but for the last of seven digits.
    #[test]
    fn junction_points_come_back_from_their_columns() {
        let survey = shipped();
        let mut points = 0;
        for (model, task, found) in survey.found() {
            let depths = &found.averages.by_depth;
            let read = DepthColumns::of(depths).list().expect("columns of one length");
            let [read, written] = [&read, depths].map(serde_json::to_value);
            let (read, written) = (read.expect("JSON"), written.expect("JSON"));
            points += depths.len();
            same(&read, &written, &format!("{} on {}", model.name, task.name));
        }
        assert!(points > 500, "{points}");
    }

    fn same(a: &serde_json::Value, b: &serde_json::Value, place: &str) {
        use serde_json::Value;
        match (a, b) {
            (Value::Array(a), Value::Array(b)) => {
                assert_eq!(a.len(), b.len(), "{place}");
                a.iter().zip(b).for_each(|(a, b)| same(a, b, place));
            }
            (Value::Object(a), Value::Object(b)) => {
                assert!(a.keys().eq(b.keys()), "{place}");
                a.iter().for_each(|(key, a)| same(a, &b[key], &format!("{place} {key}")));
            }
            _ => {
                let [a, b] = [a, b].map(|x| x.as_f64().expect("a number"));
                // A small difference of two large numbers has fewer digits than they have.
                assert!((a - b).abs() <= 1e-6 * b.abs() + 2e-4, "{place}: {a} for {b}");
            }
        }
    }

    #[test]
    fn columns_of_different_lengths_are_refused() {
        #[derive(Debug, Deserialize)]
        struct PointsOnly {
            #[serde(deserialize_with = "depths")]
            #[allow(dead_code)] // Only whether it is read matters.
            by_depth: Vec<AverageDepth>,
        }
        let columns = |accuracy: &str| {
            let parts = r#"{"bias":[1.0],"diversity":[0.5]}"#;
            format!(
                r#"{{"by_depth":{{"accuracy":{accuracy},"paper_mse":[0.1],"probability":{parts},"logit":{parts},"centred":{parts}}}}}"#
            )
        };
        assert!(serde_json::from_str::<PointsOnly>(&columns("[0.5]")).is_ok());
        let error = serde_json::from_str::<PointsOnly>(&columns("[0.5,0.5]")).expect_err("uneven");
        assert!(error.to_string().contains("differ in length"), "{error}");
    }
}
