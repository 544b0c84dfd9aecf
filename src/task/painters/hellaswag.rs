//! HellaSwag (Zellers et al. 2019), six lines an item: `activity: context`, the number of the right
//! ending counted from 0, then four endings.
//!
//! lm-eval's prompt is `activity: ctx_a Ctx_b`, each ending behind a space. The file joins the two
//! halves of the context; the second is what stands behind its last full stop, and its first letter
//! becomes a capital as lm-eval makes it. ` [title]` becomes a full stop and other words in brackets
//! go, as there.

use super::Painters;
use crate::task::error::TaskError;
use crate::task::item::{Candidate, Item};
use crate::task::lines::lines;

pub(super) const FORM: &str =
    "write six lines an item: activity: context, the right ending's number from 0, four endings";

const ENDINGS: usize = 4;

pub(super) fn items(file: &[u8]) -> Result<Vec<Item>, TaskError> {
    let mut lines = lines(file)?;
    // Only behind the last item: a blank line within one is a missing part.
    while lines.last().is_some_and(|(_, text)| text.trim().is_empty()) {
        lines.pop();
    }
    lines.chunks(ENDINGS + 2).map(item).collect()
}

fn item(lines: &[(usize, &str)]) -> Result<Item, TaskError> {
    let wrong = |line: usize, found: String| Painters::HellaSwag.refuse(line, found);
    if let Some((line, _)) = lines.iter().find(|(_, text)| text.trim().is_empty()) {
        return Err(wrong(*line, "it is blank".into()));
    }
    let [(first, context), (second, label), endings @ ..] = lines else {
        let (last, _) = lines[lines.len() - 1];
        return Err(wrong(last, "the file ends within an item".into()));
    };
    let answer =
        label.trim().parse().ok().filter(|&answer: &usize| answer < ENDINGS).ok_or_else(|| {
            let found = format!("'{}' is not the number of an ending, 0 to 3", label.trim());
            wrong(*second, found)
        })?;
    if endings.len() < ENDINGS {
        let last = second + endings.len();
        return Err(wrong(last, "the file ends within an item".into()));
    }
    let (activity, context) = context
        .split_once(": ")
        .ok_or_else(|| wrong(*first, "it has no 'activity: ' in front".into()))?;
    let context = cleaned(&format!("{activity}: {}", capitalised(context)));
    let candidates = endings
        .iter()
        .map(|(_, ending)| Candidate {
            context: context.clone(),
            continuation: format!(" {}", cleaned(ending)),
        })
        .collect();
    Ok(Item::Continuation { candidates, answer })
}

/// With a capital where the text's last sentence begins.
fn capitalised(context: &str) -> String {
    let start = context.rfind(". ").map_or(0, |at| at + 2);
    let (before, last) = context.split_at(start);
    let mut letters = last.chars();
    match letters.next() {
        Some(letter) => before.chars().chain(letter.to_uppercase()).chain(letters).collect(),
        None => context.into(),
    }
}

/// lm-eval's `preprocess`: the marks that WikiHow texts carry are not for reading.
fn cleaned(text: &str) -> String {
    let text = text.trim().replace(" [title]", ". ");
    let mut clean = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some((before, mark)) = rest.split_once('[') {
        let Some((_, after)) = mark.split_once(']') else {
            break;
        };
        clean.push_str(before);
        rest = after;
    }
    clean.push_str(rest);
    clean.replace("  ", " ")
}

#[cfg(test)]
mod tests {
    use super::cleaned;
    use crate::task::item::{Candidate, Item};
    use crate::task::painters::Painters;

    const ITEM: &str =
        "Baking: A man opens an oven. the man\n2\nswims.\nsings.\ntakes out bread.\nis a cake.\n";

    #[test]
    fn six_lines_make_an_item() {
        let candidate = |ending: &str| Candidate {
            context: "Baking: A man opens an oven. The man".into(),
            continuation: ending.into(),
        };
        let item = Item::Continuation {
            candidates: [" swims.", " sings.", " takes out bread.", " is a cake."]
                .map(candidate)
                .into(),
            answer: 2,
        };
        let twice = format!("{ITEM}{}\n\n", ITEM.replace('\n', "\r\n"));
        let items = Painters::HellaSwag.read(twice.as_bytes()).expect("two items");
        assert_eq!(items, [item.clone(), item]);
    }

    #[test]
    fn marks_are_taken_out() {
        assert_eq!(
            cleaned(" Wash it [title] Dry it. [step] Use a [substeps]towel. "),
            "Wash it. Dry it. Use a towel."
        );
        assert_eq!(cleaned("an open [bracket"), "an open [bracket");
    }

    #[test]
    fn a_refusal_names_the_line() {
        for (file, start) in [
            (
                ITEM.replace("\n2\n", "\n4\n"),
                "line 8 is not a row of hellaswag ('4' is not the number of an ending, 0 to 3): write six",
            ),
            (
                ITEM.replace("Baking: ", ""),
                "line 7 is not a row of hellaswag (it has no 'activity: ' in front): ",
            ),
            (ITEM.replace("sings.", ""), "line 10 is not a row of hellaswag (it is blank): "),
            (
                ITEM.replace("is a cake.\n", ""),
                "line 11 is not a row of hellaswag (the file ends within an item): ",
            ),
            (
                "Baking: a".into(),
                "line 7 is not a row of hellaswag (the file ends within an item): ",
            ),
        ] {
            let refusal = Painters::HellaSwag
                .read(format!("{ITEM}{file}").as_bytes())
                .expect_err(&file)
                .to_string();
            assert!(refusal.starts_with(start), "{refusal}");
        }
    }
}
