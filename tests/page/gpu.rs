//! WebGPU in the worker, on Chromium's own software adapter: the goldens' numbers, what the page
//! says of its engine, and what it does where there is none, a wrong one, or one that is lost.

use std::path::Path;

use serde_json::{Value, json};

use crate::common::{assert_close_to, goldens, model_of, notation, strings, u32s};
use crate::page::{Page, dist, root};

/// Relative agreement asked of the GPU, as of the native WGSL engine.
pub const TOLERANCE: f64 = 1e-3;

pub const LINE: &str = "#engine-line";
pub const NOTICE: &str = "#engine-notice";

/// The smallest model that comes with the page, where a test is of the engine and not of a model.
pub const SMALL: &str = "#model=scholar-2";

/// Sets the reader's choice before the page begins: the model is then loaded once.
const GPU_IS_CHOSEN: &str =
    "try { localStorage['atelier-engine'] ??= 'gpu'; } catch { /* not this page */ }";

impl Page {
    /// Opens the page at `fragment` with its model on the GPU; `before` runs in the worker before its
    /// program.
    pub fn on_gpu(fragment: &str, before: &str) -> Self {
        let page = Self::with_gpu();
        page.with_worker_script(before);
        page.browser.before_every_document(GPU_IS_CHOSEN);
        page.open(fragment);
        page.until_says(LINE, "WebGPU on ");
        page
    }

    /// Opens the page with its model's picture; `before` runs in the worker before its program.
    pub fn live_with_worker_script(before: &str) -> Self {
        let page = Self::new(1440, 1000);
        page.with_worker_script(before);
        page.open_live();
        page.until_settled();
        page
    }

    /// Opens the lens with a small model on the GPU, and waits for its picture.
    pub fn lens_on_gpu(before: &str) -> Self {
        let page = Self::on_gpu(SMALL, before);
        page.until_live();
        page.until_says(".provenance", "WebGPU on ");
        page.until_settled();
        page
    }

    /// Asks the worker's script over the channel of this name, and waits for its answer.
    fn ask_script(&self, channel: &str) -> Value {
        self.browser.run_async(&format!(
            "const done = arguments[0], channel = new BroadcastChannel('{channel}');
             channel.onmessage = ({{ data }}) => {{ channel.close(); done(data); }};
             channel.postMessage('asked');"
        ))
    }

    pub fn choose_engine(&self, name: &str) {
        self.choose_by("#engine", name);
    }

    /// Serves a loader that runs `before` in the worker before anything else.
    pub fn with_worker_script(&self, before: &str) {
        // Imports are hoisted, but the program only starts behind them.
        self.server
            .replace("worker_loader.js", &loader().replace("await ", &format!("{before}\nawait ")));
    }

    /// Serves a loader that runs `after` in the worker once its program is there, which is called `engine`.
    pub fn with_engine_script(&self, after: &str) {
        let loader = loader();
        let (before, program) = loader.split_once("await ").expect("the loader's start");
        let loader = format!("{before}const engine = await {program}\n;{after}");
        self.server.replace("worker_loader.js", &loader);
    }

    /// A worker of the test's own, in place of the one before, spoken to in the page's own protocol. Its script
    /// is what is served now: each has an address of its own, which no cache knows.
    fn start_worker(&self) {
        self.browser.run(
            "if (window.engine instanceof Worker) engine.terminate();
             window.answers = new Map();
             window.started = (window.started ?? 0) + 1;
             window.engine = new Worker(`worker_loader.js?${started}`, { type: 'module' });
             window.ready = new Promise(done => {
               engine.onmessage = ({ data }) => {
                 const { id, tell } = JSON.parse(data);
                 if (tell.Ready) done();
                 if (tell.Engine) window.told = tell.Engine;
                 else if (tell === 'Cancelled' || tell.Loaded || tell.Done || tell.Failed) answers.get(id)(tell);
               };
             });
             window.asked = 0;
             window.ask = async (ask, files = []) => {
               await ready;
               const id = ++asked;
               const answer = new Promise(done => answers.set(id, done));
               engine.postMessage([JSON.stringify({ id, ask }), ...files]);
               return answer;
             };",
        );
    }

    /// Chooses a model's files for the worker, in a field of the test's own.
    fn give(&self, folder: &Path) {
        self.browser.run(
            "document.querySelector('#given')?.remove();
             document.body.insertAdjacentHTML('beforeend', '<input type=\"file\" id=\"given\" multiple>');",
        );
        // The driver wants paths without detours.
        let folder = folder.canonicalize().expect("a folder");
        // A GGUF file is alone; of a folder, the page takes what it knows.
        let all = std::fs::read_dir(&folder).ok();
        let all = all.into_iter().flatten().map(|entry| entry.expect("a file").path());
        let files: Vec<String> = all
            .chain([folder])
            .filter(|file| file.is_file())
            .map(|file| file.display().to_string())
            .collect();
        self.browser.type_into("#given", &files.join("\n"));
    }

    fn ask(&self, asks: &Value, with_files: bool) -> Value {
        self.browser.run_async(&format!(
            "const done = arguments[0];
             const files = {with_files} ? [...document.querySelector('#given').files] : [];
             (async () => {{ const all = []; for (const a of {asks}) all.push(await ask(a, files)); return all; }})().then(done, e => done(String(e)));"
        ))
    }
}

/// The script that starts the worker, as it was built.
pub fn loader() -> String {
    std::fs::read_to_string(dist().join("worker_loader.js")).expect("the loader")
}

/// How many kinds of steps are in a golden's plan: a block by itself, blocks side by side, and one of both
/// that is run again.
fn kinds(plan: &Value) -> usize {
    let steps = plan["steps"].as_array().expect("steps");
    let is_alone = steps.iter().any(Value::is_number);
    let is_group = steps.iter().any(Value::is_array);
    let is_again = steps.windows(2).any(|pair| pair[0] == pair[1]);
    [is_alone, is_group, is_again].into_iter().filter(|is| *is).count()
}

/// Runs goldens in a worker of the test's own, each by itself and under its richest plan, and returns how many
/// runs there were.
pub fn golden_runs_hold(
    page: &Page,
    goldens: &[(String, Value)],
    engine: &str,
    tolerance: f64,
) -> usize {
    let shown = if engine == "Gpu" { "WebGPU on " } else { "CPU" };
    page.start_worker();
    let mut checked = 0;
    for (name, golden) in goldens {
        let Some(folder) = model_of(golden) else { continue };
        page.give(&folder);
        let load = json!([{ "LoadFiles": { "name": name, "engine": engine } }]);
        let loaded = page.ask(&load, true);
        assert!(loaded[0]["Loaded"].is_object(), "{name}: {loaded}");

        let texts = |ids: &[u32]| ids.iter().map(u32::to_string).collect::<Vec<_>>();
        let (prompt, options) = match golden["prompt"].as_str() {
            Some(prompt) => (prompt.to_owned(), strings(&golden["options"])),
            None => (texts(&u32s(&golden["ids"])).join(", "), texts(&u32s(&golden["rows"]))),
        };
        let plan = golden["plans"].as_array().expect("plans").iter().max_by_key(|plan| kinds(plan));
        let line = plan.map(|plan| notation(&plan["steps"]));
        let runs = std::iter::once((Value::Null, &golden["baseline"]));
        for (line, expected) in runs.chain(line.map(Value::from).zip(plan)) {
            let asked = json!({
                "prompt": prompt, "options": options, "answer": golden["answer"], "plan": line,
            });
            let answer = page.ask(&json!([{ "Lens": { "asked": asked } }]), false)[0].take();
            let at = format!("{name} {line}");
            let report = &answer["Done"]["report"];
            let found = report["engine"].as_str().unwrap_or_default();
            assert!(found.starts_with(shown), "{at}: {answer}");
            let mut expected = expected.clone();
            let fields = expected.as_object_mut().expect("an object");
            fields.remove("name");
            fields.remove("steps");
            assert_close_to(&report["lens"], &expected, &at, tolerance);
            checked += 1;
        }
    }
    checked
}

/// Goldens of another's weights, in another spelling or after another prompt: no shader of their own.
const TWINS: [&str; 2] = ["random-gpt2-prefixed", "stories260k-tom"];

/// Every type of block and of weights, on the browser's own compiler of shaders. (Natively, every plan of
/// each golden runs on the same shaders: `tests/it/webgpu.rs`.)
#[test]
fn every_golden_in_the_browser_by_itself_and_under_its_richest_plan() {
    let page = Page::with_gpu();
    page.open_live();
    let mut goldens = goldens();
    goldens.retain(|(name, _)| !TWINS.contains(&name.as_str()));
    let checked = golden_runs_hold(&page, &goldens, "Gpu", TOLERANCE);
    say!("{checked} golden runs equal in the browser, on {}", page.text(NOTICE));
    // Those of models that travel with the project.
    assert!(checked >= 27, "{checked}");
}

/// Drops the next submission without a word, once asked.
const DROPS_A_SUBMISSION: &str = "
    const submit = GPUQueue.prototype.submit, channel = new BroadcastChannel('submissions');
    let drops = false;
    channel.onmessage = () => { drops = true; channel.postMessage('it will be dropped'); };
    GPUQueue.prototype.submit = function (all) {
      const done = drops ? [] : all;
      drops = false;
      return submit.call(this, done);
    };";

#[test]
fn the_page_names_its_engine_and_compares_it() {
    let page = Page::with_gpu();
    page.with_worker_script(DROPS_A_SUBMISSION);
    page.open(SMALL);
    page.until_live();
    // A software adapter would be slower than the processor, so it has to be asked for.
    page.until_says(NOTICE, "The model runs on the CPU: the only adapter is a software one");
    page.until_says(LINE, "CPU (f16)");
    let report = page.report();

    page.choose_engine("gpu");
    page.until_says(LINE, "WebGPU on ");
    page.until_says(LINE, "tokens/s");
    page.until_says(".provenance", "WebGPU on ");
    page.until_settled();
    assert_eq!(page.text(NOTICE), "");
    for what in ["SwiftShader", "(f16)", "dispatches", "MiB of weights"] {
        let line = page.text(LINE);
        let there = line.to_lowercase().contains(&what.to_lowercase());
        assert!(there, "{what} is not in: {line}");
    }
    let on_gpu = page.report();
    assert_close_to(&on_gpu["lens"], &report["lens"], "GPU and CPU", TOLERANCE);
    page.screenshot("gpu");

    // What the GPU did not compute is no number of the answer, though it looks like one.
    page.ask_script("submissions");
    page.browser.click(".examples button:nth-of-type(2)");
    page.until_says(NOTICE, "the GPU was lost");
    page.until_says(NOTICE, "it did not do all the work that it was given");
    page.until_says(NOTICE, "put on the GPU again");
    page.until_settled();
    page.until_says(".provenance", "WebGPU on ");
    say!("{}", page.text(NOTICE));

    page.open_bar();
    page.browser.click("#compare");
    page.until_says(NOTICE, "numbers of the GPU and of the CPU differ by at most");
    say!("{} {}", page.text(LINE), page.text(NOTICE));
    page.assert_accessible("with a GPU");

    // The choice is kept.
    page.browser.reload();
    page.until_live();
    page.until_says(LINE, "WebGPU on ");
    page.choose_engine("cpu");
    page.until_says(LINE, "CPU (f16)");
    page.until_says(".provenance", "CPU (f16)");
    page.assert_quiet();
}

/// Token by token over keys and values that the GPU keeps: the processor's words.
#[test]
fn the_model_goes_on_on_the_gpu_as_on_the_processor() {
    let page = Page::lens_on_gpu("");
    let written = |engine: &str| {
        page.until_says(LINE, engine);
        page.until_settled();
        page.browser.click("#go-on");
        // The whole is said when it is written.
        page.browser.until(
            "all is written",
            "(all => all && document.querySelector('[role=status]').textContent.startsWith(all))(document.querySelector('.written').textContent)",
        );
        page.text(".written")
    };
    let on_gpu = written("WebGPU on ");
    page.browser.run("localStorage['atelier-engine'] = 'cpu'");
    page.browser.reload();
    page.until_live();
    assert_eq!(on_gpu, written("CPU (f16)"));
    page.assert_quiet();
}

/// Counts how often a program asks for an adapter.
const COUNTS_ADAPTERS: &str = "
    globalThis.adapters = 0;
    const ask = GPU.prototype.requestAdapter;
    GPU.prototype.requestAdapter = function (...a) { adapters++; return ask.apply(this, a); };";

/// Makes a worker tell its count of requests when asked.
const TELLS_ADAPTERS: &str = "
    const channel = new BroadcastChannel('adapters');
    channel.onmessage = () => channel.postMessage(adapters);";

#[test]
fn where_the_processor_is_chosen_no_adapter_is_asked_for_and_the_picture_is_the_same() {
    let with = Page::with_gpu();
    with.with_worker_script(&format!("{COUNTS_ADAPTERS}{TELLS_ADAPTERS}"));
    with.browser.before_every_document(&format!("if (globalThis.GPU) {{ {COUNTS_ADAPTERS} }}"));
    with.open("");
    with.until_live();
    let asked = |page: &Page| {
        let in_page = page.browser.run("return adapters");
        [in_page, page.ask_script("adapters")].map(|count| count.as_u64().expect("a count"))
    };
    let [_, before] = asked(&with);
    assert!(before > 0, "it looks for a GPU where nothing is chosen");
    with.choose_engine("cpu");
    let is_told = format!("document.querySelector('{NOTICE}').textContent === ''");
    with.browser.until("the choice is followed", &is_told);
    with.until_settled();
    with.until_says(LINE, "CPU (f16)");
    assert_eq!(asked(&with), [0, before], "chosen in the middle of a visit");

    with.browser.reload();
    with.until_live();
    with.until_settled();
    let picture = with.picture();
    with.show_models();
    with.close_models();
    with.open_doctor();
    with.press_measure("Measure");
    with.until_measured();
    let choice = with.text("#doctor-choice");
    assert!(choice.starts_with("No GPU adapter was asked for. “Runs on” asks for"), "{choice}");
    with.until_says(".unmeasured", "so no GPU adapter was asked for");
    assert_eq!(asked(&with), [0, 0], "chosen in an earlier visit");
    drop(with);

    let page = Page::live();
    page.until_says(NOTICE, "The model runs on the CPU: this browser offers no GPU adapter");
    assert_eq!(page.picture(), picture);
    page.assert_quiet();
}

/// Memory that runs out when the model's place is taken and its weights are on their way; `when` says
/// how soon the browser tells.
const FULL_IN_MID_LOAD: &str = "
    const open = GPUAdapter.prototype.requestDevice; let device, waits = false;
    GPUAdapter.prototype.requestDevice = async function (...a) { return device = await open.apply(this, a); };
    const pop = GPUDevice.prototype.popErrorScope;
    GPUDevice.prototype.popErrorScope = function () { waits = true; return pop.call(this); };
    const write = GPUQueue.prototype.writeBuffer;
    GPUQueue.prototype.writeBuffer = function (...a) {
      const error = () => new GPUUncapturedErrorEvent('uncapturederror', { error: new GPUOutOfMemoryError('full') });
      if (waits) { waits = false; when(() => device.dispatchEvent(error())); }
      return write.apply(this, a);
    };";

#[test]
fn a_gpu_that_cannot_be_used_is_not_used_and_the_page_says_why() {
    let mid_load = ["tell => tell()", "tell => setTimeout(tell)"]
        .map(|when| format!("{FULL_IN_MID_LOAD} const when = {when};"));
    let patches = [
        (
            "const make = GPUDevice.prototype.createShaderModule;
             GPUDevice.prototype.createShaderModule = function (d) { return make.call(this, { ...d, code: d.code.replace('sum3 = fma(vec4<f32>(x.w), y, sum3)', 'sum3 = fma(vec4<f32>(x.w), y, sum2)') }); };",
            "computes wrong numbers in the kernel gemm",
        ),
        (
            "GPU.prototype.requestAdapter = () => Promise.resolve(null);",
            "this browser offers no GPU adapter",
        ),
        (
            "GPUDevice.prototype.popErrorScope = () => Promise.resolve(new GPUOutOfMemoryError('full'));",
            "has no room for this model, which needs about",
        ),
        // The same while weights are on their way, and after the last of them.
        (
            mid_load[0].as_str(),
            "has no room for this model, which needs about",
        ),
        (
            mid_load[1].as_str(),
            "has no room for this model, which needs about",
        ),
        (
            "GPUAdapter.prototype.requestDevice = () => Promise.reject(new Error('not today'));",
            "refused to be opened",
        ),
        (
            "const make = GPUDevice.prototype.createShaderModule;
             GPUDevice.prototype.createShaderModule = function (d) { return make.call(this, { ...d, code: d.code.replace('fma(', 'fmo(') }); };",
            "driver failed",
        ),
        (
            "const make = GPUDevice.prototype.createShaderModule;
             GPUDevice.prototype.createShaderModule = function (d) { return make.call(this, { ...d, code: d.code.replace('sum3 = fma(vec4<f32>(x.w), y, sum3)', 'sum3 = fma(vec4<f32>(x.w), y, sum3 / (f32(p.m) - f32(p.m)))') }); };",
            "not finite",
        ),
        (
            "Object.defineProperty(GPUSupportedLimits.prototype, 'maxStorageBuffersPerShaderStage', { get: () => 4 });",
            "4 of storage buffers a shader",
        ),
    ];
    let says = |notice: &str, words: &str| {
        say!("{notice}");
        assert!(notice.starts_with("The model runs on the CPU: "), "{notice}");
        assert!(notice.contains(words), "{notice}");
    };
    // In the page, of a GPU that shows itself as it is only when kernels run.
    let page = Page::with_gpu();
    let ((patch, words), others) = patches.split_first().expect("there are some");
    page.with_worker_script(patch);
    page.browser.before_every_document(GPU_IS_CHOSEN);
    page.open(SMALL);
    page.until_live();
    page.until_says(NOTICE, words);
    says(&page.text(NOTICE), words);
    page.until_says(".provenance", "CPU (f16)");

    // What the page shows is its worker's sentence: of the others a worker alone is asked.
    page.give(&root().join("public/models/scholar-2"));
    for (patch, words) in others {
        page.with_worker_script(patch);
        page.start_worker();
        let load = json!([{ "LoadFiles": { "name": "scholar-2", "engine": "Gpu" } }]);
        let loaded = page.ask(&load, true);
        assert!(loaded[0]["Loaded"].is_object(), "{words}: {loaded}");
        let told = page.browser.run("return told");
        says(told["notice"].as_str().unwrap_or_default(), words);
        assert!(told["line"].as_str().is_some_and(|line| line.starts_with("CPU (f16)")), "{told}");
    }
}

/// The devices that the worker opened, to be destroyed by a message.
pub const DESTROYABLE: &str = "
    const devices = [];
    const request = GPUAdapter.prototype.requestDevice;
    GPUAdapter.prototype.requestDevice = async function (...a) { const d = await request.apply(this, a); devices.push(d); return d; };
    new BroadcastChannel('devices').onmessage = () => { for (const d of devices) d.destroy(); };";

#[test]
fn a_device_lost_in_the_middle_of_a_sweep_is_opened_again_and_nothing_is_lost() {
    let page = Page::on_gpu("#view=orders&model=scholar-4", DESTROYABLE);
    page.until_lab();
    // Few: a software adapter on a busy machine takes its time over each.
    page.set_number("rows per task", 24);
    page.press_button("Run the sweep");
    page.browser
        .until("the sweep has begun", "document.querySelector('.sweeps progress')?.value > 0.05");
    page.browser.run("new BroadcastChannel('devices').postMessage('destroy')");
    page.until_says(NOTICE, "the GPU was lost");
    page.until_says(NOTICE, "put on the GPU again");
    say!("{}", page.text(NOTICE));
    page.until_swept("neighbours");
    page.until_says(LINE, "WebGPU on ");

    page.assert_quiet();
}

#[test]
fn a_device_that_is_gone_for_good_leaves_the_run_to_the_processor() {
    let once = "const open = GPUAdapter.prototype.requestDevice; let opened = 0;
        GPUAdapter.prototype.requestDevice = async function (...a) { if (++opened > 1) throw new Error('unplugged'); return open.apply(this, a); };";
    let page = Page::lens_on_gpu(&format!("{DESTROYABLE}\n{once}"));
    let typed = " Two words more";
    page.browser.type_into("#prompt", typed);
    page.until_settled();
    page.browser.run("new BroadcastChannel('devices').postMessage('destroy')");
    page.judge(1);
    page.until_says(NOTICE, "the model runs on the CPU now");
    page.until_says(".provenance", "CPU (f16)");
    page.until_settled();
    say!("{}", page.text(NOTICE));
    let prompt = page.prompt();
    assert!(prompt.ends_with(typed), "{prompt}");
}

#[test]
fn a_run_given_up_while_the_gpu_is_opened_again_leaves_page_and_worker_agreed() {
    // The second time, the adapter takes its time: long enough to change one's mind.
    let slow = "const open = GPUAdapter.prototype.requestDevice; let opened = 0;
        GPUAdapter.prototype.requestDevice = async function (...a) { if (++opened > 1) await new Promise(done => setTimeout(done, 2500)); return open.apply(this, a); };";
    let page = Page::lens_on_gpu(&format!("{DESTROYABLE}\n{slow}"));
    page.browser.run("new BroadcastChannel('devices').postMessage('destroy')");
    page.browser.click(".examples button:nth-of-type(2)");
    page.browser.until_there(".status.visible");
    page.browser.click(".examples button:nth-of-type(4)");
    page.until_says(".tokens", "copies");
    page.until_settled();
    page.until_says(LINE, "WebGPU on ");
    assert_eq!(page.browser.count(".problem:not(.empty)"), 0);
}

#[test]
fn a_check_behind_a_sweep_blocks_nothing_and_its_cancel_kills_nothing() {
    let page = Page::on_gpu("#view=orders", "");
    page.until_lab();
    page.set_number("rows per task", 400);
    page.press_button("Run the sweep");
    page.browser
        .until("the sweep is under way", "document.querySelector('.sweeps progress')?.value > 0");
    page.open_bar();
    page.browser.click("#compare");
    page.until_says(".bar .status", "waits until the sweep is done");
    page.browser.click("#cancel");
    page.browser.until_gone("#cancel");
    std::thread::sleep(std::time::Duration::from_millis(900));
    assert_eq!(page.browser.count("#cancel-sweep"), 1, "the sweep goes on");
    // Asked again, it lets the lens pass.
    page.browser.click("#compare");
    page.press_strategy("skip:2");
    page.until_plan("0-2,10-11");
    page.cancel_sweep();
}

#[test]
fn a_prompt_too_long_for_the_gpu_is_refused_and_the_model_kept() {
    // Once a short prompt has run, nothing larger than it needed can be had.
    let page = Page::lens_on_gpu(
        "let full = false, most = 0;
         new BroadcastChannel('memory').onmessage = () => { full = true; };
         const pop = GPUDevice.prototype.popErrorScope;
         GPUDevice.prototype.popErrorScope = function () { most = 0; return pop.call(this); };
         const make = GPUDevice.prototype.createBuffer;
         GPUDevice.prototype.createBuffer = function (d) {
           if (!full) {
             most = Math.max(most, d.size);
           } else if (d.size > most) {
             this.dispatchEvent(new GPUUncapturedErrorEvent('uncapturederror', { error: new GPUOutOfMemoryError('full') }));
           }
           return make.call(this, d);
         };",
    );
    let short = page.prompt();
    page.browser.run("new BroadcastChannel('memory').postMessage('full')");
    page.set_prompt(&format!("{} {short}", vec!["the soup is bad ."; 18].join(" ")));
    page.until_says(".of-prompt", "memory ran out");
    say!("of a prompt too long the page says: {}", page.text(".of-prompt"));
    // Not the model's fault: it stays where it is, and a shorter prompt runs there.
    page.set_prompt(&short);
    page.browser.until_gone(".of-prompt:not(.empty)");
    page.until_settled();
    page.until_says(".provenance", "WebGPU on ");
    assert!(page.text(LINE).contains("WebGPU on "), "{}", page.text(LINE));
    assert_eq!(page.text(NOTICE), "");
}

#[test]
fn where_the_way_out_fails_too_both_reasons_are_said() {
    let page = Page::with_gpu();
    page.with_worker_script(
        "GPU.prototype.requestAdapter = () => Promise.resolve(null);
         const read = FileReaderSync.prototype.readAsArrayBuffer;
         FileReaderSync.prototype.readAsArrayBuffer = function (b) {
           if (b.size > 16000) throw new DOMException('gone', 'NotReadableError');
           return read.call(this, b);
         };",
    );
    page.open("");
    page.until_says(".of-model", "This browser offers no GPU adapter");
    let said = page.text(".of-model");
    say!("of both the page says: {said}");
    assert!(said.contains("; and then: "), "{said}");
    assert!(said.contains("model.safetensors"), "{said}");
    page.browser.until_gone("#cancel");
}
