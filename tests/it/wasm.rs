//! The page's worker on the processor, as WebAssembly: the goldens, through `dist/`'s own files and the
//! page's protocol. Node.js runs it, where a test of the page would need a browser.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::common::{
    TOLERANCE, assert_close, in_project, load, model_folder, parity, strings, u32s, vocabulary,
};
use candle_core::Device;
use candle_core::quantized::{GgmlDType, QTensor, gguf_file};
use serde_json::{Value, json};

#[test]
fn every_golden_run_and_every_plan_of_it() {
    let mut worker = Worker::start();
    parity::goldens_hold_for(&mut worker.asks(), TOLERANCE);
    parity::head_goldens_hold_for(&mut worker.asks(), TOLERANCE);
    println!("{} requests", worker.asked);
}

#[test]
fn every_golden_run_of_the_real_model() {
    let mut worker = Worker::start();
    parity::real_goldens_hold_for(&mut worker.asks(), TOLERANCE);
}

#[test]
fn every_golden_run_of_the_whole_vocabulary() {
    let mut worker = Worker::start();
    vocabulary::goldens_hold_for(&mut worker.asks(), TOLERANCE);
}

/// Not every type has a golden in the repository, so the native engine is the reference.
#[test]
fn every_type_of_gguf_files_gives_the_native_engines_numbers() {
    let source = model_folder("gguf/random-llama3-wide-q4_k.gguf").expect("a file that travels");
    let golden = std::fs::read("tests/golden/gguf/random-llama3-wide-q4_k.json").expect("a golden");
    let golden: Value = serde_json::from_slice(&golden).expect("JSON");
    let orders = [None, Some("1,0"), Some("(0,1)")];
    let folder = tempfile::tempdir().expect("a folder");
    let mut worker = Worker::start();
    for (dtype, words) in [
        (GgmlDType::F32, "f32"),
        (GgmlDType::F16, "f16"),
        (GgmlDType::BF16, "bf16"),
        (GgmlDType::Q4_0, "q4_0"),
        (GgmlDType::Q4_1, "q4_1"),
        (GgmlDType::Q5_0, "q5_0"),
        (GgmlDType::Q5_1, "q5_1"),
        (GgmlDType::Q8_0, "q8_0"),
        (GgmlDType::Q4K, "q4_K"),
        (GgmlDType::Q5K, "q5_K"),
        (GgmlDType::Q6K, "q6_K"),
    ] {
        let path = folder.path().join(format!("{words}.gguf"));
        requantize(&source, dtype, &path);
        let native = load(&path);
        assert_eq!(native.engine.describe(), format!("CPU ({words})"));
        let found = worker.lenses(&path, &golden, &orders);
        let expected = parity::lenses(&native, &golden, &orders);
        assert_close(&json!(found), &json!(expected), words);
    }
}

#[test]
fn the_workers_engine_is_webassemblys() {
    let mut worker = Worker::start();
    let id = worker.send(&json!({ "Doctor": { "is_quick": true, "engine": "Auto" } }), &[]);
    let report = loop {
        let tell = worker.hear(id);
        assert!(tell["Failed"].is_null() && tell["Measured"].is_null(), "{tell}");
        if tell["Measuring"].is_object() {
            worker.send(&json!({ "Cancel": { "id": id } }), &[]);
            break tell["Measuring"]["report"].clone();
        }
    };
    let set = &report["processor"]["instruction_set"];
    assert_eq!(set, "simd128", "{report}");
    println!("WebAssembly {set}");
}

/// The built page's worker in Node.js, in place of a browser.
struct Worker {
    node: Child,
    requests: ChildStdin,
    events: BufReader<ChildStdout>,
    asked: u32,
}

impl Worker {
    fn start() -> Self {
        let dist = std::env::var("ATELIER_DIST");
        let dist = dist.expect("ATELIER_DIST: `cargo xtask test` sets it to the built page");
        let host = in_project("tests/it/wasm/host.mjs");
        let mut node = Command::new("node")
            .arg(host)
            .arg(dist)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("Node.js");
        let requests = node.stdin.take().expect("its input");
        let events = BufReader::new(node.stdout.take().expect("its output"));
        let mut worker = Self { node, requests, events, asked: 0 };
        let ready = worker.hear(0);
        assert!(ready["Ready"]["protocol"].is_number(), "{ready}");
        worker
    }

    /// Sends a request with these files, and returns its id.
    fn send(&mut self, ask: &Value, files: &[PathBuf]) -> u32 {
        self.asked += 1;
        let request = json!({ "id": self.asked, "ask": ask }).to_string();
        let message = std::iter::once(json!(request)).chain(files.iter().map(|file| json!(file)));
        let message: Value = message.collect();
        writeln!(self.requests, "{message}").expect("a worker that listens");
        self.asked
    }

    /// Waits for the next event of this request.
    fn hear(&mut self, id: u32) -> Value {
        loop {
            let mut line = String::new();
            let read = self.events.read_line(&mut line).expect("a line of the worker");
            assert!(read > 0, "the worker died: its last words stand above");
            let mut event: Value = serde_json::from_str(&line).expect("an event");
            if event["id"] == id {
                return event["tell"].take();
            }
        }
    }

    /// Sends a request and returns its end, and what was said of the engine before it.
    fn ask(&mut self, ask: &Value, files: &[PathBuf]) -> (Value, String) {
        let id = self.send(ask, files);
        let mut engine = String::new();
        loop {
            let tell = self.hear(id);
            match tell["Engine"]["line"].as_str() {
                Some(line) => line.clone_into(&mut engine),
                None if ["Progress", "English", "Partial", "Tasks"]
                    .iter()
                    .any(|word| tell[word].is_object()) => {}
                None => return (tell, engine),
            }
        }
    }

    /// Asks as the goldens' checks want it.
    fn asks(&mut self) -> impl FnMut(&Path, &Value, &[Option<&str>]) -> Vec<Value> {
        move |path, golden, orders| self.lenses(path, golden, orders)
    }

    /// Loads the model at this path and asks a golden's question under each order.
    fn lenses(&mut self, path: &Path, golden: &Value, orders: &[Option<&str>]) -> Vec<Value> {
        let texts = |ids: &Value| u32s(ids).iter().map(u32::to_string).collect::<Vec<_>>();
        let (prompt, options) = match golden["prompt"].as_str() {
            Some(prompt) => (prompt.to_owned(), strings(&golden["options"])),
            None => (texts(&golden["ids"]).join(", "), texts(&golden["rows"])),
        };
        // Ids are a prompt where there is no tokenizer.
        let tokenizer = golden["prompt"].is_string().then_some("tokenizer.json");
        let files = ["config.json", "model.safetensors"].into_iter().chain(tokenizer);
        let files = files.map(|file| path.join(file)).chain([path.to_owned()]);
        let files: Vec<PathBuf> = files.filter(|file| file.is_file()).collect();

        let load = json!({ "LoadFiles": { "name": golden["model"], "engine": "Cpu" } });
        let (loaded, engine) = self.ask(&load, &files);
        assert!(loaded["Loaded"].is_object(), "{}: {loaded}", path.display());
        assert!(engine.starts_with("CPU ("), "{}: {engine}", path.display());

        let mut lenses = Vec::new();
        for plan in orders {
            let answer = golden["answer"].as_u64();
            let asked = json!({
                "prompt": prompt, "options": options, "answer": answer, "plan": plan,
            });
            let lens = json!({ "Lens": { "asked": asked } });
            let (mut done, _) = self.ask(&lens, &[]);
            assert!(done["Done"].is_object(), "{} {plan:?}: {done}", path.display());
            lenses.push(done["Done"]["report"]["lens"].take());
        }
        lenses
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // One that died already cannot be ended.
        let _ = self.node.kill();
        let _ = self.node.wait();
    }
}

/// Writes a GGUF file with its matrices in another type.
fn requantize(source: &Path, dtype: GgmlDType, to: &Path) {
    let mut source = std::fs::File::open(source).expect("a file");
    let content = gguf_file::Content::read(&mut source).expect("its header");
    let mut requantized = |name: &str| {
        let tensor = content.tensor(&mut source, name, &Device::Cpu).expect("a tensor");
        if tensor.rank() < 2 {
            return tensor;
        }
        let numbers = tensor.dequantize(&Device::Cpu).expect("numbers");
        QTensor::quantize(&numbers, dtype).expect("whole blocks")
    };
    let names: Vec<&str> = content.tensor_infos.keys().map(String::as_str).collect();
    let tensors: Vec<QTensor> = names.iter().map(|name| requantized(name)).collect();
    let metadata: Vec<_> =
        content.metadata.iter().map(|(key, value)| (key.as_str(), value)).collect();
    let tensors: Vec<_> = names.into_iter().zip(&tensors).collect();
    let mut file = std::fs::File::create(to).expect("a file");
    gguf_file::write(&mut file, &metadata, &tensors).expect("written");
}
