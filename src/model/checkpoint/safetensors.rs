//! The header of a safetensors file: which tensors it holds and where, in 64-bit numbers whatever
//! this program runs on. Nothing behind the header is read, and no header longer than the format
//! allows.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, Visitor};

use super::described::{Described, FileTensors, HeaderType, ReadRange};
use super::format::{self, OtherFormat};
use crate::model::{DType, ModelError};

/// The longest header, as the format has it.
pub const LONGEST_HEADER: u64 = 100_000_000;

/// First bytes of a file by which other formats are known.
const FIRST_BYTES: u64 = 64;

/// Every type of the format, the bits of one number, and what weights of it are read as.
const TYPES: &[(&str, u64, Option<DType>)] = &[
    ("BOOL", 8, None),
    ("F4", 4, None),
    ("F6_E2M3", 6, None),
    ("F6_E3M2", 6, None),
    ("U8", 8, None),
    ("I8", 8, None),
    ("F8_E5M2", 8, None),
    ("F8_E4M3", 8, None),
    ("F8_E8M0", 8, None),
    ("F8_E4M3FNUZ", 8, None),
    ("F8_E5M2FNUZ", 8, None),
    ("I16", 16, None),
    ("U16", 16, None),
    ("F16", 16, Some(DType::F16)),
    ("BF16", 16, Some(DType::Bf16)),
    ("I32", 32, None),
    ("U32", 32, None),
    ("F32", 32, Some(DType::F32)),
    ("C64", 64, None),
    ("F64", 64, None),
    ("I64", 64, None),
    ("U64", 64, None),
];

impl<'de> Deserialize<'de> for HeaderType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let named = String::deserialize(deserializer)?;
        let known = TYPES.iter().find(|(name, ..)| *name == named);
        let known = known.map(|&(name, _, dtype)| Self { name, dtype });
        known.ok_or_else(|| D::Error::custom(format!("unknown type {named:?}")))
    }
}

/// Bits of one number; 0 of a type that the format does not have.
pub fn bits(dtype: HeaderType) -> u64 {
    let known = TYPES.iter().find(|(name, ..)| *name == dtype.name);
    known.map_or(0, |(_, bits, _)| *bits)
}

/// Reads the header of the file called `file`, of `size` bytes, through `bytes`, which gives a range
/// of it.
///
/// # Errors
/// The file is not safetensors (the error names its format, where that is known), was cut off, or its
/// tensors do not lie one behind the other.
pub fn read(file: &str, size: u64, bytes: ReadRange) -> Result<FileTensors, ModelError> {
    let first = bytes(0..size.min(FIRST_BYTES))?;
    let Some(length) = first.first_chunk().map(|b| u64::from_le_bytes(*b)) else {
        return Err(not_safetensors(file, format!("it has only {size} bytes")));
    };
    // No header that could be read begins as one of the formats does: its length would be too large.
    if length > LONGEST_HEADER || length > size - 8 {
        return Err(match format::known(&first) {
            Some(OtherFormat { what, hint }) => {
                ModelError::OtherFormat { file: file.into(), expected: "safetensors", what, hint }
            }
            None if length > size - 8 => {
                ModelError::HeaderPastEnd { file: file.into(), header: length, size }
            }
            None => ModelError::HeaderTooLong {
                file: file.into(),
                header: length,
                longest: LONGEST_HEADER,
            },
        });
    }
    let start = 8 + length;
    let header = bytes(8..start)?;
    let Tensors(mut tensors) = serde_json::from_slice(&header)
        .map_err(|reason| not_safetensors(file, reason.to_string()))?;
    let end = check_places(file, &tensors)?;
    if end > size - start {
        return Err(ModelError::Truncated {
            file: file.into(),
            expected: start.saturating_add(end),
            found: size,
        });
    }
    if end < size - start {
        let reason = format!("{} bytes after its last tensor", size - start - end);
        return Err(not_safetensors(file, reason));
    }
    for tensor in tensors.values_mut() {
        let Range { start: from, end } = tensor.bytes;
        tensor.bytes = start + from..start + end;
    }
    Ok(tensors)
}

/// Tensors lie one behind the other, without gaps, each as long as its shape and type say: checked,
/// and where the last ends.
fn check_places(file: &str, tensors: &FileTensors) -> Result<u64, ModelError> {
    let mut in_order: Vec<(&String, &Described)> = tensors.iter().collect();
    in_order.sort_by_key(|(_, tensor)| (tensor.bytes.start, tensor.bytes.end));
    let mut end = 0;
    for (name, tensor) in in_order {
        let mut sides = tensor.shape.iter();
        let numbers = sides.try_fold(1u64, |n, &side| n.checked_mul(side));
        let bits = numbers.and_then(|n| n.checked_mul(bits(tensor.dtype)));
        let length = tensor.bytes.end.checked_sub(tensor.bytes.start);
        let stored = length.and_then(|bytes| bytes.checked_mul(8));
        if tensor.bytes.start != end || stored.is_none() || stored != bits {
            let reason = format!(
                "tensor {} does not lie where its shape and its neighbours say",
                name.escape_debug()
            );
            return Err(not_safetensors(file, reason));
        }
        end = tensor.bytes.end;
    }
    Ok(end)
}

fn not_safetensors(file: &str, reason: String) -> ModelError {
    ModelError::NotSafetensors { file: file.into(), reason }
}

/// A header's JSON; places count from the header's end.
struct Tensors(FileTensors);

#[derive(Deserialize)]
struct Info {
    dtype: HeaderType,
    shape: Vec<u64>,
    data_offsets: (u64, u64),
}

impl<'de> Deserialize<'de> for Tensors {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;

        impl<'de> Visitor<'de> for Entries {
            type Value = Tensors;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object of tensors")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tensors, A::Error> {
                let mut tensors = BTreeMap::new();
                while let Some(name) = map.next_key::<String>()? {
                    if name == "__metadata__" {
                        map.next_value::<IgnoredAny>()?;
                        continue;
                    }
                    let Info { dtype, shape, data_offsets: (start, end) } = map.next_value()?;
                    let bytes = start..end;
                    let described = Described { dtype, shape, bytes, strides: None };
                    if tensors.contains_key(&name) {
                        return Err(A::Error::custom(format!("tensor {name:?} is there twice")));
                    }
                    tensors.insert(name, described);
                }
                Ok(Tensors(tensors))
            }
        }

        deserializer.deserialize_map(Entries)
    }
}
