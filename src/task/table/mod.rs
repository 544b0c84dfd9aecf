//! Published files as records: csv, tsv, jsonl and parquet, told apart by their names' ends.

mod delimited;
pub(super) mod jsonl;
mod parquet;

use std::path::Path;

use serde_json::{Map, Value};

use crate::task::definition::{FileLayout, Template};
use crate::task::error::TaskError;

/// One row of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct TableRecord {
    /// Where it stands: the line of a text file, the row of a parquet file, counted from 1.
    pub line: usize,
    values: Map<String, Value>,
}

impl TableRecord {
    /// `a`, or `a.b` for a value within a value.
    pub fn get(&self, column: &str) -> Option<&Value> {
        if let Some(value) = self.values.get(column) {
            return Some(value);
        }
        let (outer, inner) = column.split_once('.')?;
        self.values.get(outer)?.get(inner)
    }
}

/// A row with its line, or its place in a file without lines, counted from 1.
pub type Numbered<T> = (usize, T);

/// A file's rows, before it is known which columns they have.
pub enum RawTable {
    /// Cells by place; the first row may be a header.
    Cells(Vec<Numbered<Vec<String>>>),
    /// Values by name.
    Objects(Vec<Numbered<Map<String, Value>>>),
}

/// The first names of a list, and how many more there are.
fn few(names: &[String]) -> String {
    const SHOWN: usize = 12;
    let shown: Vec<String> =
        names.iter().take(SHOWN).map(|name| name.chars().take(40).collect()).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// # Errors
/// A name that ends in no known format, or bytes that are not of it.
pub fn read(path: &Path, file: &[u8]) -> Result<RawTable, TaskError> {
    let extension = path.extension().and_then(|end| end.to_str());
    match extension.map(str::to_ascii_lowercase).as_deref() {
        Some("csv") => delimited::read(file, b',').map(RawTable::Cells),
        Some("tsv") => delimited::read(file, b'\t').map(RawTable::Cells),
        Some("jsonl" | "ndjson" | "json") => jsonl::read(file).map(RawTable::Objects),
        Some("parquet") => parquet::read(file).map(RawTable::Objects),
        _ => Err(TaskError::Extension),
    }
}

impl RawTable {
    /// The rows as the first layout that fits names them.
    ///
    /// # Errors
    /// No layout fits, or a row with more or fewer cells than there are columns.
    pub fn records<'l>(
        self,
        template: &Template,
        layouts: &'l [FileLayout],
    ) -> Result<(&'l FileLayout, Vec<TableRecord>), TaskError> {
        let has = |layout: &FileLayout, columns: &[String]| {
            let is_there = |want: &&str| columns.iter().any(|column| column == want);
            layout.wants(template).iter().all(is_there)
        };
        let no_columns = |found: Vec<String>| {
            let wanted = layouts.iter().map(|layout| layout.wants(template).join(", "));
            TaskError::Columns {
                found: few(&found),
                wanted: wanted.collect::<Vec<_>>().join("; or "),
            }
        };
        match self {
            RawTable::Objects(rows) => {
                let first = rows.first().map(|(_, row)| row.keys().cloned().collect());
                let columns: Vec<String> = first.ok_or(TaskError::NoRows)?;
                let layout = layouts.iter().find(|layout| has(layout, &columns));
                let layout = layout.ok_or_else(|| no_columns(columns))?;
                let record = |(line, values)| TableRecord { line, values };
                Ok((layout, rows.into_iter().map(record).collect()))
            }
            RawTable::Cells(mut rows) => {
                let (_, first) = rows.first().ok_or(TaskError::NoRows)?;
                let header =
                    layouts.iter().find(|layout| layout.columns.is_none() && has(layout, first));
                let (layout, columns) = match header {
                    Some(layout) => (layout, rows.remove(0).1),
                    None => layouts
                        .iter()
                        .find_map(|layout| {
                            let columns = layout.columns.clone()?;
                            let fits = columns.len() == first.len() && has(layout, &columns);
                            fits.then_some((layout, columns))
                        })
                        .ok_or_else(|| no_columns(first.clone()))?,
                };
                let twice =
                    |want: &&&str| columns.iter().filter(|column| column == *want).count() > 1;
                if let Some(column) = layout.wants(template).iter().find(twice) {
                    return Err(TaskError::TwoColumns { column: column.to_string() });
                }
                let records = rows.into_iter().map(|(line, cells)| {
                    refuse_if!(
                        cells.len() != columns.len(),
                        TaskError::Cells { line, found: cells.len(), columns: columns.len() }
                    );
                    let cells = cells.into_iter().map(Value::String);
                    let values = columns.iter().cloned().zip(cells).collect();
                    Ok(TableRecord { line, values })
                });
                Ok((layout, records.collect::<Result<_, _>>()?))
            }
        }
    }
}
