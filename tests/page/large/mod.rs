//! A model of 1.2 billion numbers in a tab: Llama-3.2-1B's shape in Q8_0 (1.3 GB) with random weights, beside a
//! tokenizer of 128,256 words, dropped on the page. `cargo xtask test --long` runs it: it writes as much to
//! the disk, and a software GPU takes minutes.

mod model;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::numbers;
use crate::page::Page;
use crate::program;

const PROMPT: &str = "a b c d e f g h i j k l";
const OPTIONS: [&str; 2] = [" x", " y"];

/// Beside the weights, what a tab may take for a model on the GPU.
const HEAP_MOST: u64 = 200_000_000;

/// A load and a run here, on a machine that does something else besides.
const PATIENCE: Duration = Duration::from_secs(900);

/// Lets a test ask what the engine's own memory is, which only grows, and how many bytes of buffers it has
/// and had at most on the GPU.
const COUNTED: &str = "
const gpu = { now: 0, most: 0 };
if (self.GPUDevice) {
  const make = GPUDevice.prototype.createBuffer;
  GPUDevice.prototype.createBuffer = function (wanted) {
    gpu.now += wanted.size;
    gpu.most = Math.max(gpu.most, gpu.now);
    return make.call(this, wanted);
  };
  const destroy = GPUBuffer.prototype.destroy;
  const gone = new WeakSet();
  GPUBuffer.prototype.destroy = function () {
    if (!gone.has(this)) { gone.add(this); gpu.now -= this.size; }
    return destroy.call(this);
  };
}
new BroadcastChannel('count').onmessage = ({ target }) =>
  target.postMessage([engine.memory.buffer.byteLength, gpu.now, gpu.most]);
";

impl Page {
    /// Bytes of the engine's own memory, of its buffers on the GPU, and of those at most.
    fn counted(&self) -> [u64; 3] {
        let found = self.browser.run_async(
            "const done = arguments[0]; const c = new BroadcastChannel('count'); c.onmessage = ({ data }) => { c.close(); done(data); }; c.postMessage('');",
        );
        serde_json::from_value(found).expect("three numbers")
    }

    /// Waits for this model's picture.
    fn until_answers(&self, name: &str) {
        let words = Value::from(format!("Computed here by {name} "));
        self.until_long(
            &format!("{name} answers"),
            &format!("[...document.querySelectorAll('.provenance')].some(e => e.textContent.includes({words}))"),
        );
        self.until_long("it is drawn", "!document.querySelector('.status.visible')");
    }

    fn until_long(&self, what: &str, expression: &str) {
        self.browser.until_within(PATIENCE, what, expression);
    }
}

/// Returns the command line's report.
fn native(file: &Path) -> Value {
    let question = json!({ "prompt": PROMPT, "options": OPTIONS, "answer": 0 });
    program::lens(&file.display().to_string(), &question, &[])
}

/// The largest difference of two reports' logits and members, beside the largest of them.
fn apart(a: &Value, b: &Value) -> f64 {
    let mut worst = 0f64;
    for field in ["logits", "member_logits"] {
        let (mut x, mut y) = (Vec::new(), Vec::new());
        numbers(&a["lens"][field], &mut x);
        numbers(&b["lens"][field], &mut y);
        assert!(!x.is_empty() && x.len() == y.len(), "{field}");
        let most = y.iter().fold(0f64, |most, y| most.max(y.abs()));
        let pairs = x.iter().zip(&y).map(|(x, y)| (x - y).abs() / most);
        worst = pairs.fold(worst, f64::max);
    }
    worst
}

/// The folder with the model, and its file.
fn large() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let kept = tempfile::tempdir().expect("a folder");
    let folder = kept.path().join("large");
    std::fs::create_dir(&folder).expect("a folder");
    let file = model::write(&folder);
    (kept, folder, file)
}

/// The page with its first model on this engine.
fn page_on(engine: &str) -> Page {
    let page = if engine == "gpu" { Page::with_gpu() } else { Page::new(1440, 1000) };
    page.with_engine_script(COUNTED);
    page.open_live();
    page.browser.run(&format!("localStorage['atelier-engine'] = '{engine}'"));
    page.browser.reload();
    page.until_answers("scholar-12");
    let [heap, ..] = page.counted();
    say!("{engine}: {heap} bytes of the engine's own memory with scholar-12");
    page
}

#[test]
#[ignore = "1.3 GB and minutes: cargo xtask test --long"]
fn a_large_model_that_is_stopped_leaves_what_was_there() {
    let (_kept, folder, _) = large();
    for engine in ["cpu", "gpu"] {
        let page = page_on(engine);
        let before = page.text("#model");
        page.drop_in(&[&folder]);
        page.until_long(
            "its weights are read",
            "document.querySelector('.status')?.textContent.includes(': part ')",
        );
        page.browser.click("#cancel");
        page.until_long(
            "what was there is back",
            "document.querySelector('.of-model')?.textContent.includes('was not opened. scholar-12 ')",
        );
        assert_eq!(page.text("#model"), before);
        say!("{engine}, stopped: {}", page.text(".of-model"));
        page.until_answers("scholar-12");
    }
}

#[test]
#[ignore = "1.3 GB and minutes: cargo xtask test --long"]
fn a_large_model_of_a_billion_numbers_fits_a_tab() {
    let (_kept, folder, file) = large();
    let size = std::fs::metadata(&file).expect("the file").len();
    let began = Instant::now();
    let expected = native(&file);
    let seconds = began.elapsed().as_secs_f64();
    say!("{size} bytes of weights; the command line took {seconds:.1} s");
    for engine in ["cpu", "gpu"] {
        let page = page_on(engine);
        // The question first: then the first picture is its own.
        let question = "#prompt=a+b+c+d+e+f+g+h+i+j+k+l&option=+x&option=+y&answer=0";
        page.browser.run(&format!("location.hash = {}", Value::from(question)));
        page.until_long("it was asked", "!document.querySelector('.status.visible')");
        let began = Instant::now();
        page.drop_in(&[&folder]);
        page.until_answers("large");
        let seconds = began.elapsed().as_secs_f64();
        let [heap, now, most] = page.counted();
        say!(
            "{engine}: {seconds:.1} s from the disk to the first picture; {heap} bytes of the engine's own memory at most; \
             {now} bytes on the GPU, {most} at most; {}",
            page.text("#engine-line")
        );
        let worst = apart(&page.report(), &expected);
        say!("{engine}: {worst:.1e} of the largest apart from the command line");
        assert!(worst < 1e-3);
        if engine == "gpu" {
            assert!(heap <= HEAP_MOST, "{heap} bytes of its own memory");
            assert!(now < size + 300_000_000, "{now} bytes on the GPU");
        }
        page.screenshot(&format!("large-{engine}"));
    }
}
