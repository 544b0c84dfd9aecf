//! The three columns of docs/definitions.md, section 3, and in which unit each is shown.

use super::{Table, TableCell};
use crate::measure::decomposition::{ColumnNumbers, DecomposedColumns, Triple, Triples};
use crate::study::report::Lens;

/// Which points the votes are: never mixed without saying so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Column {
    /// `softmax(u_i)`.
    #[default]
    Probability,
    /// `u_i` less its mean over the options: the part of the logits that moves probabilities. The whole
    /// and the offset stand beside it.
    Logit,
    /// As the paper prints it: mse and bias by its Eq. 14, times 100; diversity by Eq. 8 on raw logits.
    /// Its centred part stands beside it.
    Paper,
}

impl Column {
    /// In the order in which they are offered.
    pub const ALL: [Self; 3] = [Self::Probability, Self::Logit, Self::Paper];

    /// The name used in links and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Probability => "probability",
            Self::Logit => "logit",
            Self::Paper => "paper",
        }
    }

    /// The name on the page and in figures.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Probability => "shares among the options",
            Self::Logit => "centred logits",
            Self::Paper => "as in the paper",
        }
    }

    /// Reads the name used in links and files.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|column| column.name() == name)
    }

    /// Shown bias and mse are the report's times this. JSON is never scaled.
    pub fn scale(self) -> f64 {
        if self == Self::Paper { 100.0 } else { 1.0 }
    }

    /// Unit of bias and mse on an axis.
    pub fn error_unit(self) -> &'static str {
        match self {
            Self::Probability => "squared shares",
            Self::Logit => "squared centred logits",
            Self::Paper => "squared shares × 100",
        }
    }

    /// Unit of diversity on an axis.
    pub fn diversity_unit(self) -> &'static str {
        match self {
            Self::Probability => "squared shares",
            Self::Logit => "squared centred logits",
            Self::Paper => "squared logits",
        }
    }

    /// Says what bias and mse are the distance from.
    pub fn target(self) -> &'static str {
        match self {
            Self::Probability | Self::Paper => {
                "The target is 1 for the right option and 0 for the others."
            }
            Self::Logit => {
                "The target is 1 for the right option and 0 for the others, minus their mean."
            }
        }
    }

    /// The numbers that the column draws, as they are shown.
    pub(super) fn drawn(self, triples: &Triples) -> Triple {
        let t = match self {
            Self::Probability => triples.probability,
            Self::Logit => triples.centred,
            Self::Paper => triples.paper,
        };
        Triple { mse: t.mse * self.scale(), bias: t.bias * self.scale(), diversity: t.diversity }
    }

    /// The whole run's numbers as they are shown.
    pub fn total(self, lens: &Lens) -> Triple {
        self.drawn(&lens.decomposition.triples())
    }

    /// The numbers over the first n strokes, n = 1..M, as they are shown.
    pub fn by_depth(self, lens: &Lens) -> Vec<Triple> {
        lens.decomposition.by_depth.iter().map(|depth| self.drawn(&depth.triples)).collect()
    }

    /// `[M]` every stroke's bias, as shown. The paper's bias is the probabilities' (Eq. 14).
    pub(super) fn member_bias(self, columns: &DecomposedColumns<'_>) -> Vec<f64> {
        let column = if self == Self::Logit { columns.centred } else { columns.probability };
        column.member_bias.iter().map(|x| x * self.scale()).collect()
    }

    /// `[M]` every stroke's diversity. The paper's is the whole logits' (Eq. 8).
    pub(super) fn member_diversity<'a>(self, columns: &DecomposedColumns<'a>) -> &'a [f64] {
        let column = match self {
            Self::Probability => columns.probability,
            Self::Logit => columns.centred,
            Self::Paper => columns.logit,
        };
        &column.member_diversity
    }

    /// The column that headings and shares speak of: where the drawn diversity is of logits, their centred part.
    pub(super) fn spoken<'a>(self, columns: &DecomposedColumns<'a>) -> &'a ColumnNumbers {
        match self {
            Self::Probability => columns.probability,
            Self::Logit | Self::Paper => columns.centred,
        }
    }

    /// A table of the first n strokes: of what is drawn and what stands beside it, between columns of other things.
    pub(super) fn depth_table<'a>(
        self,
        [before, after]: [&[&str]; 2],
        rows: impl Iterator<Item = (Vec<TableCell>, &'a Triples, Vec<TableCell>)>,
    ) -> Table {
        let (error, diversity) = (self.error_unit(), self.diversity_unit());
        let drawn = [
            format!("MSE ({error})"),
            format!("bias ({error})"),
            format!("diversity ({diversity})"),
        ];
        let beside: &[NumberBeside] = match self {
            Self::Probability => &[],
            Self::Logit => &PARTS,
            Self::Paper => &CENTRED,
        };
        let own = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let beside_names = beside.iter().map(|(name, _)| (*name).to_owned());
        let headers = own(before).into_iter().chain(drawn).chain(beside_names).chain(own(after));
        let rows = rows.map(|(before, triples, after)| {
            let numbers = self.drawn(triples).numbers().into_iter();
            let numbers = numbers.chain(beside.iter().map(|(_, number)| number(triples)));
            before.into_iter().chain(numbers.map(TableCell::Number)).chain(after).collect()
        });
        Table::new(headers, rows)
    }

    /// Returns the columns that a table of components has beside the drawn numbers.
    pub(super) fn members_beside(self) -> &'static [MembersBeside] {
        match self {
            Self::Probability => &[],
            Self::Logit => &MEMBER_PARTS,
            Self::Paper => &MEMBERS_CENTRED,
        }
    }
}

/// A number beside what is drawn, with its header.
type NumberBeside = (&'static str, fn(&Triples) -> f64);

const PARTS: [NumberBeside; 6] = [
    ("offset MSE (squared logits)", |t| t.offset.mse),
    ("offset bias (squared logits)", |t| t.offset.bias),
    ("offset diversity (squared logits)", |t| t.offset.diversity),
    ("whole MSE (squared logits)", |t| t.logit.mse),
    ("whole bias (squared logits)", |t| t.logit.bias),
    ("whole diversity (squared logits)", |t| t.logit.diversity),
];
const CENTRED: [NumberBeside; 1] =
    [("centred diversity (squared centred logits)", |t| t.centred.diversity)];

/// Numbers of every stroke beside what is drawn, with their header.
type MembersBeside = (&'static str, for<'a> fn(&DecomposedColumns<'a>) -> &'a [f64]);

const MEMBER_PARTS: [MembersBeside; 4] = [
    ("offset bias (squared logits)", |c| &c.offset.member_bias),
    ("offset diversity (squared logits)", |c| &c.offset.member_diversity),
    ("whole bias (squared logits)", |c| &c.logit.member_bias),
    ("whole diversity (squared logits)", |c| &c.logit.member_diversity),
];
const MEMBERS_CENTRED: [MembersBeside; 1] =
    [("centred diversity (squared centred logits)", |c| &c.centred.member_diversity)];
