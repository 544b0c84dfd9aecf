//! Bad files and bad values: exit code 1 and one sentence that names the thing and says what to do. The sentences are
//! reviewed in `tests/golden/refusals`.

use serde_json::json;

use super::support::{Folder, in_project, model, refused, tokenizer};
use crate::snapshot::check;

const IDS: [&str; 6] = ["--ids", "1,5,9", "--rows", "17,230", "--answer", "0"];

fn refused_folder(folder: &Folder) -> String {
    refused(&[&["lens", "--model", &folder.path()], &IDS[..]].concat())
}

fn refused_ids(rest: &[&str]) -> String {
    let model = model("random-llama2");
    refused(&[&["lens", "--model", &model], rest].concat())
}

/// Holds the sentences of a test to those that were reviewed, without the names of this machine's folders.
#[track_caller]
fn hold(name: &str, said: &[String]) {
    let temporary = std::env::temp_dir().join("").display().to_string();
    let mut text = String::new();
    for sentence in said {
        let sentence = sentence.replace(env!("CARGO_MANIFEST_DIR"), "PROJECT");
        let sentence = sentence.replace(&temporary, "");
        let mut parts = sentence.split(".tmp");
        text += parts.next().unwrap_or_default();
        for part in parts {
            // Six letters tell such folders apart.
            text += "DIR";
            text += part.get(6..).unwrap_or_default();
        }
        text += "\n";
    }
    check(&format!("{name}.txt"), &text);
}

#[test]
fn a_truncated_checkpoint() {
    let folder = Folder::copy_of("random-llama2");
    let bytes = folder.read("model.safetensors");
    folder.write("model.safetensors", &bytes[..bytes.len() / 2]);
    hold("refusals/a_truncated_checkpoint", &[refused_folder(&folder)]);
}

#[test]
fn a_checkpoint_cut_inside_its_header() {
    let folder = Folder::copy_of("random-llama2");
    let bytes = folder.read("model.safetensors");
    folder.write("model.safetensors", &bytes[..100]);
    hold("refusals/a_checkpoint_cut_inside_its_header", &[refused_folder(&folder)]);
}

#[test]
fn a_file_that_is_not_safetensors() {
    let mut said = Vec::new();
    let folder = Folder::copy_of("random-llama2");
    folder.write("model.safetensors", b"<!DOCTYPE html><html>404 Not Found</html>");
    said.push(refused_folder(&folder));
    folder.write("model.safetensors", b"");
    said.push(refused_folder(&folder));
    folder
        .write("model.safetensors", &[&9u64.to_le_bytes()[..], b"{\"a\": 1,}", &[0; 64]].concat());
    said.push(refused_folder(&folder));
    hold("refusals/a_file_that_is_not_safetensors", &said);
}

#[test]
fn a_header_larger_than_the_file() {
    let folder = Folder::copy_of("random-llama2");
    let mut bytes = folder.read("model.safetensors");
    bytes[..8].copy_from_slice(&u64::MAX.to_le_bytes());
    folder.write("model.safetensors", &bytes);
    hold("refusals/a_header_larger_than_the_file", &[refused_folder(&folder)]);
}

#[test]
fn a_missing_tensor() {
    let mut said = Vec::new();
    let folder = Folder::copy_of("random-llama2");
    folder.edit_tensors(|name, tensor| {
        (name != "model.layers.3.mlp.down_proj.weight").then_some(tensor)
    });
    said.push(refused_folder(&folder));
    let folder = Folder::copy_of("random-llama2");
    folder.edit_tensors(|name, tensor| (name != "lm_head.weight").then_some(tensor));
    said.push(refused_folder(&folder));
    hold("refusals/a_missing_tensor", &said);
}

#[test]
fn a_tensor_of_another_shape() {
    let folder = Folder::copy_of("random-llama2");
    folder.edit_tensors(|name, mut tensor| {
        if name == "model.layers.0.self_attn.q_proj.weight" {
            tensor.shape[0] /= 2;
            tensor.data.truncate(tensor.data.len() / 2);
        }
        Some(tensor)
    });
    hold("refusals/a_tensor_of_another_shape", &[refused_folder(&folder)]);
}

#[test]
fn weights_that_are_no_numbers() {
    let mut said = Vec::new();
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let folder = Folder::copy_of("random-llama2");
        folder.edit_tensors(|name, mut tensor| {
            if name == "model.layers.1.mlp.up_proj.weight" {
                tensor.data[40..44].copy_from_slice(&value.to_le_bytes());
            }
            Some(tensor)
        });
        said.push(refused_folder(&folder));
    }
    hold("refusals/weights_that_are_no_numbers", &said);
}

#[test]
fn another_architecture() {
    let folder = Folder::copy_of("random-llama2");
    folder.edit_config("model_type", json!("gemma2"));
    folder.edit_config("architectures", json!(["Gemma2ForCausalLM"]));
    hold("refusals/another_architecture", &[refused_folder(&folder)]);
}

#[test]
fn a_config_that_does_not_fit() {
    let mut said = Vec::new();
    let folder = Folder::copy_of("random-llama2");
    folder.edit_config("num_attention_heads", json!(0));
    said.push(refused_folder(&folder));
    folder.edit_config("num_attention_heads", json!("four"));
    said.push(refused_folder(&folder));
    folder.write("config.json", b"{\"model_type\": \"llama\",");
    said.push(refused_folder(&folder));
    hold("refusals/a_config_that_does_not_fit", &said);
}

#[test]
fn a_folder_that_lacks_a_file() {
    let mut said = Vec::new();
    let folder = Folder::copy_of("random-llama2");
    folder.remove("config.json");
    said.push(refused_folder(&folder));
    let folder = Folder::copy_of("random-llama2");
    folder.remove("model.safetensors");
    said.push(refused_folder(&folder));
    said.push(refused_ids(&[
        "--prompt", "a b", "--option", " c", "--option", " d", "--answer", "0",
    ]));
    hold("refusals/a_folder_that_lacks_a_file", &said);
}

#[test]
fn a_tokenizer_of_another_model() {
    let mut said = Vec::new();
    let folder = Folder::copy_of("random-llama2");
    folder.write(
        "tokenizer.json",
        tokenizer(json!({ "[UNK]": 0, "word": 99_999 })).to_string().as_bytes(),
    );
    said.push(refused_folder(&folder));
    folder.write("tokenizer.json", b"{}");
    said.push(refused_folder(&folder));
    hold("refusals/a_tokenizer_of_another_model", &said);
}

#[test]
fn prompts_and_options_that_cannot_be_asked() {
    let folder = Folder::with_words("random-llama2", &["the", "ball", "is", "red", "blue"]);
    let ask = |prompt: &str, options: &[&str], answer: &str| {
        let mut args = vec![
            "lens",
            "--model",
            folder.file("").to_str().expect("UTF-8"),
            "--prompt",
            prompt,
            "--answer",
            answer,
        ]
        .into_iter()
        .map(String::from)
        .collect::<Vec<_>>();
        args.extend(options.iter().flat_map(|option| ["--option".to_string(), option.to_string()]));
        refused(&args)
    };
    let said = [
        ask("", &[" red", " blue"], "0"),
        ask(" \n", &[" red", " blue"], "0"),
        ask("the ball is", &[" red blue", " blue"], "0"),
        ask("the ball is", &[" red", ""], "0"),
        ask("the ball is", &[" red", " red"], "0"),
        ask("the ball is", &[" red"], "0"),
        ask("the ball is", &[" red", " blue"], "2"),
        ask(&"the ".repeat(5000), &[" red", " blue"], "0"),
    ];
    hold("refusals/prompts_and_options_that_cannot_be_asked", &said);
}

#[test]
fn ids_that_cannot_be_asked() {
    let long = vec!["1"; 5000].join(",");
    let said = [
        ["1,512", "17,230", "0"],
        ["1", "17,17", "0"],
        ["1", "17", "0"],
        ["1", "17,18", "2"],
        [&long, "17,18", "0"],
        ["1,two", "17,18", "0"],
        ["-1", "17,18", "0"],
        ["", "17,18", "0"],
    ]
    .map(|[ids, rows, answer]| refused_ids(&["--ids", ids, "--rows", rows, "--answer", answer]));
    hold("refusals/ids_that_cannot_be_asked", &said);
}

#[test]
fn plans_that_do_not_fit_the_model() {
    let with = |plan: &str| refused_ids(&[&IDS[..], &["--plan", plan]].concat());
    let said =
        [with("0-3,6"), with(""), with("0,,1"), with("0x65"), with("skip:3"), with("sort:1")];
    hold("refusals/plans_that_do_not_fit_the_model", &said);
}

#[test]
fn files_of_prompts_that_cannot_be_read() {
    let mut said = Vec::new();
    let folder = Folder::with_words("random-llama2", &["the", "ball", "is", "red", "blue"]);
    let good = r#"{"prompt": "the ball is", "options": [" red", " blue"], "answer": 1}"#;
    let with = |rows: &str| {
        folder.write("rows.jsonl", rows.as_bytes());
        let rows = folder.file("rows.jsonl").display().to_string();
        refused(&["lens", "--model", &folder.path(), "--prompts", &rows])
    };
    said.push(with(&format!("{good}\n\n{{\"prompt\": ")));
    said.push(with(&format!("{good}\n{}", good.replace('1', "2"))));
    said.push(with(&good.replace("\"answer\": 1", "\"right\": 1")));
    said.push(with(&format!("{good}\n{}", good.replace(" red", " red ball"))));
    said.push(with("\n"));
    let missing = folder.file("nothing.jsonl").display().to_string();
    said.push(refused(&["lens", "--model", &folder.path(), "--prompts", &missing]));
    hold("refusals/files_of_prompts_that_cannot_be_read", &said);
}

#[test]
fn models_that_are_not_there() {
    let file = Folder::copy_of("random-llama2").file("config.json").display().to_string();
    let said = ["scholar-13", "no/such/folder", &file]
        .map(|model| refused(&[&["lens", "--model", model], &IDS[..]].concat()));
    hold("refusals/models_that_are_not_there", &said);
}

#[test]
fn every_command_names_the_models_that_there_are() {
    let mut said = Vec::new();
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out").display().to_string();
    for line in [
        &["next", "--prompt", "a", "--model", "scholar-13"][..],
        &["orders", "--task", "sum", "--model", "scholar-13"],
        &["need", "--task", "sum", "--model", "scholar-13"],
        &["coupling", "--task", "sum", "--models", "scholar-2,scholar-13"],
        &["survey", "--tasks", "sum", "--out", &out, "--models", "scholar-13"],
        &["open", "--no-open", "--model", "scholar-13"],
        &["train", "--out", &out, "--model", "scholar-13"],
    ] {
        said.push(refused(line));
    }
    hold("refusals/every_command_names_the_models_that_there_are", &said);
}

#[test]
fn arguments_that_do_not_go_together() {
    let said = [
        refused_ids(&[&IDS[..], &["--prompt", "the"]].concat()),
        refused_ids(&["--ids", "1", "--answer", "0"]),
        refused_ids(&["--prompt", "the", "--answer", "0"]),
        refused_ids(&["--prompt", "the", "--option", " a"]),
        refused_ids(&[]),
        refused(&["lens"]),
        refused(&["paint"]),
        refused_ids(&[&IDS[..], &["--column", "all"]].concat()),
    ];
    hold("refusals/arguments_that_do_not_go_together", &said);
}

#[test]
fn an_output_file_that_cannot_be_written() {
    let folder = Folder::copy_of("random-llama2");
    let into = |path: &str| refused_ids(&[&IDS[..], &["--out", path]].concat());
    let missing = folder.file("no/such").display().to_string();
    let said = [into(&format!("{missing}/lens.atelier.json")), into(&folder.path())];
    hold("refusals/an_output_file_that_cannot_be_written", &said);
}

/// Parts that do not fit together, at which the tokenizers' library panics.
#[test]
fn tokenizers_whose_parts_do_not_fit_together() {
    let mut said = Vec::new();
    let folder = Folder::with_words("random-llama2", &["the", "ball", "is", "red", "blue"]);
    let whole: serde_json::Value =
        serde_json::from_slice(&folder.read("tokenizer.json")).expect("JSON");
    let path = folder.path();
    let template = |single: serde_json::Value| serde_json::json!({"type": "TemplateProcessing", "single": single, "pair": [], "special_tokens": {}});
    for (field, value) in [
        // The library quotes the token that it misses, line break and all; `refused` wants one line.
        ("model", serde_json::json!({"type": "BPE", "vocab": {"a": 0}, "merges": [["a", "\nm"]]})),
        ("pre_tokenizer", serde_json::json!({"type": "FixedLength", "length": 0})),
        ("normalizer", serde_json::json!({"type": "Precompiled", "precompiled_charsmap": "AAAA"})),
        // Each makes a hundred letters of one: ten thousand million of the first.
        ("normalizer", {
            let hundred = serde_json::json!({"type": "Replace", "pattern": {"String": "e"}, "content": "e".repeat(100)});
            serde_json::json!({"type": "Sequence", "normalizers": vec![hundred; 5]})
        }),
        (
            "post_processor",
            template(serde_json::json!([{"SpecialToken": {"id": "[X]", "type_id": 0}}])),
        ),
        (
            "post_processor",
            template(serde_json::json!([
                {"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}
            ])),
        ),
    ] {
        let mut broken = whole.clone();
        broken[field] = value;
        folder.write("tokenizer.json", broken.to_string().as_bytes());
        let text = ["lens", "--model", &path, "--prompt", "the ball is"];
        let options = ["--option", " red", "--option", " blue", "--answer", "0"];
        said.push(refused(&[&text[..], &options[..]].concat()));
    }
    hold("refusals/tokenizers_whose_parts_do_not_fit_together", &said);
}

#[test]
fn a_folder_that_open_cannot_show_is_called_what_it_is() {
    let why = refused(&["open", "--no-open", &model("random-llama2")]);
    assert!(why.ends_with("random-llama2 is a model's folder: give it with --model"), "{why}");
    let empty = tempfile::tempdir().expect("a folder");
    let why = refused(&["open", "--no-open", &empty.path().display().to_string()]);
    assert!(why.ends_with(" holds no survey and no page"), "{why}");
}

#[test]
fn data_that_no_task_reads_is_refused() {
    let file = in_project("Cargo.toml").display().to_string();
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().display().to_string();
    let survey =
        ["survey", "--models", "scholar-2", "--tasks", "sum", "--out", &out, "--data", &file];
    for args in [&["tasks", "check", "sum", "--data", &file][..], &survey] {
        assert_eq!(refused(args), "sum needs no file: leave out --data");
    }
}
