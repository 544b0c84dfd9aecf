//! Folders that are opened as a model, and folders that are refused.

use std::path::Path;
use std::time::Duration;

use super::*;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str| std::fs::write(folder.path().join(name), b"{}").expect(name);
    write("config.json");
    write("model.safetensors");
    folder
}

/// Opened on a thread of its own: a pipe that is waited for would hang the test.
fn refused(folder: &Path) -> String {
    let folder = folder.to_path_buf();
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let opened = ModelFiles::open(&folder).err();
        send.send(opened.map(|error| error.to_string()))
    });
    let answer = receive.recv_timeout(Duration::from_secs(20));
    answer.expect("an answer").expect("a refusal")
}

#[test]
fn folders_stand_for_no_file() {
    let folder = folder();
    std::fs::create_dir(folder.path().join("tokenizer.json")).expect("a folder");
    let sentence = refused(folder.path());
    assert!(sentence.contains("tokenizer.json is not a file"), "{sentence}");
}

#[test]
#[cfg(unix)]
fn pipes_and_devices_are_not_opened() {
    for file in ["config.json", "tokenizer.json", "model.safetensors"] {
        let folder = folder();
        let path = folder.path().join(file);
        let _ = std::fs::remove_file(&path);
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.expect("mkfifo").success());
        let sentence = refused(folder.path());
        let ends = format!(
            "{file} is not a file (it may be a folder, a pipe or a device); put the model's own {file} there"
        );
        assert!(sentence.ends_with(&ends), "{sentence}");
        std::fs::remove_file(&path).expect("it was made");
        std::os::unix::fs::symlink("/dev/zero", &path).expect("a link");
        assert!(refused(folder.path()).ends_with(&ends));
    }
}

/// An index of a copy is not opened, nor any index where the model is one file.
#[test]
#[cfg(unix)]
fn other_indexes_are_not_opened() {
    for is_one_file in [true, false] {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        let mkfifo = |name: &str| {
            let made = std::process::Command::new("mkfifo").arg(at(name)).status();
            assert!(made.expect("mkfifo").success());
        };
        let own = "model.safetensors.index.json";
        if is_one_file {
            mkfifo(own);
        } else {
            std::fs::rename(at("model.safetensors"), at("a.safetensors")).expect("a shard");
            std::fs::write(at(own), br#"{"weight_map": {"a": "a.safetensors"}}"#)
                .expect("an index");
        }
        mkfifo("model.fp16.safetensors.index.json");
        let large = std::fs::File::create(at("x.safetensors.index.json")).expect("a file");
        large.set_len(MOST_JSON + 1).expect("a hole");
        let files = ModelFiles::open(folder.path());
        assert_eq!(files.err().map(|error| error.to_string()), None);
    }
}

#[test]
fn small_files_are_small() {
    for (file, size) in [
        ("config.json", 16 << 20),
        ("model.safetensors.index.json", 16 << 20),
        ("tokenizer.json", 256 << 20),
        ("tokenizer.model", 32 << 20),
        ("tokenizer_config.json", 16 << 20),
    ] {
        assert!(ModelFiles::check_size(file, size).is_ok());
        let folder = folder();
        if file == "tokenizer_config.json" {
            std::fs::write(folder.path().join("tokenizer.model"), b"").expect("a file");
        }
        // A model of one file has no index.
        let [one_file, shard] =
            ["model.safetensors", "a.safetensors"].map(|f| folder.path().join(f));
        std::fs::rename(one_file, shard).expect("a shard");
        // A hole takes no room on the disk.
        let large = std::fs::File::create(folder.path().join(file)).expect(file);
        large.set_len(size + 1).expect("a hole");
        let sentence = refused(folder.path());
        let begins = format!("{file} has {} bytes, but no model's has more than {size};", size + 1);
        assert!(sentence.starts_with(&begins), "{sentence}");
    }
    assert!(ModelFiles::check_size("model.safetensors", u64::MAX).is_ok());
}

#[test]
fn thousands_of_shards_are_one_short_sentence() {
    let shards = (0..3000).map(|n| (format!("model-{n:05}.safetensors"), FileBytes::Static(b"")));
    let config = ("config.json".to_string(), FileBytes::Static(b"{}"));
    let refused = ModelFiles::from_named("many", shards.chain([config]).collect());
    let sentence = refused.err().expect("no index").to_string();
    assert!(
        sentence.contains("model-00000.safetensors, model-00001.safetensors, model-00002.safetensors, model-00003.safetensors and 2996 more"),
        "{sentence}"
    );
    assert!(sentence.len() < 400, "{sentence}");
    let none = ModelFiles::from_named("empty", Vec::new());
    assert_eq!(
        none.err().expect("nothing there").to_string(),
        "empty has no *.safetensors, *.gguf or pytorch_model.bin file; add the model's weights in safetensors, GGUF or PyTorch format"
    );
}

/// A GGUF file says its own vocabulary; only a `tokenizer.json` beside it is read instead.
#[test]
fn a_sentencepiece_model_beside_a_gguf_file_is_not_its_vocabulary() {
    let words = |names: &[&str]| {
        let files = names.iter().map(|name| (name.to_string(), FileBytes::Static(b"")));
        let files = ModelFiles::from_named("test", files.collect()).expect("a model");
        let words = files.tokenizer.iter().flat_map(TokenizerFiles::named);
        words.map(|(name, _)| name).collect::<Vec<_>>()
    };
    assert!(words(&["a.gguf", "tokenizer.model", "tokenizer_config.json"]).is_empty());
    assert_eq!(words(&["a.gguf", "tokenizer.model", "tokenizer.json"]), ["tokenizer.json"]);
}

/// Files that a trainer writes beside the weights are no weights.
#[test]
fn the_state_of_a_training_run_is_no_model() {
    let state = [
        "optimizer.pt",
        "optimizer.bin",
        "optimizer_1.bin",
        "scheduler.pt",
        "scaler.pt",
        "rng_state.pth",
        "rng_state_0.pth",
        "training_args.bin",
    ];
    assert!(state.iter().all(|file| !ModelFiles::wants(file)));
    let all = state.iter().chain(&["config.json", "weights.bin"]);
    let all = all.map(|name| (name.to_string(), FileBytes::Static(b"")));
    let files = ModelFiles::from_named("test", all.collect()).expect("a model");
    let weights: Vec<&str> = files.weights.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(weights, ["weights.bin"]);
}

#[test]
fn the_models_own_index_is_looked_at() {
    let named = |names: &[&str]| {
        let index = br#"{"weight_map": {"a": "a.safetensors"}}"#;
        let files = names.iter().chain(&["config.json"]);
        let files = files.map(|name| (name.to_string(), FileBytes::Static(index)));
        ModelFiles::from_named("test", files.collect())
    };
    let chosen = |names: &[&str]| {
        let files = named(names).unwrap_or_else(|error| panic!("{names:?}: {error}"));
        let weights = files.weights.into_iter().map(|(name, _)| name);
        (files.index.map(|(name, _)| name), weights.collect::<Vec<_>>())
    };
    let (own, other, third) =
        ("model.safetensors.index.json", "b.safetensors.index.json", "c.safetensors.index.json");
    let a = "a.safetensors";
    for order in [[own, other, third], [third, other, own]] {
        let [one, two, three] = order;
        assert_eq!(chosen(&[one, two, three, a]), (Some(own.into()), vec![a.into()]));
    }
    assert_eq!(chosen(&[other, a]), (Some(other.into()), vec![a.into()]));
    let whole = "model.safetensors";
    assert_eq!(chosen(&[other, third, a, whole]), (None, vec![whole.into()]));
    assert_eq!(chosen(&[own, a, whole]), (None, vec![whole.into()]));
    let error = named(&[third, other, a]).err().expect("two indexes").to_string();
    assert!(error.starts_with("test holds several indexes of weights (b.safetensors.index.json, c.safetensors.index.json), none of them"), "{error}");
}
