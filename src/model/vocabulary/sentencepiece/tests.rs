//! Small vocabularies, made here: ties, probabilities, bytes, spaces and special tokens.

use proptest::prelude::*;

use super::*;

const NORMAL: u8 = 1;
const UNKNOWN: u8 = 2;
const CONTROL: u8 = 3;
const USER_DEFINED: u8 = 4;
const BYTE: u8 = 6;

const UNIGRAM: u8 = 1;
const MERGES: u8 = 2;

/// A field that holds bytes.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let length = bytes.len();
    let length = if length < 128 {
        vec![length as u8]
    } else {
        vec![0x80 | (length & 0x7f) as u8, (length >> 7) as u8]
    };
    [&[number << 3 | 2], &length[..], bytes].concat()
}

/// `tokenizer.model` of these pieces, behind `<unk>`, `<s>` and `</s>`; it drops no spaces.
fn model(rule: u8, has_bytes: bool, pieces: &[(&str, f32, u8)]) -> Vec<u8> {
    let first = [("<unk>", 0.0, UNKNOWN), ("<s>", 0.0, CONTROL), ("</s>", 0.0, CONTROL)];
    let mut model = Vec::new();
    for (text, score, kind) in first.iter().chain(pieces) {
        let score = [&[2 << 3 | 5], &score.to_le_bytes()[..]].concat();
        let piece = [field(1, text.as_bytes()), score, vec![3 << 3, *kind]].concat();
        model.extend(field(1, &piece));
    }
    // The field 35 takes two bytes.
    model.extend(field(2, &[3 << 3, rule, 0x98, 0x02, u8::from(has_bytes)]));
    model.extend(field(3, &[4 << 3, 0]));
    model
}

/// Names of the tokens that a text is cut into.
fn cut(model: &[u8], config: Option<&str>, text: &str) -> Vec<String> {
    let read = SentencePiece::read(model, config.map(str::as_bytes)).expect("a vocabulary");
    let tokens = read.encode(text).expect("tokens").into_iter();
    tokens.map(|(id, _)| read.piece(id).expect("a token").to_owned()).collect()
}

/// Which file is refused, and why.
fn refused(model: &[u8], config: Option<&str>) -> (String, String) {
    match SentencePiece::read(model, config.map(str::as_bytes)).err() {
        Some(ModelError::SentencePiece { file, reason }) => (file.into(), reason),
        Some(ModelError::Json { file, reason }) => (file, reason.to_string()),
        other => panic!("{:?}", other.map(|error| error.to_string())),
    }
}

#[test]
fn of_equal_scores_the_leftmost_pair_is_merged() {
    let pieces = [
        ("a", 0.0, NORMAL),
        ("b", 0.0, NORMAL),
        ("▁", 0.0, NORMAL),
        ("ba", 0.0, NORMAL),
        ("ab", 0.0, NORMAL),
    ];
    assert_eq!(cut(&model(MERGES, false, &pieces), None, "aba"), ["<s>", "▁", "ab", "a"]);
}

#[test]
fn the_most_probable_pieces_are_chosen() {
    let pieces = [
        ("a", -1.0, NORMAL),
        ("b", -1.0, NORMAL),
        ("ab", -3.0, NORMAL),
        ("▁", -1.0, NORMAL),
        ("▁ab", -2.0, NORMAL),
    ];
    let model = model(UNIGRAM, false, &pieces);
    assert_eq!(cut(&model, None, "abab"), ["<s>", "▁ab", "a", "b"]);
    // Unknown letters beside each other are one token.
    assert_eq!(cut(&model, None, "aéxb"), ["<s>", "▁", "a", "<unk>", "b"]);
}

#[test]
fn letters_that_are_no_pieces_are_spelled_by_bytes() {
    let names: Vec<String> = (0..=255).map(|byte| format!("<0x{byte:02X}>")).collect();
    let mut pieces: Vec<(&str, f32, u8)> =
        names.iter().map(|name| (name.as_str(), 0.0, BYTE)).collect();
    pieces.push(("▁", 0.0, NORMAL));
    let file = model(MERGES, true, &pieces);
    assert_eq!(cut(&file, None, "é"), ["<s>", "▁", "<0xC3>", "<0xA9>"]);
    let read = SentencePiece::read(&file, None).expect("a vocabulary");
    let ids: Vec<u32> = read.encode("é a").expect("tokens").into_iter().map(|(id, _)| id).collect();
    assert_eq!(read.decode(&ids), "é a");
    let missing = model(MERGES, true, &pieces[1..]);
    assert_eq!(refused(&missing, None).1, "it spells letters by bytes and has no <0x00>");
    // A spelled letter is not unknown.
    assert_eq!(read.unknown(), None);
    let plain = SentencePiece::read(&model(MERGES, false, &[]), None).expect("a vocabulary");
    assert_eq!(plain.unknown(), Some(0));
}

#[test]
fn a_space_is_added_behind_special_tokens_unless_the_configuration_says_otherwise() {
    let pieces = [("a", 0.0, NORMAL), ("▁", 0.0, NORMAL), ("▁a", 1.0, NORMAL)];
    let model = model(MERGES, false, &pieces);
    assert_eq!(cut(&model, None, "a</s>a"), ["<s>", "▁a", "</s>", "▁a"]);
    let new = r#"{"legacy": false, "add_bos_token": false}"#;
    assert_eq!(cut(&model, Some(new), "a</s>a"), ["▁a", "</s>", "a"]);
    // Names that a configuration leaves empty are text.
    let empty = r#"{"eos_token": "", "bos_token": {"content": ""}}"#;
    assert_eq!(cut(&model, Some(empty), "a</s>"), ["<s>", "▁a", "<unk>"]);
    // No space where null says so, and where there is none in the text.
    let without = r#"{"legacy": false, "add_bos_token": false, "add_prefix_space": null}"#;
    assert_eq!(cut(&model, Some(without), "a</s>a"), ["a", "</s>", "a"]);
    assert_eq!(cut(&model, Some(without), " a"), ["▁a"]);
    // Gemma's tokenizer has no other way.
    let gemma = r#"{"legacy": false, "tokenizer_class": "GemmaTokenizer"}"#;
    assert_eq!(cut(&model, Some(gemma), "a</s>a"), ["<s>", "▁a", "</s>", "▁a"]);
}

#[test]
fn a_text_that_joins_the_unknown_token_is_kept_whole() {
    let letters = ["<", "u", "n", "k", ">", "▁", "a"].map(|letter| (letter, -1.0, NORMAL));
    let pieces = [&letters[..], &[("<unk>▁a", -1.0, NORMAL)]].concat();
    let new = r#"{"legacy": false}"#;
    assert_eq!(cut(&model(UNIGRAM, false, &pieces), Some(new), "a"), ["<s>", "<unk>▁a"]);
}

#[test]
fn added_tokens_are_looked_for_with_the_spaces_around_them() {
    let pieces = [("a", 0.0, NORMAL), ("▁", 0.0, NORMAL), ("▁a", 1.0, NORMAL)];
    let file = model(MERGES, false, &pieces);
    let config = r#"{"bos_token": "<|im|>", "pad_token": "<pad>", "added_tokens_decoder": {
        "1": {"content": "<s>", "special": true},
        "6": {"content": "<|im|>", "special": true},
        "7": {"content": "<pad>", "lstrip": true, "rstrip": true},
        "8": {"content": "<tool>"}}}"#;
    let read = SentencePiece::read(&file, Some(config.as_bytes())).expect("a vocabulary");
    assert_eq!(read.largest_id(), 8);
    assert_eq!(
        cut(&file, Some(config), "a <pad> a<tool>"),
        ["<|im|>", "▁a", "<pad>", "▁a", "<tool>"]
    );
    assert_eq!(cut(&file, Some(config), "<s>a <tool>"), ["<|im|>", "<s>", "▁a", "▁", "<tool>"]);
    let ids: Vec<u32> =
        read.encode("a<tool>a").expect("tokens").iter().map(|(id, _)| *id).collect();
    assert_eq!(read.decode(&ids), "a<tool> a");

    let config = |field: &str| format!(r#"{{"added_tokens_decoder": {{{field}}}}}"#);
    for (config, says) in [
        (
            config(r#""4": {"content": "<b>"}"#),
            r#"it gives "<b>" the id 4, which is "▁" in tokenizer.model"#,
        ),
        (
            config(r#""6": {"content": "<b>"}, "7": {"content": "<b>"}"#),
            r#"it gives "<b>" two ids"#,
        ),
        (
            config(r#""6": {"content": "<b>", "single_word": true}"#),
            r#"its token "<b>" is one only between spaces (single_word), which atelier does not read"#,
        ),
        (r#"{"pad_token": "[PAD]"}"#.into(), r#"it names the token "[PAD]", which has no id"#),
        (
            r#"{"tokenizer_class": "T5Tokenizer"}"#.into(),
            "its tokenizer_class is T5Tokenizer, and atelier cuts as LlamaTokenizer",
        ),
    ] {
        let expected = ("tokenizer_config.json".to_owned(), says.to_owned());
        assert_eq!(refused(&file, Some(&config)), expected);
    }
    let (name, reason) = refused(&file, Some(r#"{"eos_token": 2}"#));
    assert_eq!(name, "tokenizer_config.json");
    assert!(reason.starts_with("a token is a text, or an object with its content"), "{reason}");
}

#[test]
fn user_defined_symbols_are_never_cut_or_merged() {
    let pieces =
        [("a", 0.0, NORMAL), ("▁", 0.0, NORMAL), ("▁a", 1.0, NORMAL), ("aa", 0.0, USER_DEFINED)];
    assert_eq!(cut(&model(MERGES, false, &pieces), None, "aaa"), ["<s>", "▁", "aa", "a"]);
}

/// Every piece begins with all shorter ones: what is tried at each letter must not be all of them.
#[test]
fn pieces_that_begin_with_each_other_are_cut_in_no_time() {
    let texts: Vec<String> = (1..=400).map(|count| "a".repeat(count)).collect();
    let pieces = |kind: u8| -> Vec<(&str, f32, u8)> {
        texts.iter().map(|text| (text.as_str(), -(text.len() as f32).sqrt(), kind)).collect()
    };
    let text = "a".repeat(100_000);
    for (rule, kind) in [(UNIGRAM, NORMAL), (UNIGRAM, USER_DEFINED), (MERGES, USER_DEFINED)] {
        let mut model = model(rule, false, &pieces(kind));
        // No space in front.
        model.extend(field(3, &[3 << 3, 0]));
        let found = cut(&model, None, &text);
        assert_eq!(found.len(), 1 + 100_000 / 400, "{rule} {kind}");
    }
}

#[test]
fn rules_that_lead_in_circles_end() {
    // The letter a leads back to itself, and everywhere to the text b.
    let mut trie = [0u32; 98];
    trie[0x61] = 0x61 << 10 | 1 << 8 | 0x61;
    let trie: Vec<u8> = trie.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    let charsmap = |text: &[u8]| [&(trie.len() as u32).to_le_bytes(), &trie[..], text].concat();
    let with = |charsmap: Vec<u8>| {
        let mut model = model(MERGES, false, &[("b", 0.0, NORMAL)]);
        model.extend(field(3, &[field(2, &charsmap), vec![3 << 3, 0]].concat()));
        model
    };
    let found = cut(&with(charsmap(b"b\0")), None, &"a".repeat(2 * LONGEST + 1));
    assert_eq!(found, ["<s>", "b", "b", "b"]);
    let long = [&[b' '; LONGEST + 1][..], b"\0"].concat();
    let reason = refused(&with(charsmap(&long)), None).1;
    assert_eq!(reason, "its normalisation rules are damaged");
}

#[test]
fn what_is_no_vocabulary_is_refused() {
    let reason = |bytes: &[u8]| refused(bytes, None).1;
    let cut_off = "it was cut off, or is no SentencePiece model";
    let whole = model(MERGES, false, &[("a", 0.0, NORMAL)]);
    assert_eq!(reason(&whole[..whole.len() - 1]), cut_off);
    assert_eq!(reason(b"\x0b\x0b"), cut_off);
    assert_eq!(reason(b""), "it has no pieces");
    assert_eq!(
        reason(&model(3, false, &[])),
        "its pieces are words; atelier reads BPE, unigram and characters"
    );
    let twice = [("a", 0.0, NORMAL), ("a", 0.0, NORMAL)];
    assert_eq!(reason(&model(MERGES, false, &twice)), "piece 4 is there twice");
    let long = format!(r#"{{"unk_token": "{}"}}"#, "u".repeat(200));
    let (file, says) = refused(&whole, Some(&long));
    assert_eq!(file, "tokenizer_config.json");
    assert_eq!(says, "it names a token of 200 bytes, and 128 are the most");
    let no_number = [("a", f32::NAN, NORMAL)];
    assert_eq!(reason(&model(MERGES, false, &no_number)), "piece 3 has a score that is no number");
}

proptest! {
    #[test]
    fn a_damaged_vocabulary_is_refused_or_cuts(
        rule in prop::sample::select(vec![UNIGRAM, MERGES, 4]),
        has_bytes in any::<bool>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        length in prop_oneof![3 => Just(None), 1 => any::<prop::sample::Index>().prop_map(Some)],
        text in "[ab▁ <>/s\n\u{e9}]{0,12}",
        is_legacy in any::<bool>(),
    ) {
        let names: Vec<String> = (0..=255).map(|byte| format!("<0x{byte:02X}>")).collect();
        let letters = [("a", -1.0, NORMAL), ("▁", -2.0, NORMAL), ("▁a", -0.5, NORMAL)];
        let others = [("ab", -1.5, USER_DEFINED), ("aa", -3.0, 5)];
        let bytes = names.iter().map(|name| (name.as_str(), 0.0, BYTE)).filter(|_| has_bytes);
        let pieces: Vec<(&str, f32, u8)> = letters.into_iter().chain(others).chain(bytes).collect();
        let mut file = model(rule, has_bytes, &pieces);
        // A table without rules: the trie's one place leads nowhere.
        file.extend(field(3, &field(2, b"\x04\0\0\0\0\0\0\0\0")));
        for (place, byte) in edits {
            let place = place.index(file.len());
            file[place] = byte;
        }
        if let Some(length) = length {
            file.truncate(length.index(file.len()));
        }
        let config = format!(r#"{{"legacy": {is_legacy}}}"#);
        match SentencePiece::read(&file, Some(config.as_bytes())) {
            Err(error) => prop_assert!(!error.to_string().contains('\n'), "{error}"),
            Ok(read) => {
                if let Ok(tokens) = read.encode(&text) {
                    let is_in_text = |(_, bytes): &(u32, Range<usize>)| text.get(bytes.clone()).is_some();
                    prop_assert!(tokens.iter().all(is_in_text), "{tokens:?}");
                    let ids: Vec<u32> = tokens.into_iter().map(|(id, _)| id).collect();
                    read.decode(&ids);
                }
            }
        }
    }
}
