//! Running the binary, and model folders to run it on.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde_json::{Value, json};

pub use crate::common::in_project;
use crate::common::{copy_folder, copy_model};

/// Path of a model that the project carries: `tests/models/random-llama2`.
pub fn model(name: &str) -> String {
    in_project(&format!("tests/models/{name}")).display().to_string()
}

pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

/// A line of the program and what is added to it.
pub fn line(words: &[&str], rest: &[&str]) -> Vec<String> {
    words.iter().chain(rest).map(ToString::to_string).collect()
}

/// A line as a shell cuts it: blanks divide, but between quotes.
pub fn words(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    let words = parts.flat_map(|(index, part)| -> Vec<String> {
        if index % 2 == 1 {
            return vec![part.to_string()];
        }
        part.split_whitespace().map(str::to_string).collect()
    });
    words.collect()
}

/// A shipped model's files in a folder of their own, to change.
pub fn copy(model: &str, to: &Path) -> String {
    copy_model(model, to);
    to.display().to_string()
}

pub fn atelier<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_atelier"));
    // The user's own models folder is never looked into.
    let command = command.env("ATELIER_MODELS", in_project("target/no-models")).args(args);
    without_colour_settings(command).output().expect("atelier starts")
}

/// Removes what would add or take colours: a developer's settings, and the `CI` of a build service.
pub fn without_colour_settings(command: &mut Command) -> &mut Command {
    for name in ["CI", "CLICOLOR", "CLICOLOR_FORCE", "NO_COLOR"] {
        command.env_remove(name);
    }
    command
}

/// Standard output of a run that must succeed.
pub fn printed<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> String {
    let output = atelier(args);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    // A survey says which of its cells are done.
    let said: Vec<&str> = errors.lines().filter(|line| !line.ends_with(" rows in all")).collect();
    assert!(said.is_empty(), "on standard error that is no terminal: {said:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

pub fn report<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> Value {
    serde_json::from_str(&printed(args)).expect("a report")
}

/// The one sentence of a run that must be refused, with nothing on standard output: exit code 2 where the
/// command line is wrong, which names its help, and 1 where something failed.
#[track_caller]
pub fn refused<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> String {
    let output = atelier(args);
    let sentence = String::from_utf8(output.stderr).expect("UTF-8");
    let code = if sentence.ends_with(" --help`\n") { 2 } else { 1 };
    assert_eq!(output.status.code(), Some(code), "{sentence}");
    assert!(output.stdout.is_empty(), "nothing is printed before a refusal");
    let sentence = sentence.strip_suffix('\n').expect("a line");
    assert!(!sentence.contains('\n'), "one line: {sentence}");
    sentence.strip_prefix("atelier: ").expect("who speaks").to_string()
}

/// A run that must be refused in a sentence with these words.
#[track_caller]
pub fn refuses<S: AsRef<std::ffi::OsStr>>(args: &[S], says: &str) {
    let sentence = refused(args);
    assert!(sentence.contains(says), "`{says}` is not in: {sentence}");
    println!("{sentence}");
}

/// Writes a task of two options, called two, and its file of rows into a folder: the task's file, and the folder.
pub fn two_options(folder: &Path, options: [&str; 2], rows: &str) -> [String; 2] {
    let task = format!(
        "name = \"two\"\nscore = \"option\"\nfiles = [\"two.csv\"]\ntemplate = \"{{text}} {{answer}}\"\n\
         options = {options:?}\n[[layout]]\nlabel = \"{{label}}\"\n"
    );
    let file = folder.join("two.toml");
    std::fs::write(&file, task).expect("a task");
    std::fs::write(folder.join("two.csv"), format!("text,label\n{rows}")).expect("rows");
    [&file, folder].map(|path| path.display().to_string())
}

/// Leaves a model, in a folder of its own, a context of eight tokens.
pub fn shorten_context(model: &Path) {
    let path = model.join("config.json");
    let config = std::fs::read_to_string(&path).expect("a config");
    let of = |tokens: usize| format!("\"max_position_embeddings\": {tokens}");
    std::fs::write(path, config.replace(&of(128), &of(8))).expect("a shorter context");
}

/// A copy of a model's folder, to break.
pub struct Folder {
    // Removed when dropped.
    folder: tempfile::TempDir,
}

impl Folder {
    pub fn copy_of(name: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        copy_folder(Path::new(&model(name)), folder.path());
        Folder { folder }
    }

    /// With a tokenizer of a few words, one id each, cut at blanks.
    pub fn with_words(name: &str, words: &[&str]) -> Self {
        let folder = Self::copy_of(name);
        let mut vocabulary = json!({ "[UNK]": 0 });
        for (index, word) in words.iter().enumerate() {
            vocabulary[word] = json!(index + 1);
        }
        folder.write("tokenizer.json", tokenizer(vocabulary).to_string().as_bytes());
        folder
    }

    pub fn path(&self) -> String {
        self.folder.path().display().to_string()
    }

    pub fn file(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    pub fn read(&self, file: &str) -> Vec<u8> {
        std::fs::read(self.file(file)).expect(file)
    }

    pub fn write(&self, file: &str, bytes: &[u8]) {
        std::fs::write(self.file(file), bytes).expect(file);
    }

    /// Adds a line to a file, which may not be there yet.
    pub fn add_line(&self, file: &str, line: &str) {
        let path = self.file(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        let before = std::fs::read_to_string(&path).unwrap_or_default();
        std::fs::write(path, format!("{before}{line}\n")).expect(file);
    }

    pub fn remove(&self, file: &str) {
        std::fs::remove_file(self.file(file)).expect(file);
    }

    pub fn edit_config(&self, field: &str, value: Value) {
        let mut config: Value =
            serde_json::from_slice(&self.read("config.json")).expect("config.json");
        config[field] = value;
        self.write("config.json", config.to_string().as_bytes());
    }

    /// Writes the weights again, each tensor as `change` leaves it.
    pub fn edit_tensors(&self, mut change: impl FnMut(&str, Tensor) -> Option<Tensor>) {
        let bytes = self.read("model.safetensors");
        let tensors = SafeTensors::deserialize(&bytes).expect("safetensors");
        let changed: Vec<(String, Tensor)> = tensors
            .iter()
            .filter_map(|(name, view)| {
                let tensor = Tensor {
                    dtype: view.dtype(),
                    shape: view.shape().to_vec(),
                    data: view.data().to_vec(),
                };
                change(name, tensor).map(|tensor| (name.to_string(), tensor))
            })
            .collect();
        let views = changed.iter().map(|(name, tensor)| {
            let view = TensorView::new(tensor.dtype, tensor.shape.clone(), &tensor.data)
                .expect("a tensor");
            (name.clone(), view)
        });
        let bytes = safetensors::serialize(views, None).expect("safetensors");
        self.write("model.safetensors", &bytes);
    }
}

pub struct Tensor {
    pub dtype: Dtype,
    pub shape: Vec<usize>,
    pub data: Vec<u8>,
}

pub fn tokenizer(vocabulary: Value) -> Value {
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
        "pre_tokenizer": { "type": "Whitespace" }, "post_processor": null, "decoder": null,
        "model": { "type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]" }
    })
}
