//! A static host as strict as they come: under a sub-path, compressed, without a header of its own that
//! forbids anything, counting what it sends. The server is the one of `atelier open`.

use std::collections::HashMap;
use std::io::Read;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use atelier_server::{Files, Folder, Found};
use bytes::Bytes;
use flate2::Compression;
use flate2::read::GzEncoder;

use crate::gate::Gate;

/// The path the page is served under: nothing may rely on being at the root.
const UNDER: &str = "some/where";

/// One answer: what was asked for, its status, and the bytes of its body as sent.
#[derive(Clone, Debug)]
pub struct Sent {
    pub path: String,
    pub status: u16,
    pub bytes: usize,
}

pub struct Server {
    /// Port of the gate before it.
    pub port: u16,
    host: Arc<Host>,
    gate: Gate,
}

/// The folder that is served, and the log of answers.
struct Host {
    folder: Folder,
    log: Mutex<Vec<Sent>>,
    /// Answers for paths that end in this wait until it is cleared.
    held: Mutex<Option<String>>,
    changed: Mutex<Vec<Changed>>,
}

/// Another answer than the file's for paths that end in `ending`.
struct Changed {
    ending: String,
    /// `None`: refused.
    body: Option<String>,
    once: bool,
}

impl Server {
    /// Serves a folder on a free port of this machine until the tests end.
    pub fn start(folder: PathBuf) -> Self {
        let server = atelier_server::Server::bind(0).expect("a free port");
        let behind = server.address().expect("its number").port();
        let host = Arc::new(Host {
            folder: Folder::new(&folder).expect("the page's folder"),
            log: Mutex::default(),
            held: Mutex::default(),
            changed: Mutex::default(),
        });
        let files: Arc<dyn Files> = Arc::clone(&host) as _;
        std::thread::spawn(move || server.serve(files, None));
        let gate = Gate::before(behind);
        Self { port: gate.port, host, gate }
    }

    /// Answers nobody any more, from when this returns: the network is gone.
    pub fn go_away(&self) {
        self.gate.close();
        // What was on its way to somebody who is cut off is written down as sent, too.
        let mut before = usize::MAX;
        while before != self.sent().len() {
            before = self.sent().len();
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    pub fn come_back(&self) {
        self.gate.open();
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/{UNDER}/", self.port)
    }

    /// Everything sent so far.
    pub fn sent(&self) -> Vec<Sent> {
        self.host.log.lock().expect("the log").clone()
    }

    /// Lets paths with this ending wait, or lets them go.
    pub fn hold(&self, ending: Option<&str>) {
        *self.host.held.lock().expect("the hold") = ending.map(str::to_owned);
    }

    /// Answers that paths with this ending are not there.
    pub fn refuse(&self, ending: &str) {
        self.change(ending, None, false);
    }

    /// Answers the next request for a path with this ending that it is not there.
    pub fn refuse_once(&self, ending: &str) {
        self.change(ending, None, true);
    }

    /// Answers paths with this ending with another text.
    pub fn replace(&self, ending: &str, body: &str) {
        self.change(ending, Some(body.to_owned()), false);
    }

    /// Every path is the folder's again.
    pub fn restore(&self) {
        self.host.changed.lock().expect("the changes").clear();
    }

    fn change(&self, ending: &str, body: Option<String>, once: bool) {
        let mut changed = self.host.changed.lock().expect("the changes");
        changed.retain(|change| change.ending != ending);
        changed.push(Changed { ending: ending.to_owned(), body, once });
    }
}

impl Host {
    fn is_held(&self, path: &str) -> bool {
        let held = self.held.lock().expect("the hold");
        held.as_ref().is_some_and(|ending| path.ends_with(ending))
    }

    /// Returns the answer instead of a path's file, where there is one: another text, or that it is not there.
    fn instead(&self, path: &str) -> Option<Option<String>> {
        let mut changed = self.changed.lock().expect("the changes");
        let now = changed.iter().position(|change| path.ends_with(&change.ending))?;
        let body = changed[now].body.clone();
        if changed[now].once {
            changed.remove(now);
        }
        Some(body)
    }
}

/// Weights that were compressed: of the tests' own folder alone, whose files stay as they are.
static SQUEEZED: LazyLock<Mutex<HashMap<PathBuf, Bytes>>> = LazyLock::new(Mutex::default);

/// Weights, too, as hosts that compress whatever they have.
fn squeezed(file: Found) -> Option<Found> {
    let Found::File(path) = file else { return Some(file) };
    let known = SQUEEZED.lock().expect("the weights").get(&path).cloned();
    let bytes = match known {
        Some(bytes) => bytes,
        None => {
            let mut bytes = Vec::new();
            let plain = std::fs::File::open(&path).ok()?;
            GzEncoder::new(plain, Compression::new(6)).read_to_end(&mut bytes).ok()?;
            let bytes = Bytes::from(bytes);
            SQUEEZED.lock().expect("the weights").insert(path, bytes.clone());
            bytes
        }
    };
    Some(Found::Bytes { bytes, gzip: true, mime: "application/octet-stream" })
}

impl Files for Host {
    fn find(&self, path: &str) -> Option<Found> {
        while self.is_held(path) {
            std::thread::sleep(Duration::from_millis(20));
        }
        let below = path.strip_prefix(UNDER)?.trim_start_matches('/');
        let file = self.folder.find(below)?;
        match self.instead(path) {
            None if path.ends_with(".safetensors") => squeezed(file),
            None => Some(file),
            Some(body) => Some(Found::bytes(path, body?)),
        }
    }

    fn sent(&self, answer: &atelier_server::Sent) {
        self.log.lock().expect("the log").push(Sent {
            path: answer.path.clone(),
            status: answer.status,
            bytes: answer.bytes as usize,
        });
    }
}
