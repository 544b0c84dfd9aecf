//! WinoGrande (Sakaguchi et al. 2020), as LLM Foundry rewrote it:
//! `{"context_options": ["…", "…"], "continuation": "…", "gold": 0}` a line. Each context names one
//! of the two that a sentence could be about; the sentence's rest is the same.
//!
//! Scored as lm-eval does: the likelihood of the rest, joined by a space, after each context
//! (partial scoring, Trinh & Le 2018).

use serde::Deserialize;
use serde_json::Value;

use super::Painters;
use crate::task::error::TaskError;
use crate::task::item::{Candidate, Item};
use crate::task::table::jsonl;

pub(super) const FORM: &str = r#"write {"context_options": ["Sam is taller than Tom, so Sam", "Sam is taller than Tom, so Tom"], "continuation": "reaches the shelf.", "gold": 0}"#;

#[derive(Deserialize)]
struct WinograndeRow {
    context_options: Vec<String>,
    continuation: String,
    gold: usize,
}

pub(super) fn items(file: &[u8]) -> Result<Vec<Item>, TaskError> {
    let rows = jsonl::read(file)?.into_iter();
    rows.map(|(line, row)| {
        let row = serde_json::from_value(Value::Object(row));
        let item = row.map_err(|error| error.to_string()).and_then(item);
        item.map_err(|found| Painters::WinoGrande.refuse(line, found))
    })
    .collect()
}

fn item(row: WinograndeRow) -> Result<Item, String> {
    let contexts = row.context_options.len();
    refuse_if!(contexts != 2, "it has {contexts} contexts and needs two");
    refuse_if!(row.gold >= contexts, "its gold is {}, but contexts are counted from 0", row.gold);
    let rest = row.continuation.trim();
    if rest.is_empty() || row.context_options.iter().any(|c| c.trim().is_empty()) {
        return Err("a context or its continuation is blank".into());
    }
    let candidates = row
        .context_options
        .into_iter()
        .map(|context| Candidate { context, continuation: format!(" {rest}") })
        .collect();
    Ok(Item::Continuation { candidates, answer: row.gold })
}

#[cfg(test)]
mod tests {
    use crate::task::item::{Candidate, Item};
    use crate::task::painters::Painters;

    #[test]
    fn the_contexts_differ_and_the_rest_is_the_same() {
        let file = br#"{"context_options": ["The cup fell off the shelf because the cup", "The cup fell off the shelf because the shelf"], "continuation": "shook.", "gold": 1}"#;
        let candidate =
            |context: &str| Candidate { context: context.into(), continuation: " shook.".into() };
        assert_eq!(
            Painters::WinoGrande.read(file).expect("a row"),
            [Item::Continuation {
                candidates: vec![
                    candidate("The cup fell off the shelf because the cup"),
                    candidate("The cup fell off the shelf because the shelf"),
                ],
                answer: 1
            }]
        );
    }

    #[test]
    fn wrong_rows_are_refused() {
        for (row, found) in [
            (r#"["a"], "continuation": "c", "gold": 0"#, "it has 1 contexts and needs two"),
            (
                r#"["a", "b", "c"], "continuation": "c", "gold": 0"#,
                "it has 3 contexts and needs two",
            ),
            (
                r#"["a", "b"], "continuation": "c", "gold": 2"#,
                "its gold is 2, but contexts are counted from 0",
            ),
            (
                r#"["a", "b"], "continuation": " ", "gold": 0"#,
                "a context or its continuation is blank",
            ),
            (
                r#"["a", ""], "continuation": "c", "gold": 0"#,
                "a context or its continuation is blank",
            ),
            (r#"["a", "b"], "gold": 0"#, "missing field `continuation`"),
        ] {
            let refusal = Painters::WinoGrande
                .read(format!("\n{{\"context_options\": {row}}}").as_bytes())
                .expect_err(row)
                .to_string();
            assert!(
                refusal.starts_with(&format!("line 2 is not a row of winogrande ({found}): ")),
                "{refusal}"
            );
        }
    }
}
