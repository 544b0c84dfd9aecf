//! The rows' file: Parquet, one row a question, [`SCHEMA`] whatever the task. DuckDB, pandas and
//! polars read it as it is.
//!
//! Lists are plain Parquet lists. `member_logits` is `[M * K]`, member by member; K is the length of
//! `logits`, and the members' kinds and blocks are in the file's metadata under `atelier.members`, as
//! JSON, beside `atelier.cell` (how the rows were scored), `atelier.model`, `atelier.task`,
//! `atelier.asked` (the fingerprint of all that the survey asked) and `atelier.shard` (`1/1` for all
//! rows). The SHA-256 of the finished file lies beside it.

mod checksum;
mod reader;
mod writer;

pub use checksum::{HashedWriter, write_checksum};
pub use reader::RowsFile;
pub use writer::RowsWriter;

use super::shard::Shard;
use crate::engine::Member;
use crate::study::survey::CellFacts;

/// The columns of every rows' file: fields of a row by name, three columns where a field is mse, bias and diversity.
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
    required double centred_mse;
    required double centred_bias;
    required double centred_diversity;
    required double offset_mse;
    required double offset_bias;
    required double offset_diversity;
    required double paper_mse;
    required double paper_bias;
    required double paper_diversity;
    optional double log_partition;
    optional double entropy;
    required group option_ranks (LIST) { repeated group list { required int32 element; } }
    required group log_likelihoods (LIST) { repeated group list { required double element; } }
    optional double mass;
    optional boolean first_word;
    required int32 answer_tokens;
    optional binary prompt (STRING);
    required group choices (LIST) { repeated group list { required binary element (STRING); } }
    optional int32 right;
    optional int32 level;
}";

/// Rows that are written, and read, together.
const GROUP: usize = 1024;

/// Returns the field of a row that a column holds, and which of the field's three numbers.
fn field(column: &str) -> (&str, Option<usize>) {
    let parts = ["_mse", "_bias", "_diversity"].into_iter().enumerate();
    let mut found = parts.filter_map(|(i, part)| Some((column.strip_suffix(part)?, Some(i))));
    found.next().unwrap_or((column, None))
}

/// Facts that a file states once for all its rows.
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    pub model: String,
    pub task: String,
    pub members: Vec<Member>,
    pub facts: CellFacts,
    /// Fingerprint of all that the survey asked.
    pub asked: String,
    /// Which part of the rows.
    pub shard: Shard,
}

impl About {
    pub fn is_of(&self, model: &str, task: &str, asked: &str, shard: Shard) -> bool {
        (&*self.model, &*self.task, &*self.asked, self.shard) == (model, task, asked, shard)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use parquet::schema::parser::parse_message_type;

    use super::*;
    use crate::study::survey::MeasuredRow;

    #[test]
    fn every_field_of_a_row_has_its_columns() {
        let row = MeasuredRow {
            row: 0,
            line: 1,
            level: Some(2),
            tokens: 3,
            answer: 0,
            answered: 1,
            correct: false,
            correct_per_byte: Some(true),
            option_ids: vec![4],
            logits: vec![0.5],
            member_logits: vec![0.25],
            sum_error: 1e-6,
            probability: [0.1; 3],
            logit: [0.2; 3],
            centred: [0.3; 3],
            offset: [0.4; 3],
            paper: [0.5; 3],
            log_partition: Some(5.0),
            entropy: Some(1.5),
            option_ranks: vec![6],
            log_likelihoods: vec![-7.0],
            mass: Some(0.75),
            first_word: Some(false),
            answer_tokens: 1,
            prompt: Some("a".into()),
            choices: vec!["b".into()],
            right: Some(0),
        };
        let value = serde_json::to_value(&row).expect("JSON");
        let fields: BTreeSet<&str> =
            value.as_object().expect("fields").keys().map(String::as_str).collect();
        let schema = parse_message_type(SCHEMA).expect("a schema");
        let columns: BTreeSet<&str> =
            schema.get_fields().iter().map(|column| field(column.name()).0).collect();
        assert_eq!(columns, fields);
    }
}
