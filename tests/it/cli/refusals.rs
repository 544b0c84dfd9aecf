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

/// The sentences of a test, which are held to those that were reviewed.
#[derive(Default)]
struct Sentences(String);

impl Sentences {
    /// Adds one, without the names of this machine's folders.
    fn add(&mut self, sentence: String) {
        let sentence = sentence.replace(env!("CARGO_MANIFEST_DIR"), "PROJECT");
        let temporary = std::env::temp_dir().join("").display().to_string();
        let sentence = sentence.replace(&temporary, "");
        let mut parts = sentence.split(".tmp");
        self.0 += parts.next().unwrap_or_default();
        for part in parts {
            // Six letters tell such folders apart.
            self.0 += "DIR";
            self.0 += part.get(6..).unwrap_or_default();
        }
        self.0 += "\n";
    }

    #[track_caller]
    fn check(&self, name: &str) {
        check(&format!("{name}.txt"), &self.0);
    }
}

#[test]
fn a_truncated_checkpoint() {
    let mut said = Sentences::default();
    let folder = Folder::copy_of("random-llama2");
    let bytes = folder.read("model.safetensors");
    folder.write("model.safetensors", &bytes[..bytes.len() / 2]);
    said.add(refused_folder(&folder));
    said.check("refusals/a_truncated_checkpoint");
}

#[test]
fn a_checkpoint_cut_inside_its_header() {
    let mut said = Sentences::default();
    let folder = Folder::copy_of("random-llama2");
    let bytes = folder.read("model.safetensors");
    folder.write("model.safetensors", &bytes[..100]);
    said.add(refused_folder(&folder));
    said.check("refusals/a_checkpoint_cut_inside_its_header");
}

#[test]
fn a_file_that_is_not_safetensors() {
    let mut said = Sentences::default();
    let folder = Folder::copy_of("random-llama2");
    folder.write("model.safetensors", b"<!DOCTYPE html><html>404 Not Found</html>");
    said.add(refused_folder(&folder));
    folder.write("model.safetensors", b"");
    said.add(refused_folder(&folder));
    folder
        .write("model.safetensors", &[&9u64.to_le_bytes()[..], b"{\"a\": 1,}", &[0; 64]].concat());
    said.add(refused_folder(&folder));
    said.check("refusals/a_file_that_is_not_safetensors");
}

#[test]
fn a_header_larger_than_the_file() {
    let mut said = Sentences::default();
    let folder = Folder::copy_of("random-llama2");
    let mut bytes = folder.read("model.safetensors");
    bytes[..8].copy_from_slice(&u64::MAX.to_le_bytes());
    folder.write("model.safetensors", &bytes);
    said.add(refused_folder(&folder));
    said.check("refusals/a_header_larger_than_the_file");
}

#[test]
fn a_missing_tensor() {
    let mut said = Sentences::default();
    let folder = Folder::copy_of("random-llama2");
    folder.edit_tensors(|name, tensor| {
        (name != "model.layers.3.mlp.down_proj.weight").then_some(tensor)
    });
    said.add(refused_folder(&folder));
    let folder = Folder::copy_of("random-llama2");
    folder.edit_tensors(|name, tensor| (name != "lm_head.weight").then_some(tensor));
    said.add(refused_folder(&folder));
    said.check("refusals/a_missing_tensor");
}

#[test]
fn a_tensor_of_another_shape() {
    let mut said = Sentences::default();
    let folder = Folder::copy_of("random-llama2");
    folder.edit_tensors(|name, mut tensor| {
        if name == "model.layers.0.self_attn.q_proj.weight" {
            tensor.shape[0] /= 2;
            tensor.data.truncate(tensor.data.len() / 2);
        }
        Some(tensor)
    });
    said.add(refused_folder(&folder));
    said.check("refusals/a_tensor_of_another_shape");
}

#[test]
fn weights_that_are_no_numbers() {
    let mut said = Sentences::default();
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let folder = Folder::copy_of("random-llama2");
        folder.edit_tensors(|name, mut tensor| {
            if name == "model.layers.1.mlp.up_proj.weight" {
                tensor.data[40..44].copy_from_slice(&value.to_le_bytes());
            }
            Some(tensor)
        });
        said.add(refused_folder(&folder));
    }
    said.check("refusals/weights_that_are_no_numbers");
}

#[test]
fn another_architecture() {
    let mut said = Sentences::default();
    let folder = Folder::copy_of("random-llama2");
    folder.edit_config("model_type", json!("gemma2"));
    folder.edit_config("architectures", json!(["Gemma2ForCausalLM"]));
    said.add(refused_folder(&folder));
    said.check("refusals/another_architecture");
}

#[test]
fn a_config_that_does_not_fit() {
    let mut said = Sentences::default();
    let folder = Folder::copy_of("random-llama2");
    folder.edit_config("num_attention_heads", json!(0));
    said.add(refused_folder(&folder));
    folder.edit_config("num_attention_heads", json!("four"));
    said.add(refused_folder(&folder));
    folder.write("config.json", b"{\"model_type\": \"llama\",");
    said.add(refused_folder(&folder));
    said.check("refusals/a_config_that_does_not_fit");
}

#[test]
fn a_folder_that_lacks_a_file() {
    let mut said = Sentences::default();
    let folder = Folder::copy_of("random-llama2");
    folder.remove("config.json");
    said.add(refused_folder(&folder));
    let folder = Folder::copy_of("random-llama2");
    folder.remove("model.safetensors");
    said.add(refused_folder(&folder));
    said.add(refused_ids(&[
        "--prompt", "a b", "--option", " c", "--option", " d", "--answer", "0",
    ]));
    said.check("refusals/a_folder_that_lacks_a_file");
}

#[test]
fn a_tokenizer_of_another_model() {
    let mut said = Sentences::default();
    let folder = Folder::copy_of("random-llama2");
    folder.write(
        "tokenizer.json",
        tokenizer(json!({ "[UNK]": 0, "word": 99_999 })).to_string().as_bytes(),
    );
    said.add(refused_folder(&folder));
    folder.write("tokenizer.json", b"{}");
    said.add(refused_folder(&folder));
    said.check("refusals/a_tokenizer_of_another_model");
}

#[test]
fn prompts_and_options_that_cannot_be_asked() {
    let mut said = Sentences::default();
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
    said.add(ask("", &[" red", " blue"], "0"));
    said.add(ask(" \n", &[" red", " blue"], "0"));
    said.add(ask("the ball is", &[" red blue", " blue"], "0"));
    said.add(ask("the ball is", &[" red", ""], "0"));
    said.add(ask("the ball is", &[" red", " red"], "0"));
    said.add(ask("the ball is", &[" red"], "0"));
    said.add(ask("the ball is", &[" red", " blue"], "2"));
    said.add(ask(&"the ".repeat(5000), &[" red", " blue"], "0"));
    said.check("refusals/prompts_and_options_that_cannot_be_asked");
}

#[test]
fn ids_that_cannot_be_asked() {
    let mut said = Sentences::default();
    said.add(refused_ids(&["--ids", "1,512", "--rows", "17,230", "--answer", "0"]));
    said.add(refused_ids(&["--ids", "1", "--rows", "17,17", "--answer", "0"]));
    said.add(refused_ids(&["--ids", "1", "--rows", "17", "--answer", "0"]));
    said.add(refused_ids(&["--ids", "1", "--rows", "17,18", "--answer", "2"]));
    let long = vec!["1"; 5000].join(",");
    said.add(refused_ids(&["--ids", &long, "--rows", "17,18", "--answer", "0"]));
    said.add(refused_ids(&["--ids", "1,two", "--rows", "17,18", "--answer", "0"]));
    said.add(refused_ids(&["--ids", "-1", "--rows", "17,18", "--answer", "0"]));
    said.add(refused_ids(&["--ids", "", "--rows", "17,18", "--answer", "0"]));
    said.check("refusals/ids_that_cannot_be_asked");
}

#[test]
fn plans_that_do_not_fit_the_model() {
    let mut said = Sentences::default();
    let with = |plan: &str| refused_ids(&[&IDS[..], &["--plan", plan]].concat());
    said.add(with("0-3,6"));
    said.add(with(""));
    said.add(with("0,,1"));
    said.add(with("0x65"));
    said.add(with("skip:3"));
    said.add(with("sort:1"));
    said.check("refusals/plans_that_do_not_fit_the_model");
}

#[test]
fn files_of_prompts_that_cannot_be_read() {
    let mut said = Sentences::default();
    let folder = Folder::with_words("random-llama2", &["the", "ball", "is", "red", "blue"]);
    let good = r#"{"prompt": "the ball is", "options": [" red", " blue"], "answer": 1}"#;
    let with = |rows: &str| {
        folder.write("rows.jsonl", rows.as_bytes());
        let rows = folder.file("rows.jsonl").display().to_string();
        refused(&["lens", "--model", &folder.path(), "--prompts", &rows])
    };
    said.add(with(&format!("{good}\n\n{{\"prompt\": ")));
    said.add(with(&format!("{good}\n{}", good.replace('1', "2"))));
    said.add(with(&good.replace("\"answer\": 1", "\"right\": 1")));
    said.add(with(&format!("{good}\n{}", good.replace(" red", " red ball"))));
    said.add(with("\n"));
    let missing = folder.file("nothing.jsonl").display().to_string();
    said.add(refused(&["lens", "--model", &folder.path(), "--prompts", &missing]));
    said.check("refusals/files_of_prompts_that_cannot_be_read");
}

#[test]
fn models_that_are_not_there() {
    let mut said = Sentences::default();
    said.add(refused(&[&["lens", "--model", "scholar-13"], &IDS[..]].concat()));
    said.add(refused(&[&["lens", "--model", "no/such/folder"], &IDS[..]].concat()));
    let file = Folder::copy_of("random-llama2").file("config.json").display().to_string();
    said.add(refused(&[&["lens", "--model", &file], &IDS[..]].concat()));
    said.check("refusals/models_that_are_not_there");
}

#[test]
fn every_command_names_the_models_that_there_are() {
    let mut said = Sentences::default();
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
        said.add(refused(line));
    }
    said.check("refusals/every_command_names_the_models_that_there_are");
}

#[test]
fn arguments_that_do_not_go_together() {
    let mut said = Sentences::default();
    said.add(refused_ids(&[&IDS[..], &["--prompt", "the"]].concat()));
    said.add(refused_ids(&["--ids", "1", "--answer", "0"]));
    said.add(refused_ids(&["--prompt", "the", "--answer", "0"]));
    said.add(refused_ids(&["--prompt", "the", "--option", " a"]));
    said.add(refused_ids(&[]));
    said.add(refused(&["lens"]));
    said.add(refused(&["paint"]));
    said.add(refused_ids(&[&IDS[..], &["--column", "all"]].concat()));
    said.check("refusals/arguments_that_do_not_go_together");
}

#[test]
fn an_output_file_that_cannot_be_written() {
    let mut said = Sentences::default();
    let folder = Folder::copy_of("random-llama2");
    let into = |path: &str| refused_ids(&[&IDS[..], &["--out", path]].concat());
    let missing = folder.file("no/such").display().to_string();
    said.add(into(&format!("{missing}/lens.atelier.json")));
    said.add(into(&folder.path()));
    said.check("refusals/an_output_file_that_cannot_be_written");
}

/// Parts that do not fit together, at which the tokenizers' library panics.
#[test]
fn tokenizers_whose_parts_do_not_fit_together() {
    let mut said = Sentences::default();
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
        said.add(refused(&[&text[..], &options[..]].concat()));
    }
    said.check("refusals/tokenizers_whose_parts_do_not_fit_together");
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
