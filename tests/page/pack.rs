//! The offline pack, as a class has it: Python's server at an address that browsers do not trust, in a network
//! of its own where nothing else is.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::page::{Page, TEACHING, set};

/// Kept for examples: nobody has it.
const ADDRESS: &str = "192.0.2.7";
const PORT: u16 = 8000;

/// Takes this test's thread, and all that it starts from now on, into a network of its own with this address;
/// `false` where the system lets only others do that.
#[cfg(target_os = "linux")]
fn leave_the_network() -> bool {
    // SAFETY: it changes what this thread sees of the network, and nothing in memory.
    if unsafe { libc::unshare(libc::CLONE_NEWNET) } != 0 {
        return false;
    }
    let ip = |words: &[&str]| {
        let done = Command::new("ip").args(words).status();
        assert!(done.expect("`ip` is there").success(), "{words:?}");
    };
    ip(&["link", "set", "lo", "up"]);
    ip(&["address", "add", &format!("{ADDRESS}/32"), "dev", "lo"]);
    true
}

#[cfg(not(target_os = "linux"))]
fn leave_the_network() -> bool {
    false
}

/// Ended when dropped.
struct ClassServer(Child);

impl Drop for ClassServer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The folder in the pack that was built.
fn unpacked(to: &Path) -> PathBuf {
    let mut python = Command::new(set("ATELIER_PYTHON"));
    let zip = set("ATELIER_PACK");
    let done = python.args(["-m", "zipfile", "-e", &zip]).arg(to).status();
    assert!(done.expect("Python starts").success());
    let mut folders = std::fs::read_dir(to).expect("a folder");
    folders.next().expect("one in it").expect("an entry").path()
}

fn serve(folder: &Path) -> ClassServer {
    let mut python = Command::new(set("ATELIER_PYTHON"));
    python
        .args(["-m", "http.server", &PORT.to_string(), "--bind", ADDRESS])
        .arg("--directory")
        .arg(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let server = ClassServer(python.spawn().expect("Python starts"));
    let began = Instant::now();
    while std::net::TcpStream::connect((ADDRESS, PORT)).is_err() {
        assert!(began.elapsed() < Duration::from_secs(20), "it does not answer");
        std::thread::sleep(Duration::from_millis(50));
    }
    server
}

#[test]
fn lesson_one_runs_from_the_pack_over_plain_http() {
    if !leave_the_network() {
        say!(
            "SKIPPED: no network of its own (that takes root on Linux); the offline pack was not served"
        );
        return;
    }
    let home = tempfile::tempdir().expect("a folder");
    let folder = unpacked(home.path());
    assert!(folder.join("READ-ME-FIRST.txt").is_file());
    let _server = serve(&folder);
    // Where its own host is not the one that is looked at.
    let page = Page::apart(1440, 900);
    let go = |fragment: &str| {
        page.browser.go(&format!("http://{ADDRESS}:{PORT}/{fragment}"));
    };
    go(TEACHING);
    page.until_live();
    assert_eq!(page.browser.text("isSecureContext"), "false");
    for absent in ["navigator.gpu", "navigator.serviceWorker", "navigator.storage"] {
        assert_eq!(page.browser.text(absent), "undefined", "{absent}");
    }
    page.until_says("#plain-http", "plain http");
    page.until_says(".provenance", "CPU");
    // Nobody may write the clipboard there: the page says so, and goes on.
    page.press_text(".keep > button", "Copy link");
    page.until_says(".keep button", "Copy it from the address bar");

    go("#view=lessons&lesson=1&step=1");
    page.until_lesson_step(1, 1);
    let steps = page.steps();
    for step in 1..=steps {
        page.until_lesson_step(1, step);
        page.answer(0);
        if step < steps {
            page.browser.keys("n");
        }
    }
    // A model that comes with the page, chosen in its list.
    go(TEACHING);
    page.until_live();
    page.choose("scholar-2");
    let errors: Vec<String> = page.browser.console();
    let errors: Vec<&String> = errors.iter().filter(|line| line.starts_with("SEVERE")).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}
