//! Several workers over the rows of a sweep: the same report to the last bit, whoever ends early, and
//! nobody left behind.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::driver::PATIENCE;
use crate::gpu::LINE;
use crate::orders::EVERY_KIND;
use crate::page::Page;

/// A task: chunks of 16, the last of 4.
const ROWS: usize = 196;

/// A helper's program does not start.
const NEVER_STARTS: &str = "if (name === 'crew') throw new Error('no room');";

/// The first word in which a helper says what rows gave never arrives, and the helper dies.
const DIES: &str = "if (name === 'crew') {
    const say = postMessage.bind(self);
    self.postMessage = (said) => {
      if (!String(said).startsWith('{\"Ran\"')) return say(said);
      setTimeout(() => { throw new Error('no more'); });
    };
  }";

/// A helper's message with the numbers of rows has a number too many.
const ADDS: &str = "if (name === 'crew') {
    const say = postMessage.bind(self);
    self.postMessage = (said) => say(typeof said === 'string' ? said.replace('\"kl\":[', '\"kl\":[0.5,') : said);
  }";

impl Page {
    /// The page of orders with the model on the processor, on a device of so many cores; `more` runs in
    /// every worker before its program.
    pub fn on_cores(cores: usize, more: &str) -> Self {
        Self::at_on_cores("#view=orders", cores, more)
    }

    /// Opens Orders with a small model, whose sweeps are short. The workers' clock runs four times as fast, so that a
    /// sweep looks long enough to call a crew.
    fn small_on_cores(cores: usize, more: &str) -> Self {
        let clock = "const clock = Date.now; Date.now = () => 4 * clock();";
        Self::at_on_cores("#view=orders&model=scholar-4", cores, &format!("{clock}\n{more}"))
    }

    fn at_on_cores(at: &str, cores: usize, more: &str) -> Self {
        let page = Self::new(1440, 1000);
        let of = "Object.defineProperty(WorkerNavigator.prototype, 'hardwareConcurrency'";
        page.with_worker_script(&format!("{of}, {{ get: () => {cores} }});\n{more}"));
        page.open(at);
        page.until_lab();
        page.choose_engine("cpu");
        page.browser.until(
            "the model is where it was wished to be",
            "document.querySelector('#engine-notice').textContent === ''",
        );
        page.until_lab_is_current();
        page
    }

    /// Asks for so many rows of two tasks.
    pub fn start_sweep(&self, kinds: &[&str], rows: usize) {
        self.tick("#sweep-tasks", &["same", "sum"]);
        self.tick("#sweep-kinds", kinds);
        self.set_number("rows per task", rows);
        self.press_button("Run the sweep");
    }

    /// The sweep's own numbers and the line of its engine.
    fn sweep(&self, rows: usize) -> (Value, String) {
        self.start_sweep(&["drop", "swap", "skip", "shuffle"], rows);
        self.until_swept("family");
        let report = self.saved(1);
        let orders = report["orders"].as_array().expect("tasks").len();
        assert_eq!(orders, 2);
        let took = self.text(".sweeps .provenance");
        let took = took.split(": ").next().unwrap_or_default().to_owned();
        say!("{} {took}", self.text(LINE));
        let found = json!([report["orders"], report["medians"], report["model"]]);
        (found, self.text(LINE))
    }

    /// Helpers of crews that live. (The page's worker and that of downloads are named by an address; of a worker's
    /// own worker, DevTools says no name, or its own.)
    fn helpers(&self) -> usize {
        let all = self.browser.devtools("Target.getTargets", &json!({}));
        let all = all["targetInfos"].as_array().expect("targets");
        let is_one = |one: &&Value| {
            one["type"] == "worker" && (one["title"] == "" || one["title"] == "crew")
        };
        all.iter().filter(is_one).count()
    }

    fn until_helpers(&self, count: usize) {
        let started = Instant::now();
        while self.helpers() != count {
            let passed = started.elapsed();
            assert!(passed < PATIENCE, "{} helpers live, not {count}", self.helpers());
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

#[test]
fn two_workers_find_what_one_finds_whoever_ends_early() {
    let page = Page::small_on_cores(1, "");
    let (alone, line) = page.sweep(ROWS);
    assert_eq!(line, "CPU (f16).");
    assert_eq!(page.helpers(), 0);
    page.assert_quiet();
    drop(page);

    let page = Page::small_on_cores(2, "");
    // The document fetches ahead what its worker will ask for.
    let fetched = || {
        let sent = page.server.sent();
        ["worker_bg.wasm", "scholar-4/model.safetensors"].map(|ending| {
            let of = sent.iter().filter(|sent| sent.path.ends_with(ending));
            of.count()
        })
    };
    let before = fetched();
    assert!(before.iter().all(|count| *count > 0), "{before:?}");
    let (together, line) = page.sweep(ROWS);
    assert_eq!(line, "CPU (f16), 2 workers.");
    assert!(together == alone, "two workers found something else");
    // Once more, with helpers that are there from the first row on.
    page.until_helpers(1);
    let (again, line) = page.sweep(ROWS);
    assert_eq!(line, "CPU (f16), 2 workers.");
    assert!(again == alone, "the same two found something else");
    // Nothing was fetched for them.
    assert_eq!(fetched(), before);
    page.assert_quiet();
    drop(page);

    for (script, words) in [
        (NEVER_STARTS, "1 worker (1 more was called and ended early"),
        (DIES, "no more"),
        (ADDS, "is not what these rows give"),
    ] {
        let page = Page::small_on_cores(2, script);
        let (without, line) = page.sweep(ROWS);
        assert!(line.contains(words), "{line}");
        assert!(without == alone, "something was lost: {line}");
        page.until_helpers(0);
    }
}

#[test]
fn a_sweep_of_two_workers_is_cancelled_and_the_lens_lives_meanwhile() {
    let page = Page::on_cores(2, "");
    page.start_sweep(&EVERY_KIND, 400);
    page.until_says(LINE, "2 workers");
    assert_eq!(page.helpers(), 1);
    // Each in the middle of rows.
    page.press_strategy("skip:2");
    page.until_plan("0-2,10-11");
    page.press_button("Undo");
    page.browser.until("it is undone", "!location.hash.includes('plan=')");
    page.until_lab_is_current();
    page.go_to_view("Lens");
    page.until_live();
    page.go_to_view("Orders");
    page.until_lab();
    page.cancel_sweep();
    page.until_helpers(0);

    // The next one has a crew of its own, which stays for the one after it and goes with the model.
    let (_, line) = page.sweep(52);
    assert_eq!(line, "CPU (f16), 2 workers.");
    assert_eq!(page.helpers(), 1);
    page.choose("scholar-2");
    page.until_helpers(0);

    // One that is over before another worker would be there calls none.
    page.start_sweep(&["drop"], 16);
    page.until_swept("neighbours");
    assert_eq!(page.helpers(), 0);
    page.assert_quiet();
}
