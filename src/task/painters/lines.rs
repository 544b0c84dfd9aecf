//! A file's lines as text, and rows of one JSON object a line.

use serde::de::DeserializeOwned;

use super::{DataError, Painters};
use crate::task::item::Item;

/// Every line with its number, counted from 1, without its end. A byte order mark is passed over.
pub(super) fn text(file: &[u8]) -> Result<Vec<(usize, &str)>, DataError> {
    let file = file.strip_prefix("\u{feff}".as_bytes()).unwrap_or(file);
    file.split(|&byte| byte == b'\n')
        .enumerate()
        .map(|(index, bytes)| {
            let line = index + 1;
            let text = std::str::from_utf8(bytes).map_err(|_| DataError::NotText { line })?;
            Ok((line, text.strip_suffix('\r').unwrap_or(text)))
        })
        .collect()
}

/// Reads one item from every line that is not blank. `item` makes it, or says why the row is wrong.
pub(super) fn json<R: DeserializeOwned>(
    file: &[u8],
    set: Painters,
    item: impl Fn(R) -> Result<Item, String>,
) -> Result<Vec<Item>, DataError> {
    text(file)?
        .into_iter()
        .filter(|(_, text)| !text.trim().is_empty())
        .map(|(line, text)| {
            let row = serde_json::from_str(text).map_err(|error| {
                // serde_json counts lines within `text`, which is always its first.
                let place = format!(" at line {} column {}", error.line(), error.column());
                DataError::Json {
                    set,
                    line,
                    column: error.column(),
                    reason: error.to_string().replace(&place, ""),
                }
            })?;
            item(row).map_err(|found| DataError::Row { set, line, found })
        })
        .collect()
}
