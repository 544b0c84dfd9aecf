//! Bad command lines, bad files and bad values: one sentence each, that names the thing and says what to do. The
//! sentences are reviewed in `tests/golden/refusals`.

use serde_json::{Value, json};

use super::support::{Folder, refused, tokenizer, words};
use crate::snapshot::{check, check_answers};

/// The words that the models of these tests can read.
const WORDS: [&str; 5] = ["the", "ball", "is", "red", "blue"];

#[test]
fn lens() {
    hold("refusals/lens.txt");
}

#[test]
fn orders() {
    hold("refusals/orders.txt");
}

#[test]
fn coupling() {
    hold("refusals/coupling.txt");
}

#[test]
fn surveys() {
    hold("refusals/surveys.txt");
}

#[test]
fn others() {
    hold("refusals/others.txt");
}

/// Runs the command lines of a snapshot, `$ COMMAND`, and holds the sentence below each to what is said now. `+ FILE
/// TEXT` adds a line to a file. DIR is an empty folder but for a model of [`WORDS`]; nothing may be written to DIR/out.
#[track_caller]
fn hold(name: &str) {
    let folder = Folder::with_words("random-llama2", &WORDS);
    check_answers(name, |line| match line.split_once(' ') {
        Some(("$", command)) => Some(said(command, &folder)),
        Some(("+", added)) => {
            let (file, text) = added.split_once(' ').unwrap_or((added, ""));
            folder.add_line(file, text);
            None
        }
        _ => panic!("neither a command nor a file's line: {line}"),
    });
    assert!(!folder.file("out").exists(), "nothing is written");
}

/// The sentence that refuses a command on a folder, which both call DIR.
fn said(command: &str, folder: &Folder) -> String {
    let path = folder.path();
    let name = path.rsplit('/').next().expect("a name");
    let sentence = refused(&words(&command.replace("DIR", &path)));
    sentence.replace(&path, "DIR").replace(name, "DIR")
}

/// Edits of a good model's folder.
#[test]
fn models() {
    type Edit<'a> = (&'a str, &'a dyn Fn(&Folder));
    let cut = |folder: &Folder, bytes: usize| {
        folder.write("model.safetensors", &folder.read("model.safetensors")[..bytes]);
    };
    let header = |folder: &Folder, bytes: &[u8]| {
        let weights = folder.read("model.safetensors");
        folder.write("model.safetensors", &[bytes, &weights[bytes.len()..]].concat());
    };
    let without = |folder: &Folder, gone: &str| {
        folder.edit_tensors(|name, tensor| (name != gone).then_some(tensor));
    };
    let number = |folder: &Folder, value: f32| {
        folder.edit_tensors(|name, mut tensor| {
            if name == "model.layers.1.mlp.up_proj.weight" {
                tensor.data[40..44].copy_from_slice(&value.to_le_bytes());
            }
            Some(tensor)
        });
    };
    let half_a_matrix = |folder: &Folder| {
        folder.edit_tensors(|name, mut tensor| {
            if name == "model.layers.0.self_attn.q_proj.weight" {
                tensor.shape[0] /= 2;
                tensor.data.truncate(tensor.data.len() / 2);
            }
            Some(tensor)
        });
    };
    let small = [&9u64.to_le_bytes()[..], b"{\"a\": 1,}", &[0; 64]].concat();
    let other = tokenizer(json!({ "[UNK]": 0, "word": 99_999 })).to_string();

    let edits: [Edit; 20] = [
        ("half of the weights", &|folder| cut(folder, 378_956)),
        ("weights cut inside their header", &|folder| cut(folder, 100)),
        ("a web page", &|folder| folder.write("model.safetensors", b"<!DOCTYPE html><html>404")),
        ("an empty file", &|folder| cut(folder, 0)),
        ("a header that is no list of tensors", &|folder| {
            folder.write("model.safetensors", &small)
        }),
        ("a header larger than the file", &|folder| header(folder, &u64::MAX.to_le_bytes())),
        ("no matrix of block 3", &|folder| without(folder, "model.layers.3.mlp.down_proj.weight")),
        ("no output rows", &|folder| without(folder, "lm_head.weight")),
        ("half a matrix", &half_a_matrix),
        ("NaN", &|folder| number(folder, f32::NAN)),
        ("an infinite number", &|folder| number(folder, f32::INFINITY)),
        ("a negative infinite number", &|folder| number(folder, f32::NEG_INFINITY)),
        ("another architecture", &|folder| folder.edit_config("model_type", json!("gemma2"))),
        ("no heads", &|folder| folder.edit_config("num_attention_heads", json!(0))),
        ("a word for a number", &|folder| folder.edit_config("num_attention_heads", json!("four"))),
        ("half a config", &|folder| folder.write("config.json", b"{\"model_type\": \"llama\",")),
        ("no config", &|folder| folder.remove("config.json")),
        ("no weights", &|folder| folder.remove("model.safetensors")),
        ("a tokenizer of another model", &|folder| {
            folder.write("tokenizer.json", other.as_bytes())
        }),
        ("an empty tokenizer", &|folder| folder.write("tokenizer.json", b"{}")),
    ];
    let mut text = String::new();
    for (name, edit) in edits {
        let folder = Folder::copy_of("random-llama2");
        edit(&folder);
        let sentence = said("lens --model DIR --ids 1,5,9 --rows 17,230 --answer 0", &folder);
        text += &format!("{name}\n  {sentence}\n");
    }
    check("refusals/models.txt", &text);
}

/// Parts that do not fit together, at which the tokenizers' library panics.
#[test]
fn tokenizers() {
    let folder = Folder::with_words("random-llama2", &WORDS);
    let whole: Value = serde_json::from_slice(&folder.read("tokenizer.json")).expect("JSON");
    let template = |single: Value| json!({"type": "TemplateProcessing", "single": single, "pair": [], "special_tokens": {}});
    let hundred =
        json!({"type": "Replace", "pattern": {"String": "e"}, "content": "e".repeat(100)});
    let mut text = String::new();
    for (field, value) in [
        // The library quotes the token that it misses, line break and all; `refused` wants one line.
        ("model", json!({"type": "BPE", "vocab": {"a": 0}, "merges": [["a", "\nm"]]})),
        ("pre_tokenizer", json!({"type": "FixedLength", "length": 0})),
        ("normalizer", json!({"type": "Precompiled", "precompiled_charsmap": "AAAA"})),
        // Each makes a hundred letters of one: ten thousand million of the first.
        ("normalizer", json!({"type": "Sequence", "normalizers": vec![hundred; 5]})),
        ("post_processor", template(json!([{"SpecialToken": {"id": "[X]", "type_id": 0}}]))),
        (
            "post_processor",
            template(json!([
                {"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}
            ])),
        ),
    ] {
        let mut broken = whole.clone();
        broken[field] = value;
        folder.write("tokenizer.json", broken.to_string().as_bytes());
        let asked = "--prompt 'the ball is' --option ' red' --option ' blue' --answer 0";
        let sentence = said(&format!("lens --model DIR {asked}"), &folder);
        text += &format!("{field}\n  {sentence}\n");
    }
    check("refusals/tokenizers.txt", &text);
}

#[test]
fn prompts_longer_than_the_context() {
    let folder = Folder::with_words("random-llama2", &WORDS);
    let (long, ids) = ("the ".repeat(5000), vec!["1"; 5000].join(","));
    let options = "--option ' red' --option ' blue' --answer 0";
    let asked = [
        format!("lens --model DIR --prompt '{long}' {options}"),
        format!("lens --model DIR --ids {ids} --rows 17,18 --answer 0"),
        format!("generate --model DIR --ids {ids}"),
        format!("generate --model DIR --ids {}", &ids[..2 * 256 - 1]),
    ];
    check("refusals/long.txt", &asked.map(|line| said(&line, &folder) + "\n").concat());
}
