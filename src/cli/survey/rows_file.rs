//! The rows' file: Parquet, one row a question, [`SCHEMA`] whatever the task. DuckDB, pandas and
//! polars read it as it is.
//!
//! Lists are plain Parquet lists. `member_logits` is `[M * K]`, member by member; K is the length of
//! `logits`, and the members' kinds and blocks are in the file's metadata under `atelier.members`, as
//! JSON, beside `atelier.cell` (how the rows were scored), `atelier.model` and `atelier.task`.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use parquet::basic::Compression;
use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int32Type,
};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use crate::engine::Member;
use crate::study::survey::{CellFacts, MeasuredRow};

/// The columns of every rows' file.
pub const SCHEMA: &str = "message atelier_row {
    required int32 row;
    required int32 line;
    required int32 tokens;
    required int32 answer;
    required int32 answered;
    required boolean correct;
    optional boolean correct_per_byte;
    required group option_ids (LIST) { repeated group list { required int32 element; } }
    required group logits (LIST) { repeated group list { required float element; } }
    required group member_logits (LIST) { repeated group list { required float element; } }
    required double sum_error;
    required double probability_mse;
    required double probability_bias;
    required double probability_diversity;
    required double logit_mse;
    required double logit_bias;
    required double logit_diversity;
    required double paper_mse;
    required double paper_bias;
    required double paper_diversity;
    required group log_likelihoods (LIST) { repeated group list { required double element; } }
    optional binary prompt (STRING);
    required group choices (LIST) { repeated group list { required binary element (STRING); } }
    optional int32 right;
}";

/// Rows that are written, and read, together.
const GROUP: usize = 1024;

/// What a file says of all its rows.
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    pub model: String,
    pub task: String,
    pub members: Vec<Member>,
    pub facts: CellFacts,
}

/// Writes rows in the order in which they come.
pub struct RowsWriter<W: Write + Send> {
    file: SerializedFileWriter<W>,
    held: Vec<MeasuredRow>,
}

impl<W: Write + Send> RowsWriter<W> {
    pub fn new(to: W, about: &About) -> anyhow::Result<Self> {
        let pair = |key: &str, value: String| KeyValue::new(format!("atelier.{key}"), value);
        let metadata = vec![
            pair("model", about.model.clone()),
            pair("task", about.task.clone()),
            pair("members", serde_json::to_string(&about.members)?),
            pair("cell", serde_json::to_string(&about.facts)?),
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

    pub fn finish(mut self) -> anyhow::Result<()> {
        if !self.held.is_empty() {
            self.write()?;
        }
        self.file.close()?;
        Ok(())
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
        to.list::<Int32Type>(&rows, |row| {
            row.option_ids.iter().map(|&id| id as i32).collect()
        })?;
        to.list::<FloatType>(&rows, |row| row.logits.clone())?;
        to.list::<FloatType>(&rows, |row| row.member_logits.clone())?;
        to.plain::<DoubleType>(&rows, |row| row.sum_error)?;
        for column in COLUMNS {
            for part in 0..3 {
                to.plain::<DoubleType>(&rows, |row| column(row)[part])?;
            }
        }
        to.list::<DoubleType>(&rows, |row| row.log_likelihoods.clone())?;
        to.optional::<ByteArrayType>(&rows, |row| row.prompt.as_deref().map(ByteArray::from))?;
        to.list::<ByteArrayType>(&rows, |row| {
            row.choices
                .iter()
                .map(|choice| ByteArray::from(choice.as_str()))
                .collect()
        })?;
        to.optional::<Int32Type>(&rows, |row| row.right.map(int))?;
        group.close()?;
        Ok(())
    }
}

/// The three columns, in the schema's order.
const COLUMNS: [fn(&MeasuredRow) -> [f64; 3]; 3] =
    [|row| row.probability, |row| row.logit, |row| row.paper];

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
        let mut column = self
            .group
            .next_column()?
            .context("a column of the schema")?;
        column.typed::<T>().write_batch(values, defined, repeated)?;
        column.close()?;
        Ok(())
    }
}

/// A rows' file to read.
pub struct RowsFile {
    reader: SerializedFileReader<File>,
    pub about: About,
}

impl RowsFile {
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let shown = path.display();
        let file = File::open(path).with_context(|| format!("{shown} cannot be read"))?;
        let damaged = || {
            format!(
                "{shown} is no rows' file that can be read: remove it and run the survey with --resume"
            )
        };
        let reader = SerializedFileReader::new(file).with_context(damaged)?;
        let metadata = reader.metadata().file_metadata();
        let schema = parse_message_type(SCHEMA)?;
        ensure!(
            metadata.schema().get_fields() == schema.get_fields(),
            "{shown} has other columns than a survey writes"
        );
        let value = |key: &str| -> anyhow::Result<String> {
            let pairs = metadata.key_value_metadata().into_iter().flatten();
            let key = format!("atelier.{key}");
            let found = pairs
                .filter(|pair| pair.key == key)
                .find_map(|pair| pair.value.clone());
            found.with_context(|| format!("{shown} does not say its {key}"))
        };
        let about = About {
            model: value("model")?,
            task: value("task")?,
            members: serde_json::from_str(&value("members")?).with_context(damaged)?,
            facts: serde_json::from_str(&value("cell")?).with_context(damaged)?,
        };
        Ok(Self { reader, about })
    }

    /// How many.
    pub fn len(&self) -> usize {
        let rows = self.reader.metadata().file_metadata().num_rows();
        usize::try_from(rows).unwrap_or(0)
    }

    /// Every row in order, some at a time.
    pub fn rows(&self) -> impl Iterator<Item = anyhow::Result<MeasuredRow>> + '_ {
        let groups = self.reader.num_row_groups();
        (0..groups).flat_map(move |group| match self.group(group) {
            Ok(rows) => rows.into_iter().map(Ok).collect::<Vec<_>>(),
            Err(error) => vec![Err(error)],
        })
    }

    fn group(&self, index: usize) -> anyhow::Result<Vec<MeasuredRow>> {
        let group = self.reader.get_row_group(index)?;
        let mut from = ColumnsReader {
            rows: usize::try_from(group.metadata().num_rows())?,
            group: &*group,
            next: 0,
        };
        let row = from.plain::<Int32Type>()?;
        let line = from.plain::<Int32Type>()?;
        let tokens = from.plain::<Int32Type>()?;
        let answer = from.plain::<Int32Type>()?;
        let answered = from.plain::<Int32Type>()?;
        let correct = from.plain::<BoolType>()?;
        let per_byte = from.optional::<BoolType>()?;
        let option_ids = from.list::<Int32Type>()?;
        let logits = from.list::<FloatType>()?;
        let member_logits = from.list::<FloatType>()?;
        let sum_error = from.plain::<DoubleType>()?;
        let mut numbers = Vec::with_capacity(9);
        for _ in 0..9 {
            numbers.push(from.plain::<DoubleType>()?);
        }
        let log_likelihoods = from.list::<DoubleType>()?;
        let prompt = from.optional::<ByteArrayType>()?;
        let choices = from.list::<ByteArrayType>()?;
        let right = from.optional::<Int32Type>()?;
        let text = |bytes: &ByteArray| -> anyhow::Result<String> {
            Ok(std::str::from_utf8(bytes.data())?.to_string())
        };
        (0..from.rows)
            .map(|i| {
                let three = |column: usize| [0, 1, 2].map(|part| numbers[3 * column + part][i]);
                let found = MeasuredRow {
                    row: usize::try_from(row[i])?,
                    line: usize::try_from(line[i])?,
                    tokens: usize::try_from(tokens[i])?,
                    answer: usize::try_from(answer[i])?,
                    answered: usize::try_from(answered[i])?,
                    correct: correct[i],
                    correct_per_byte: per_byte[i],
                    option_ids: option_ids[i].iter().map(|&id| id as u32).collect(),
                    logits: logits[i].clone(),
                    member_logits: member_logits[i].clone(),
                    sum_error: sum_error[i],
                    probability: three(0),
                    logit: three(1),
                    paper: three(2),
                    log_likelihoods: log_likelihoods[i].clone(),
                    prompt: prompt[i].as_ref().map(text).transpose()?,
                    choices: choices[i].iter().map(text).collect::<anyhow::Result<_>>()?,
                    right: right[i].map(usize::try_from).transpose()?,
                };
                if !found.is_sound(self.about.members.len()) {
                    bail!(
                        "row {} does not fit its model: was the file edited?",
                        found.row
                    );
                }
                Ok(found)
            })
            .collect()
    }
}

struct ColumnsReader<'a> {
    group: &'a dyn RowGroupReader,
    rows: usize,
    next: usize,
}

impl ColumnsReader<'_> {
    fn read<T: DataType>(&mut self) -> anyhow::Result<(Vec<T::T>, Vec<i16>, Vec<i16>)> {
        let reader = self.group.get_column_reader(self.next)?;
        self.next += 1;
        let mut reader = get_typed_column_reader::<T>(reader);
        let (mut values, mut defined, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
        let mut done = 0;
        while done < self.rows {
            let left = self.rows - done;
            let (records, _, _) =
                reader.read_records(left, Some(&mut defined), Some(&mut repeated), &mut values)?;
            ensure!(records > 0, "a column ends before its rows do");
            done += records;
        }
        Ok((values, defined, repeated))
    }

    fn plain<T: DataType>(&mut self) -> anyhow::Result<Vec<T::T>> {
        let (values, _, _) = self.read::<T>()?;
        ensure!(values.len() == self.rows, "a column has values missing");
        Ok(values)
    }

    fn optional<T: DataType>(&mut self) -> anyhow::Result<Vec<Option<T::T>>> {
        let (values, defined, _) = self.read::<T>()?;
        let mut values = values.into_iter();
        let values = defined
            .into_iter()
            .map(|is| if is > 0 { values.next() } else { None });
        Ok(values.collect())
    }

    fn list<T: DataType>(&mut self) -> anyhow::Result<Vec<Vec<T::T>>> {
        let (values, defined, repeated) = self.read::<T>()?;
        let mut values = values.into_iter();
        let mut lists: Vec<Vec<T::T>> = Vec::with_capacity(self.rows);
        for (defined, repeated) in defined.into_iter().zip(repeated) {
            if repeated == 0 {
                lists.push(Vec::new());
            }
            if defined > 0
                && let (Some(list), Some(value)) = (lists.last_mut(), values.next())
            {
                list.push(value);
            }
        }
        ensure!(lists.len() == self.rows, "a column has lists missing");
        Ok(lists)
    }
}
