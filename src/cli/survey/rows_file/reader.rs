//! Rows from Parquet, a group at a time.

use std::fs::File;
use std::path::Path;

use anyhow::{Context, anyhow, bail, ensure};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::parser::parse_message_type;
use serde_json::{Map, Value, json};

use super::checksum::check_checksum;
use super::{About, GROUP, SCHEMA, field};
use crate::guarded::guarded;
use crate::study::survey::MeasuredRow;
use crate::task::file;

/// A rows' file to read.
pub struct RowsFile {
    reader: SerializedFileReader<File>,
    pub about: About,
}

impl RowsFile {
    /// # Errors
    /// A file that is not as a survey wrote it, to the last bit.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let shown = path.display();
        let mut file = file::open(path).with_context(|| format!("{shown} cannot be read"))?;
        check_checksum(path, &mut file)?;
        let damaged = || {
            format!(
                "{shown} is no rows' file that can be read: remove it and run the survey with --resume"
            )
        };
        let reader = guarded(|| SerializedFileReader::new(file))
            .map_err(|reason| anyhow!("{} ({reason})", damaged()))?
            .with_context(damaged)?;
        let metadata = reader.metadata().file_metadata();
        let schema = parse_message_type(SCHEMA)?;
        ensure!(
            metadata.schema().get_fields() == schema.get_fields(),
            "{shown} has other columns than a survey writes now: remove it and continue with --resume, or give --out another folder"
        );
        let value = |key: &str| -> anyhow::Result<String> {
            let pairs = metadata.key_value_metadata().into_iter().flatten();
            let key = format!("atelier.{key}");
            let found = pairs.filter(|pair| pair.key == key).find_map(|pair| pair.value.clone());
            found.with_context(|| format!("{shown} does not say its {key}"))
        };
        let about = About {
            model: value("model")?,
            task: value("task")?,
            members: serde_json::from_str(&value("members")?).with_context(damaged)?,
            facts: serde_json::from_str(&value("cell")?).with_context(damaged)?,
            asked: value("asked")?,
            shard: value("shard")?.parse().map_err(|_| anyhow!(damaged()))?,
        };
        Ok(Self { reader, about })
    }

    /// How many.
    pub fn len(&self) -> usize {
        let rows = self.reader.metadata().file_metadata().num_rows();
        usize::try_from(rows).unwrap_or(0)
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Every row in order, some at a time.
    pub fn rows(&self) -> impl Iterator<Item = anyhow::Result<MeasuredRow>> + '_ {
        (0..self.reader.num_row_groups()).flat_map(|index| {
            let rows = guarded(|| self.group(index));
            match rows.unwrap_or_else(|reason| Err(anyhow!("it is damaged ({reason})"))) {
                Ok(rows) => rows.into_iter().map(Ok).collect(),
                Err(error) => vec![Err(error)],
            }
        })
    }

    fn group(&self, index: usize) -> anyhow::Result<Vec<MeasuredRow>> {
        let group = self.reader.get_row_group(index)?;
        let count = usize::try_from(group.metadata().num_rows())?;
        ensure!(
            count <= GROUP,
            "it has {count} rows in one group, more than are ever written: remove it and run the survey with --resume"
        );

        // Every column puts its values into the rows' fields.
        let mut rows = vec![Map::new(); count];
        let columns = group.metadata().schema_descr();
        for (index, column) in columns.columns().iter().enumerate() {
            let values = match group.get_column_reader(index)? {
                ColumnReader::BoolColumnReader(from) => read(from, count, |x| Ok(x.into())),
                ColumnReader::Int32ColumnReader(from) => read(from, count, |x| Ok(x.into())),
                ColumnReader::FloatColumnReader(from) => read(from, count, |x| Ok(x.into())),
                ColumnReader::DoubleColumnReader(from) => read(from, count, |x| Ok(x.into())),
                ColumnReader::ByteArrayColumnReader(from) => {
                    read(from, count, |bytes| Ok(std::str::from_utf8(bytes.data())?.into()))
                }
                _ => bail!("{} has a type that no row has", column.name()),
            }?;
            let (field, part) = field(&column.path().parts()[0]);
            let is_list = part.is_some() || column.max_rep_level() > 0;
            let empty = if is_list { json!([]) } else { Value::Null };
            for (row, values) in rows.iter_mut().zip(values) {
                match row.entry(field).or_insert_with(|| empty.clone()) {
                    Value::Array(list) => list.extend(values),
                    one => *one = values.into_iter().next().unwrap_or_default(),
                }
            }
        }

        let members = self.about.members.len();
        let rows = rows.into_iter().map(|row| {
            let row: MeasuredRow = serde_json::from_value(Value::Object(row))?;
            ensure!(
                row.is_sound(members),
                "row {} does not fit its model: was the file edited?",
                row.row
            );
            Ok(row)
        });
        rows.collect()
    }
}

/// Reads the values of one column, row by row.
fn read<T: DataType>(
    mut from: ColumnReaderImpl<T>,
    rows: usize,
    convert: fn(T::T) -> anyhow::Result<Value>,
) -> anyhow::Result<Vec<Vec<Value>>> {
    let (mut values, mut defined, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
    let mut done = 0;
    while done < rows {
        let (records, _, _) =
            from.read_records(rows - done, Some(&mut defined), Some(&mut repeated), &mut values)?;
        ensure!(records > 0, "a column ends before its rows do");
        done += records;
    }

    // A column without a level has a value, or the first of its values, at every place.
    defined.resize(defined.len().max(values.len()), 1);
    repeated.resize(repeated.len().max(defined.len()), 0);
    let mut values = values.into_iter();
    let mut lists: Vec<Vec<Value>> = Vec::with_capacity(rows);
    for (defined, repeated) in defined.into_iter().zip(repeated) {
        if repeated == 0 {
            lists.push(Vec::new());
        }
        if defined > 0
            && let (Some(list), Some(value)) = (lists.last_mut(), values.next())
        {
            list.push(convert(value)?);
        }
    }
    ensure!(lists.len() == rows, "a column has values missing");
    Ok(lists)
}
