//! One JSON object a line.

use serde_json::{Map, Value};

use super::Numbered;
use crate::task::error::TaskError;

/// Every line that is not blank.
pub fn read(file: &[u8]) -> Result<Vec<Numbered<Map<String, Value>>>, TaskError> {
    let file = file.strip_prefix("\u{feff}".as_bytes()).unwrap_or(file);
    let mut rows = Vec::new();
    for (index, bytes) in file.split(|&byte| byte == b'\n').enumerate() {
        let line = index + 1;
        let text = std::str::from_utf8(bytes).map_err(|_| TaskError::NotText { line })?;
        if text.trim().is_empty() {
            continue;
        }
        let row = serde_json::from_str(text).map_err(|error| TaskError::Format {
            line,
            reason: format!("no JSON object, column {}", error.column()),
        })?;
        rows.push((line, row));
    }
    Ok(rows)
}
