//! Parquet, as data sets are published on model hubs.

use bytes::Bytes;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use serde_json::{Map, Value};

use super::Numbered;
use crate::guarded::guarded;
use crate::task::error::TaskError;

pub fn read(file: &[u8]) -> Result<Vec<Numbered<Map<String, Value>>>, TaskError> {
    let read = guarded(|| rows(file));
    read.map_err(|reason| TaskError::Parquet { reason })?
}

fn rows(file: &[u8]) -> Result<Vec<Numbered<Map<String, Value>>>, TaskError> {
    let wrong =
        |error: parquet::errors::ParquetError| TaskError::Parquet { reason: error.to_string() };
    let reader = SerializedFileReader::new(Bytes::copy_from_slice(file)).map_err(wrong)?;
    let rows = reader.get_row_iter(None).map_err(wrong)?;
    rows.enumerate().map(|(index, row)| Ok((index + 1, object(&row.map_err(wrong)?)))).collect()
}

fn object(row: &Row) -> Map<String, Value> {
    let columns = row.get_column_iter();
    columns.map(|(name, field)| (name.clone(), value(field))).collect()
}

/// Dates, decimals and bytes are not what questions are made of: they read as nothing.
fn value(field: &Field) -> Value {
    match field {
        Field::Bool(is) => Value::from(*is),
        Field::Byte(x) => Value::from(*x),
        Field::Short(x) => Value::from(*x),
        Field::Int(x) => Value::from(*x),
        Field::Long(x) => Value::from(*x),
        Field::UByte(x) => Value::from(*x),
        Field::UShort(x) => Value::from(*x),
        Field::UInt(x) => Value::from(*x),
        Field::ULong(x) => Value::from(*x),
        Field::Float(x) => Value::from(*x),
        Field::Double(x) => Value::from(*x),
        Field::Str(text) => Value::from(text.as_str()),
        Field::Group(row) => Value::Object(object(row)),
        Field::ListInternal(list) => list.elements().iter().map(value).collect(),
        _ => Value::Null,
    }
}
