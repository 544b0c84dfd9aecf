//! Worked examples in front of a question.

use rand_mt::Mt;

use super::item::{Candidate, Item, TaskRow};

/// Every question with `shots` others of the same rows before it, each with its right answer.
///
/// Which ones is drawn for each row by itself, from the seed and the row's place, and never the row
/// itself nor another that asks the same (lm-eval draws from the rows asked where a set has no others). `between`
/// stands behind each example.
///
/// # Errors
/// How many rows there are, where they are too few.
pub fn with_shots(
    rows: &[TaskRow],
    shots: usize,
    seed: u64,
    between: &str,
) -> Result<Vec<TaskRow>, usize> {
    if shots == 0 {
        return Ok(rows.to_vec());
    }
    let texts: Vec<String> = rows.iter().map(|row| row.item.text()).collect();
    rows.iter()
        .enumerate()
        .map(|(index, row)| {
            let key = [seed as u32, (seed >> 32) as u32, index as u32];
            let mut random = Mt::new_with_key(key);
            let mut left: Vec<usize> =
                (0..rows.len()).filter(|&other| texts[other] != texts[index]).collect();
            refuse_if!(left.len() < shots, rows.len());
            let mut before = String::new();
            for _ in 0..shots {
                let draw = (u64::from(random.next_u32()) * left.len() as u64) >> 32;
                let example = left.swap_remove(draw as usize);
                before.push_str(&rows[example].item.solved());
                before.push_str(between);
            }
            Ok(TaskRow { item: row.item.after(&before), ..row.clone() })
        })
        .collect()
}

impl Item {
    /// Returns the text of the question and its options, without the right answer; for [`Item::Ids`] their ids.
    pub fn text(&self) -> String {
        match self {
            Item::Option { prompt, options, .. } => {
                format!("{prompt}\u{1f}{}", options.join("\u{1f}"))
            }
            Item::Ids { token_ids, option_ids, .. } => {
                format!("{token_ids:?}\u{1f}{option_ids:?}")
            }
            Item::Continuation { candidates, .. } => {
                let all = candidates.iter();
                all.map(|c| format!("{}\u{1f}{}\u{1f}", c.context, c.continuation)).collect()
            }
            Item::LastWord { context, .. } => context.clone(),
            Item::Generate { prompt, .. } => prompt.clone(),
        }
    }

    /// Returns the right answer as text: an option's index, or the open answer.
    pub fn right(&self) -> String {
        match self {
            Item::LastWord { word, .. } => word.clone(),
            Item::Generate { answer, .. } => answer.clone(),
            _ => format!("{:?}", self.answer()),
        }
    }

    /// Returns the question with its right answer, as an example for others.
    fn solved(&self) -> String {
        match self {
            Item::Option { prompt, options, answer } => format!("{prompt}{}", options[*answer]),
            Item::Continuation { candidates, answer } => {
                let right = &candidates[*answer];
                format!("{}{}", right.context, right.continuation)
            }
            Item::LastWord { context, word } => format!("{context}{word}"),
            Item::Generate { prompt, answer } => format!("{prompt} #### {answer}"),
            // Ids come without a text to put in front of anything.
            Item::Ids { .. } => String::new(),
        }
    }

    /// Returns the question with the text `before` in front of it. [`Item::Ids`] has no text and does not
    /// change.
    fn after(&self, before: &str) -> Item {
        let mut item = self.clone();
        match &mut item {
            Item::Option { prompt, .. } | Item::Generate { prompt, .. } => {
                prompt.insert_str(0, before);
            }
            Item::Continuation { candidates, .. } => {
                for Candidate { context, .. } in candidates {
                    context.insert_str(0, before);
                }
            }
            Item::LastWord { context, .. } => context.insert_str(0, before),
            Item::Ids { .. } => {}
        }
        item
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(count: usize) -> Vec<TaskRow> {
        let row = |n: usize| {
            let item = Item::Option {
                prompt: format!("q{n} is"),
                options: vec![" a".into(), " b".into()],
                answer: n % 2,
            };
            TaskRow::new(n + 1, item)
        };
        (0..count).map(row).collect()
    }

    fn prompt(row: &TaskRow) -> &str {
        match &row.item {
            Item::Option { prompt, .. } => prompt,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn examples_are_others_with_their_answers() {
        let rows = rows(6);
        let shown = with_shots(&rows, 2, 7, "\n\n").expect("enough rows");
        for (n, row) in shown.iter().enumerate() {
            let parts: Vec<&str> = prompt(row).split("\n\n").collect();
            assert_eq!(parts.len(), 3);
            assert_eq!(parts[2], format!("q{n} is"));
            assert!(parts[..2].iter().all(|part| !part.starts_with(&format!("q{n}"))));
            assert!(parts[..2].iter().all(|part| part.ends_with(" a") || part.ends_with(" b")));
            assert_ne!(parts[0], parts[1]);
        }
        assert_eq!(shown, with_shots(&rows, 2, 7, "\n\n").expect("the same"));
        assert_ne!(shown, with_shots(&rows, 2, 8, "\n\n").expect("others"));
    }

    #[test]
    fn too_few_rows_are_refused() {
        assert_eq!(with_shots(&rows(3), 3, 0, "\n"), Err(3));
        assert_eq!(with_shots(&rows(1), 0, 0, "\n"), Ok(rows(1)));
    }
}
