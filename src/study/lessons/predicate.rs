//! When an option is right.

use serde::{Deserialize, Serialize};

use super::field::{FieldName, FieldValue};

/// A statement about what a run found. In a file: `holds = { above = ["lead", 0] }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Predicate {
    /// The field is above the number.
    Above(FieldName, f64),
    Below(FieldName, f64),
    /// From the first number to the second, both included.
    Between(FieldName, f64, f64),
    /// The first field is above the second by more than the number.
    More(FieldName, FieldName, f64),
    /// The two fields are at most so far apart.
    Near(FieldName, FieldName, f64),
    /// The field is above every other of these.
    Largest(FieldName, Vec<FieldName>),
    /// The field is this word.
    Says(FieldName, String),
    /// The two fields are the same word.
    SameWord(FieldName, FieldName),
    All(Vec<Predicate>),
    Any(Vec<Predicate>),
    Not(Box<Predicate>),
    /// It is not sure that the other holds: true where the intervals allow for both, and so never open.
    Unless(Box<Predicate>),
    /// None of the step's other options holds.
    Otherwise,
}

/// How a predicate stands to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Holding {
    Agrees,
    Disagrees,
    /// The intervals allow for both.
    Open,
}

impl Holding {
    fn not(self) -> Self {
        match self {
            Self::Agrees => Self::Disagrees,
            Self::Disagrees => Self::Agrees,
            Self::Open => Self::Open,
        }
    }

    fn of(holds: bool) -> Self {
        if holds { Self::Agrees } else { Self::Disagrees }
    }

    /// Does an interval lie above a line?
    fn above(low: f64, high: f64, line: f64) -> Self {
        if low > line {
            Self::Agrees
        } else if high <= line {
            Self::Disagrees
        } else {
            Self::Open
        }
    }

    /// Does an interval lie between two lines, both included?
    fn between(low: f64, high: f64, from: f64, to: f64) -> Self {
        if low >= from && high <= to {
            Self::Agrees
        } else if high < from || low > to {
            Self::Disagrees
        } else {
            Self::Open
        }
    }

    /// Are two words the same, each one of those that it may be?
    fn same(a: &[String], b: &[String]) -> Self {
        let may_be = a.iter().any(|word| b.contains(word));
        match (may_be, a.len() + b.len()) {
            (false, _) => Self::Disagrees,
            (true, 2) => Self::Agrees,
            (true, _) => Self::Open,
        }
    }

    /// Do all of them agree?
    fn all(each: impl IntoIterator<Item = Self>) -> Self {
        each.into_iter().fold(Self::Agrees, |all, one| match (all, one) {
            (Self::Disagrees, _) | (_, Self::Disagrees) => Self::Disagrees,
            (Self::Open, _) | (_, Self::Open) => Self::Open,
            _ => Self::Agrees,
        })
    }

    fn any(each: impl IntoIterator<Item = Self>) -> Self {
        Self::all(each.into_iter().map(Self::not)).not()
    }
}

impl Predicate {
    /// Every field that it names.
    pub fn fields(&self) -> Vec<FieldName> {
        self.clone().fields_mut().into_iter().map(|field| field.clone()).collect()
    }

    /// Returns every field that it names, to be changed.
    pub(super) fn fields_mut(&mut self) -> Vec<&mut FieldName> {
        match self {
            Self::Above(field, _)
            | Self::Below(field, _)
            | Self::Between(field, ..)
            | Self::Says(field, _) => vec![field],
            Self::More(a, b, _) | Self::Near(a, b, _) | Self::SameWord(a, b) => vec![a, b],
            Self::Largest(field, others) => std::iter::once(field).chain(others).collect(),
            Self::All(each) | Self::Any(each) => {
                each.iter_mut().flat_map(Self::fields_mut).collect()
            }
            Self::Not(one) | Self::Unless(one) => one.fields_mut(),
            Self::Otherwise => Vec::new(),
        }
    }

    /// How it stands to what `field` gives; `None` where that depends on the other options.
    ///
    /// # Errors
    /// The error of `field` on a field that is not there.
    pub(super) fn judge<E>(
        &self,
        field: &dyn Fn(&FieldName) -> Result<FieldValue, E>,
    ) -> Result<Option<Holding>, E> {
        let number = |name: &FieldName| field(name).map(|value| value.interval());
        let each = |list: &[Predicate]| -> Result<Vec<Holding>, E> {
            let mut all = Vec::with_capacity(list.len());
            for one in list {
                all.push(one.judge(field)?.unwrap_or(Holding::Open));
            }
            Ok(all)
        };
        // How far the first is above the second: errors of different rows add as squares.
        let apart = |a: &FieldName, b: &FieldName| -> Result<[f64; 3], E> {
            let ([a, a_low, a_high], [b, b_low, b_high]) = (number(a)?, number(b)?);
            let low = (a - a_low).hypot(b_high - b);
            let high = (a_high - a).hypot(b - b_low);
            Ok([a - b, a - b - low, a - b + high])
        };
        Ok(Some(match self {
            Self::Above(name, line) => {
                let [_, low, high] = number(name)?;
                Holding::above(low, high, *line)
            }
            Self::Below(name, line) => {
                let [_, low, high] = number(name)?;
                Holding::above(-high, -low, -line)
            }
            Self::Between(name, from, to) => {
                let [_, low, high] = number(name)?;
                Holding::between(low, high, *from, *to)
            }
            Self::More(a, b, by) => {
                let [_, low, high] = apart(a, b)?;
                Holding::above(low, high, *by)
            }
            Self::Near(a, b, within) => {
                let [_, low, high] = apart(a, b)?;
                Holding::between(low, high, -within, *within)
            }
            Self::Largest(name, others) => {
                let mut all = Vec::with_capacity(others.len());
                for other in others.iter().filter(|other| *other != name) {
                    let [_, low, high] = apart(name, other)?;
                    all.push(Holding::above(low, high, 0.0));
                }
                Holding::all(all)
            }
            Self::Says(name, word) => {
                Holding::same(&field(name)?.words(), std::slice::from_ref(word))
            }
            Self::SameWord(a, b) => Holding::same(&field(a)?.words(), &field(b)?.words()),
            Self::All(list) => Holding::all(each(list)?),
            Self::Any(list) => Holding::any(each(list)?),
            Self::Not(one) => one.judge(field)?.unwrap_or(Holding::Open).not(),
            Self::Unless(one) => Holding::of(one.judge(field)? != Some(Holding::Agrees)),
            Self::Otherwise => return Ok(None),
        }))
    }

    /// How every option of a step stands, [`Predicate::Otherwise`] by what the others do.
    ///
    /// # Errors
    /// As [`Predicate::judge`].
    pub(super) fn judge_all<E>(
        options: &[&Self],
        field: &dyn Fn(&FieldName) -> Result<FieldValue, E>,
    ) -> Result<Vec<Holding>, E> {
        let mut found = Vec::with_capacity(options.len());
        for option in options {
            found.push(option.judge(field)?);
        }
        let rest = Holding::any(found.iter().copied().flatten()).not();
        Ok(found.into_iter().map(|one| one.unwrap_or(rest)).collect())
    }
}
