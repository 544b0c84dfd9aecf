//! Lines of text.

use super::error::TaskError;

/// Every line of a file with its number, counted from 1, without its end. A byte order mark is passed over.
///
/// # Errors
/// The first line that is not UTF-8.
pub fn lines(file: &[u8]) -> Result<Vec<(usize, &str)>, TaskError> {
    let file = file.strip_prefix("\u{feff}".as_bytes()).unwrap_or(file);
    let lines = file.split(|&byte| byte == b'\n').zip(1..);
    lines
        .map(|(bytes, line)| {
            let text = std::str::from_utf8(bytes).map_err(|_| TaskError::NotText { line })?;
            Ok((line, text.strip_suffix('\r').unwrap_or(text)))
        })
        .collect()
}
