//! Texts in order, to find those that another text begins with.

/// Texts, each with a number; none is empty or there twice.
pub struct PrefixTable {
    sorted: Vec<(String, u32)>,
}

impl PrefixTable {
    /// Sorts texts.
    pub fn new(texts: Vec<(&str, u32)>) -> Self {
        let mut sorted: Vec<(String, u32)> =
            texts.into_iter().map(|(text, id)| (text.to_owned(), id)).collect();
        sorted.sort_unstable();
        Self { sorted }
    }

    /// Finds the texts that `text` begins with, the shortest first: the length of each, and its number.
    pub fn found_in(&self, text: &str) -> impl Iterator<Item = (usize, u32)> {
        // Those that begin as `text` does so far, and are longer than that.
        let mut left = &self.sorted[..];
        let mut length = 0;
        std::iter::from_fn(move || {
            while let Some(&byte) = text.as_bytes().get(length) {
                left = followed_by(left, length, byte);
                length += 1;
                let ((first, id), longer) = left.split_first()?;
                if first.len() == length {
                    left = longer;
                    return Some((length, *id));
                }
            }
            None
        })
    }
}

/// Narrows sorted texts to those with this byte at `index`, up to which all are equal and none ends.
fn followed_by(texts: &[(String, u32)], index: usize, byte: u8) -> &[(String, u32)] {
    let byte_of = |(text, _): &(String, u32)| text.as_bytes()[index];
    let ends = (texts.first().map(byte_of), texts.last().map(byte_of));
    if ends == (Some(byte), Some(byte)) {
        return texts;
    }
    let start = texts.partition_point(|text| byte_of(text) < byte);
    let count = texts[start..].partition_point(|text| byte_of(text) == byte);
    &texts[start..start + count]
}
