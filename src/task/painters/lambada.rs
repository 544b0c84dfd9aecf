//! LAMBADA (Paperno et al. 2016; OpenAI's plain-text version), `{"text": "…"}` a line: a passage
//! whose last word is to be foretold.
//!
//! Context and word are split at the last space, and the space goes with the word (lm-eval's
//! `lambada_openai`).

use serde::Deserialize;

use crate::task::item::Item;
use crate::task::score::last_word;

pub(super) const FORM: &str = r#"write {"text": "a passage and its last word"}"#;

#[derive(Deserialize)]
pub(super) struct LambadaRow {
    text: String,
}

pub(super) fn item(row: LambadaRow) -> Result<Item, String> {
    let (context, word) = last_word(&row.text).ok_or("its text has no last word behind a space")?;
    Ok(Item::LastWord { context: context.into(), word: word.into() })
}

#[cfg(test)]
mod tests {
    use crate::task::item::Item;
    use crate::task::painters::Painters;

    #[test]
    fn the_last_word_is_asked_for() {
        let file = "{\"text\": \"Ann fed the dog.\\n\\nThen she walked the dog\"}\n\n\
                    {\"text\": \"He whispered, \\u201cLook\\u201d to\\nSam\"}\r\n";
        let items = Painters::Lambada.read(file.as_bytes()).expect("two rows");
        let word = |context: &str, word: &str| Item::LastWord {
            context: context.into(),
            word: word.into(),
        };
        assert_eq!(
            items,
            [
                word("Ann fed the dog.\n\nThen she walked the", " dog"),
                // lm-eval splits at spaces alone.
                word("He whispered, “Look”", " to\nSam"),
            ]
        );
    }

    #[test]
    fn a_text_without_a_last_word_is_refused() {
        for text in ["one", "ends in a space ", " alone"] {
            let file = format!("{{\"text\": \"a b\"}}\n{{\"text\": \"{text}\"}}");
            let refusal = Painters::Lambada.read(file.as_bytes()).expect_err("no last word");
            assert_eq!(
                refusal.to_string(),
                "line 2 is not a row of lambada (its text has no last word behind a space): \
                 write {\"text\": \"a passage and its last word\"}"
            );
        }
        let refusal = Painters::Lambada.read(b"{\"words\": \"a b\"}").expect_err("no text");
        assert!(
            refusal
                .to_string()
                .starts_with("line 1 is not a row of lambada (missing field `text`, column 16): "),
            "{refusal}"
        );
    }
}
