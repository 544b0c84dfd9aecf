//! ARC (Clark et al. 2018), in either of two rewritings, one object a line:
//!
//! ```json
//! {"query": "Question: Which is a metal?", "choices": ["wood", "iron"], "gold": 1}
//! {"input": "Which is a metal?", "options": ["wood", "iron"], "output": "iron"}
//! ```
//!
//! The first is LLM Foundry's, the second MetaICL's. The prompt is lm-eval's: `Question: …\nAnswer:`,
//! then each choice behind a space. Questions have three to five choices.

use serde::Deserialize;

use crate::task::item::{Candidate, Item};

pub(super) const FORM: &str = r#"write {"query": "Question: Which is a metal?", "choices": ["wood", "iron"], "gold": 1} or {"input": "Which is a metal?", "options": ["wood", "iron"], "output": "iron"}"#;

#[derive(Deserialize)]
pub(super) struct ArcRow {
    query: Option<String>,
    choices: Option<Vec<String>>,
    gold: Option<usize>,
    input: Option<String>,
    options: Option<Vec<String>>,
    output: Option<String>,
}

pub(super) fn item(row: ArcRow) -> Result<Item, String> {
    let (question, choices, answer) = match row {
        ArcRow { query: Some(query), choices: Some(choices), gold: Some(gold), .. } => {
            (query, choices, gold)
        }
        ArcRow { input: Some(input), options: Some(options), output: Some(output), .. } => {
            let answer = options
                .iter()
                .position(|option| *option == output)
                .ok_or("its output is none of its options")?;
            (input, options, answer)
        }
        _ => {
            return Err(
                "it has neither query, choices and gold nor input, options and output".into()
            );
        }
    };
    let count = choices.len();
    if count < 2 {
        return Err(format!("it has {count} choices and needs two or more"));
    }
    if answer >= count {
        return Err(format!("its gold is {answer}, but {count} choices are counted from 0"));
    }
    let question = question.strip_prefix("Question:").unwrap_or(&question).trim();
    if question.is_empty() || choices.iter().any(|choice| choice.trim().is_empty()) {
        return Err("its question or a choice is blank".into());
    }
    let context = format!("Question: {question}\nAnswer:");
    let candidates = choices
        .iter()
        .map(|choice| Candidate {
            context: context.clone(),
            continuation: format!(" {}", choice.trim()),
        })
        .collect();
    Ok(Item::Continuation { candidates, answer })
}

#[cfg(test)]
mod tests {
    use crate::task::item::{Candidate, Item};
    use crate::task::painters::Painters;

    #[test]
    fn both_rewritings_give_one_item() {
        let file = r#"{"query": "Question: Which is a metal?", "choices": ["wood", "iron", "wool"], "gold": 1}
{"task": "t", "input": "Which is a metal?", "options": ["wood", "iron", "wool"], "output": "iron"}"#;
        let candidate = |choice: &str| Candidate {
            context: "Question: Which is a metal?\nAnswer:".into(),
            continuation: choice.into(),
        };
        let item = Item::Continuation {
            candidates: vec![candidate(" wood"), candidate(" iron"), candidate(" wool")],
            answer: 1,
        };
        let items = Painters::Arc.read(file.as_bytes()).expect("two rows");
        assert_eq!(items, [item.clone(), item]);
    }

    #[test]
    fn wrong_rows_are_refused() {
        for (row, found) in [
            (
                r#""query": "q", "choices": ["a", "b"]"#,
                "it has neither query, choices and gold nor input, options and output",
            ),
            (
                r#""query": "q", "choices": ["a"], "gold": 0"#,
                "it has 1 choices and needs two or more",
            ),
            (
                r#""query": "q", "choices": ["a", "b"], "gold": 2"#,
                "its gold is 2, but 2 choices are counted from 0",
            ),
            (
                r#""query": "Question: ", "choices": ["a", "b"], "gold": 1"#,
                "its question or a choice is blank",
            ),
            (
                r#""input": "q", "options": ["a", ""], "output": "a""#,
                "its question or a choice is blank",
            ),
            (
                r#""input": "q", "options": ["a", "b"], "output": "c""#,
                "its output is none of its options",
            ),
        ] {
            let refusal =
                Painters::Arc.read(format!("{{{row}}}").as_bytes()).expect_err(row).to_string();
            assert!(
                refusal.starts_with(&format!("line 1 is not a row of arc ({found}): write {{")),
                "{refusal}"
            );
        }
    }
}
