//! The header of a GGUF file: its metadata, and which tensors it holds and where. Read range by range,
//! in 64-bit numbers; behind the header nothing is read but what follows the last tensor, and no memory is
//! taken for what a file only promises.

pub mod metadata;
mod reader;
pub mod split;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ops::Range;

use self::metadata::GgufMetadata;
use self::reader::HeaderReader;
use super::described::{Described, FileTensors, HeaderType, ReadRange};
use crate::model::{DType, ModelError};

/// A file's header.
pub struct Header {
    pub metadata: GgufMetadata,
    pub tensors: FileTensors,
}

/// Every type of the format that has blocks of a known size: its number, name, and what weights of it
/// are read as.
const TYPES: &[(u32, &str, Option<DType>)] = &[
    (0, "F32", Some(DType::F32)),
    (1, "F16", Some(DType::F16)),
    (2, "Q4_0", Some(DType::Q4_0)),
    (3, "Q4_1", Some(DType::Q4_1)),
    (6, "Q5_0", Some(DType::Q5_0)),
    (7, "Q5_1", Some(DType::Q5_1)),
    (8, "Q8_0", Some(DType::Q8_0)),
    (9, "Q8_1", None),
    (10, "Q2_K", None),
    (11, "Q3_K", None),
    (12, "Q4_K", Some(DType::Q4K)),
    (13, "Q5_K", Some(DType::Q5K)),
    (14, "Q6_K", Some(DType::Q6K)),
    (15, "Q8_K", None),
    (16, "IQ2_XXS", None),
    (17, "IQ2_XS", None),
    (18, "IQ3_XXS", None),
    (19, "IQ1_S", None),
    (20, "IQ4_NL", None),
    (21, "IQ3_S", None),
    (22, "IQ2_S", None),
    (23, "IQ4_XS", None),
    (24, "I8", None),
    (25, "I16", None),
    (26, "I32", None),
    (27, "I64", None),
    (28, "F64", None),
    (29, "IQ1_M", None),
    (30, "BF16", Some(DType::Bf16)),
    (34, "TQ1_0", None),
    (35, "TQ2_0", None),
    (39, "MXFP4", None),
];

/// Where data begin, as the format has it where the file does not say.
const ALIGNMENT: u64 = 32;

/// Bytes of zeros that may follow the last tensor: tools pad files to a multiple of a block or a page.
const MAX_PADDING: u64 = 1 << 20;

/// The most sides of a tensor.
const MOST_SIDES: u32 = 4;

/// Reads the header of the file called `file`, of `size` bytes, through `bytes`, which gives a range
/// of it.
///
/// # Errors
/// The file is not GGUF 2 or 3, was cut off, or its tensors do not lie in it; the error says which.
pub fn read(file: &str, size: u64, bytes: ReadRange) -> Result<Header, ModelError> {
    let mut reader = HeaderReader::new(file, size, bytes);
    refuse_if!(reader.bytes(4)? != b"GGUF", reader.error("it does not begin as one"));
    match reader.u32()? {
        2 | 3 => {}
        1 => return Err(reader.error("its version is 1, which nobody writes any more")),
        swapped @ (0x0200_0000 | 0x0300_0000) => {
            let version = swapped.swap_bytes();
            return Err(reader.error(&format!(
                "version {version} in the other byte order, for big-endian machines: take the little-endian file"
            )));
        }
        other => return Err(reader.error(&format!("its version is {other}, not 2 or 3"))),
    }
    let tensors = reader.u64()?;
    let pairs = reader.u64()?;
    // A name, sides, a type and an offset: no tensor takes fewer bytes; a pair has a key and a type.
    reader.check_count("tensors", tensors, 24)?;
    reader.check_count("pairs of metadata", pairs, 13)?;
    let metadata = GgufMetadata::read(&mut reader, pairs)?;
    let mut in_order = Vec::new();
    for _ in 0..tensors {
        in_order.push(tensor(&mut reader)?);
    }
    let alignment = match metadata.integer("general.alignment")? {
        None => ALIGNMENT,
        Some(alignment) if alignment.is_power_of_two() && alignment <= 1 << 20 => alignment,
        Some(other) => {
            return Err(reader.error(&format!("general.alignment is {other}, no power of two")));
        }
    };

    // As in llama.cpp: every tensor begins where the one before it ends, at the next multiple of the
    // alignment. A tensor whose type says fewer bytes than lie there leaves a gap.
    let start = reader.at().next_multiple_of(alignment);
    let mut next = start;
    let mut described = BTreeMap::new();
    for (name, mut tensor, offset) in in_order {
        let shown = name.escape_debug().to_string();
        if start.checked_add(offset) != Some(next) {
            return Err(reader.error(&format!(
                "tensor {shown} has offset {offset}, and the tensors before it end at {}",
                next - start
            )));
        }
        let end = next.checked_add(tensor.bytes.end).filter(|&end| end <= size);
        let Some(end) = end else {
            return Err(reader.error(&format!(
                "tensor {shown} ends past the file's {size} bytes: it was cut off or is damaged"
            )));
        };
        tensor.bytes = next..end;
        next = end.checked_next_multiple_of(alignment).unwrap_or(u64::MAX);
        if described.insert(name, tensor).is_some() {
            return Err(reader.error(&format!("tensor {shown} is there twice")));
        }
    }

    // A last tensor whose type says too few bytes leaves weights behind it.
    if !is_padding(next..size, bytes)? {
        let more = size - next;
        return Err(reader.error(&format!("{more} bytes lie behind its last tensor")));
    }
    Ok(Header { metadata, tensors: described })
}

/// Whether a file's end is empty or padding, as llama.cpp allows it: a few zeros.
fn is_padding(end: Range<u64>, bytes: ReadRange) -> Result<bool, ModelError> {
    if end.is_empty() {
        return Ok(true);
    }
    if end.end - end.start > MAX_PADDING {
        return Ok(false);
    }
    Ok(bytes(end)?.iter().all(|&byte| byte == 0))
}

/// A tensor's name, what it is (`bytes` from 0 on yet), and where it lies in the data.
fn tensor(reader: &mut HeaderReader) -> Result<(String, Described, u64), ModelError> {
    let name = reader.text("a tensor's name")?;
    let shown = || name.escape_debug().to_string();
    let count = reader.u32()?;
    refuse_if!(count > MOST_SIDES, reader.error(&format!("tensor {} has {count} sides", shown())));
    let mut shape = Vec::new();
    for _ in 0..count {
        shape.push(reader.u64()?);
    }
    let number = reader.u32()?;
    let known = TYPES.iter().find(|(known, ..)| *known == number);
    let Some(&(_, type_name, dtype)) = known else {
        return Err(
            reader.error(&format!("tensor {} is of type {number}, which does not exist", shown()))
        );
    };
    let Some(dtype) = dtype else {
        return Err(ModelError::Dtype {
            tensor: shown(),
            file: reader.file().into(),
            found: type_name.into(),
        });
    };
    let offset = reader.u64()?;
    let row = shape.first().copied().unwrap_or(1);
    if !row.is_multiple_of(dtype.block() as u64) {
        return Err(reader.error(&format!(
            "a row of tensor {} has {row} numbers, no whole blocks of {type_name}",
            shown()
        )));
    }
    let numbers = shape.iter().try_fold(1u64, |n, &side| n.checked_mul(side));
    let length = numbers
        .map(|n| n / dtype.block() as u64)
        .and_then(|blocks| blocks.checked_mul(dtype.block_bytes() as u64));
    let Some(length) = length else {
        let sides = shape.iter().map(u64::to_string).collect::<Vec<_>>();
        return Err(reader.error(&format!(
            "tensor {} is {}, more than 64 bits can count",
            shown(),
            sides.join(" x ")
        )));
    };
    shape.reverse(); // stored innermost first
    let dtype = HeaderType { name: type_name, dtype: Some(dtype) };
    let bytes = 0..length;
    let tensor = Described { dtype, shape, bytes, strides: None };
    Ok((name, tensor, offset))
}
