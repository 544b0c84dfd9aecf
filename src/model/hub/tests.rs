//! Reading a hub's answers, and choosing the files that make a model.

use super::*;

fn hub() -> HubAddress {
    HubAddress::parse("https://hub.test").expect("an address")
}

fn files(paths: &[&str]) -> Vec<RemoteFile> {
    let file = |path: &&str| RemoteFile {
        path: (*path).to_owned(),
        size: 10,
        hash: FileHash::Sha256("0".repeat(64)),
    };
    paths.iter().map(file).collect()
}

fn picked(name: &str, ending: Option<&str>, paths: &[&str]) -> Result<Vec<String>, String> {
    let name = HubName::parse(name).expect(name);
    let picked = pick(&name, ending, &files(paths)).map_err(|error| error.to_string())?;
    Ok(picked.into_iter().map(|file| file.path).collect())
}

#[test]
fn commit_terms_and_files_are_read() {
    let commit = "a".repeat(40);
    let info = format!(
        r#"{{"sha":"{commit}","gated":"manual","cardData":{{"license":"other","license_name":"own"}},"siblings":[]}}"#
    );
    let info = HubInfo::read(&hub(), info.as_bytes()).expect("an answer");
    assert_eq!((&*info.commit, info.is_gated), (&*commit, true));
    assert_eq!(info.licence.as_deref(), Some("own"));
    let open = format!(r#"{{"sha":"{commit}","gated":false,"tags":["x","license:mit"]}}"#);
    let open = HubInfo::read(&hub(), open.as_bytes()).expect("an answer");
    assert_eq!((open.is_gated, open.licence.as_deref()), (false, Some("mit")));

    let page = format!(
        r#"[{{"type":"directory","path":"onnx","oid":"x"}},
            {{"type":"file","path":"config.json","size":7,"oid":"{}"}},
            {{"type":"file","path":"../away","size":7,"oid":"{}"}},
            {{"type":"file","path":"model.safetensors","size":130,"oid":"{}","lfs":{{"oid":"{}","size":1234,"pointerSize":130}}}}]"#,
        "1".repeat(40),
        "1".repeat(40),
        "2".repeat(40),
        "3".repeat(64),
    );
    let files = RemoteFile::read_page(&hub(), page.as_bytes()).expect("a list");
    assert_eq!(files.len(), 2);
    assert_eq!(files[0].hash, FileHash::Git("1".repeat(40)));
    assert_eq!((files[1].size, files[1].hash.hex().len()), (1234, 64));

    for wrong in ["<!doctype html>", r#"{"sha":"main"}"#, "[]"] {
        let error = HubInfo::read(&hub(), wrong.as_bytes()).expect_err(wrong);
        assert!(error.to_string().contains("check the hub's address"), "{error}");
    }
    let short = br#"[{"type":"file","path":"a","size":7,"oid":"12"}]"#;
    assert!(RemoteFile::read_page(&hub(), short).is_err());
}

#[test]
fn the_model_of_a_place_is_picked() {
    let usual = [
        "README.md",
        "config.json",
        "model.safetensors",
        "onnx/model.onnx",
        "pytorch_model.bin",
        "tokenizer.json",
    ];
    assert_eq!(
        picked("a/b", None, &usual).expect("a model"),
        ["config.json", "tokenizer.json", "model.safetensors"]
    );
    let one = ["README.md", "x-Q8_0.gguf"];
    assert_eq!(picked("a/b", None, &one).expect("a model"), ["x-Q8_0.gguf"]);
    let parts = ["x-00001-of-00002.gguf", "x-00002-of-00002.gguf"];
    assert_eq!(picked("a/b", None, &parts).expect("a model"), parts);
    let lost = picked("a/b", None, &parts[..1]).expect_err("a part is missing");
    assert!(lost.contains("missing"), "{lost}");

    let several = ["x-Q4_0.gguf", "x-Q8_0.gguf", "deep/y.gguf"];
    let sentence = picked("a/b", None, &several).expect_err("several");
    assert!(
        sentence.contains("hub:a/b:x-Q4_0.gguf") && sentence.contains("deep/y.gguf"),
        "{sentence}"
    );
    assert_eq!(picked("a/b:deep/y.gguf", None, &several).expect("it"), ["deep/y.gguf"]);
    assert_eq!(picked("a/b", Some("q8_0.GGUF"), &several).expect("it"), ["x-Q8_0.gguf"]);
    let none = picked("a/b:z.gguf", None, &several).expect_err("no such file");
    assert!(none.contains("it has x-Q4_0.gguf"), "{none}");
    let other = picked("a/b", None, &["README.md", "pytorch_model.bin"]).expect_err("no config");
    assert!(other.contains("pytorch_model.bin"), "{other}");

    // As MobileLLM is published.
    let older = [
        "config.json",
        "modeling_mobilellm.py",
        "pytorch_model.bin",
        "tokenizer.model",
        "tokenizer_config.json",
    ];
    let found = ["config.json", "tokenizer.model", "tokenizer_config.json", "pytorch_model.bin"];
    assert_eq!(picked("a/b", None, &older).expect("a model"), found);
    let sharded = ["config.json", "pytorch_model.bin.index.json", "x-Q4_0.gguf", "x-Q8_0.gguf"];
    assert_eq!(picked("a/b", None, &sharded).expect("a model"), sharded[..2]);
}

#[test]
fn an_index_names_shards() {
    let name = HubName::parse("a/b").expect("a name");
    let paths = [
        "config.json",
        "model.safetensors.index.json",
        "model-1.safetensors",
        "model-2.safetensors",
    ];
    let all = files(&paths);
    let picked = pick(&name, None, &all).expect("a model");
    assert_eq!(index_of(&picked).map(|file| &*file.path), Some(paths[1]));
    let index = br#"{"weight_map":{"x":"model-2.safetensors","y":"model-1.safetensors","z":"model-2.safetensors"}}"#;
    let found = shards(&name, index, &all).expect("shards");
    assert_eq!(found.iter().map(|file| &*file.path).collect::<Vec<_>>(), &paths[2..]);
    let away = br#"{"weight_map":{"x":"../model-2.safetensors"}}"#;
    assert!(shards(&name, away, &all).is_err());
    for lost in [
        r#"{"weight_map":{"x":"model-3.safetensors"}}"#,
        r#"{"weight_map":{}}"#,
        r#"{"weight_map":{"x":"config.json"}}"#,
    ] {
        assert!(shards(&name, lost.as_bytes(), &all).is_err(), "{lost}");
    }

    // PyTorch's: the same care.
    let older =
        ["config.json", "pytorch_model.bin.index.json", "a-1.bin", "a-2.bin", "b.safetensors"];
    let all_older = files(&older);
    let index = br#"{"weight_map":{"x":"a-2.bin","y":"a-1.bin"}}"#;
    let found = shards(&name, index, &all_older).expect("shards");
    assert_eq!(found.iter().map(|file| &*file.path).collect::<Vec<_>>(), &older[2..4]);
    for (lost, says) in [
        (r#"{"weight_map":{"x":"../a-1.bin"}}"#, "../a-1.bin"),
        (r#"{"weight_map":{"x":"a-3.bin"}}"#, "has no file \"a-3.bin\""),
        (r#"{"weight_map":{"x":"a-1.bin","y":"config.json"}}"#, "names \"config.json\" as weights"),
        (r#"{"weight_map":{"x":"a-1.bin","y":"b.safetensors"}}"#, "names \"b.safetensors\""),
    ] {
        let sentence = shards(&name, lost.as_bytes(), &all_older).expect_err(lost).to_string();
        assert!(sentence.contains(says), "{sentence}");
    }

    // Read, 300 MB of it took 2.2 GB.
    let mut large = files(&paths);
    large[1].size = 65 << 20;
    let sentence = pick(&name, None, &large).expect_err("too large").to_string();
    assert!(sentence.contains("its index has over 64 MB"), "{sentence}");
}

#[test]
fn another_answer_than_a_file_is_told_by_its_head() {
    let file = &files(&["model.safetensors"])[0];
    let bytes = Some("application/octet-stream");
    assert!(file.may_be(Some("10"), bytes) && file.may_be(None, bytes) && file.may_be(None, None));
    let page = Some(" Text/HTML; charset=utf-8");
    for (length, kind) in [(Some("26"), bytes), (Some("10"), page), (None, page), (Some(""), None)]
    {
        assert!(!file.may_be(length, kind), "{length:?} {kind:?}");
    }
    assert!(file.is_rest("bytes 4-9/10", 4) && file.is_rest("bytes 4-9/*", 4));
    for range in ["bytes 4-9/11", "bytes 0-9/10", "bytes 4-9/", "bytes 40-49/10", ""] {
        assert!(!file.is_rest(range, 4), "{range}");
    }
}

#[test]
fn refusals_say_what_to_do() {
    let name = HubName::parse("hub:a/b@dev").expect("a name");
    let said =
        |status, code, path| HubError::refusal(&hub(), &name, status, code, path).to_string();
    for (status, code, path, expected) in [
        (401, Some("GatedRepo"), None, "sign in at https://hub.test/a/b and agree to its terms"),
        (403, Some("GatedRepo"), None, "ask for access"),
        (401, Some("RepoNotFound"), None, "has no model a/b"),
        (401, None, None, "has no model a/b"),
        (404, Some("RevisionNotFound"), None, "no revision \"dev\""),
        (404, Some("EntryNotFound"), Some("x.gguf"), "no file \"x.gguf\""),
        (429, None, None, "is busy"),
        (503, None, Some("x"), "is busy"),
        (410, None, Some("x"), "answers 410 for x"),
    ] {
        let sentence = said(status, code, path);
        assert!(sentence.contains(expected), "{status}: {sentence}");
    }
}

#[test]
fn bytes_are_spelled_as_hubs_spell_them() {
    let spelled = [0, 1, 999_999, 1_000_000, 145_400_000, 2_471_000_000].map(spell_bytes);
    assert_eq!(spelled, ["0 kB", "1 kB", "1000 kB", "1 MB", "145 MB", "2.47 GB"]);
}
