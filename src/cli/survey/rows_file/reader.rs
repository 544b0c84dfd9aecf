//! Rows from Parquet, a group at a time.

use std::fs::File;
use std::path::Path;

use anyhow::{Context, anyhow, bail, ensure};
use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int32Type,
};
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::schema::parser::parse_message_type;

use super::checksum::check_checksum;
use super::{About, GROUP, SCHEMA};
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
        let rows = group.metadata().num_rows();
        ensure!(
            usize::try_from(rows).is_ok_and(|rows| rows <= GROUP),
            "it has {rows} rows in one group, more than are ever written: remove it and run the survey with --resume"
        );
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
        let mut numbers = Vec::with_capacity(15);
        for _ in 0..15 {
            numbers.push(from.plain::<DoubleType>()?);
        }
        let log_partition = from.optional::<DoubleType>()?;
        let entropy = from.optional::<DoubleType>()?;
        let option_ranks = from.list::<Int32Type>()?;
        let log_likelihoods = from.list::<DoubleType>()?;
        let mass = from.optional::<DoubleType>()?;
        let first_word = from.optional::<BoolType>()?;
        let answer_tokens = from.plain::<Int32Type>()?;
        let prompt = from.optional::<ByteArrayType>()?;
        let choices = from.list::<ByteArrayType>()?;
        let right = from.optional::<Int32Type>()?;
        let level = from.optional::<Int32Type>()?;
        let text = |bytes: &ByteArray| -> anyhow::Result<String> {
            Ok(std::str::from_utf8(bytes.data())?.to_string())
        };
        (0..from.rows)
            .map(|i| {
                let three = |column: usize| [0, 1, 2].map(|part| numbers[3 * column + part][i]);
                let found = MeasuredRow {
                    row: usize::try_from(row[i])?,
                    line: usize::try_from(line[i])?,
                    level: level[i].map(usize::try_from).transpose()?,
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
                    centred: three(2),
                    offset: three(3),
                    paper: three(4),
                    log_partition: log_partition[i],
                    entropy: entropy[i],
                    option_ranks: option_ranks[i].iter().map(|&rank| rank as u32).collect(),
                    log_likelihoods: log_likelihoods[i].clone(),
                    mass: mass[i],
                    first_word: first_word[i],
                    answer_tokens: usize::try_from(answer_tokens[i])?,
                    prompt: prompt[i].as_ref().map(text).transpose()?,
                    choices: choices[i].iter().map(text).collect::<anyhow::Result<_>>()?,
                    right: right[i].map(usize::try_from).transpose()?,
                };
                if !found.is_sound(self.about.members.len()) {
                    bail!("row {} does not fit its model: was the file edited?", found.row);
                }
                Ok(found)
            })
            .collect()
    }
}

/// Values with their definition and repetition levels.
type Levels<T> = (Vec<T>, Vec<i16>, Vec<i16>);

struct ColumnsReader<'a> {
    group: &'a dyn RowGroupReader,
    rows: usize,
    next: usize,
}

impl ColumnsReader<'_> {
    fn read<T: DataType>(&mut self) -> anyhow::Result<Levels<T::T>> {
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
        let values = defined.into_iter().map(|is| if is > 0 { values.next() } else { None });
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
