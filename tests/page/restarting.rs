//! The page when its worker cannot start, or dies.

use serde_json::Value;

use crate::page::{Page, root};

impl Page {
    fn problem(&self) -> String {
        self.text(".of-model")
    }

    /// Serves a loader that also lets a test use up the engine's memory: every page of it is
    /// taken, so that the next thing the engine wants to hold is refused, as on a small machine.
    fn with_memory_to_exhaust(&self) {
        self.with_engine_script(
            "new BroadcastChannel('test').onmessage = ({ target }) => {
               for (let pages = 65536; pages >= 1; pages /= 2) {
                 try { for (;;) engine.memory.grow(pages); } catch { }
               }
               target.postMessage('exhausted');
             };",
        );
    }

    fn exhaust_memory(&self) {
        self.browser.run_async(
            "const done = arguments[0]; const c = new BroadcastChannel('test'); c.onmessage = () => { c.close(); done(null); }; c.postMessage('exhaust');",
        );
    }
}

/// scholar-2 with MLPs of a quarter of a gigabyte, which are a hole in the file. (An embedding as
/// large would do nothing: only the rows that a run needs are read.)
pub fn too_large_for_a_full_memory(folder: &std::path::Path) {
    let small = root().join("public/models/scholar-2");
    let mlp_width = 300_000;
    let json = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).expect("JSON");
    let mut config = json(&std::fs::read(small.join("config.json")).expect("a config"));
    config["intermediate_size"] = mlp_width.into();
    let weights = std::fs::read(small.join("model.safetensors")).expect("weights");
    let length = weights.first_chunk().map(|b| u64::from_le_bytes(*b));
    let mut header = json(&weights[8..8 + length.expect("a length") as usize]);
    let mut end = 0;
    for (name, tensor) in header.as_object_mut().expect("tensors") {
        if name == "__metadata__" {
            continue;
        }
        if name.contains("gate_proj") || name.contains("up_proj") {
            tensor["shape"][0] = mlp_width.into();
        } else if name.contains("down_proj") {
            tensor["shape"][1] = mlp_width.into();
        }
        let sides = tensor["shape"].as_array().expect("a shape").iter();
        let numbers: u64 = sides.map(|side| side.as_u64().expect("a side")).product();
        let next = end + 2 * numbers; // f16
        tensor["data_offsets"] = serde_json::json!([end, next]);
        end = next;
    }
    let header = header.to_string();
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend_from_slice(header.as_bytes());
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.join(name), bytes).expect("written");
    };
    write("config.json", config.to_string().as_bytes());
    write("model.safetensors", &file);
    std::fs::copy(small.join("tokenizer.json"), folder.join("tokenizer.json")).expect("copied");
    std::fs::OpenOptions::new()
        .write(true)
        .open(folder.join("model.safetensors"))
        .and_then(|weights| weights.set_len(file.len() as u64 + end))
        .expect("a hole");
}

#[test]
fn a_worker_that_runs_out_of_memory_is_started_again() {
    let folder = tempfile::tempdir().expect("a folder");
    too_large_for_a_full_memory(folder.path());
    let folder = folder.path().display().to_string();

    let page = Page::new(1440, 1000);
    page.with_memory_to_exhaust();
    page.open_live();
    page.until_settled();
    // One death a while ago does not count against the next: the engine is started every time.
    for smaller in ["scholar-2", "scholar-4", "scholar-8"] {
        let picture = page.picture();
        page.exhaust_memory();
        page.open_folder(std::path::Path::new(&folder));
        page.until_says(".of-model", "was started again");
        println!("of a full memory the page says: {}", page.problem());
        assert!(page.problem().ends_with('.'), "{}", page.problem());
        page.until_says("[role=status]", "was started again");
        // Nothing is under way, and the last picture is still there.
        page.browser.until_gone("#cancel");
        assert_eq!(page.picture(), picture);

        // As the sentence says: a smaller model. The fresh engine runs it.
        page.choose(smaller);
        page.browser.until_gone(".of-model:not(.empty)");
    }
}

#[test]
fn a_dropped_connection_to_the_workers_files_is_got_over() {
    // The script that starts the worker, and the program that it starts.
    for file in ["worker_loader.js", "worker_bg.wasm"] {
        let page = Page::new(1440, 1000);
        page.server.refuse(file);
        page.open_plain();
        page.until_picture();
        page.until_says(".of-model", "stopped again");
        println!("without {file} the page says: {}", page.problem());
        assert!(page.problem().ends_with('.'), "{}", page.problem());
        page.until_says("[role=status]", "stopped again");
        // The first picture is there all the same, and everything that needs no engine works.
        assert!(page.text(".provenance").contains("not running here"));
        page.browser.click("input[name=column][value=logit]");
        page.until_hash("column=logit");
        // Nothing has changed, so another model ends the same way, and says so.
        page.browser.click("#try-live");
        page.until_says(".of-model", "stopped again");
        page.server.restore();
        page.again();
        page.until_live();
        page.browser.until_gone(".of-model:not(.empty)");
    }
}

#[test]
fn a_worker_that_starts_at_the_second_try_needs_one_click() {
    let page = Page::new(1440, 1000);
    page.server.refuse_once("worker_loader.js");
    page.open("");
    page.until_says(".of-model", "was started again");
    page.again();
    page.until_live();
    assert_eq!(page.browser.count(".of-model:not(.empty)"), 0);
}

#[test]
fn a_worker_of_another_build_is_said_and_tried_again_when_asked() {
    let page = Page::new(1440, 900);
    let other = r#"postMessage('{"id":0,"tell":{"Ready":{"protocol":1}}}');"#;
    page.server.replace("worker_loader.js", other);
    page.open("");
    page.until_says(".of-model", "speaks version 1 and this page version");
    // Whoever asks again is told again, and waits for nothing.
    page.again();
    page.browser.until_gone(".bar .status.visible");
    page.until_says(".of-model", "speaks version 1 and this page version");
    page.server.restore();
    page.again();
    page.until_live();
    assert_eq!(page.problem(), "");
}
