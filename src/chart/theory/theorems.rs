//! Claims of the theorems, and the caveats to each.

use super::Control;
use crate::chart::Column;

/// A theorem as its card says it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Theorem {
    /// 1 to 8, as in the paper.
    pub number: usize,
    pub name: &'static str,
    /// In one sentence.
    pub claim: &'static str,
    /// Which estimator, how many rows, where it fails, what the paper printed.
    pub caveat: &'static str,
    pub control: Control,
}

impl Theorem {
    /// Whether its picture at this setting is of members made up on the spot, and so of no report.
    pub fn is_made_up(&self, setting: f64) -> bool {
        match self.control {
            Control::Choice { choices, .. } => choices
                .get(setting.max(0.0) as usize)
                .is_some_and(|choice| choice.starts_with(MADE_UP)),
            Control::Share { .. } => matches!(self.number, 7 | 8),
        }
    }
}

/// How a choice of made-up members begins.
const MADE_UP: &str = "made up";

/// All of them, in the paper's order.
pub const THEOREMS: [Theorem; 8] = [
    Theorem {
        number: 1,
        name: "Bias less diversity",
        claim: "The error of the members' mean is their mean error (bias) less how much they disagree (diversity).",
        caveat: "It holds for any points and any target, so it says nothing about a model by itself. It needs all three terms in one column: the \
                 paper prints MSE and bias of probabilities (Eq. 14) and diversity of raw logits (Eq. 8), so that its Table 1 reads 23.3 − 12.2 = 23.0.",
        control: Control::Choice {
            label: "Take the three terms from",
            choices: &[Column::Probability.label(), "centred logits", "the paper's mixed columns"],
        },
    },
    Theorem {
        number: 2,
        name: "No bias, no diversity",
        claim: "Diversity cannot outgrow bias: where bias goes to 0, diversity goes to 0 with it.",
        caveat: "True of all members together, because MSE is never negative. The paper claims it for each kind \
         of member too. That does not follow: one kind may be right while the others pull the mean elsewhere. Points above the line are such cases.",
        control: Control::Choice {
            label: "Show",
            choices: &[
                "all members together",
                "each kind by itself",
                "each member by itself",
                "the paper's mixed columns",
            ],
        },
    },
    Theorem {
        number: 3,
        name: "Bias pays for diversity",
        claim: "Bias and diversity share a term, Ω: what raises diversity through it raises bias as much.",
        caveat: "As printed, Ω lies around the target's mean. If the target is the same for every option, both \
         printed terms are too large by as much, and their difference, the MSE, is right. For a right answer, \
         two terms of the bias are missing as well. Corrected after Brown \
                 et al. (2005) they are exact. Ω also holds the spread of the members' means over the options, Ω − v̄: the offset, which moves \
                 no probability. All in squares of whole logits, means over all rows.",
        control: Control::Share {
            label: "Target, from the same for all options (0) to the right answer alone (1)",
            start: 1.0,
        },
    },
    Theorem {
        number: 4,
        name: "What members know",
        claim: "The information about the answer is each member's own, plus what shows only together, less what \
         is said twice. It bounds the error from both sides.",
        caveat: "The paper names no estimator. Counted votes need 5 rows per cell, and are refused with fewer. \
         The Gaussian copula takes logits for Gaussian, and may find more bits than the answer has. The made-up ensembles are counted exactly.",
        control: Control::Choice {
            label: "Members",
            choices: &[
                "the model's three kinds, copula",
                "the model's three kinds, votes",
                "made up: independent",
                "made up: two copies",
                "made up: two halves of a secret",
            ],
        },
    },
    Theorem {
        number: 5,
        name: "What only grows",
        claim: "With every further member relevancy, redundancy and conditional redundancy grow or stay; their balance, the diversity, may go either way.",
        caveat: "The paper adds that I(U;Y) may fall. By the chain rule it cannot: a further member never takes information away. What falls is an estimate \
                 of it, from few rows or from a copula that does not fit; draw fewer rows and see.",
        control: Control::Choice {
            label: "Curves of",
            choices: &[
                "the model's stream, copula",
                "the model's stream, votes",
                "made up: every outcome counted",
                "made up: 200 rows",
                "made up: 40 rows",
            ],
        },
    },
    Theorem {
        number: 6,
        name: "Bounds of the error",
        claim: "What members know says how wrong the best guess must be at least and may be at most, and neither bound need follow the depth.",
        caveat: "Since I(U;Y) cannot fall, the exact bounds cannot rise. The paper's proof rests on the slip of \
         theorem 5. Only an estimate goes up and down. The upper bound holds for the best rule alone; the sum of a model's members, or a majority, need not be it.",
        control: Control::Choice {
            label: "Guess by",
            choices: &[
                "the model's sum; information by votes",
                "the model's sum; information by copula",
                "made up: the best rule",
                "made up: a majority of the votes",
            ],
        },
    },
    Theorem {
        number: 7,
        name: "Less and less",
        claim: "Members that are independent given the answer add information, each less than the one before.",
        caveat: "No model's members are: every block reads what the earlier ones wrote. Made up here: six members, three times in four right; 8192 rows hold \
                 every outcome as often as it happens, so nothing is sampled. Where pairs share a secret, the second of each adds most.",
        control: Control::Share {
            label: "How much pairs of members depend on each other",
            start: 0.0,
        },
    },
    Theorem {
        number: 8,
        name: "Bounds that flatten",
        claim: "For members independent given the answer both bounds of the error fall, each step less than the one before.",
        caveat: "The same assumption as theorem 7. Made up here: four members and four options, five times in eight right; 16384 rows hold every outcome as \
                 often as it happens. The lower bound is cut at 0, and with two options it is 0 throughout.",
        control: Control::Share {
            label: "How much pairs of members depend on each other",
            start: 0.0,
        },
    },
];
