//! Byte-level vocabularies of GGUF files: by which rule they cut a text, and what comes before that.

use std::borrow::Cow;

use super::*;
use crate::model::checkpoint::gguf;

/// A value of a file's metadata.
enum MetadataPair<'a> {
    Text(&'a str),
    Texts(&'a [&'a str]),
    Flag(bool),
    Id(u32),
}

use MetadataPair::{Flag, Id, Text, Texts};

/// The tokenizer of a file that has these pairs and no tensor.
fn tokenizer(pairs: &[(&str, MetadataPair)]) -> Result<tokenizers::Tokenizer, String> {
    let text = |text: &str| [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat();
    let mut bytes = b"GGUF".to_vec();
    bytes.extend(3u32.to_le_bytes());
    bytes.extend(0u64.to_le_bytes());
    bytes.extend((pairs.len() as u64).to_le_bytes());
    for (key, pair) in pairs {
        bytes.extend(text(key));
        let (kind, value) = match pair {
            Text(value) => (8u32, text(value)),
            Texts(all) => {
                let mut value =
                    [&8u32.to_le_bytes()[..], &(all.len() as u64).to_le_bytes()].concat();
                all.iter().for_each(|one| value.extend(text(one)));
                (9, value)
            }
            Flag(value) => (7, vec![u8::from(*value)]),
            Id(value) => (4, value.to_le_bytes().to_vec()),
        };
        bytes.extend(kind.to_le_bytes());
        bytes.extend(value);
    }
    let ranges = |range: std::ops::Range<u64>| {
        Ok(Cow::Borrowed(&bytes[range.start as usize..range.end as usize]))
    };
    let header = gguf::read("test.gguf", bytes.len() as u64, &ranges).expect("a header");
    let json = tokenizer_json(&header.metadata).map_err(|error| error.to_string())?;
    Ok(tokenizers::Tokenizer::from_bytes(json.expect("a vocabulary")).expect("a tokenizer"))
}

/// Letters that stand for the bytes of "12", "e\u{301}" and "é", and tokens that are made of several. The
/// first is BOS, too.
const TOKENS: [&str; 9] = ["1", "2", "12", "e", "\u{cc}", "\u{123}", "Ã", "©", "Ã©"];
const MERGES: [&str; 1] = ["Ã ©"];

/// Encodes a text with the tokenizer of a file of this architecture and rule.
fn ids(architecture: &str, pre: Option<&str>, text: &str) -> Result<Vec<u32>, String> {
    let mut pairs = vec![
        ("general.architecture", Text(architecture)),
        ("tokenizer.ggml.model", Text("gpt2")),
        ("tokenizer.ggml.tokens", Texts(&TOKENS)),
        ("tokenizer.ggml.merges", Texts(&MERGES)),
        ("tokenizer.ggml.bos_token_id", Id(0)),
    ];
    pairs.extend(pre.map(|pre| ("tokenizer.ggml.pre", Text(pre))));
    let encoded = tokenizer(&pairs)?.encode(text, true).expect("ids");
    Ok(encoded.get_ids().to_vec())
}

/// Files made before the key existed were cut by the rule "default", which is none of their models'.
#[test]
fn a_file_that_names_no_rule_is_refused_but_for_two_old_architectures() {
    for architecture in ["llama", "qwen2", "phi2", "gptneox"] {
        assert_eq!(
            ids(architecture, None, "12").expect_err(architecture),
            "test.gguf: tokenizer.ggml.pre is missing, but without it, text would be split differently from the \
             model's training: put the model's tokenizer.json beside the file, or take a newer file of the model"
        );
    }
    // GPT-2 cuts between letters and digits only, Falcon between digits in threes.
    assert_eq!(ids("gpt2", None, "12"), ids("gpt2", Some("gpt-2"), "12"));
    assert_eq!(ids("falcon", None, "12"), ids("falcon", Some("falcon"), "12"));
    assert!(ids("gpt2", None, "12").is_ok());
    let refusal = ids("llama", Some("deepseek-v3"), "12").expect_err("an unknown rule");
    assert!(refusal.contains(
        "tokenizer.ggml.pre is deepseek-v3, but atelier knows the rules default, gpt-2, "
    ));
}

/// Which pattern cuts, whether a whole word that is a token is merged, and whether BOS is put before a
/// text are three facts: "12" is a token to which no merges lead.
#[test]
fn dbrx_cuts_as_llama_3_and_neither_skips_merges_nor_begins_with_bos() {
    for llama3 in ["llama-bpe", "llama3", "llama-v3"] {
        assert_eq!(ids("llama", Some(llama3), "12"), Ok(vec![0, 2]), "{llama3}");
    }
    assert_eq!(ids("phi3", Some("dbrx"), "12"), Ok(vec![0, 1]));
    assert_eq!(ids("qwen2", Some("qwen2"), "12"), Ok(vec![0, 1]));
}

/// An accent that is a character of its own, as macOS and PDFs have it, is the letter with the accent to
/// the tokenizers of Qwen 2, GPT-NeoX and OLMo 1, and to no other's.
#[test]
fn text_is_normalised_where_the_models_own_tokenizer_does() {
    let (composed, apart) = ("\u{e9}", "e\u{301}");
    let normalised = [
        ("qwen2", "qwen2"),
        ("qwen3", "qwen2"),
        ("gptneox", "gpt-2"),
        ("gptneox", "olmo"),
        ("olmo", "olmo"),
    ];
    for (architecture, pre) in normalised {
        assert_eq!(ids(architecture, Some(pre), apart), Ok(vec![8]), "{architecture}, {pre}");
    }
    for (architecture, pre) in [("gpt2", "gpt-2"), ("phi3", "dbrx")] {
        assert_eq!(ids(architecture, Some(pre), apart), Ok(vec![3, 4, 5]), "{architecture}");
        assert_eq!(ids(architecture, Some(pre), composed), Ok(vec![8]), "{architecture}");
    }
}

#[test]
fn bos_is_put_where_the_file_says() {
    let with = |adds: bool, bos: u32| {
        let pairs = [
            ("tokenizer.ggml.model", Text("gpt2")),
            ("tokenizer.ggml.pre", Text("llama-bpe")),
            ("tokenizer.ggml.tokens", Texts(&TOKENS)),
            ("tokenizer.ggml.merges", Texts(&MERGES)),
            ("tokenizer.ggml.add_bos_token", Flag(adds)),
            ("tokenizer.ggml.bos_token_id", Id(bos)),
        ];
        let encoded = tokenizer(&pairs)?.encode("2", true).expect("ids");
        Ok::<_, String>(encoded.get_ids().to_vec())
    };
    assert_eq!(with(true, 3), Ok(vec![3, 1]));
    assert_eq!(with(false, 99), Ok(vec![1]));
    let refusal = with(true, 99).expect_err("no such token");
    assert_eq!(refusal, "test.gguf: tokenizer.ggml.bos_token_id is 99, but there are 9 tokens");
}
