//! Small vocabularies, made here: ties, probabilities, bytes, spaces and special tokens.

use super::*;

const NORMAL: u8 = 1;
const UNKNOWN: u8 = 2;
const CONTROL: u8 = 3;
const USER_DEFINED: u8 = 4;
const BYTE: u8 = 6;

const UNIGRAM: u8 = 1;
const MERGES: u8 = 2;

/// A field that holds bytes.
fn bytes(number: u8, bytes: &[u8]) -> Vec<u8> {
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
        let piece = [bytes(1, text.as_bytes()), score, vec![3 << 3, *kind]].concat();
        model.extend(bytes(1, &piece));
    }
    // The field 35 takes two bytes.
    model.extend(bytes(2, &[3 << 3, rule, 0x98, 0x02, u8::from(has_bytes)]));
    model.extend(bytes(3, &[4 << 3, 0]));
    model
}

/// Names of the tokens that a text is cut into.
fn cut(model: &[u8], config: Option<&str>, text: &str) -> Vec<String> {
    let read = SentencePiece::read(model, config.map(str::as_bytes)).expect("a vocabulary");
    let tokens = read.encode(text).expect("tokens").into_iter();
    tokens.map(|(id, _)| read.piece(id).expect("a token").to_owned()).collect()
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
    let reason = SentencePiece::read(&missing, None).err();
    assert_eq!(reason.as_deref(), Some("it spells letters by bytes and has no <0x00>"));
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
        model.extend(bytes(3, &[3 << 3, 0]));
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
        model.extend(bytes(3, &[bytes(2, &charsmap), vec![3 << 3, 0]].concat()));
        model
    };
    let found = cut(&with(charsmap(b"b\0")), None, &"a".repeat(2 * LONGEST + 1));
    assert_eq!(found, ["<s>", "b", "b", "b"]);
    let long = [&[b' '; LONGEST + 1][..], b"\0"].concat();
    let reason = SentencePiece::read(&with(charsmap(&long)), None).err();
    assert_eq!(reason.as_deref(), Some("its normalisation rules are damaged"));
}

#[test]
fn what_is_no_vocabulary_is_refused() {
    let refused = |bytes: &[u8]| SentencePiece::read(bytes, None).err().expect("a refusal");
    let cut_off = "it was cut off, or is no SentencePiece model";
    let whole = model(MERGES, false, &[("a", 0.0, NORMAL)]);
    assert_eq!(refused(&whole[..whole.len() - 1]), cut_off);
    assert_eq!(refused(b"\x0b\x0b"), cut_off);
    assert_eq!(refused(b""), "it has no pieces");
    assert_eq!(
        refused(&model(3, false, &[])),
        "its pieces are words; atelier reads BPE, unigram and characters"
    );
    let twice = [("a", 0.0, NORMAL), ("a", 0.0, NORMAL)];
    assert_eq!(refused(&model(MERGES, false, &twice)), "piece 4 is there twice");
    let long = format!(r#"{{"unk_token": "{}"}}"#, "u".repeat(200));
    let reason = SentencePiece::read(&whole, Some(long.as_bytes())).err().expect("a refusal");
    assert!(reason.ends_with("names a token of 200 bytes, and 128 are the most"), "{reason}");
    let no_number = [("a", f32::NAN, NORMAL)];
    assert_eq!(refused(&model(MERGES, false, &no_number)), "piece 3 has a score that is no number");
}
