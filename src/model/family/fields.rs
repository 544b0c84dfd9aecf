//! The fields of a `config.json`, each checked as it is read: what a family's file asks for and does
//! not get, or gets out of range, is refused with the field's name.

use std::fmt::Display;
use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use crate::model::ModelError;

/// Sizes past this are a damaged or hostile file, not a model.
pub const LARGEST: usize = 1 << 24;

/// A `config.json`, and the family that reads it.
pub struct Fields {
    /// For people.
    pub family: &'static str,
    fields: Map<String, Value>,
}

impl Fields {
    pub fn new(family: &'static str, fields: Map<String, Value>) -> Self {
        Self { family, fields }
    }

    /// A field that is there and not null.
    pub fn get(&self, field: &str) -> Option<&Value> {
        self.fields.get(field).filter(|value| !value.is_null())
    }

    /// A size that the family cannot do without, from 1 to [`LARGEST`].
    ///
    /// # Errors
    /// It is missing, or no such number.
    pub fn size(&self, field: &'static str) -> Result<usize, ModelError> {
        let size = self.optional_size(field)?;
        size.ok_or_else(|| self.missing(field))
    }

    /// # Errors
    /// It is there and not from 1 to [`LARGEST`].
    pub fn optional_size(&self, field: &'static str) -> Result<Option<usize>, ModelError> {
        self.whole(field, 1..=LARGEST)
    }

    /// A window of attention: how many tokens one token sees; `absent` where the field is not there
    /// at all, none where it is null. One that no prompt of `context` tokens fills is none.
    ///
    /// # Errors
    /// It is there and no whole number above 0.
    pub fn window(
        &self,
        field: &'static str,
        absent: Option<u64>,
        context: usize,
    ) -> Result<Option<usize>, ModelError> {
        let window = self.read(
            field,
            |value| value.as_u64().filter(|window| *window > 0),
            "it must be at least 1, or null",
        )?;
        let absent = absent.filter(|_| !self.fields.contains_key(field));
        let window = window.or(absent);
        let window = window.and_then(|window| usize::try_from(window).ok());
        Ok(window.filter(|window| *window < context))
    }

    /// A count that may be 0.
    ///
    /// # Errors
    /// It is there and not from 0 to [`LARGEST`].
    pub fn count(&self, field: &'static str, absent: usize) -> Result<usize, ModelError> {
        Ok(self.whole(field, 0..=LARGEST)?.unwrap_or(absent))
    }

    /// Reads a whole number in `range`, if the field is there.
    fn whole(
        &self,
        field: &'static str,
        range: RangeInclusive<usize>,
    ) -> Result<Option<usize>, ModelError> {
        let size = |value: &Value| value.as_u64().and_then(|size| usize::try_from(size).ok());
        self.read(
            field,
            |value| size(value).filter(|size| range.contains(size)),
            format_args!("it must be from {} to {}", range.start(), range.end()),
        )
    }

    /// A norm's eps.
    ///
    /// # Errors
    /// It is missing, or not between 0 and 1.
    pub fn eps(&self, field: &'static str) -> Result<f64, ModelError> {
        let eps = self.read(
            field,
            |value| value.as_f64().filter(|eps| *eps > 0.0 && *eps < 1.0),
            "it must be between 0 and 1",
        )?;
        eps.ok_or_else(|| self.missing(field))
    }

    /// # Errors
    /// It is there and no number.
    pub fn number(&self, field: &'static str) -> Result<Option<f64>, ModelError> {
        self.read(field, Value::as_f64, "it must be a number")
    }

    /// # Errors
    /// It is there and neither true nor false.
    pub fn flag(&self, field: &'static str, absent: bool) -> Result<bool, ModelError> {
        let flag = self.read(field, Value::as_bool, "it must be true or false")?;
        Ok(flag.unwrap_or(absent))
    }

    /// # Errors
    /// It is there and no text.
    pub fn text(&self, field: &'static str) -> Result<Option<&str>, ModelError> {
        self.read(field, Value::as_str, "it must be a name")
    }

    /// # Errors
    /// It is there and no token id.
    pub fn token(&self, field: &'static str) -> Result<Option<u32>, ModelError> {
        self.read(field, token, "it must be a token id")
    }

    /// One token id, or several.
    ///
    /// # Errors
    /// It is there and neither.
    pub fn tokens(&self, field: &'static str) -> Result<Vec<u32>, ModelError> {
        let tokens = self.read(
            field,
            |value| match value {
                Value::Array(values) => values.iter().map(token).collect(),
                one => token(one).map(|id| vec![id]),
            },
            "it must be a token id, or a list of them",
        )?;
        Ok(tokens.unwrap_or_default())
    }

    /// Refuses choices that the family has and atelier does not run: fields, what each must be, and why.
    ///
    /// # Errors
    /// A flag is not what it must be.
    pub fn must_be(
        &self,
        choices: &[(&'static str, bool, &'static str)],
    ) -> Result<(), ModelError> {
        for &(field, wanted, why) in choices {
            let found = self.flag(field, wanted)?;
            expect(field, found, found == wanted, why)?;
        }
        Ok(())
    }

    fn read<'a, T>(
        &'a self,
        field: &'static str,
        read: impl Fn(&'a Value) -> Option<T>,
        expected: impl Display,
    ) -> Result<Option<T>, ModelError> {
        let Some(value) = self.get(field) else {
            return Ok(None);
        };
        read(value).map(Some).ok_or_else(|| config(field, shown(value), expected))
    }

    fn missing(&self, field: &'static str) -> ModelError {
        ModelError::MissingField { field, family: self.family }
    }
}

/// # Errors
/// `fits` is not true.
pub fn expect(
    field: &'static str,
    found: impl Display,
    fits: bool,
    expected: impl Display,
) -> Result<(), ModelError> {
    if fits { Ok(()) } else { Err(config(field, found, expected)) }
}

pub fn config(field: &'static str, found: impl Display, expected: impl Display) -> ModelError {
    ModelError::Config { field, found: found.to_string(), expected: expected.to_string() }
}

/// A value as a sentence can hold it: one line, and not all of a hostile one.
pub fn shown(value: &Value) -> String {
    const MOST: usize = 60;
    let text = match value {
        Value::String(text) => text.escape_debug().to_string(),
        other => other.to_string(),
    };
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Shortens and escapes a text for a sentence, as [`shown`] does.
pub fn shown_text(text: &str) -> String {
    shown(&Value::String(text.into()))
}

fn token(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|id| u32::try_from(id).ok())
}
