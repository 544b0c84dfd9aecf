//! The memory that the command line takes for the real model, as Linux counts it.

use std::borrow::Cow;
use std::io::Read;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::common::pytorch::{self, PickledTensor};
use crate::common::{TOLERANCE, assert_close_to, model_of, u32s};
use crate::real::golden;

/// Peak of resident memory at most, of the file's size: all of it, pages of the mapped file too, but for those of the
/// program's own file, whose code in tests is not that of a release.
const MAX_MEMORY: f64 = 1.5;

#[test]
fn six_hundred_tokens_take_at_most_half_as_much_again_as_the_file() {
    let golden = golden();
    let Some(file) = model_of(&golden) else { return };
    let size = std::fs::metadata(&file).expect("the file").len() as f64;
    let ids: Vec<String> = u32s(&golden["long"]["ids"]).iter().map(u32::to_string).collect();
    let mut command = Command::new(env!("CARGO_BIN_EXE_atelier"));
    command.args(["lens", "--answer", "0", "--json", "--rows", "7042,1546", "--ids"]);
    command.arg(ids.join(",")).arg("--model").arg(&file);
    // Every thread has room of its own, and machines have more threads with more memory.
    command.env("RAYON_NUM_THREADS", "2");
    let (peak, own, report) = measured(command);

    let lens = &report["lens"];
    assert_eq!(lens["token_ids"].as_array().map(Vec::len), Some(600));
    let log_z = &golden["long"]["after_second"]["log_z"];
    assert_close_to(&lens["vocabulary"]["log_partition"], log_z, "log Z", TOLERANCE);
    let [all, without] = [peak, peak - own].map(|bytes| bytes as f64 / size);
    println!("{all:.2} of the file, {without:.2} without the pages of the program itself");
    assert!(without <= MAX_MEMORY, "{without:.2} of the file");
}

/// Peak of resident memory at most for a PyTorch checkpoint, of the file's size.
const MAX_PYTORCH: f64 = 1.15;

/// A checkpoint of MobileLLM-1B's shape, zeros but for its norms.
#[test]
#[ignore = "2 GB: cargo xtask test --long"]
fn a_pytorch_checkpoint_of_a_billion_numbers_takes_little_more_than_its_file() {
    const WIDTH: u64 = 1280;
    const MLP: u64 = 3584;
    const KEYS: u64 = 5 * 64;
    let (zeros, ones): (Vec<u8>, Vec<u8>) =
        (vec![0; (32_000 * WIDTH * 2) as usize], [0x00, 0x3c].repeat(WIDTH as usize));
    let matrix = |name: String, shape: [u64; 2]| PickledTensor {
        name,
        class: "HalfStorage",
        numbers: Cow::Borrowed(&zeros[..(shape[0] * shape[1] * 2) as usize]),
        shape: shape.to_vec(),
    };
    let norm = |name: String| PickledTensor {
        name,
        class: "HalfStorage",
        numbers: Cow::Borrowed(&ones),
        shape: vec![WIDTH],
    };
    let mut tensors = vec![
        matrix("model.embed_tokens.weight".into(), [32_000, WIDTH]),
        norm("model.norm.weight".into()),
    ];
    for block in 0..54 {
        let named = |part: &str| format!("model.layers.{block}.{part}.weight");
        for (part, shape) in [
            ("self_attn.q_proj", [WIDTH, WIDTH]),
            ("self_attn.k_proj", [KEYS, WIDTH]),
            ("self_attn.v_proj", [KEYS, WIDTH]),
            ("self_attn.o_proj", [WIDTH, WIDTH]),
            ("mlp.gate_proj", [MLP, WIDTH]),
            ("mlp.up_proj", [MLP, WIDTH]),
            ("mlp.down_proj", [WIDTH, MLP]),
        ] {
            tensors.push(matrix(named(part), shape));
        }
        tensors.push(norm(named("input_layernorm")));
        tensors.push(norm(named("post_attention_layernorm")));
    }
    let config = serde_json::json!({
        "architectures": ["MobileLLMForCausalLM"],
        "model_type": "mobilellm",
        "vocab_size": 32_000,
        "hidden_size": WIDTH,
        "intermediate_size": MLP,
        "num_hidden_layers": 54,
        "num_attention_heads": 20,
        "num_key_value_heads": 5,
        "head_dim": 64,
        "max_position_embeddings": 2048,
        "rms_norm_eps": 1e-5,
        "rope_theta": 10000.0,
        "hidden_act": "silu",
        "share_embedding": true,
        "tie_word_embeddings": false,
    });
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("config.json"), config.to_string()).expect("written");
    let file = folder.path().join("pytorch_model.bin");
    pytorch::write_file(&file, &tensors);

    let size = std::fs::metadata(&file).expect("the file").len() as f64;
    let mut command = Command::new(env!("CARGO_BIN_EXE_atelier"));
    command.args(["lens", "--answer", "0", "--json"]);
    command.args(["--rows", "7042,1546", "--ids", "1,2,3,4,5,6"]);
    command.arg("--model").arg(folder.path()).env("RAYON_NUM_THREADS", "2");
    let (peak, own, _) = measured(command);
    let without = (peak - own) as f64 / size;
    println!("{without:.2} of a file of {:.2} GB", size / 1e9);
    assert!(without <= MAX_PYTORCH, "{without:.2} of the file");
}

/// Runs a command that prints a report longer than a page of memory: its peak of resident memory up to then, how
/// much of it is the program's own file, bytes, and the report.
fn measured(mut command: Command) -> (u64, u64, Value) {
    let mut child = command.stdout(Stdio::piped()).spawn().expect("it starts");
    let mut stdout = child.stdout.take().expect("a pipe");
    // SAFETY: it sets how much an open pipe holds.
    let room = unsafe { libc::fcntl(stdout.as_raw_fd(), libc::F_SETPIPE_SZ, 4096) };
    assert_eq!(room, 4096, "a pipe of one page");

    // With its first byte all is computed, and the program waits until the rest is read.
    let mut report = vec![0];
    stdout.read_exact(&mut report).expect("a report");
    let process = |name: &str| {
        let path = format!("/proc/{}/{name}", child.id());
        std::fs::read_to_string(path).expect("it still runs")
    };
    let peak = kilobytes(process("status").lines(), "VmHWM:");
    let maps = process("smaps");
    let program = Path::new(env!("CARGO_BIN_EXE_atelier")).canonicalize().expect("the program");
    let program = program.display().to_string();
    // A mapping begins with its addresses in small letters; what is said of it, with a capital.
    let is_head = |line: &&str| !line.starts_with(|c: char| c.is_ascii_uppercase());
    let mut is_own = false;
    let own = maps.lines().filter(|line| {
        if is_head(line) {
            is_own = line.ends_with(&program);
        }
        is_own
    });
    let own = kilobytes(own, "Rss:");
    assert!(own > 0, "pages of {program}");

    stdout.read_to_end(&mut report).expect("a report");
    assert!(child.wait().expect("its end").success());
    (peak * 1024, own * 1024, serde_json::from_slice(&report).expect("JSON"))
}

/// Adds up what lines say under a name.
fn kilobytes<'a>(lines: impl Iterator<Item = &'a str>, name: &str) -> u64 {
    let numbers = lines.filter_map(|line| line.strip_prefix(name)?.strip_suffix("kB"));
    numbers.map(|number| number.trim().parse::<u64>().expect("a number")).sum()
}
