//! The built folder on hosts of other people's making: below a path, without types, with the headers that it brings
//! for those that take them.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use atelier_server::mime;

use crate::common::copy_folder;
use crate::gate::Gate;
use crate::page::{Page, TEACHING, dist, set};

/// Nothing may rely on being at the root.
const UNDER: &str = "some/path";

const LINK: &str = "#model=scholar-4&prompt=The+film+is+not+bad.+So+it+is&option=+bad&option=+good&answer=1&plan=0-1,3";

/// A host behind a gate that can be closed.
struct GatedHost {
    url: String,
    gate: Gate,
}

impl GatedHost {
    fn before(port: u16, path: &str) -> Self {
        let gate = Gate::before(port);
        let url = format!("http://127.0.0.1:{}/{path}", gate.port);
        Self { url, gate }
    }
}

/// The folder in which the built one lies under `UNDER`.
fn around(dist: &Path) -> tempfile::TempDir {
    let around = tempfile::tempdir().expect("a folder");
    let to = around.path().join(UNDER);
    std::fs::create_dir_all(to.parent().expect("above it")).expect("a folder");
    copy_folder(dist, &to);
    around
}

/// The lens runs, a link is restored, the list of models opens, and the same without the network.
fn works_on(host: &GatedHost) {
    let page = Page::kept(1440, 900);
    let go = |fragment: &str| page.browser.go(&format!("{}{fragment}", host.url));
    go(TEACHING);
    page.until_live();
    let first = page.picture();
    page.show_models();
    page.press_model("scholar-2");
    page.until_says(".provenance", "Computed here by scholar-2 ");
    page.until_settled();

    let restored = || {
        page.until_live();
        page.until_says(".provenance", "Computed here by scholar-4 ");
        page.until_settled();
        assert_eq!(page.browser.value("#plan"), "0-1,3");
        page.until_says(".tokens", "film");
    };
    // Another document: what is at an address, not what was before.
    page.browser.go("about:blank");
    go(LINK);
    restored();
    page.until_kept();
    page.assert_quiet();

    host.gate.close();
    page.browser.go("about:blank");
    go(LINK);
    restored();
    page.browser.go("about:blank");
    go(TEACHING);
    page.until_live();
    page.until_settled();
    assert_eq!(page.picture(), first, "the same picture as with the network");
    go("#view=theory");
    page.until_says("h1", "Eight theorems");
    host.gate.open();
}

/// Ended when dropped.
struct PythonServer(Child);

impl Drop for PythonServer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn on_pythons_server_under_a_path() {
    let around = around(&dist());
    let mut python = Command::new(set("ATELIER_PYTHON"));
    python
        .args(["-u", "-m", "http.server", "0", "--bind", "127.0.0.1"])
        .arg("--directory")
        .arg(around.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = python.spawn().expect("Python starts");
    // "Serving HTTP on 127.0.0.1 port 40123 (http://127.0.0.1:40123/) ..."
    let mut line = String::new();
    let said = child.stdout.take().expect("what it says");
    let mut said = BufReader::new(said);
    said.read_line(&mut line).expect("a line");
    let server = PythonServer(child);
    let port = line.split(" port ").nth(1).and_then(|rest| rest.split(' ').next());
    let port = port.and_then(|port| port.parse::<u16>().ok()).expect(&line);
    // What Python sends the browser takes; what is kept of it is the same as of the hosts below.
    let page = Page::kept(1440, 900);
    page.browser.go(&format!("http://127.0.0.1:{port}/{UNDER}/{LINK}"));
    page.until_says(".provenance", "Computed here by scholar-4 ");
    page.until_settled();
    page.until_says(".tokens", "film");
    page.assert_quiet();
    drop(server);
}

#[test]
fn on_a_host_that_sends_no_type_for_wasm() {
    let around = around(&dist());
    let host = PlainHost::start(around.path(), false, Vec::new());
    works_on(&GatedHost::before(host.port, &format!("{UNDER}/")));
    let asked = host.log();
    assert!(asked.iter().any(|asked| asked.path.ends_with("worker_bg.wasm")));
}

#[test]
fn on_a_host_that_takes_the_headers_that_are_brought() {
    let folder = dist();
    let text = std::fs::read_to_string(folder.join("_headers")).expect("_headers");
    let host = PlainHost::start(&folder, true, rules(&text));
    let gated = GatedHost::before(host.port, "");
    works_on(&gated);

    let asked = host.log();
    let without: BTreeSet<&str> = asked
        .iter()
        .filter(|asked| asked.status == 200 && asked.rules != 1)
        .map(|asked| asked.path.as_str())
        .collect();
    assert_eq!(without, BTreeSet::new(), "each file has one rule");
    // What is kept for ever is asked for by its build.
    let kept: Vec<&Asked> = asked.iter().filter(|asked| asked.is_kept).collect();
    assert!(kept.len() > 10);
    for asked in kept {
        assert!(asked.query.starts_with("v="), "{asked:?} is kept for ever");
    }
    // Where nothing is, a page says so.
    let page = Page::new(1440, 900);
    page.browser.go(&format!("{}no/such/place", gated.url));
    page.until_says("h1", "Nothing is here");
    page.browser.go(&format!("{}nothing", gated.url));
    page.browser.click("a");
    page.until_says(".provenance", "not running here");
}

/// A path with an asterisk, and headers.
pub type Rule = (String, Vec<(String, String)>);

/// As hosts read a `_headers` file.
pub fn rules(text: &str) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        match (line.strip_prefix("  "), rules.last_mut()) {
            (Some(header), Some((_, headers))) => {
                let (name, value) = header.split_once(": ").expect("a header");
                headers.push((name.to_string(), value.to_string()));
            }
            (None, _) => rules.push((line.to_string(), Vec::new())),
            (Some(_), None) => panic!("a header before the first path"),
        }
    }
    rules
}

/// A file that was asked for.
#[derive(Clone, Debug)]
struct Asked {
    path: String,
    query: String,
    status: u16,
    /// Rules that speak of it.
    rules: usize,
    /// Is it said to stay as it is?
    is_kept: bool,
}

/// As little of a host as there is.
pub struct PlainHost {
    port: u16,
    log: Arc<Mutex<Vec<Asked>>>,
}

/// The folder that the host serves, and how it serves it.
struct Serving {
    folder: PathBuf,
    has_types: bool,
    rules: Vec<Rule>,
    log: Arc<Mutex<Vec<Asked>>>,
}

impl PlainHost {
    pub fn start(folder: &Path, has_types: bool, rules: Vec<Rule>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("its number").port();
        let log: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let serving = Arc::new(Serving {
            folder: folder.to_path_buf(),
            has_types,
            rules,
            log: Arc::clone(&log),
        });
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let serving = Arc::clone(&serving);
                // A browser that goes away in the middle is no matter.
                std::thread::spawn(move || serving.answer(stream).ok());
            }
        });
        Self { port, log }
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    fn log(&self) -> Vec<Asked> {
        self.log.lock().expect("the log").clone()
    }
}

impl Serving {
    fn answer(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let mut lines = BufReader::new(stream.try_clone()?).lines();
        let first = lines.next().transpose()?.unwrap_or_default();
        // A body never comes.
        for line in lines {
            if line?.is_empty() {
                break;
            }
        }
        let target = first.split(' ').nth(1).unwrap_or("/");
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut file = self.folder.join(path.trim_start_matches('/'));
        if file.is_dir() {
            file = file.join("index.html");
        }
        let (status, file) = match file.is_file() {
            true => (200, file),
            false => (404, self.folder.join("404.html")),
        };
        let body = std::fs::read(&file).unwrap_or_default();
        let mut head = format!(
            "HTTP/1.1 {status} OK\r\nConnection: close\r\nContent-Length: {}\r\n",
            body.len()
        );
        if self.has_types || file.extension().is_none_or(|end| end != "wasm") {
            head += &format!("Content-Type: {}\r\n", mime(&file));
        }
        let speaks = |rule: &&Rule| match rule.0.split_once('*') {
            Some((begin, end)) => path.starts_with(begin) && path.ends_with(end),
            None => rule.0 == path,
        };
        let own: Vec<&Rule> = self.rules.iter().filter(speaks).collect();
        for (name, value) in own.iter().flat_map(|(_, headers)| headers) {
            head += &format!("{name}: {value}\r\n");
        }
        self.log.lock().expect("the log").push(Asked {
            path: path.trim_start_matches('/').to_string(),
            query: query.to_string(),
            status,
            rules: own.len(),
            is_kept: head.contains("immutable"),
        });
        stream.write_all(head.as_bytes())?;
        stream.write_all(b"\r\n")?;
        stream.write_all(&body)
    }
}
