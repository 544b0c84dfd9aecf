//! A figure's numbers: rows for a screen reader, CSV, and JSON.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::number::short;

/// One cell: shown rounded, written to CSV in full.
#[derive(Clone, Debug, PartialEq)]
pub enum TableCell {
    Text(String),
    Count(usize),
    Number(f64),
    /// Right or not.
    Check(bool),
    /// A plan that the reader may put in the lab.
    Plan(String),
    /// A member in words, and its name, by which its own row is found.
    Member {
        text: String,
        member: String,
    },
}

impl TableCell {
    /// The number, or nothing where it is not known.
    pub fn known(number: Option<f64>) -> Self {
        number.map_or_else(|| Self::Text(String::new()), Self::Number)
    }

    /// As a person reads it.
    pub fn shown(&self) -> String {
        match self {
            Self::Text(text) | Self::Plan(text) | Self::Member { text, .. } => text.clone(),
            Self::Count(n) => n.to_string(),
            // An end of an interval that nobody knows.
            Self::Number(x) if x.is_infinite() => String::new(),
            Self::Number(x) => short(*x),
            Self::Check(yes) => if *yes { "✓ yes" } else { "no" }.to_owned(),
        }
    }

    fn json(&self) -> Value {
        match self {
            Self::Text(text) | Self::Plan(text) | Self::Member { text, .. } => json!(text),
            Self::Count(n) => json!(n),
            // Infinite ones, which JSON has not, are null: nobody knows them.
            Self::Number(x) => json!(x),
            Self::Check(yes) => json!(yes),
        }
    }

    fn csv(&self) -> String {
        match self {
            Self::Text(text) | Self::Plan(text) | Self::Member { text, .. } => {
                quoted(&harmless(text)).into_owned()
            }
            Self::Count(n) => n.to_string(),
            Self::Number(x) if x.is_infinite() => String::new(),
            Self::Number(x) => x.to_string(),
            Self::Check(yes) => yes.to_string(),
        }
    }
}

/// A spreadsheet runs a text that begins like a formula, and names come from files: an apostrophe in
/// front keeps it a text.
fn harmless(text: &str) -> Cow<'_, str> {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) && text.parse::<f64>().is_err() {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

fn quoted(text: &str) -> Cow<'_, str> {
    if text.contains([',', '"', '\n', '\r']) {
        Cow::Owned(format!("\"{}\"", text.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(text)
    }
}

/// The numbers behind a figure; every row has as many cells as there are headers.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    pub headers: Vec<String>,
    pub rows: Vec<Vec<TableCell>>,
}

/// A column of a table over things of one kind: its header, and a thing's cell.
pub type TableColumn<'a, T> = (&'a str, &'a dyn Fn(&T) -> TableCell);

impl Table {
    /// Rows under these headers.
    pub fn new<H: Into<String>>(
        headers: impl IntoIterator<Item = H>,
        rows: impl IntoIterator<Item = Vec<TableCell>>,
    ) -> Self {
        let headers = headers.into_iter().map(Into::into).collect();
        Self { headers, rows: rows.into_iter().collect() }
    }

    /// A row per thing.
    pub fn of<T>(things: impl IntoIterator<Item = T>, columns: &[TableColumn<'_, T>]) -> Self {
        let row = |thing: T| columns.iter().map(|(_, cell)| cell(&thing)).collect();
        Self::new(columns.iter().map(|(header, _)| *header), things.into_iter().map(row))
    }

    /// Does it lead to members' own rows?
    pub fn names_members(&self) -> bool {
        let mut cells = self.rows.iter().flatten();
        cells.any(|cell| matches!(cell, TableCell::Member { .. }))
    }

    /// Names of the columns, and rows of as many cells, numbers in full.
    pub fn json(&self) -> Value {
        let rows = self.rows.iter().map(|row| row.iter().map(TableCell::json).collect::<Value>());
        json!({ "columns": self.headers, "rows": rows.collect::<Value>() })
    }

    /// RFC 4180, numbers in full.
    pub fn csv(&self) -> String {
        let mut text = String::new();
        let headers: Vec<TableCell> = self.headers.iter().cloned().map(TableCell::Text).collect();
        for row in std::iter::once(&headers).chain(&self.rows) {
            let cells: Vec<String> = row.iter().map(TableCell::csv).collect();
            text.push_str(&cells.join(","));
            text.push_str("\r\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_quotes_what_needs_it() {
        let row = vec![TableCell::Text("say \"a\"".into()), TableCell::Number(0.1)];
        let table = Table::new(["stroke", "bias, squared"], [row]);
        assert_eq!(table.csv(), "stroke,\"bias, squared\"\r\n\"say \"\"a\"\"\",0.1\r\n");
    }

    #[test]
    fn json_holds_numbers_as_numbers() {
        let table = Table {
            headers: vec!["stroke".into(), "bias".into(), "right".into()],
            rows: vec![
                vec![TableCell::Text("=a".into()), TableCell::Number(0.1), TableCell::Check(true)],
                vec![
                    TableCell::Member { text: "block 3".into(), member: "3m".into() },
                    TableCell::Number(f64::INFINITY),
                    TableCell::Check(false),
                ],
            ],
        };
        let expected = json!({
            "columns": ["stroke", "bias", "right"],
            "rows": [["=a", 0.1, true], ["block 3", null, false]],
        });
        assert_eq!(table.json(), expected);
    }

    #[test]
    fn no_cell_is_a_formula() {
        let cell = |text: &str| TableCell::Text(text.into()).csv();
        assert_eq!(cell("=1+1"), "'=1+1");
        assert_eq!(cell("@sum(a, b)"), "\"'@sum(a, b)\"");
        assert_eq!(cell("+cmd|' /C calc'!A0"), "'+cmd|' /C calc'!A0");
        assert_eq!(TableCell::Plan("-x".into()).csv(), "'-x");
        for plain in ["a=b", "-1.5", "0-3", "reverse:1", ""] {
            assert_eq!(cell(plain), plain);
        }
        assert_eq!(TableCell::Number(-0.5).csv(), "-0.5");
    }
}
