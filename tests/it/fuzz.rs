//! Lines and files a person can get wrong in any way: refused or read, never a panic.

mod reports;
mod tasks;

use crate::common::{in_project, pytorch};
use atelier::model::{FileBytes, ModelFiles, ModelShape, weights};
use atelier::plan::{Plan, Strategy as Painters};
use atelier::study::LoadedModel;
use atelier::task::rows;
use proptest::prelude::*;
use serde_json::{Value, json};

/// So many cases of each property, or with `ATELIER_FUZZ=100` a hundred times as many.
fn cases(count: u32) -> ProptestConfig {
    let times = std::env::var("ATELIER_FUZZ").ok();
    let times = times.and_then(|times| times.parse().ok()).unwrap_or(1);
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(count.saturating_mul(times))
    }
}

const VALID_PLANS: [&str; 9] = [
    "0-3,(4-7)x3,9,8,10-11",
    "5a,5m,(4,6,9)",
    "7-4,(1,2m,3a)x64",
    "0x64,1x2,(0-11)x9",
    "shuffle:2:12345678901234567890",
    "loop:1:3",
    "0-3,4~h0.3,5a~h1,(6~h2,7)x2",
    "swap:10",
    " 0 - 3 , ( 4 , 5 ) x 2 ",
];

/// Bytes before the tensors of the GGUF file that travels with the project: its metadata, and the
/// tensors' names, shapes and places.
const GGUF_HEADER: usize = 11_072;

const VALID_ROWS: [&str; 3] = [
    r#"{"prompt": "Tom was", "options": [" a", " b"], "answer": 1}"#,
    r#"{"ids": [1, 5, 9], "rows": [17, 230], "answer": 0}"#,
    "{\"prompt\": \"\u{e9}\", \"options\": [\" a\", \" b\"], \"answer\": 0}\r\n\n{}",
];

/// Reads a line, and prints and reads again what it could read.
fn read(line: &str, order: &[usize]) {
    match Plan::parse(line, order) {
        Ok(plan) => {
            let printed = plan.to_string();
            assert_eq!(Plan::parse(&printed, order).as_ref(), Ok(&plan), "{line} -> {printed}");
        }
        Err(error) => one_line(line, &error.to_string()),
    }
    if let Ok(strategy) = Painters::parse(line) {
        assert_eq!(Painters::parse(&strategy.to_string()), Ok(strategy));
    }
}

/// The `config.json` of every model the project carries.
fn valid_configs() -> Vec<String> {
    let folder = in_project("tests/models");
    let folders = folder.read_dir().expect("tests/models");
    let paths = folders.map(|entry| entry.expect("a folder").path().join("config.json"));
    // One folder holds GGUF files, which need none.
    let paths = paths.filter(|path| path.exists());
    paths.map(|path| std::fs::read_to_string(path).expect("config.json")).collect()
}

/// Values that a config's field should not have, and some that it may.
pub fn any_value() -> impl Strategy<Value = Value> {
    let objects = [
        json!({}),
        json!({ "rope_type": "llama3" }),
        json!({ "type": "longrope", "short_factor": [] }),
    ];
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2..70i64).prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z0-9]{0,6}".prop_map(Value::from),
        prop::collection::vec(-1.0..3.0f64, 0..6).prop_map(Value::from),
        prop::sample::select(objects.to_vec()),
    ]
}

/// Reads a config of any family; what is accepted holds what [`ModelShape`] promises.
fn read_shape(text: &str) {
    let shape = match ModelShape::from_json(text) {
        Ok(shape) => shape,
        Err(error) => return one_line(text, &error.to_string()),
    };
    let sizes = [shape.vocabulary, shape.width, shape.context];
    assert!(sizes.iter().all(|&size| size > 0), "{text}");
    let blocks = shape.blocks.len();
    assert!(blocks > 0 && shape.order.len() >= blocks, "{text}");
    assert!(shape.order.iter().all(|&block| block < blocks), "{text}");
    for block in &shape.blocks {
        let attention = &block.attention;
        let divides = |all: usize, part: usize| part > 0 && all.is_multiple_of(part);
        assert!(divides(attention.heads, attention.kv_heads), "{text}");
        assert!(attention.head_width > 0 && block.mlp.width > 0, "{text}");
        assert!(attention.window != Some(0), "{text}");
        assert!(block.norm.eps > 0.0 && block.norm.eps < 1.0, "{text}");
        if let Some(rope) = &attention.rope {
            assert!(divides(rope.width, 2) && rope.width <= attention.head_width, "{text}");
            assert!(rope.theta > 1.0 && rope.theta.is_finite(), "{text}");
        }
    }
}

fn one_line(given: &str, sentence: &str) {
    assert!(!sentence.is_empty() && !sentence.contains('\n'), "{given}: {sentence}");
}

/// A text with a few characters replaced, removed, doubled or inserted.
fn mutated<S: ToString>(valid: &[S], alphabet: &str) -> impl Strategy<Value = String> + use<S> {
    let valid: Vec<String> = valid.iter().map(S::to_string).collect();
    let letters: Vec<char> = alphabet.chars().collect();
    let edit = (any::<prop::sample::Index>(), 0..4u8, prop::sample::select(letters));
    let edits = prop::collection::vec(edit, 1..6);
    (prop::sample::select(valid), edits).prop_map(|(line, edits)| {
        let mut chars: Vec<char> = line.chars().collect();
        for (place, action, letter) in edits {
            if chars.is_empty() {
                break;
            }
            let at = place.index(chars.len());
            match action {
                0 => chars[at] = letter,
                1 => drop(chars.remove(at)),
                2 => chars.insert(at, chars[at]),
                _ => chars.insert(at, letter),
            }
        }
        chars.into_iter().collect()
    })
}

proptest! {
    #![proptest_config(cases(3000))]

    #[test]
    fn a_plan_line_of_any_characters(line in any::<String>(), blocks in 0..20usize) {
        read(&line, &(0..blocks).collect::<Vec<_>>());
    }

    #[test]
    fn a_plan_line_of_the_notations_characters(line in "[0-9(),xam:~h. -]{0,40}", blocks in 0..20usize) {
        read(&line, &(0..blocks).collect::<Vec<_>>());
    }

    #[test]
    fn a_strategy_of_any_numbers(
        name in "(skip|repeat|reverse|shuffle|parallel|loop|drop|swap)",
        numbers in prop::collection::vec(prop_oneof![0..9u64, any::<u64>()], 0..4),
        order in prop::collection::vec(0..6usize, 0..14),
    ) {
        let line = numbers.iter().fold(name, |line, n| format!("{line}:{n}"));
        read(&line, &order);
    }

    #[test]
    fn a_valid_plan_line_mistyped(line in mutated(&VALID_PLANS, "0123456789,()-xam:~h.é\u{0} ")) {
        read(&line, &(0..12).collect::<Vec<_>>());
    }

    #[test]
    fn a_file_of_rows_of_any_bytes(file in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = rows::read(&file);
    }

    #[test]
    fn a_valid_row_mistyped(file in mutated(&VALID_ROWS, "{}[]\",:0123456789-.e\n\u{0} ")) {
        if let Ok(read) = rows::read(file.as_bytes()) {
            prop_assert!(read.iter().all(|row| row.item.answer().is_some_and(|right| right < row.item.options())));
        }
    }

    #[test]
    fn a_config_of_any_characters(text in any::<String>()) {
        read_shape(&text);
        read_shape(&text);
    }

    #[test]
    fn a_valid_config_mistyped(text in mutated(&valid_configs(), "{}[]\",:0123456789-.enul\u{0} ")) {
        read_shape(&text);
        read_shape(&text);
    }

    #[test]
    fn a_valid_config_with_other_values(
        text in prop::sample::select(valid_configs()),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any_value()), 1..4),
    ) {
        let mut config: Value = serde_json::from_str(&text).expect("a config");
        let fields: Vec<String> = config.as_object().expect("an object").keys().cloned().collect();
        for (field, value) in edits {
            config[fields[field.index(fields.len())].as_str()] = value;
        }
        read_shape(&config.to_string());
    }
}

proptest! {
    // Each case reads a whole model.
    #![proptest_config(cases(150))]

    #[test]
    fn a_checkpoint_with_a_damaged_header(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        length in prop_oneof![3 => Just(None), 1 => any::<prop::sample::Index>().prop_map(Some)],
    ) {
        let folder = in_project("tests/models/random-llama3");
        let read = |file: &str| std::fs::read(folder.join(file)).expect(file);
        let mut weights = read("model.safetensors");
        let header = 8 + u64::from_le_bytes(weights[..8].try_into().expect("8 bytes")) as usize;
        for (place, byte) in edits {
            weights[place.index(header)] = byte;
        }
        if let Some(length) = length {
            weights.truncate(length.index(weights.len()));
        }
        let files = [("config.json", read("config.json")), ("model.safetensors", weights)];
        let files = files.map(|(name, bytes)| (name.to_string(), FileBytes::Owned(bytes)));
        let files = ModelFiles::from_named("damaged", files.into()).expect("both files");
        if let Err(error) = LoadedModel::from_files(&files, &mut |_, _| {}) {
            one_line("a damaged header", &error.to_string());
        }
        match weights::Weights::open(&files) {
            Err(error) => one_line("a damaged header", &error.to_string()),
            Ok(weights) => {
                for matrix in weights.block_matrices() {
                    let _ = weights.rows(matrix, 0..matrix.rows);
                }
            }
        }
    }

    #[test]
    fn a_pytorch_checkpoint_with_a_damaged_pickle_or_directory(
        is_older in any::<bool>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        length in prop_oneof![3 => Just(None), 1 => any::<prop::sample::Index>().prop_map(Some)],
    ) {
        let folder = in_project("tests/models/random-llama3");
        let stored = std::fs::read(folder.join("model.safetensors")).expect("weights");
        let tensors = pytorch::tensors(&stored);
        let pickle = pytorch::state_dict(&tensors).len();
        let mut file = if is_older { pytorch::older(&tensors) } else { pytorch::zip(&tensors) };
        // The pickle, and as many bytes of the end, where a zip archive has its directory.
        for (place, byte) in edits {
            let place = place.index(2 * pickle);
            let end = file.len();
            file[if place < pickle { place } else { end + pickle - place - 1 }] = byte;
        }
        if let Some(length) = length {
            file.truncate(length.index(file.len()));
        }
        let config = std::fs::read(folder.join("config.json")).expect("a config");
        let named = [("config.json", config), ("pytorch_model.bin", file)];
        let named = named.map(|(name, bytes)| (name.to_string(), FileBytes::Owned(bytes)));
        let files = ModelFiles::from_named("damaged", named.into()).expect("both files");
        match weights::Weights::open(&files) {
            Err(error) => one_line("a damaged pickle", &error.to_string()),
            Ok(weights) => {
                for matrix in weights.block_matrices() {
                    let _ = weights.rows(matrix, 0..matrix.rows);
                }
            }
        }
    }

    #[test]
    fn a_gguf_file_with_a_damaged_header(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        length in prop_oneof![3 => Just(None), 1 => any::<prop::sample::Index>().prop_map(Some)],
    ) {
        let path = in_project("tests/models/gguf/random-llama3-wide-q4_k.gguf");
        let mut file = std::fs::read(path).expect("a file that travels with the project");
        for (place, byte) in edits {
            file[place.index(GGUF_HEADER)] = byte;
        }
        if let Some(length) = length {
            file.truncate(length.index(file.len()));
        }
        let named = vec![("damaged.gguf".to_string(), FileBytes::Owned(file))];
        let opened = ModelFiles::from_named("damaged", named).map_err(|error| error.to_string());
        let read = opened.and_then(|files| {
            let weights = weights::Weights::open(&files).map_err(|error| error.to_string())?;
            for matrix in weights.block_matrices() {
                let _ = weights.rows(matrix, 0..matrix.rows);
            }
            let loaded = LoadedModel::from_files(&files, &mut |_, _| {});
            loaded.map(drop).map_err(|error| error.to_string())
        });
        if let Err(sentence) = read {
            one_line("a damaged GGUF header", &sentence);
        }
    }
}
