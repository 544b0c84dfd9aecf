//! GSM8K (Cobbe et al. 2021), `{"question": "…", "answer": "… #### 18"}` a line: sums in words, whose
//! answer is written out and read back.
//!
//! The prompt is `Question: …\nAnswer:`. lm-eval puts five worked examples from the training set in
//! front; here there are none, so its scores are not to be compared with published ones.

use serde::Deserialize;

use crate::task::item::Item;
use crate::task::score::number;

pub(super) const FORM: &str =
    r##"write {"question": "How many are 1 + 2?", "answer": "1 + 2 = 3\n#### 3"}"##;

#[derive(Deserialize)]
pub(super) struct Gsm8kRow {
    question: String,
    answer: String,
}

pub(super) fn item(row: Gsm8kRow) -> Result<Item, String> {
    let (_, answer) = row.answer.rsplit_once("####").ok_or("its answer has no ####")?;
    Ok(Item::Generate {
        prompt: format!("Question: {}\nAnswer:", row.question),
        answer: number(answer).ok_or("its answer has no number behind ####")?,
    })
}

#[cfg(test)]
mod tests {
    use crate::task::item::Item;
    use crate::task::painters::Painters;

    #[test]
    fn the_number_behind_the_mark_is_the_answer() {
        let file = r#####"{"question": "Ann has 3 hens. Each lays 700 eggs. How many eggs?", "answer": "3 x 700 = <<3*700=2100>>2100\n#### 2,100"}
{"question": "What is 4 less than 1?", "answer": "#### -3"}"#####;
        let items = Painters::Gsm8k.read(file.as_bytes()).expect("two rows");
        let generate = |prompt: &str, answer: &str| Item::Generate {
            prompt: prompt.into(),
            answer: answer.into(),
        };
        assert_eq!(
            items,
            [
                generate(
                    "Question: Ann has 3 hens. Each lays 700 eggs. How many eggs?\nAnswer:",
                    "2100"
                ),
                generate("Question: What is 4 less than 1?\nAnswer:", "-3"),
            ]
        );
    }

    #[test]
    fn an_answer_without_a_number_is_refused() {
        for (answer, found) in [
            ("3", "its answer has no ####"),
            ("3\\n#### three", "its answer has no number behind ####"),
        ] {
            let file = format!("{{\"question\": \"q\", \"answer\": \"{answer}\"}}");
            let refusal = Painters::Gsm8k.read(file.as_bytes()).expect_err("no number").to_string();
            assert!(
                refusal.starts_with(&format!("line 1 is not a row of gsm8k ({found}): write {{")),
                "{refusal}"
            );
        }
    }
}
