//! The members' information about the right answer, in bits (*Diversity of Transformer Layers*, Theorems
//! 4 to 8): `I(U;Y) = relevancy + conditional redundancy - redundancy`. docs/definitions.md, section 5.
//!
//! The paper names no estimator. There are two here, and every view of a number names its estimator:
//! [`votes`] counts, [`copula`] fits Gaussians. Both refuse an estimate that the rows cannot support;
//! [`InformationRefusal`] gives the reason.

mod bounds;
pub mod copula;
mod gaussian;
mod refusal;
pub mod votes;

pub use bounds::Bounds;
pub use refusal::InformationRefusal;

use serde::{Deserialize, Serialize};

/// The three terms for one group of members, and their sum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Terms {
    /// Members in the group.
    pub members: usize,
    /// `[members]` `I(u_i; Y)`.
    pub relevancies: Vec<f64>,
    /// Their sum.
    pub relevancy: f64,
    /// `TC(U) = sum_i H(u_i) - H(U)`.
    pub redundancy: f64,
    /// `TC(U|Y)`.
    pub conditional_redundancy: f64,
    /// `I(U;Y)`, estimated as a whole and not as the terms' sum: see [`Terms::residue`].
    pub joint: f64,
}

impl Terms {
    fn new(relevancies: Vec<f64>, redundancy: f64, conditional: f64, joint: f64) -> Self {
        Self {
            members: relevancies.len(),
            relevancy: relevancies.iter().sum(),
            relevancies,
            redundancy,
            conditional_redundancy: conditional,
            joint,
        }
    }

    /// `TC(U|Y) - TC(U)`: the paper's information-theoretic diversity.
    pub fn diversity(&self) -> f64 {
        self.conditional_redundancy - self.redundancy
    }

    /// How far the terms are from adding to the joint: rounding, by construction.
    pub fn residue(&self) -> f64 {
        self.relevancy + self.diversity() - self.joint
    }
}

/// The first 1, 2, … members along the stream, as far as the rows support it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    pub points: Vec<Terms>,
    /// Why it ends before the last member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}

/// Right answers that information can be measured about, with their entropy.
///
/// # Errors
/// Fewer than two rows, or all of one class.
fn classes(answers: &[usize], options: usize) -> Result<Vec<usize>, InformationRefusal> {
    let rows = answers.len();
    refuse_if!(rows < 2, InformationRefusal::Rows { rows });
    let mut counts = vec![0; options];
    for &answer in answers {
        assert!(answer < options, "answer {answer} of {options} options");
        counts[answer] += 1;
    }
    match counts.iter().filter(|&&count| count > 0).count() {
        1 => Err(InformationRefusal::OneClass { answer: answers[0] }),
        _ => Ok(counts),
    }
}
