//! GGUF files by their names: which are parts of one model.

use crate::model::ModelError;

pub const ENDING: &str = ".gguf";

pub fn is_gguf(file: &str) -> bool {
    file.ends_with(ENDING)
}

/// Splits the name of a GGUF part: `name-00001-of-00003.gguf` gives `name` and `-of-00003`, which all parts
/// of a model share.
pub fn split_of(file: &str) -> Option<(&str, &str)> {
    const NUMBER: usize = "-00001".len();
    const COUNT: usize = "-of-00003".len();
    let stem = file.strip_suffix(ENDING)?;
    let (before, of) = stem.split_at_checked(stem.len().checked_sub(COUNT)?)?;
    let (name, number) = before.split_at_checked(before.len().checked_sub(NUMBER)?)?;
    let is_count = |text: &str, start: &str| {
        let digits = text.strip_prefix(start);
        digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
    };
    (is_count(number, "-") && is_count(of, "-of-")).then_some((name, of))
}

/// Returns the number of parts by the name of one: 3 for `name-00001-of-00003.gguf`.
#[cfg(any(feature = "cli", feature = "web"))]
pub fn shard_count(file: &str) -> Option<usize> {
    let (_, of) = split_of(file)?;
    of.trim_start_matches("-of-").parse().ok()
}

/// Which GGUF files are the model: the only one, or all parts of one.
pub fn choose<W>(
    folder: &str,
    mut ggufs: Vec<(String, W)>,
) -> Result<Vec<(String, W)>, ModelError> {
    ggufs.sort_by(|a, b| a.0.cmp(&b.0));
    let first = ggufs.first().and_then(|(file, _)| split_of(file));
    let is_one = ggufs.len() == 1
        || first.is_some() && ggufs.iter().all(|(file, _)| split_of(file) == first);
    if is_one {
        return Ok(ggufs);
    }
    Err(ModelError::SeveralGgufs { folder: folder.to_string(), files: super::choice::some(&ggufs) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_model_are_known_by_their_names() {
        let split = split_of("a-b-00002-of-00003.gguf");
        assert_eq!(split, Some(("a-b", "-of-00003")));
        for other in ["a.gguf", "-of-00003.gguf", "a-0000x-of-00003.gguf", "é.gguf"] {
            assert_eq!(split_of(other), None, "{other}");
        }
        let chosen = |names: &[&str]| {
            let files = names.iter().map(|name| (name.to_string(), ()));
            choose("here", files.collect()).map(|files| files.len())
        };
        assert_eq!(chosen(&["a.gguf"]).ok(), Some(1));
        let parts = ["a-00002-of-00002.gguf", "a-00001-of-00002.gguf"];
        assert_eq!(chosen(&parts).ok(), Some(2));
        let error = chosen(&["b.gguf", "a.gguf"]).expect_err("two models");
        let sentence = error.to_string();
        assert!(
            sentence.starts_with("here holds several GGUF files (a.gguf, b.gguf)"),
            "{sentence}"
        );
    }
}
