//! Bad files and bad values: exit code 1 and one sentence that names the thing and says what to do.

use serde_json::json;

use super::support::{Folder, in_project, model, refused, tokenizer};

const IDS: [&str; 6] = ["--ids", "1,5,9", "--rows", "17,230", "--answer", "0"];

fn refused_folder(folder: &Folder) -> String {
    refused(&[&["lens", "--model", &folder.path()], &IDS[..]].concat())
}

fn refused_ids(rest: &[&str]) -> String {
    let model = model("random-llama2");
    refused(&[&["lens", "--model", &model], rest].concat())
}

/// Every one of `pieces` is in the sentence.
#[track_caller]
fn says(sentence: &str, pieces: &[&str]) {
    for piece in pieces {
        assert!(sentence.contains(piece), "`{piece}` is not in: {sentence}");
    }
    println!("{sentence}");
}

#[test]
fn a_truncated_checkpoint() {
    let folder = Folder::copy_of("random-llama2");
    let bytes = folder.read("model.safetensors");
    folder.write("model.safetensors", &bytes[..bytes.len() / 2]);
    says(
        &refused_folder(&folder),
        &["model.safetensors", "ends too early", &bytes.len().to_string(), "download it again"],
    );
}

#[test]
fn a_checkpoint_cut_inside_its_header() {
    let folder = Folder::copy_of("random-llama2");
    let bytes = folder.read("model.safetensors");
    folder.write("model.safetensors", &bytes[..100]);
    says(&refused_folder(&folder), &["model.safetensors", "header", "100", "download it again"]);
}

#[test]
fn a_file_that_is_not_safetensors() {
    let folder = Folder::copy_of("random-llama2");
    folder.write("model.safetensors", b"<!DOCTYPE html><html>404 Not Found</html>");
    says(&refused_folder(&folder), &["model.safetensors", "safetensors file", "download it again"]);
    folder.write("model.safetensors", b"");
    says(&refused_folder(&folder), &["model.safetensors", "safetensors file", "download it again"]);
    folder
        .write("model.safetensors", &[&9u64.to_le_bytes()[..], b"{\"a\": 1,}", &[0; 64]].concat());
    says(&refused_folder(&folder), &["model.safetensors", "safetensors file", "download it again"]);
}

#[test]
fn a_header_larger_than_the_file() {
    let folder = Folder::copy_of("random-llama2");
    let mut bytes = folder.read("model.safetensors");
    bytes[..8].copy_from_slice(&u64::MAX.to_le_bytes());
    folder.write("model.safetensors", &bytes);
    says(
        &refused_folder(&folder),
        &["model.safetensors", &u64::MAX.to_string(), &bytes.len().to_string()],
    );
}

#[test]
fn a_missing_tensor() {
    let folder = Folder::copy_of("random-llama2");
    folder.edit_tensors(|name, tensor| {
        (name != "model.layers.3.mlp.down_proj.weight").then_some(tensor)
    });
    says(&refused_folder(&folder), &["model.layers.3.mlp.down_proj.weight", "missing"]);
    let folder = Folder::copy_of("random-llama2");
    folder.edit_tensors(|name, tensor| (name != "lm_head.weight").then_some(tensor));
    says(&refused_folder(&folder), &["lm_head.weight", "missing", "tie_word_embeddings"]);
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
    says(
        &refused_folder(&folder),
        &["model.layers.0.self_attn.q_proj.weight", "model.safetensors", "shape"],
    );
}

#[test]
fn weights_that_are_no_numbers() {
    for (value, name) in [(f32::NAN, "NaN"), (f32::INFINITY, "inf"), (f32::NEG_INFINITY, "-inf")] {
        let folder = Folder::copy_of("random-llama2");
        folder.edit_tensors(|name, mut tensor| {
            if name == "model.layers.1.mlp.up_proj.weight" {
                tensor.data[40..44].copy_from_slice(&value.to_le_bytes());
            }
            Some(tensor)
        });
        says(&refused_folder(&folder), &["model.layers.1.mlp.up_proj.weight", name, "element 10"]);
    }
}

#[test]
fn another_architecture() {
    let folder = Folder::copy_of("random-llama2");
    folder.edit_config("model_type", json!("gemma2"));
    folder.edit_config("architectures", json!(["Gemma2ForCausalLM"]));
    says(
        &refused_folder(&folder),
        &["config.json", "gemma2", "Llama", "Mistral", "Phi-3", "MobileLLM"],
    );
}

#[test]
fn a_config_that_does_not_fit() {
    let folder = Folder::copy_of("random-llama2");
    folder.edit_config("num_attention_heads", json!(0));
    says(&refused_folder(&folder), &["config.json", "num_attention_heads"]);
    folder.edit_config("num_attention_heads", json!("four"));
    says(&refused_folder(&folder), &["config.json", "four"]);
    folder.write("config.json", b"{\"model_type\": \"llama\",");
    says(&refused_folder(&folder), &["config.json", "JSON"]);
}

#[test]
fn a_folder_that_lacks_a_file() {
    let folder = Folder::copy_of("random-llama2");
    folder.remove("config.json");
    says(&refused_folder(&folder), &["config.json", "add"]);
    let folder = Folder::copy_of("random-llama2");
    folder.remove("model.safetensors");
    says(&refused_folder(&folder), &["safetensors", "add"]);
    says(
        &refused_ids(&["--prompt", "a b", "--option", " c", "--option", " d", "--answer", "0"]),
        &["random-llama2", "tokenizer.json"],
    );
}

#[test]
fn a_tokenizer_of_another_model() {
    let folder = Folder::copy_of("random-llama2");
    folder.write(
        "tokenizer.json",
        tokenizer(json!({ "[UNK]": 0, "word": 99_999 })).to_string().as_bytes(),
    );
    says(&refused_folder(&folder), &["tokenizer.json", "99999", "512"]);
    folder.write("tokenizer.json", b"{}");
    says(&refused_folder(&folder), &["tokenizer.json"]);
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
    says(&ask("", &[" red", " blue"], "0"), &["prompt is empty"]);
    says(&ask(" \n", &[" red", " blue"], "0"), &["prompt holds only spaces"]);
    says(
        &ask("the ball is", &[" red blue", " blue"], "0"),
        &["\" red blue\"", "\"red\" + \"blue\"", "one token"],
    );
    says(&ask("the ball is", &[" red", ""], "0"), &["option \"\""]);
    says(&ask("the ball is", &[" red", " red"], "0"), &["\" red\"", "same token"]);
    says(&ask("the ball is", &[" red"], "0"), &["two options"]);
    says(&ask("the ball is", &[" red", " blue"], "2"), &["answer 2", "2 options", "from 0"]);
    says(&ask(&"the ".repeat(5000), &[" red", " blue"], "0"), &["5000 tokens", "context"]);
}

#[test]
fn ids_that_cannot_be_asked() {
    says(
        &refused_ids(&["--ids", "1,512", "--rows", "17,230", "--answer", "0"]),
        &["512", "vocabulary", "511"],
    );
    says(&refused_ids(&["--ids", "1", "--rows", "17,17", "--answer", "0"]), &["same token", "17"]);
    says(&refused_ids(&["--ids", "1", "--rows", "17", "--answer", "0"]), &["two options"]);
    says(
        &refused_ids(&["--ids", "1", "--rows", "17,18", "--answer", "2"]),
        &["answer 2", "from 0"],
    );
    let long = vec!["1"; 5000].join(",");
    says(
        &refused_ids(&["--ids", &long, "--rows", "17,18", "--answer", "0"]),
        &["5000 tokens", "context"],
    );
    says(
        &refused_ids(&["--ids", "1,two", "--rows", "17,18", "--answer", "0"]),
        &["'two'", "--ids"],
    );
    says(&refused_ids(&["--ids", "-1", "--rows", "17,18", "--answer", "0"]), &["'-1'", "--ids"]);
    says(&refused_ids(&["--ids", "", "--rows", "17,18", "--answer", "0"]), &["--ids"]);
}

#[test]
fn plans_that_do_not_fit_the_model() {
    let with = |plan: &str| refused_ids(&[&IDS[..], &["--plan", plan]].concat());
    says(&with("0-3,6"), &["block 6 at character 5", "0 to 5"]);
    says(&with(""), &["plan is empty", "0 to 5"]);
    says(&with("0,,1"), &["`,` at character 3"]);
    says(&with("0x65"), &["x65 at character 3", "x64"]);
    says(&with("skip:3"), &["`skip:3`", "at most 2"]);
    says(&with("sort:1"), &["`sort:1`", "`reverse:s`"]);
}

#[test]
fn files_of_prompts_that_cannot_be_read() {
    let folder = Folder::with_words("random-llama2", &["the", "ball", "is", "red", "blue"]);
    let good = r#"{"prompt": "the ball is", "options": [" red", " blue"], "answer": 1}"#;
    let with = |rows: &str| {
        folder.write("rows.jsonl", rows.as_bytes());
        let rows = folder.file("rows.jsonl").display().to_string();
        refused(&["lens", "--model", &folder.path(), "--prompts", &rows])
    };
    says(&with(&format!("{good}\n\n{{\"prompt\": ")), &["rows.jsonl: line 3", "EOF"]);
    says(
        &with(&format!("{good}\n{}", good.replace('1', "2"))),
        &["rows.jsonl: line 2", "answer 2"],
    );
    says(
        &with(&good.replace("\"answer\": 1", "\"right\": 1")),
        &["rows.jsonl: line 1", "no answer"],
    );
    says(
        &with(&format!("{good}\n{}", good.replace(" red", " red ball"))),
        &["rows.jsonl, line 2", "\"red\" + \"ball\""],
    );
    says(&with("\n"), &["rows.jsonl", "no rows"]);
    let missing = folder.file("nothing.jsonl").display().to_string();
    says(
        &refused(&["lens", "--model", &folder.path(), "--prompts", &missing]),
        &["nothing.jsonl", "cannot be read"],
    );
}

#[test]
fn models_that_are_not_there() {
    says(
        &refused(&[&["lens", "--model", "scholar-13"], &IDS[..]].concat()),
        &["scholar-13", "folder", "known name"],
    );
    says(
        &refused(&[&["lens", "--model", "no/such/folder"], &IDS[..]].concat()),
        &["no/such/folder", "folder"],
    );
    let file = Folder::copy_of("random-llama2").file("config.json").display().to_string();
    says(&refused(&[&["lens", "--model", &file], &IDS[..]].concat()), &["config.json", "folder"]);
}

#[test]
fn every_command_names_the_models_that_there_are() {
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
        says(&refused(line), &["scholar-13", "scholar-12-shared"]);
    }
}

#[test]
fn arguments_that_do_not_go_together() {
    says(
        &refused_ids(&[&IDS[..], &["--prompt", "the"]].concat()),
        &["--prompt", "--ids", "cannot be used with"],
    );
    says(&refused_ids(&["--ids", "1", "--answer", "0"]), &["--rows"]);
    says(&refused_ids(&["--prompt", "the", "--answer", "0"]), &["--option"]);
    says(&refused_ids(&["--prompt", "the", "--option", " a"]), &["--answer"]);
    says(&refused_ids(&[]), &["--prompt", "--ids", "--prompts"]);
    says(&refused(&["lens"]), &["--model"]);
    says(&refused(&["paint"]), &["paint"]);
    says(
        &refused_ids(&[&IDS[..], &["--column", "all"]].concat()),
        &["all", "probability, logit, paper"],
    );
}

#[test]
fn an_output_file_that_cannot_be_written() {
    let folder = Folder::copy_of("random-llama2");
    let into = |path: &str| refused_ids(&[&IDS[..], &["--out", path]].concat());
    let missing = folder.file("no/such").display().to_string();
    says(&into(&format!("{missing}/lens.atelier.json")), &["no/such", "does not exist"]);
    says(&into(&folder.path()), &["is a folder"]);
}

/// Parts that do not fit together, at which the tokenizers' library panics.
#[test]
fn tokenizers_whose_parts_do_not_fit_together() {
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
        says(&refused(&[&text[..], &options[..]].concat()), &["tokenizer.json cannot be read ("]);
    }
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
