//! Rows to Parquet, some at a time.

use std::io::Write;
use std::sync::Arc;

use anyhow::Context;
use parquet::basic::Compression;
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int32Type,
};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use super::{About, GROUP, SCHEMA};
use crate::study::survey::MeasuredRow;

/// Writes rows in the order in which they come.
pub struct RowsWriter<W: Write + Send> {
    file: SerializedFileWriter<W>,
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

    fn write(&mut self) -> anyhow::Result<()> {
        let rows = std::mem::take(&mut self.held);
        let mut group = self.file.next_row_group()?;
        let mut to = ColumnsWriter { group: &mut group };
        to.plain::<Int32Type>(&rows, |row| int(row.row))?;
        to.plain::<Int32Type>(&rows, |row| int(row.line))?;
        to.plain::<Int32Type>(&rows, |row| int(row.tokens))?;
        to.plain::<Int32Type>(&rows, |row| int(row.answer))?;
        to.plain::<Int32Type>(&rows, |row| int(row.answered))?;
        to.plain::<BoolType>(&rows, |row| row.correct)?;
        to.optional::<BoolType>(&rows, |row| row.correct_per_byte)?;
        to.list::<Int32Type>(&rows, |row| row.option_ids.iter().map(|&id| id as i32).collect())?;
        to.list::<FloatType>(&rows, |row| row.logits.clone())?;
        to.list::<FloatType>(&rows, |row| row.member_logits.clone())?;
        to.plain::<DoubleType>(&rows, |row| row.sum_error)?;
        for column in COLUMNS {
            for part in 0..3 {
                to.plain::<DoubleType>(&rows, |row| column(row)[part])?;
            }
        }
        to.optional::<DoubleType>(&rows, |row| row.log_partition)?;
        to.optional::<DoubleType>(&rows, |row| row.entropy)?;
        to.list::<Int32Type>(&rows, |row| row.option_ranks.iter().map(|&n| n as i32).collect())?;
        to.list::<DoubleType>(&rows, |row| row.log_likelihoods.clone())?;
        to.optional::<DoubleType>(&rows, |row| row.mass)?;
        to.optional::<BoolType>(&rows, |row| row.first_word)?;
        to.plain::<Int32Type>(&rows, |row| int(row.answer_tokens))?;
        to.optional::<ByteArrayType>(&rows, |row| row.prompt.as_deref().map(ByteArray::from))?;
        to.list::<ByteArrayType>(&rows, |row| {
            row.choices.iter().map(|choice| ByteArray::from(choice.as_str())).collect()
        })?;
        to.optional::<Int32Type>(&rows, |row| row.right.map(int))?;
        to.optional::<Int32Type>(&rows, |row| row.level.map(int))?;
        group.close()?;
        Ok(())
    }
}

/// The columns of bias and diversity, in the schema's order.
const COLUMNS: [fn(&MeasuredRow) -> [f64; 3]; 5] =
    [|row| row.probability, |row| row.logit, |row| row.centred, |row| row.offset, |row| row.paper];

fn int(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

/// Columns in the schema's order.
struct ColumnsWriter<'a, 'b, W: Write + Send> {
    group: &'a mut SerializedRowGroupWriter<'b, W>,
}

impl<W: Write + Send> ColumnsWriter<'_, '_, W> {
    fn plain<T: DataType>(
        &mut self,
        rows: &[MeasuredRow],
        value: impl Fn(&MeasuredRow) -> T::T,
    ) -> anyhow::Result<()> {
        let values: Vec<T::T> = rows.iter().map(value).collect();
        self.column::<T>(&values, None, None)
    }

    fn optional<T: DataType>(
        &mut self,
        rows: &[MeasuredRow],
        value: impl Fn(&MeasuredRow) -> Option<T::T>,
    ) -> anyhow::Result<()> {
        let values: Vec<Option<T::T>> = rows.iter().map(value).collect();
        let defined: Vec<i16> = values.iter().map(|v| i16::from(v.is_some())).collect();
        let values: Vec<T::T> = values.into_iter().flatten().collect();
        self.column::<T>(&values, Some(&defined), None)
    }

    fn list<T: DataType>(
        &mut self,
        rows: &[MeasuredRow],
        list: impl Fn(&MeasuredRow) -> Vec<T::T>,
    ) -> anyhow::Result<()> {
        let (mut values, mut defined, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
        for row in rows {
            let list = list(row);
            // An empty list is one place without a value.
            let places = list.len().max(1);
            defined.extend(std::iter::repeat_n(i16::from(!list.is_empty()), places));
            repeated.extend((0..places).map(|place| i16::from(place > 0)));
            values.extend(list);
        }
        self.column::<T>(&values, Some(&defined), Some(&repeated))
    }

    fn column<T: DataType>(
        &mut self,
        values: &[T::T],
        defined: Option<&[i16]>,
        repeated: Option<&[i16]>,
    ) -> anyhow::Result<()> {
        let mut column = self.group.next_column()?.context("a column of the schema")?;
        column.typed::<T>().write_batch(values, defined, repeated)?;
        column.close()?;
        Ok(())
    }
}
