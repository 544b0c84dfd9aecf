//! Rows to Parquet, some at a time.

use std::io::Write;
use std::sync::Arc;

use anyhow::{Context, bail};
use parquet::basic::Compression;
use parquet::column::writer::{ColumnWriter, ColumnWriterImpl};
use parquet::data_type::DataType;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use serde_json::Value;

use super::{About, GROUP, SCHEMA, field};
use crate::study::survey::MeasuredRow;

/// Writes rows in the order in which they come.
pub struct RowsWriter<W: Write + Send> {
    file: SerializedFileWriter<W>,
    /// Rows of the next group.
    held: Vec<MeasuredRow>,
}

fn pair(key: &str, value: String) -> KeyValue {
    KeyValue::new(format!("atelier.{key}"), value)
}

impl<W: Write + Send> RowsWriter<W> {
    pub fn new(to: W, about: &About) -> anyhow::Result<Self> {
        let metadata = vec![
            pair("model", about.model.clone()),
            pair("task", about.task.clone()),
            pair("members", serde_json::to_string(&about.members)?),
            pair("cell", serde_json::to_string(&about.facts)?),
            pair("asked", about.asked.clone()),
            pair("shard", about.shard.to_string()),
        ];
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by("atelier".to_string())
            .set_key_value_metadata(Some(metadata))
            .build();
        let schema = Arc::new(parse_message_type(SCHEMA)?);
        Ok(Self {
            file: SerializedFileWriter::new(to, schema, Arc::new(properties))?,
            held: Vec::with_capacity(GROUP),
        })
    }

    pub fn push(&mut self, row: MeasuredRow) -> anyhow::Result<()> {
        self.held.push(row);
        if self.held.len() == GROUP {
            self.write()?;
        }
        Ok(())
    }

    /// Writes the rows held and the file's end; returns the inner writer.
    pub fn finish(mut self) -> anyhow::Result<W> {
        if !self.held.is_empty() {
            self.write()?;
        }
        Ok(self.file.into_inner()?)
    }

    /// Writes the rows held as one group.
    fn write(&mut self) -> anyhow::Result<()> {
        // Values by their fields' names.
        let rows = self.held.drain(..).map(serde_json::to_value);
        let rows = rows.collect::<Result<Vec<Value>, _>>()?;

        let columns = self.file.schema_descr().columns().to_vec();
        let mut group = self.file.next_row_group()?;
        for column in columns {
            let values = ColumnValues::collect(&rows, &column.path().parts()[0]);
            let mut writer = group.next_column()?.context("a column of the schema")?;
            match writer.untyped() {
                ColumnWriter::BoolColumnWriter(to) => values.write(to, Value::as_bool),
                ColumnWriter::Int32ColumnWriter(to) => values.write(to, int),
                ColumnWriter::FloatColumnWriter(to) => {
                    values.write(to, |value| value.as_f64().map(|number| number as f32))
                }
                ColumnWriter::DoubleColumnWriter(to) => values.write(to, Value::as_f64),
                ColumnWriter::ByteArrayColumnWriter(to) => {
                    values.write(to, |value| value.as_str().map(Into::into))
                }
                _ => bail!("{} has a type that no row has", column.name()),
            }?;
            writer.close()?;
        }
        group.close()?;
        Ok(())
    }
}

fn int(value: &Value) -> Option<i32> {
    value.as_u64().map(|number| i32::try_from(number).unwrap_or(i32::MAX))
}

/// Values of one column, with the levels that say which rows have none, one or several.
#[derive(Default)]
struct ColumnValues<'a> {
    values: Vec<&'a Value>,
    defined: Vec<i16>,
    repeated: Vec<i16>,
}

impl<'a> ColumnValues<'a> {
    fn collect(rows: &'a [Value], column: &str) -> Self {
        let (field, part) = field(column);
        let mut found = Self::default();
        for row in rows {
            // A field that a row does not have reads as null.
            let values = match part.map_or(&row[field], |part| &row[field][part]) {
                Value::Null => &[],
                Value::Array(values) => &values[..],
                value => std::slice::from_ref(value),
            };
            // No value is one place without a value.
            let places = values.len().max(1);
            found.defined.extend(std::iter::repeat_n(i16::from(!values.is_empty()), places));
            found.repeated.extend((0..places).map(|place| i16::from(place > 0)));
            found.values.extend(values);
        }
        found
    }

    fn write<T: DataType>(
        &self,
        to: &mut ColumnWriterImpl<'_, T>,
        convert: fn(&Value) -> Option<T::T>,
    ) -> anyhow::Result<()> {
        let values: Option<Vec<T::T>> = self.values.iter().map(|value| convert(value)).collect();
        let values = values.context("a row's field is of another type than its column")?;
        let column = to.get_descriptor();
        let defined = (column.max_def_level() > 0).then_some(&self.defined[..]);
        let repeated = (column.max_rep_level() > 0).then_some(&self.repeated[..]);
        to.write_batch(&values, defined, repeated)?;
        Ok(())
    }
}
