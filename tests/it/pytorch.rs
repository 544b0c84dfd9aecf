//! PyTorch checkpoints: the goldens of every family written as them, and bad files, one sentence each.
use std::path::{Path, PathBuf};

use crate::cli::support::{atelier, printed, refused};
use crate::common::pytorch::{self, PickledTensor, ZipWriter};
use crate::common::{TOLERANCE, in_project, load, parity, skipped, u32s};
use atelier::model::ModelFiles;
use atelier::study::LoadedModel;
use safetensors::SafeTensors;
use serde_json::Value;
use sha2::{Digest, Sha256};

#[test]
fn every_familys_goldens_hold_as_pytorch() {
    let folder = tempfile::tempdir().expect("a folder");
    let load = move |path: &Path| {
        if path.is_file() {
            return load(path);
        }
        let _ = std::fs::remove_file(folder.path().join("tokenizer.json"));
        load(&pytorch::write(path, folder.path()))
    };
    parity::goldens_hold(&load, TOLERANCE);
}

/// Opens a folder whose `pytorch_model.bin` is this.
fn opened(bytes: &[u8]) -> Result<LoadedModel, String> {
    let config = in_project("tests/models/random-llama2/config.json");
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::copy(config, folder.path().join("config.json")).expect("copied");
    std::fs::write(folder.path().join("pytorch_model.bin"), bytes).expect("written");
    let files = ModelFiles::open(folder.path()).map_err(|error| error.to_string())?;
    LoadedModel::from_files(&files, &mut |_, _| ()).map_err(|error| error.to_string())
}

#[test]
fn what_no_weights_need_is_refused_by_its_name() {
    let refused = |pickle: &[u8]| {
        let mut archive = ZipWriter::new(Vec::new());
        archive.record("m/data.pkl", pickle);
        opened(&archive.finish()).err().expect("a refusal")
    };
    let asks = |what: &str| {
        format!(
            "pytorch_model.bin asks for {what}, which no weights need: it is not read, and nothing in it was run; \
             take the model from another place, in safetensors if there is one"
        )
    };
    let whole = refused(b"\x80\x02ctransformers.models\nLlama\n)\x81.");
    assert!(whole.ends_with("where you trust it, load it and save model.state_dict()"), "{whole}");
    assert_eq!(refused(b"\x80\x02cos\nsystem\nX\x01\0\0\0a\x85R."), asks("os.system"));
    assert_eq!(refused(b"\x80\x04\x8c\x02os\x8c\x06system\x93."), asks("os.system"));
    assert_eq!(refused(b"\x80\x02(ios\nsystem\n."), asks("os.system"));
    assert_eq!(refused(b"\x80\x02)\x81."), asks("the opcode NEWOBJ"));
    let not_read = |reason: &str| {
        format!(
            "pytorch_model.bin is not a PyTorch checkpoint that can be read ({reason}); download it again"
        )
    };
    let most = [b"\x80\x02".to_vec(), vec![b'('; 100_000]].concat();
    assert_eq!(refused(&most), not_read("it nests deeper than weights do"));
    assert_eq!(
        refused(b"\x80\x02X\xff\xff\xff\xffabc"),
        not_read("its pickle ends within a value")
    );
    assert_eq!(
        refused(b"\x80\x02]."),
        "pytorch_model.bin is not a PyTorch checkpoint that can be read (it holds a list, not a dict of tensors); \
         where you trust it, load it in PyTorch and save its state_dict()"
    );
}

/// A second name of a storage, where no tensor needs one, is no other length of it.
#[test]
fn a_storage_of_two_lengths_is_refused() {
    let number = |number: u64| [b"\x8a\x08", &number.to_le_bytes()[..]].concat();
    let storage = |class: &str, count: u64| {
        let class = format!("X\x07\0\0\0storagectorch\n{class}\nX\x01\0\0\x000X\x03\0\0\0cpu");
        [b"(", class.as_bytes(), &number(count), b"tQ"].concat()
    };
    let pickle = [
        b"\x80\x02}X\x01\0\0\0actorch._utils\n_rebuild_tensor_v2\n(",
        &storage("FloatStorage", 1 << 62)[..],
        &number((1 << 62) - 1),
        b"K\x01\x85K\x01\x85\x89",
        &storage("HalfStorage", 10),
        b"tRs.",
    ];
    let first = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.\x80\x02}.";
    let keys = b"\x80\x02]X\x01\0\0\x000a.";
    let file = [&first[..], &pickle.concat(), keys, &10u64.to_le_bytes(), &[0; 20]].concat();
    let sentence = opened(&file).err().expect("a refusal");
    assert!(sentence.contains("it names its storage 0 with two types or lengths"), "{sentence}");
}

/// A record's own header says its size, or that it is written behind the record.
#[test]
fn a_record_of_two_sizes_is_refused() {
    let numbers = PickledTensor {
        name: "a".into(),
        class: "FloatStorage",
        shape: vec![4],
        numbers: vec![0; 16].into(),
    };
    let file = pytorch::zip(&[numbers]);
    for (flags, size, is_read) in
        [(0, 16, true), (8, 0, true), (0, 15, false), (8, 15, false), (8, u32::MAX, false)]
    {
        let mut file = file.clone();
        let is_header = |bytes: &[u8]| {
            bytes.starts_with(b"PK\x03\x04") && bytes[30..].starts_with(b"model/data/0")
        };
        let header = file.windows(64).position(is_header).expect("a header");
        file[header + 6] = flags;
        for field in [18, 22] {
            file[header + field..][..4].copy_from_slice(&u32::to_le_bytes(size));
        }
        let sentence = opened(&file).err().expect("another model's");
        assert_eq!(sentence.contains("cut off or damaged"), !is_read, "{size}: {sentence}");
    }
}

/// The page is served the weights that the command line opens.
#[test]
fn a_folder_has_the_same_weights_for_the_page_and_the_command_line() {
    for (names, expected) in [
        (&["adapter_model.safetensors", "pytorch_model.bin"][..], &["pytorch_model.bin"][..]),
        (&["model.safetensors", "pytorch_model.bin", "b.safetensors"], &["model.safetensors"]),
        (&["optimizer.pt", "rng_state_0.pth", "training_args.bin", "w.bin"], &["w.bin"]),
        (&["pytorch_model.bin", "lora.bin"], &["pytorch_model.bin"]),
        (&["a.safetensors", "w.bin"], &["a.safetensors"]),
        (&["training_args.bin"], &[]),
    ] {
        let home = tempfile::tempdir().expect("a folder");
        let folder = home.path().join("model");
        std::fs::create_dir(&folder).expect("a folder");
        for name in names.iter().chain(&["config.json"]) {
            std::fs::write(folder.join(name), b"{}").expect("a file");
        }
        let served = atelier_server::ModelsFolder::open(home.path()).expect("the folder").models();
        let served = served.into_iter().flat_map(atelier_server::ServedFiles::into_files);
        let served: Vec<String> =
            served.map(|(name, _)| name).filter(|name| name != "config.json").collect();
        assert_eq!(served, expected, "{names:?}");
        let opened = ModelFiles::open(&folder).map(|files| files.weights).unwrap_or_default();
        let opened: Vec<String> = opened.into_iter().map(|(name, _)| name).collect();
        assert_eq!(opened, expected, "{names:?}");
    }
}

#[test]
fn only_pytorch_is_converted_and_only_into_a_folder_without_a_model() {
    let models = in_project("tests/models");
    let from = tempfile::tempdir().expect("a folder");
    pytorch::write(&models.join("random-llama2"), from.path());
    let out = tempfile::tempdir().expect("a folder");
    let convert = |model: &Path| {
        let args =
            ["convert".as_ref(), model.as_os_str(), "--out".as_ref(), out.path().as_os_str()];
        refused(&args)
    };
    let sentence = convert(&models.join("random-llama2"));
    assert!(sentence.contains("is safetensors already: it needs no conversion"), "{sentence}");
    // A foreign tokenizer would be read as the model's.
    std::fs::write(out.path().join("tokenizer.model"), b"").expect("a file");
    let sentence = convert(from.path());
    let there = "tokenizer.model is there already: give another folder in --out";
    assert!(sentence.contains(there), "{sentence}");
    assert_eq!(std::fs::read_dir(out.path()).expect("the folder").count(), 1);
}

#[test]
fn both_formats_are_read_and_a_cut_one_is_refused() {
    let numbers = |count: usize| (0..count).flat_map(|i| (i as f32).to_le_bytes()).collect();
    let tensor = |name: &str, shape: &[u64]| PickledTensor {
        name: name.into(),
        class: "FloatStorage",
        shape: shape.to_vec(),
        numbers: numbers(shape.iter().product::<u64>() as usize),
    };
    let tensors = [tensor("a", &[2, 3]), tensor("b", &[4])];
    for (bytes, cut) in [
        (pytorch::zip(&tensors), "it is a zip archive that was cut off or damaged"),
        (
            pytorch::older(&tensors),
            "it is a PyTorch file of before 2020 that was cut off or damaged",
        ),
    ] {
        let sentence = opened(&bytes).err().expect("another model's");
        assert!(sentence.starts_with("tensor model.embed_tokens.weight is missing"), "{sentence}");
        let sentence = opened(&bytes[..bytes.len() - 1]).err().expect("cut off");
        assert!(sentence.contains(cut), "{sentence}");
    }
}

/// Tensors of one storage of a megabyte, which each name it by the memo.
fn shared(count: usize, shape: &[u32], strides: &[u32], key: &str) -> Vec<u8> {
    let text =
        |text: &str| [b"X", &(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat();
    let numbers = |numbers: &[u32]| {
        let numbers: Vec<u8> =
            numbers.iter().flat_map(|n| [&b"J"[..], &n.to_le_bytes()].concat()).collect();
        [b"(", &numbers[..], b"t"].concat()
    };
    let mut pickle = b"\x80\x02}(X\x04\0\0\0headctorch._utils\n_rebuild_tensor_v2\n((".to_vec();
    pickle.extend([text("storage"), b"ctorch\nFloatStorage\n".to_vec(), text(key)].concat());
    pickle.extend([text("cpu"), b"J\0\0\x04\0tQK\0".to_vec()].concat());
    pickle.extend([numbers(shape), numbers(strides), b"\x89NtRq\0".to_vec()].concat());
    for at in 1..count {
        // A thousand at a time, as PyTorch writes them.
        if at % 1000 == 0 {
            pickle.extend(b"u(");
        }
        pickle.extend([text(&at.to_string()), b"h\0".to_vec()].concat());
    }
    pickle.extend(b"u.");
    let mut archive = ZipWriter::new(Vec::new());
    archive.record("m/data.pkl", &pickle);
    archive.record(&format!("m/data/{key}"), &vec![0; 1 << 20]);
    archive.finish()
}

/// A file that took hours or gigabytes would be a way to stop a machine.
#[test]
fn a_small_file_that_claims_much_is_refused_at_once() {
    let refused = |file: &[u8]| opened(file).err().expect("a refusal");
    let side = 1 << 18;
    // Tied by a few names it is read, and is another model's.
    let few = refused(&shared(5, &[side], &[1], "0"));
    assert!(few.starts_with("tensor model.embed_tokens.weight is missing"), "{few}");
    let shares = "shares its numbers with too many: the tensors would take over 8 times the bytes that are stored";
    for file in [
        shared(60_000, &[side], &[1], "0"),
        shared(1, &[side, side], &[1, 0], "0"),
        shared(1, &[1 << 30, 1 << 30], &[0, 0], "0"),
    ] {
        assert!(refused(&file).contains(shares), "{}", refused(&file));
    }

    let most = refused(&shared(70_000, &[1], &[1], "0"));
    assert!(most.contains("it has more than 65536 tensors"), "{most}");
    let sides = refused(&shared(60_000, &[1; 30_000], &[1; 30_000], "0"));
    assert!(sides.contains("has 30000 sides, and 64 are the most"), "{sides}");
    let key = refused(&shared(60_000, &[1], &[1], &"k".repeat(60_000)));
    assert!(key.contains("does not say where it is stored"), "{key}");
}

/// The folder of bad files, where it is here.
fn bad() -> Option<PathBuf> {
    let folder = in_project("../shared/models/bad");
    if folder.join("pickle-index.json").exists() {
        return Some(folder);
    }
    skipped("../shared/models/bad is not here");
    None
}

/// Each of them by the command line, as a reader would: its verdict, and the words of its sentence.
#[test]
fn every_bad_pickle_has_its_verdict() {
    let Some(bad) = bad() else { return };
    let text = std::fs::read_to_string(bad.join("pickle-index.json")).expect("an index");
    let index: Value = serde_json::from_str(&text).expect("JSON");
    let marker = Path::new(index["marker"].as_str().expect("a marker"));
    assert!(!marker.exists(), "{} is left of something else", marker.display());
    let joined = |name: &str| {
        let numbers = index["good"][name].as_array().expect("numbers").iter();
        numbers.map(Value::to_string).collect::<Vec<_>>().join(",")
    };
    let (ids, rows) = (joined("ids"), joined("rows"));

    let mut failures = Vec::new();
    for case in index["cases"].as_array().expect("cases") {
        let folder = tempfile::tempdir().expect("a folder");
        let (name, path) = match case["file"].as_str() {
            Some(file) => {
                let config = bad.join(index["config"].as_str().expect("a config"));
                std::fs::copy(config, folder.path().join("config.json")).expect("copied");
                std::fs::copy(bad.join(file), folder.path().join("pytorch_model.bin"))
                    .expect("copied");
                (file, folder.path().to_path_buf())
            }
            None => {
                let name = case["folder"].as_str().expect("a file or a folder");
                (name, bad.join(name))
            }
        };
        let model = path.display().to_string();
        let asked = ["--ids", &ids, "--rows", &rows, "--answer", "0", "--json"];
        let args = [&["lens", "--model", &model][..], &asked].concat();
        let output = atelier(&args);
        let sentence = String::from_utf8_lossy(&output.stderr).into_owned();
        let found = serde_json::from_slice::<Value>(&output.stdout).ok();
        let verdict = case["verdict"].as_str().expect("a verdict");
        let says = case["says"].as_array().expect("words");
        let is_refusal = !output.status.success()
            && output.stdout.is_empty()
            && sentence.starts_with("atelier: ")
            && sentence.len() < 2000
            && sentence.trim_end_matches('\n').chars().all(|letter| !letter.is_control())
            && says.iter().all(|word| {
                let word = word.as_str().expect("a word").to_lowercase();
                sentence.to_lowercase().contains(&word)
            });
        let is_good =
            found.as_ref().is_some_and(|report| has_logits(report, &index["good"]["logits"]));
        let is_right = match verdict {
            "refused" => is_refusal,
            "fine" => is_good,
            "opens" => found.is_some() && !is_good,
            _ => is_refusal || is_good,
        };
        println!("{name} {verdict}: {}", if found.is_some() { "opens\n" } else { &sentence });
        if !is_right {
            failures.push(format!("{name} {verdict}: {sentence}"));
        }
        assert!(!marker.exists(), "{name} was executed");
    }
    assert!(failures.is_empty(), "{} of the files: {failures:#?}", failures.len());
}

/// Whether a report's logits are these, to 1e-4 of the largest.
fn has_logits(report: &Value, expected: &Value) -> bool {
    let numbers = |value: &Value| -> Vec<f64> {
        value.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
    };
    let (found, expected) = (numbers(&report["lens"]["logits"]), numbers(expected));
    let largest = expected.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let is_near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-4 * largest + 1e-6;
    found.len() == expected.len() && found.iter().zip(&expected).all(is_near)
}

/// Transposed, strided and tied tensors come out row by row under every name, as the golden has them.
#[test]
fn converted_tensors_are_those_of_the_goldens() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (models, goldens) =
        (root.join("../shared/models/pickled"), root.join("../shared/golden/pickled"));
    let Ok(entries) = std::fs::read_dir(&goldens) else {
        skipped("../shared/golden/pickled is not here");
        return;
    };
    let mut checked = 0;
    for entry in entries {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a golden");
        let golden: Value = serde_json::from_str(&text).expect("JSON");
        let model = models.join(path.file_stem().expect("a name"));
        let out = tempfile::tempdir().expect("a folder");
        let args = [model.as_os_str(), "--out".as_ref(), out.path().as_os_str()];
        printed(&[&["convert".as_ref()][..], &args].concat());

        let bytes = std::fs::read(out.path().join("model.safetensors")).expect("weights");
        let tensors = SafeTensors::deserialize(&bytes).expect("safetensors");
        for (name, expected) in golden["tensors"].as_object().expect("tensors") {
            let found = tensors.tensor(name).unwrap_or_else(|error| panic!("{name}: {error}"));
            let shape: Vec<usize> = u32s(&expected["shape"]).iter().map(|&n| n as usize).collect();
            assert_eq!(found.shape(), shape, "{name}");
            assert_eq!(format!("{:?}", found.dtype()), expected["dtype"], "{name}");
            let hash = Sha256::digest(found.data());
            let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(hash, expected["sha256"], "{}: {name}", path.display());
            checked += 1;
        }
        assert_eq!(load(out.path()).shape().blocks.len(), load(&model).shape().blocks.len());
        let again = refused(&[&["convert".as_ref()][..], &args].concat());
        assert!(again.contains("is there already: give another folder in --out"), "{again}");
    }
    println!("{checked} tensors equal");
    assert!(checked > 100, "{checked}");
}
