//! A hub of our own on two loopback origins: the hub itself, which answers questions and leads to a
//! large file's bytes, and a CDN, which has them. It sends what the real one sends, and fails when it is
//! told to.
//!
//! It is held to an independent client (Python's `huggingface_hub`) in `tests/it/hub.rs`.

mod answer;
mod serving;

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sha1::Sha1;
use sha2::{Digest, Sha256};

/// Files of at least so many bytes lie on the CDN, as those that git keeps elsewhere do.
pub const LARGE: usize = 1000;

/// One of the two origins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Hub,
    Cdn,
}

/// A fault of an answer.
#[derive(Clone, Debug)]
pub enum Fault {
    /// Another status, with these headers; `cors` says whether pages may read it.
    Status { status: u16, headers: Vec<(&'static str, String)>, cors: bool },
    /// The connection ends after so many bytes of the body.
    Cut(usize),
    /// Nothing more comes after so many bytes of the body, and the connection stays open.
    Still(usize),
    /// No answer, and the connection stays open.
    Silent,
    /// So many bytes a second at most.
    Slow(usize),
    /// The byte at this place of the file is another.
    WrongByte(usize),
    /// The file is so many bytes longer than the list says; a page of the list has so many blanks.
    Longer(usize),
    /// A part of the file says that the whole has this size: `*` where that is not known.
    Total(&'static str),
    /// The list goes on at this address.
    NextAt(String),
    /// The whole file, whatever range was asked for.
    WholeAlways,
    /// To an origin of nobody's.
    Elsewhere(String),
}

impl Fault {
    pub fn status(status: u16) -> Self {
        Self::Status { status, headers: Vec::new(), cors: true }
    }
}

/// A fault of the answers of one origin to paths that contain a text, so many times.
#[derive(Clone, Debug)]
struct Rule {
    origin: Origin,
    path: String,
    times: usize,
    fault: Fault,
}

/// A request that was answered.
#[derive(Clone, Debug)]
pub struct Seen {
    pub origin: Origin,
    pub method: String,
    pub path: String,
    /// Names in lower case.
    pub headers: BTreeMap<String, String>,
    /// Bytes of the answer's body, all of them.
    pub bytes: usize,
}

/// A model of the hub.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// By revision: `main` and others; each a list of files.
    pub revisions: BTreeMap<String, BTreeMap<String, Arc<Vec<u8>>>>,
    /// Is it given to those alone who have the token?
    pub is_gated: bool,
    pub licence: &'static str,
}

#[derive(Default)]
struct Shelf {
    places: BTreeMap<String, Place>,
    rules: Vec<Rule>,
    seen: Vec<Seen>,
    /// Is the network gone? Then connections end where they are, and no other is answered.
    is_gone: bool,
}

/// The hub; it ends with this.
pub struct TestHub {
    shelf: Arc<Mutex<Shelf>>,
    hub: SocketAddr,
    cdn: SocketAddr,
    ended: Arc<AtomicBool>,
}

/// The only token that the hub takes.
pub const TOKEN: &str = "hf_test";

/// Entries on a page of the list of files.
const PAGE: usize = 2;

impl TestHub {
    pub fn start() -> Self {
        let listen = || TcpListener::bind("127.0.0.1:0").expect("a port");
        let (hub, cdn) = (listen(), listen());
        let address = |listener: &TcpListener| listener.local_addr().expect("an address");
        let test = Self {
            shelf: Arc::default(),
            hub: address(&hub),
            cdn: address(&cdn),
            ended: Arc::default(),
        };
        for (listener, origin) in [(hub, Origin::Hub), (cdn, Origin::Cdn)] {
            let (shelf, ended) = (Arc::clone(&test.shelf), Arc::clone(&test.ended));
            let cdn = test.cdn;
            std::thread::spawn(move || {
                for stream in listener.incoming().flatten() {
                    if ended.load(Ordering::Relaxed) {
                        return;
                    }
                    let shelf = Arc::clone(&shelf);
                    std::thread::spawn(move || {
                        // A client that goes away in the middle is no matter.
                        let _ = serving::serve(stream, origin, &shelf, cdn);
                    });
                }
            });
        }
        test
    }

    /// The hub's own address: what `HF_ENDPOINT` is set to.
    pub fn url(&self) -> String {
        format!("http://{}", self.hub)
    }

    /// The origin that has the bytes.
    pub fn cdn(&self) -> String {
        format!("http://{}", self.cdn)
    }

    pub fn put(&self, repo: &str, place: Place) {
        let mut shelf = self.shelf.lock().expect("the shelf");
        shelf.places.insert(repo.to_owned(), place);
    }

    /// The next `times` answers of `origin` to paths that contain `path` have a fault.
    pub fn fail(&self, origin: Origin, path: &str, times: usize, fault: Fault) {
        let mut shelf = self.shelf.lock().expect("the shelf");
        shelf.rules.push(Rule { origin, path: path.to_owned(), times, fault });
    }

    /// The network goes, or comes back.
    pub fn gone(&self, is_gone: bool) {
        self.shelf.lock().expect("the shelf").is_gone = is_gone;
    }

    /// No more faults.
    pub fn mend(&self) {
        self.shelf.lock().expect("the shelf").rules.clear();
    }

    /// Returns the requests since the last call.
    pub fn seen(&self) -> Vec<Seen> {
        std::mem::take(&mut self.shelf.lock().expect("the shelf").seen)
    }
}

impl Drop for TestHub {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        for address in [self.hub, self.cdn] {
            // Wakes the listener, which then ends.
            let _ = std::net::TcpStream::connect_timeout(&address, Duration::from_secs(1));
        }
    }
}

impl Place {
    /// Open, with one revision.
    pub fn open(files: &[(&str, Vec<u8>)]) -> Self {
        Self { licence: "apache-2.0", ..Self::default() }.with("main", files)
    }

    pub fn with(mut self, revision: &str, files: &[(&str, Vec<u8>)]) -> Self {
        let files = files.iter().map(|(path, bytes)| ((*path).to_owned(), Arc::new(bytes.clone())));
        self.revisions.insert(revision.to_owned(), files.collect());
        self
    }

    /// 40 hex digits of a revision's content.
    pub fn commit(&self, revision: &str) -> String {
        let mut hash = Sha1::new();
        hash.update(revision);
        for (path, bytes) in self.revisions.get(revision).into_iter().flatten() {
            hash.update(path);
            hash.update(bytes.as_slice());
        }
        hex(&hash.finalize())
    }
}

pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn git(bytes: &[u8]) -> String {
    let head = format!("blob {}\0", bytes.len());
    hex(&Sha1::new_with_prefix(head).chain_update(bytes).finalize())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
