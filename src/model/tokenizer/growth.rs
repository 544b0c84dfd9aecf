//! How many bytes a `tokenizer.json` may make of one, from what it says before anything is run: its steps
//! replace text by longer text, one behind the other, so that a few lines can ask for any memory.

use serde::Deserialize;
use serde_json::Value;

/// Most bytes that a tokenizer may make of a text. Each takes about twenty in memory, since the library keeps
/// where in the text it came from.
pub const MAX_BYTES: u64 = 128 << 20;

/// The steps of a tokenizer, as its file describes them.
#[derive(Deserialize)]
struct Steps {
    #[serde(default)]
    normalizer: Value,
    #[serde(default)]
    pre_tokenizer: Value,
    #[serde(default)]
    post_processor: Value,
    #[serde(default)]
    decoder: Value,
    #[serde(default)]
    added_tokens: Vec<GrowthToken>,
}

#[derive(Deserialize)]
struct GrowthToken {
    content: String,
}

/// The largest text that may come of a text, and of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growth {
    /// Bytes of one byte of text, through all steps up to the token ids.
    encoded: u64,
    /// Bytes that the steps put beside any text.
    beside: u64,
    /// Bytes of one byte of a token's name, through the decoder.
    decoded: u64,
}

impl Growth {
    /// Reads the steps that a tokenizer's file describes.
    ///
    /// # Errors
    /// No JSON of a tokenizer, a damaged table, or steps that make too much of the file's own tokens.
    pub fn of_json(json: &[u8]) -> Result<Self, String> {
        let steps: Steps = serde_json::from_slice(json).map_err(|error| error.to_string())?;
        let growth = Self {
            encoded: factor(&steps.normalizer)?
                .saturating_mul(factor(&steps.pre_tokenizer)?)
                .saturating_mul(copies(&steps.post_processor)),
            beside: beside(&steps.normalizer).saturating_add(beside(&steps.post_processor)),
            decoded: factor(&steps.decoder)?,
        };

        // The library normalizes the added tokens when it reads the file.
        let added = steps.added_tokens.iter().map(|token| token.content.len());
        growth.check_text(added.sum::<usize>().max(1), "its own added tokens")?;
        Ok(growth)
    }

    /// Whether a text of so many bytes can be cut into tokens in bounded memory; `what` it is.
    ///
    /// # Errors
    /// Why not.
    pub fn check_text(self, bytes: usize, what: &str) -> Result<(), String> {
        let text = (bytes as u64).saturating_add(self.beside);
        bounded(text.saturating_mul(self.encoded), what)
    }

    /// Whether tokens whose names have so many bytes in all can be put together in bounded memory.
    ///
    /// # Errors
    /// Why not.
    pub fn check_tokens(self, bytes: usize) -> Result<(), String> {
        bounded((bytes as u64).saturating_mul(self.decoded), "these tokens")
    }
}

fn bounded(bytes: u64, what: &str) -> Result<(), String> {
    match bytes {
        0..=MAX_BYTES => Ok(()),
        _ => Err(format!("its steps may make more than {} MB of {what}", MAX_BYTES >> 20)),
    }
}

/// The steps inside a step: a sequence's own.
fn inner(step: &Value) -> impl Iterator<Item = &Value> {
    let lists = ["normalizers", "pretokenizers", "processors", "decoders"];
    lists.into_iter().filter_map(|list| step[list].as_array()).flatten()
}

/// Bytes that a step may make of one byte.
fn factor(step: &Value) -> Result<u64, String> {
    Ok(match step["type"].as_str() {
        Some("Sequence") => {
            let factors = inner(step).map(factor);
            factors.collect::<Result<Vec<_>, _>>()?.into_iter().fold(1, u64::saturating_mul)
        }
        Some("Replace") => {
            let content = step["content"].as_str().unwrap_or_default().len() as u64;
            match step["pattern"]["String"].as_str().map_or(0, str::len) as u64 {
                // An expression may match between any two letters.
                0 => content.saturating_add(1),
                pattern => content.div_ceil(pattern).max(1),
            }
        }
        Some("Precompiled") => {
            longest_entry(step["precompiled_charsmap"].as_str().unwrap_or_default())?.max(1)
        }
        // U+FDFA, three bytes, is 18 letters.
        Some("NFKC" | "NFKD" | "BertNormalizer") => 12,
        Some("NFC" | "NFD" | "Metaspace") => 3,
        Some("Lowercase" | "ByteLevel" | "WordPiece" | "CTC") => 2,
        // Whatever else there is cuts, or takes away.
        _ => 1,
    })
}

/// How often a post-processor repeats a text's tokens.
fn copies(step: &Value) -> u64 {
    let pieces = step["single"].as_array().into_iter().flatten();
    let own = pieces.filter(|piece| !piece["Sequence"].is_null()).count().max(1);
    inner(step).map(copies).fold(own as u64, u64::saturating_mul)
}

/// Bytes that a step puts beside any text.
fn beside(step: &Value) -> u64 {
    let prefix = step["prepend"].as_str().unwrap_or_default().len() as u64;
    let pieces = step["single"].as_array().into_iter().flatten();
    let special = pieces.filter_map(|piece| piece["SpecialToken"]["id"].as_str());
    let special = special.map(|name| step["special_tokens"][name]["ids"].as_array());
    let special = special.map(|ids| ids.map_or(1, Vec::len) as u64);
    let own = special.fold(prefix, u64::saturating_add);
    inner(step).map(beside).fold(own, u64::saturating_add)
}

/// The longest text in a table of SentencePiece's: the length of a trie, in bytes, the trie, and texts that
/// a zero ends.
fn longest_entry(table: &str) -> Result<u64, String> {
    let damaged = || "its precompiled_charsmap is damaged".to_string();
    let bytes = from_base64(table).ok_or_else(damaged)?;
    let (length, rest) = bytes.split_first_chunk::<4>().ok_or_else(damaged)?;
    // The library asks for memory for the trie before it looks at what there is.
    let texts = rest.get(u32::from_le_bytes(*length) as usize..).ok_or_else(damaged)?;
    let longest = texts.split(|&byte| byte == 0).map(<[u8]>::len).max();
    Ok(longest.unwrap_or(0) as u64)
}

fn from_base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    for letter in text.trim_end_matches('=').bytes() {
        let six = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(six);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn growth(field: &str, step: Value) -> Result<Growth, String> {
        Growth::of_json(json!({ field: step }).to_string().as_bytes())
    }

    fn replace(pattern: Value, content: &str) -> Value {
        json!({"type": "Replace", "pattern": pattern, "content": content})
    }

    fn sequence(list: &str, steps: Vec<Value>) -> Value {
        json!({"type": "Sequence", list: steps})
    }

    /// Llama 2's, which every text goes through.
    #[test]
    fn what_models_say_makes_little_of_a_text() {
        let prepend = json!({"type": "Prepend", "prepend": "▁"});
        let steps = vec![prepend, replace(json!({"String": " "}), "▁")];
        let found = growth("normalizer", sequence("normalizers", steps));
        assert_eq!(found, Ok(Growth { encoded: 3, beside: 3, decoded: 1 }));
        let found = found.expect("a growth");
        assert_eq!(found.check_text(16 << 20, "this text"), Ok(()));
        let why = "its steps may make more than 128 MB of this text";
        assert_eq!(found.check_text(64 << 20, "this text"), Err(why.into()));
    }

    #[test]
    fn steps_multiply() {
        let hundred = || replace(json!({"String": "a"}), &"a".repeat(100));
        let five = sequence("normalizers", (0..5).map(|_| hundred()).collect());
        let why = "its steps may make more than 128 MB of its own added tokens";
        assert_eq!(growth("normalizer", five.clone()), Err(why.into()));
        let found = growth("decoder", sequence("decoders", vec![hundred(), hundred()]));
        let found = found.expect("a growth");
        assert_eq!(found.check_tokens(100), Ok(()));
        assert!(found.check_tokens(100_000).is_err());
        let any = || replace(json!({"Regex": "."}), "ab");
        let found = growth("normalizer", sequence("normalizers", (0..24).map(|_| any()).collect()));
        assert_eq!(found, Err(why.into()));
    }

    #[test]
    fn a_template_may_hold_a_text_many_times() {
        let text = json!({"Sequence": {"id": "A", "type_id": 0}});
        let template = || json!({"type": "TemplateProcessing", "single": vec![&text; 3]});
        let found = growth("post_processor", sequence("processors", vec![template(), template()]));
        assert_eq!(found, Ok(Growth { encoded: 9, beside: 0, decoded: 1 }));
        let special = json!({"SpecialToken": {"id": "x", "type_id": 0}});
        let template = json!({
            "type": "TemplateProcessing",
            "single": vec![special; 20_000],
            "special_tokens": {"x": {"id": "x", "ids": vec![0; 10_000]}},
        });
        assert!(growth("post_processor", template).is_err());
    }

    /// `/////w==` says that four thousand million bytes follow.
    #[test]
    fn a_table_is_as_long_as_it_says() {
        let table = |text: &str| json!({"type": "Precompiled", "precompiled_charsmap": text});
        let damaged = Err("its precompiled_charsmap is damaged".to_string());
        for text in ["/////w==", "", "AAAA", "?"] {
            assert_eq!(growth("normalizer", table(text)), damaged, "{text}");
        }
        // No trie, and two texts: `a`, `abc`.
        let found = growth("normalizer", table("AAAAAGEAYWJjAA=="));
        assert_eq!(found, Ok(Growth { encoded: 3, beside: 0, decoded: 1 }));
    }
}
