//! A load that comes to nothing: stopped or refused at any moment, the model that was there before answers
//! again, and it is said.

use std::time::{Duration, Instant};

use crate::driver::PATIENCE;
use crate::gpu::loader;
use crate::page::{Page, copy_model, root};
use crate::restarting::too_large_for_a_full_memory;

impl Page {
    /// Holds the weights back of whatever is chosen, and stops the load.
    fn choose_and_stop(&self, known: &str) {
        self.server.hold(Some("model.safetensors"));
        self.show_models();
        self.press_model(known);
        self.until_says(".model-name", known);
        self.browser.until_there("#cancel");
        self.browser.click("#cancel");
    }

    /// As on a device where no two models fit at once.
    fn without_room_for_two(&self) {
        let small = "Object.defineProperty(WorkerNavigator.prototype, 'deviceMemory', { get: () => 0.001 });";
        // Imports come first, wherever they stand.
        self.server.replace("worker_loader.js", &format!("{small}\n{}", loader()));
    }

    fn until_answers_again(&self, how: &str) {
        self.until_says(".of-model", how);
        self.until_says(".model-name", "scholar-12");
        self.until_settled();
    }
}

#[test]
fn a_load_that_is_stopped_leaves_what_was_there() {
    let page = Page::live();
    page.until_settled();
    let picture = page.picture();
    page.choose_and_stop("scholar-2");
    page.until_answers_again("scholar-2 was not opened. scholar-12 answers as before.");
    assert_eq!(page.picture(), picture);
    let hash = page.hash();
    assert!(hash.contains("model=scholar-12&"), "{hash}");
    // It is held still: nothing of it is asked for again.
    let sent = page.server.sent().len();
    page.browser.click(".examples button:nth-of-type(2)");
    page.until_settled();
    assert_ne!(page.picture(), picture);
    page.until_says(".provenance", "Computed here by scholar-12 ");
    let sent = page.server.sent().split_off(sent);
    assert!(!sent.iter().any(|sent| sent.path.contains("scholar")), "{sent:?}");
    page.server.hold(None);
    // What was stopped can be chosen once more.
    page.choose("scholar-2");
    assert_eq!(page.text(".of-model"), "");
    page.assert_quiet();
}

#[test]
fn a_load_that_is_stopped_between_two_pieces_ends_without_an_error() {
    // Before each piece of these weights the worker lets messages in for a while: it hears of the end then.
    let page = Page::live_with_worker_script(
        "const [ask, soon] = [self.fetch, self.setTimeout];
         const now = Date.now;
         let pause = 0, late = 0;
         self.fetch = (url, how) => {
           pause = String(url).endsWith('scholar-2/model.safetensors') ? 300 : 0;
           how?.signal?.addEventListener('abort', () => { pause = 0; });
           return ask(url, how);
         };
         self.setTimeout = (then, wait) => soon(then, pause || wait);
         // It lets none in sooner than a tenth of a second after the last: so long is every look at the clock.
         Date.now = () => now() + (pause ? (late += 1000) : 0);",
    );
    page.show_models();
    page.press_model("scholar-2");
    let is_coming = || {
        let sent = page.server.sent();
        sent.iter().any(|sent| sent.path.ends_with("scholar-2/model.safetensors"))
    };
    let began = Instant::now();
    while !is_coming() {
        assert!(began.elapsed() < PATIENCE, "the weights are not asked for");
        std::thread::sleep(Duration::from_millis(10));
    }
    page.browser.click("#cancel");
    page.until_answers_again("scholar-2 was not opened. scholar-12 answers as before.");
    page.assert_quiet();
}

/// A small file's bytes are being read when the reader stops the load: no request is under way then, and the next one
/// is for a file that never comes.
#[test]
fn a_load_that_is_stopped_between_two_files_asks_for_no_other() {
    let page = Page::live_with_worker_script(
        "const [ask, read] = [self.fetch, Blob.prototype.arrayBuffer];
         const channel = new BroadcastChannel('test');
         let last = '';
         self.fetch = (url, how) => ask(last = String(url), how);
         Blob.prototype.arrayBuffer = async function () {
           if (last.endsWith('scholar-2/tokenizer.json')) {
             const pressed = new Promise(then => { channel.onmessage = then; });
             channel.postMessage('between');
             await pressed;
             // What the page said to the worker itself comes a little later.
             await new Promise(then => setTimeout(then, 100));
           }
           return read.call(this);
         };",
    );
    let picture = page.picture();
    page.browser.run(
        "window.channel = new BroadcastChannel('test');
         window.channel.onmessage = function press() {
           const button = document.querySelector('#cancel');
           if (!button) return setTimeout(press, 5);
           button.click();
           window.channel.postMessage('pressed');
           window.isStopped = true;
         };",
    );
    page.server.hold(Some("scholar-2/model.safetensors"));
    page.show_models();
    page.press_model("scholar-2");
    page.browser.until("it is stopped", "window.isStopped");
    page.until_answers_again("scholar-2 was not opened. scholar-12 answers as before.");
    assert_eq!(page.picture(), picture);
    page.server.hold(None);
}

/// 98 MB of this machine came in 565 pieces, and the worker waited 4 ms for messages before each: 2.3 of the 6 seconds
/// until the first answer.
#[test]
fn a_download_waits_for_messages_now_and_then() {
    let page = Page::live_with_worker_script(
        "const [ask, soon] = [self.fetch, self.setTimeout];
         let count = 0, counts = false;
         self.setTimeout = (...how) => {
           count += counts ? 1 : 0;
           return soon(...how);
         };
         self.fetch = async (url, how) => {
           const answer = await ask(url, how);
           if (!String(url).endsWith('scholar-2/model.safetensors')) return answer;
           const bytes = new Uint8Array(await answer.arrayBuffer());
           const piece = Math.ceil(bytes.length / 1000);
           let at = 0;
           counts = true;
           return new Response(new ReadableStream({
             pull(to) {
               if (at < bytes.length) return to.enqueue(bytes.slice(at, at += piece));
               counts = false;
               ask(new URL(`waited-${count}-times`, self.name));
               to.close();
             },
           }));
         };",
    );
    page.choose("scholar-2");
    let sent = page.server.sent();
    let waited = sent.iter().find_map(|sent| {
        let (_, rest) = sent.path.split_once("waited-")?;
        rest.strip_suffix("-times")?.parse::<usize>().ok()
    });
    let waited = waited.expect("the worker's count");
    println!("{waited} waits in 1000 pieces");
    assert!(waited < 100, "{waited} waits in 1000 pieces");
}

/// Where there is no GPU, the headers of every model were read for it in vain, and its tokenizer.
#[test]
fn a_models_headers_are_read_once_where_there_is_no_gpu() {
    // The first bytes of a safetensors file say how long its header is.
    let page = Page::live_with_worker_script(
        "const [slice, ask] = [Blob.prototype.slice, self.fetch];
         let count = 0;
         Blob.prototype.slice = function (start, end) {
           if (start === 0 && end === 64) ask(new URL(`header-${++count}`, self.name));
           return slice.call(this, start, end);
         };",
    );
    let sent = page.server.sent();
    let headers: Vec<&str> = sent
        .iter()
        .filter_map(|sent| sent.path.split_once("header-"))
        .map(|(_, count)| count)
        .collect();
    assert_eq!(headers, ["1"]);
}

#[test]
fn where_two_do_not_fit_what_was_there_is_opened_again() {
    let page = Page::new(1440, 1000);
    page.without_room_for_two();
    page.open_live();
    page.until_settled();
    let picture = page.picture();
    // Stopped while its weights are read: what was there has gone by then.
    let folder = tempfile::tempdir().expect("a folder");
    too_large_for_a_full_memory(folder.path());
    // The page itself presses, for the moment is short.
    page.browser.run(
        "const look = () => {
           const status = document.querySelector('.status.visible');
           if (!status?.textContent.includes(': part ')) return setTimeout(look, 10);
           status.querySelector('#cancel').click();
           window.isStopped = true;
         };
         look();",
    );
    page.open_folder(folder.path());
    page.browser.until("it is stopped", "window.isStopped");
    page.until_answers_again("scholar-12 is opened again.");
    println!("{}", page.text(".of-model"));
    assert_eq!(page.picture(), picture);
    page.browser.click(".examples button:nth-of-type(2)");
    page.until_settled();
    page.until_says(".provenance", "Computed here by scholar-12 ");
}

/// Where there is no GPU, the model that was there left at once, as if it were what the GPU had no room for.
#[test]
fn a_model_that_is_refused_at_its_weights_leaves_what_was_there() {
    let page = Page::live();
    page.until_settled();
    let picture = page.picture();
    let folder = tempfile::tempdir().expect("a folder");
    copy_model("scholar-2", folder.path());
    // The last numbers are none.
    let weights = folder.path().join("model.safetensors");
    let mut bytes = std::fs::read(&weights).expect("weights");
    let end = bytes.len() - 4;
    bytes[end..].copy_from_slice(&[0xff, 0x7f, 0xff, 0x7f]);
    std::fs::write(&weights, bytes).expect("written");
    page.open_folder(folder.path());
    page.until_answers_again("scholar-12 answers as before.");
    assert!(page.text(".of-model").contains("NaN"), "{}", page.text(".of-model"));
    assert_eq!(page.picture(), picture);
    page.assert_quiet();
}

#[test]
fn a_refused_model_leaves_what_was_there() {
    let page = Page::live();
    page.until_settled();
    let picture = page.picture();
    let folder = tempfile::tempdir().expect("a folder");
    let from = root().join("tests/models/random-llama2");
    std::fs::copy(from.join("config.json"), folder.path().join("config.json")).expect("copied");
    std::fs::write(folder.path().join("model.safetensors"), b"no weights").expect("written");
    page.open_folder(folder.path());
    page.until_answers_again("scholar-12 answers as before.");
    assert!(page.text(".of-model").contains("model.safetensors"));
    assert_eq!(page.picture(), picture);
    page.assert_quiet();
}
