//! What the page does when its worker cannot start, or dies.

use serde_json::Value;

use crate::{Page, root, set};

const RUN: &str = ".editor button[type=submit]";

impl Page {
    fn problem(&self) -> String {
        self.text(".models .problem")
    }

    /// Serves a loader that also lets a test use up the engine's memory: every page of it is
    /// taken, so that the next thing the engine wants to hold is refused, as on a small machine.
    fn with_memory_to_exhaust(&self) {
        let dist = std::path::PathBuf::from(set("ATELIER_DIST"));
        let loader = std::fs::read_to_string(dist.join("worker_loader.js")).expect("the loader");
        let (before, after) = loader.split_once("await ").expect("the loader's start");
        let loader = format!(
            "{before}const engine = await {after}
             new BroadcastChannel('test').onmessage = ({{ target }}) => {{
               for (let pages = 65536; pages >= 1; pages /= 2) {{
                 try {{ for (;;) engine.memory.grow(pages); }} catch {{ }}
               }}
               target.postMessage('exhausted');
             }};"
        );
        self.server.replace("worker_loader.js", &loader);
    }

    fn exhaust_memory(&self) {
        self.browser.run_async(
            "const done = arguments[0]; const c = new BroadcastChannel('test'); c.onmessage = () => { c.close(); done(null); }; c.postMessage('exhaust');",
        );
    }
}

#[test]
fn a_worker_that_runs_out_of_memory_is_started_again() {
    // Weights that a full memory has no room for; nothing of them is ever read.
    let folder = tempfile::tempdir().expect("a folder");
    let small = root().join("public/models/apprentice-2");
    for name in ["config.json", "tokenizer.json"] {
        std::fs::copy(small.join(name), folder.path().join(name)).expect("copied");
    }
    std::fs::File::create(folder.path().join("model.safetensors"))
        .and_then(|file| file.set_len(500_000_000))
        .expect("a file with nothing in it");
    let folder = folder.path().display().to_string();

    let page = Page::new(1440, 1000);
    page.with_memory_to_exhaust();
    page.open("");
    page.until_live();
    page.until_settled();
    // One death a while ago does not count against the next: the engine is started every time.
    for smaller in ["apprentice-2", "apprentice-4", "apprentice-8"] {
        let picture = page.picture();
        page.exhaust_memory();
        page.browser.type_into("#folder", &folder);
        page.until_says(".models .problem", "was started again");
        println!("of a full memory the page says: {}", page.problem());
        assert!(page.problem().ends_with('.'), "{}", page.problem());
        page.until_says("[role=status]", "was started again");
        // Nothing is under way, and the last picture is still there.
        page.browser
            .until("nothing is under way", "!document.querySelector('#cancel')");
        assert_eq!(page.picture(), picture);

        // As the sentence says: a smaller model. The fresh engine runs it.
        page.choose(smaller);
        page.browser.until(
            "the error is gone",
            "!document.querySelector('.models .problem:not(.empty)')",
        );
    }
}

#[test]
fn a_dropped_connection_to_the_workers_files_is_got_over() {
    // The script that starts the worker, and the program that it starts.
    for file in ["worker_loader.js", "worker_bg.wasm"] {
        let page = Page::new(1440, 1000);
        page.server.refuse(file);
        page.open("");
        page.until_picture();
        page.until_says(".models .problem", "stopped again");
        println!("without {file} the page says: {}", page.problem());
        assert!(page.problem().ends_with('.'), "{}", page.problem());
        page.until_says("[role=status]", "stopped again");
        // The baked picture is there all the same, and everything that needs no engine works.
        assert!(page.text(".provenance").contains("Baked example"));
        page.browser.click("input[name=column][value=logit]");
        page.browser.until(
            "the column is chosen",
            "location.hash.includes('column=logit')",
        );
        // Nothing has changed, so trying again ends the same way, and says so.
        page.browser.click(RUN);
        page.until_says(".models .problem", "stopped again");
        page.server.restore();
        page.browser.click(RUN);
        page.until_live();
        page.browser.until(
            "the error is gone",
            "!document.querySelector('.models .problem:not(.empty)')",
        );
    }
}

#[test]
fn a_worker_that_starts_at_the_second_try_needs_one_click() {
    let page = Page::new(1440, 1000);
    page.server.refuse_once("worker_loader.js");
    page.open("");
    page.until_says(".models .problem", "was started again");
    page.browser.click(RUN);
    page.until_live();
    assert_eq!(
        page.browser
            .run("return document.querySelectorAll('.models .problem:not(.empty)').length"),
        Value::from(0)
    );
}
