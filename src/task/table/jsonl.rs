//! One JSON object a line.

use serde_json::{Map, Value};

use super::Numbered;
use crate::task::error::TaskError;
use crate::task::lines::lines;

/// Every line that is not blank.
pub fn read(file: &[u8]) -> Result<Vec<Numbered<Map<String, Value>>>, TaskError> {
    let all = lines(file)?.into_iter();
    all.filter(|(_, text)| !text.trim().is_empty())
        .map(|(line, text)| {
            let row = serde_json::from_str(text).map_err(|error| TaskError::Format {
                line,
                reason: format!("no JSON object, column {}", error.column()),
            })?;
            Ok((line, row))
        })
        .collect()
}
