//! csv (RFC 4180) and tsv. Tabs are never quoted: a quotation mark in a tsv is a letter like any
//! other, as GLUE's files have them.

use csv::{ByteRecord, ReaderBuilder};

use super::Numbered;
use crate::task::error::TaskError;

/// Every row that is not an empty line, with the line it begins in.
pub fn read(file: &[u8], delimiter: u8) -> Result<Vec<Numbered<Vec<String>>>, TaskError> {
    let file = file.strip_prefix("\u{feff}".as_bytes()).unwrap_or(file);
    if delimiter != b'\t'
        && let Some(line) = open_quote(file, delimiter)
    {
        return Err(TaskError::OpenQuote { line });
    }
    let mut reader = ReaderBuilder::new()
        .delimiter(delimiter)
        .quoting(delimiter != b'\t')
        .has_headers(false)
        .flexible(true)
        .from_reader(file);
    let mut rows = Vec::new();
    let mut record = ByteRecord::new();
    loop {
        let line = reader.position().line() as usize;
        match reader.read_byte_record(&mut record) {
            Ok(true) => {}
            Ok(false) => return Ok(rows),
            Err(error) => {
                return Err(TaskError::Format { line, reason: error.to_string() });
            }
        }
        // Counted back from its end: the reader passes over empty lines before it.
        let end = reader.position();
        let ended = file[..end.byte() as usize].ends_with(b"\n");
        let within = record.as_slice().iter().filter(|&&byte| byte == b'\n');
        let line = end.line() as usize - usize::from(ended) - within.count();
        let text = |cell: &[u8]| {
            let text = std::str::from_utf8(cell).map_err(|_| TaskError::NotText { line })?;
            Ok(text.to_string())
        };
        let cells = record.iter().map(text).collect::<Result<_, TaskError>>()?;
        rows.push((line, cells));
    }
}

/// The line of a quotation mark that begins a cell which nothing ends: all that follows would be read
/// as one cell, and what is wrong said of another place.
fn open_quote(file: &[u8], delimiter: u8) -> Option<usize> {
    let mut line = 1;
    let mut opened = None;
    let mut begins = true;
    let mut bytes = file.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        line += usize::from(byte == b'\n');
        match opened {
            // Two of them are one that is a letter.
            Some(_) if byte == b'"' && bytes.next_if_eq(&b'"').is_none() => opened = None,
            Some(_) => {}
            None if byte == b'"' && begins => opened = Some(line),
            None => {}
        }
        begins = opened.is_none() && (byte == delimiter || byte == b'\n' || byte == b'\r');
    }
    opened
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_that_is_never_closed_is_said_of_its_line() {
        let why = |file: &[u8]| read(file, b',').map_err(|error| error.to_string());
        assert_eq!(
            why(b"a,b\nc,\"d\ne,f\n\"\"g,h\n").expect_err("open"),
            "line 2 begins a cell with a quotation mark that is never closed: close it, or write it twice within a quoted cell"
        );
        for closed in [
            &b"a,\"b\"\n"[..],
            b"a,\"b\nc\"\"d\",e\n\"\",x",
            b"a 5\" disk,b\n",
            b"a,b\"\n",
            b"\"\"",
        ] {
            assert!(why(closed).is_ok(), "{closed:?}");
        }
        assert!(read(b"\"a\tb\n", b'\t').is_ok());
    }

    #[test]
    fn quotes_hold_commas_and_lines_in_csv_and_nothing_in_tsv() {
        let rows = read(b"\"a, b\",\"say \"\"x\"\"\nnow\"\nc,d\n\ne,f", b',').expect("rows");
        assert_eq!(
            rows,
            [
                (1, vec!["a, b".into(), "say \"x\"\nnow".into()]),
                (3, vec!["c".into(), "d".into()]),
                (5, vec!["e".into(), "f".into()]),
            ]
        );
        let rows = read(b"\"a\tb\r\nc\td", b'\t').expect("rows");
        assert_eq!(rows[0].1, ["\"a", "b"]);
        assert_eq!(rows[1], (2, vec!["c".into(), "d".into()]));
    }

    #[test]
    fn what_is_not_text_is_named_by_its_line() {
        let refusal = read(b"a,b\nc,\xff\n", b',').expect_err("not UTF-8");
        assert_eq!(refusal.to_string(), "line 2 is not UTF-8 text: save the file as UTF-8");
    }
}
