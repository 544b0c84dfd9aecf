//! The metadata of a GGUF file: keys and values of a few types, asked for by the type that is wanted.

use std::collections::BTreeMap;

use super::reader::HeaderReader;
use crate::model::ModelError;

/// A file's pairs.
pub struct GgufMetadata {
    file: String,
    values: BTreeMap<String, MetadataValue>,
}

/// A value: numbers in the widest type of their kind, arrays by what they hold.
enum MetadataValue {
    Integer(i128),
    Number(f64),
    Flag(bool),
    Text(String),
    Integers(Vec<i64>),
    Numbers(Vec<f32>),
    Texts(Vec<String>),
    /// An array of flags or of arrays, which nothing here asks for.
    Other,
}

/// The type of a value, by its number in the file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    Integer { bytes: u8, signed: bool },
    Number { bytes: u8 },
    Flag,
    Text,
    Array,
}

impl Type {
    fn of(number: u32) -> Option<Self> {
        let integer = |bytes, signed| Self::Integer { bytes, signed };
        Some(match number {
            0 => integer(1, false),
            1 => integer(1, true),
            2 => integer(2, false),
            3 => integer(2, true),
            4 => integer(4, false),
            5 => integer(4, true),
            10 => integer(8, false),
            11 => integer(8, true),
            6 => Self::Number { bytes: 4 },
            12 => Self::Number { bytes: 8 },
            7 => Self::Flag,
            8 => Self::Text,
            9 => Self::Array,
            _ => return None,
        })
    }

    /// Bytes that a value takes at least.
    fn least(self) -> u64 {
        match self {
            Self::Integer { bytes, .. } | Self::Number { bytes } => bytes.into(),
            Self::Flag => 1,
            Self::Text => 8,
            Self::Array => 12,
        }
    }
}

impl GgufMetadata {
    pub(super) fn read(reader: &mut HeaderReader, pairs: u64) -> Result<Self, ModelError> {
        let mut values = BTreeMap::new();
        for _ in 0..pairs {
            let key = reader.text("a key of its metadata")?;
            let shown = key.escape_debug().to_string();
            let number = reader.u32()?;
            let value = value(reader, &shown, number, 0)?;
            if values.insert(key, value).is_some() {
                return Err(reader.error(&format!("key {shown} is there twice")));
            }
        }
        Ok(Self { file: reader.file().into(), values })
    }

    /// The file they are from, for errors.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// # Errors
    /// It is there and no whole number of 64 bits from 0 on.
    pub fn integer(&self, key: &str) -> Result<Option<u64>, ModelError> {
        self.get(key, "a whole number", |value| match value {
            MetadataValue::Integer(number) => u64::try_from(*number).ok(),
            _ => None,
        })
    }

    /// A whole number, or one for every block where all are the same.
    ///
    /// # Errors
    /// It is there and neither.
    pub fn same_integer(&self, key: &str) -> Result<Option<u64>, ModelError> {
        let what = "one whole number for all blocks";
        self.get(key, what, |value| match value {
            MetadataValue::Integer(number) => u64::try_from(*number).ok(),
            MetadataValue::Integers(all) => {
                let first = all.first()?;
                let is_one = all.iter().all(|other| other == first);
                is_one.then(|| u64::try_from(*first).ok()).flatten()
            }
            _ => None,
        })
    }

    /// # Errors
    /// It is there and no finite number.
    pub fn number(&self, key: &str) -> Result<Option<f64>, ModelError> {
        self.get(key, "a number", |value| match value {
            MetadataValue::Number(number) => Some(*number).filter(|number| number.is_finite()),
            MetadataValue::Integer(number) => Some(*number as f64),
            _ => None,
        })
    }

    /// # Errors
    /// It is there and neither true nor false.
    pub fn flag(&self, key: &str) -> Result<Option<bool>, ModelError> {
        self.get(key, "true or false", |value| match value {
            MetadataValue::Flag(flag) => Some(*flag),
            _ => None,
        })
    }

    /// # Errors
    /// It is there and no text.
    pub fn text(&self, key: &str) -> Result<Option<&str>, ModelError> {
        self.get(key, "a text", |value| match value {
            MetadataValue::Text(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// # Errors
    /// It is there and no list of texts.
    pub fn texts(&self, key: &str) -> Result<Option<&[String]>, ModelError> {
        self.get(key, "a list of texts", |value| match value {
            MetadataValue::Texts(texts) => Some(&texts[..]),
            _ => None,
        })
    }

    /// # Errors
    /// It is there and no list of numbers.
    pub fn numbers(&self, key: &str) -> Result<Option<&[f32]>, ModelError> {
        self.get(key, "a list of numbers", |value| match value {
            MetadataValue::Numbers(numbers) => Some(&numbers[..]),
            _ => None,
        })
    }

    /// # Errors
    /// It is there and no list of whole numbers.
    pub fn integers(&self, key: &str) -> Result<Option<&[i64]>, ModelError> {
        self.get(key, "a list of whole numbers", |value| match value {
            MetadataValue::Integers(numbers) => Some(&numbers[..]),
            _ => None,
        })
    }

    /// Returns the value of a key that every model needs.
    ///
    /// # Errors
    /// `value` is `None`.
    pub fn needed<T>(&self, key: &str, value: Option<T>) -> Result<T, ModelError> {
        value.ok_or_else(|| ModelError::MissingKey { file: self.file.clone(), key: key.into() })
    }

    fn get<'a, T>(
        &'a self,
        key: &str,
        what: &str,
        read: impl Fn(&'a MetadataValue) -> Option<T>,
    ) -> Result<Option<T>, ModelError> {
        let Some(value) = self.values.get(key) else {
            return Ok(None);
        };
        read(value).map(Some).ok_or_else(|| ModelError::NotGguf {
            file: self.file.clone(),
            reason: format!("{key} is not {what}"),
        })
    }
}

/// The value of `key`, of the type with this number.
fn value(
    reader: &mut HeaderReader,
    key: &str,
    number: u32,
    depth: u8,
) -> Result<MetadataValue, ModelError> {
    let unknown = || reader.error(&format!("{key} is of type {number}, which does not exist"));
    let kind = Type::of(number).ok_or_else(unknown)?;
    Ok(match kind {
        Type::Integer { bytes, signed } => MetadataValue::Integer(integer(reader, bytes, signed)?),
        Type::Number { bytes } => MetadataValue::Number(float(reader, bytes)?),
        Type::Flag => MetadataValue::Flag(reader.u8()? != 0),
        Type::Text => MetadataValue::Text(reader.text(key)?),
        Type::Array => array(reader, key, depth)?,
    })
}

fn array(reader: &mut HeaderReader, key: &str, depth: u8) -> Result<MetadataValue, ModelError> {
    /// Vocabularies have a quarter of a million tokens, and about as many merges. Numbers of one byte in the
    /// file take eight here.
    const LONGEST: u64 = 1 << 24;
    /// Arrays of arrays are allowed, and none has been seen.
    const DEEPEST: u8 = 4;
    let number = reader.u32()?;
    let count = reader.u64()?;
    if depth >= DEEPEST {
        return Err(reader.error(&format!("{key} has lists in lists deeper than {DEEPEST}")));
    }
    let unknown =
        || reader.error(&format!("{key} is a list of type {number}, which does not exist"));
    let kind = Type::of(number).ok_or_else(unknown)?;
    reader.check_count(&format!("values of {key}"), count, kind.least())?;
    if count > LONGEST {
        return Err(reader.error(&format!(
            "{key} has {count} values, and the longest list of a model has {LONGEST}"
        )));
    }
    // No memory is taken before a value is read.
    let indices = 0..count;
    Ok(match kind {
        Type::Integer { bytes, signed } => {
            let all = indices.map(|_| integer(reader, bytes, signed));
            let all = all.map(|number| Ok(i64::try_from(number?).unwrap_or(i64::MAX)));
            MetadataValue::Integers(all.collect::<Result<_, ModelError>>()?)
        }
        Type::Number { bytes } => {
            let all = indices.map(|_| Ok(float(reader, bytes)? as f32));
            MetadataValue::Numbers(all.collect::<Result<_, ModelError>>()?)
        }
        Type::Text => {
            MetadataValue::Texts(indices.map(|_| reader.text(key)).collect::<Result<_, _>>()?)
        }
        Type::Flag | Type::Array => {
            for _ in indices {
                value(reader, key, number, depth + 1)?;
            }
            MetadataValue::Other
        }
    })
}

fn integer(reader: &mut HeaderReader, bytes: u8, signed: bool) -> Result<i128, ModelError> {
    Ok(match (bytes, signed) {
        (1, false) => reader.u8()?.into(),
        (1, true) => reader.u8()?.cast_signed().into(),
        (2, false) => reader.u16()?.into(),
        (2, true) => reader.u16()?.cast_signed().into(),
        (4, false) => reader.u32()?.into(),
        (4, true) => reader.u32()?.cast_signed().into(),
        (_, false) => reader.u64()?.into(),
        (_, true) => reader.u64()?.cast_signed().into(),
    })
}

fn float(reader: &mut HeaderReader, bytes: u8) -> Result<f64, ModelError> {
    Ok(match bytes {
        4 => f32::from_bits(reader.u32()?).into(),
        _ => f64::from_bits(reader.u64()?),
    })
}
