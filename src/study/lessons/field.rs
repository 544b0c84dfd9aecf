//! Fields: what texts and predicates name of a run.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::LessonError;
use crate::measure::interval::{high_end, low_end};

/// `vote.1m`, `before.lead`, `accuracy.sum.off@scholar-2`: which run, what of it, of which model.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FieldName {
    /// Whether it is a field of the run before the question.
    pub is_before: bool,
    /// At least one.
    pub parts: Vec<String>,
    /// Where a run is of several models.
    pub model: Option<String>,
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldValue {
    /// With its interval, which for what is exact is the number itself.
    Number {
        value: f64,
        #[serde(deserialize_with = "low_end")]
        low: f64,
        #[serde(deserialize_with = "high_end")]
        high: f64,
    },
    Word(String),
    /// The part that has most of something, and the parts that the rows cannot tell it from.
    Largest {
        word: String,
        beside: Vec<String>,
    },
}

impl FieldValue {
    /// A number without an interval.
    pub fn exact(value: f64) -> Self {
        Self::Number { value, low: value, high: value }
    }

    /// The number and its interval; a word has none, and no predicate holds of it.
    pub(super) fn interval(&self) -> [f64; 3] {
        match self {
            Self::Number { value, low, high } => [*value, *low, *high],
            Self::Word(_) | Self::Largest { .. } => [f64::NAN; 3],
        }
    }

    /// All words that it may be: one where it is sure.
    pub(super) fn words(&self) -> Vec<String> {
        match self {
            Self::Largest { word, beside } => {
                std::iter::once(word).chain(beside).cloned().collect()
            }
            other => vec![other.to_string()],
        }
    }

    /// With so many digits behind the point.
    pub fn formatted(&self, format: FieldFormat) -> String {
        let [value, low, high] = match self {
            Self::Word(word) => return word.clone(),
            Self::Largest { word, beside } => {
                return match beside.as_slice() {
                    [] => word.clone(),
                    [other] => format!("{word} or {other}"),
                    others => format!("{word} or one of {} others", others.len()),
                };
            }
            Self::Number { value, low, high } => [*value, *low, *high],
        };
        let text = match format {
            FieldFormat::Interval => {
                let is_known = low.is_finite() && high.is_finite();
                let decimals = decimals_of([low, high]);
                let [value, low, high] = [value, low, high]
                    .map(|x| Self::exact(x).formatted(FieldFormat::Decimals(decimals)));
                return if is_known {
                    format!("{value} ({low} to {high})")
                } else {
                    format!("{value} (one row: no interval)")
                };
            }
            FieldFormat::Decimals(decimals) => format!("{value:.decimals$}"),
            FieldFormat::Scientific if value == 0.0 => "0".to_owned(),
            FieldFormat::Scientific => format!("{value:.0e}"),
        };
        match text.strip_prefix('-') {
            // A rounded nothing has no sign.
            Some(rest) if rest.bytes().all(|b| matches!(b, b'0' | b'.')) => rest.to_owned(),
            Some(rest) => format!("−{rest}"),
            None => text,
        }
    }
}

/// As few digits as tell the ends of an interval apart, and leave no end that is not 0 at 0: it would hide on which
/// side it lies.
fn decimals_of(ends: [f64; 2]) -> usize {
    let [low, high] = ends;
    let is_hidden = |decimals: i32| {
        let scale = 10f64.powi(decimals);
        ends.iter().any(|end| *end != 0.0 && (end * scale).round() == 0.0)
    };
    let is_merged = |decimals: i32| low < high && (high - low) * 10f64.powi(decimals) < 1.0;
    let for_sides = (0..3).find(|&decimals| !is_hidden(decimals)).unwrap_or(3);
    let for_width = (0..4).find(|&decimals| !is_merged(decimals)).unwrap_or(4);
    for_sides.max(for_width) as usize
}

impl fmt::Display for FieldValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.formatted(FieldFormat::Decimals(0)))
    }
}

/// How a number is written in a text: `{lead:2}`, `{sum_error:e}`, `{kept.skip:i}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldFormat {
    Decimals(usize),
    Scientific,
    /// Whole, with its interval behind it.
    Interval,
}

impl fmt::Display for FieldFormat {
    /// As it stands behind a field's name in a text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Decimals(decimals) => write!(f, ":{decimals}"),
            Self::Scientific => f.write_str(":e"),
            Self::Interval => f.write_str(":i"),
        }
    }
}

impl FromStr for FieldName {
    type Err = LessonError;

    fn from_str(text: &str) -> Result<Self, LessonError> {
        let (path, model) = match text.split_once('@') {
            Some((path, model)) => (path, Some(model.to_owned())),
            None => (text, None),
        };
        let (is_before, path) = match path.strip_prefix("before.") {
            Some(rest) => (true, rest),
            None => (false, path),
        };
        let parts: Vec<String> = path.split('.').map(str::to_owned).collect();
        let is_word = |word: &str| {
            let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ':' | '+');
            !word.is_empty() && word.chars().all(fits)
        };
        // A model is named as its file is: `SmolLM2-135M-Instruct.Q4_1`.
        let is_model = model.iter().all(|model| model.split('.').all(is_word));
        if is_model && parts.iter().all(|part| is_word(part)) {
            Ok(Self { is_before, parts, model })
        } else {
            Err(LessonError::FieldName { name: text.to_owned() })
        }
    }
}

impl fmt::Display for FieldName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let before = if self.is_before { "before." } else { "" };
        write!(f, "{before}{}", self.parts.join("."))?;
        match &self.model {
            Some(model) => write!(f, "@{model}"),
            None => Ok(()),
        }
    }
}

impl TryFrom<String> for FieldName {
    type Error = LessonError;

    fn try_from(text: String) -> Result<Self, LessonError> {
        text.parse()
    }
}

impl From<FieldName> for String {
    fn from(name: FieldName) -> Self {
        name.to_string()
    }
}

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TextPiece<'a> {
    Plain(&'a str),
    Field(FieldName, FieldFormat),
}

/// A text in pieces: `The lead is {lead:2}.`
///
/// # Errors
/// A brace without its other half, a field that is none.
pub(super) fn pieces(text: &str) -> Result<Vec<TextPiece<'_>>, LessonError> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((plain, after)) = rest.split_once('{') {
        let (inner, next) =
            after.split_once('}').ok_or_else(|| LessonError::Brace { text: text.to_owned() })?;
        pieces.push(TextPiece::Plain(plain));
        pieces.push(field(inner)?);
        rest = next;
    }
    refuse_if!(rest.contains('}'), LessonError::Brace { text: text.to_owned() });
    pieces.push(TextPiece::Plain(rest));
    Ok(pieces)
}

/// The fields that a text names.
///
/// # Errors
/// As [`pieces`].
pub(super) fn fields_in(text: &str) -> Result<Vec<FieldName>, LessonError> {
    let named = pieces(text)?.into_iter().filter_map(|piece| match piece {
        TextPiece::Field(name, _) => Some(name),
        TextPiece::Plain(_) => None,
    });
    Ok(named.collect())
}

/// Digits behind the point at most.
const MOST_DECIMALS: usize = 9;

fn field(inner: &str) -> Result<TextPiece<'static>, LessonError> {
    // A strategy's name has a colon too: the last one is the format's, if what follows is one.
    let split = inner.rsplit_once(':');
    let format = split.and_then(|(_, format)| match format {
        "e" => Some(FieldFormat::Scientific),
        "i" => Some(FieldFormat::Interval),
        digits => {
            let decimals: Option<usize> = digits.parse().ok();
            let few = decimals.filter(|decimals| *decimals <= MOST_DECIMALS);
            few.map(FieldFormat::Decimals)
        }
    });
    Ok(match (split, format) {
        (Some((name, _)), Some(format)) => TextPiece::Field(name.parse()?, format),
        _ => TextPiece::Field(inner.parse()?, FieldFormat::Decimals(0)),
    })
}
