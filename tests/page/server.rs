//! A static host as strict as they come: under a sub-path, compressed, counting what it sends.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use flate2::Compression;
use flate2::write::GzEncoder;

/// The path the page is served under: nothing may rely on being at the root.
const UNDER: &str = "/some/where/";

/// One answer: what was asked for, its status, and the bytes of its body as sent.
#[derive(Clone, Debug)]
pub struct Sent {
    pub path: String,
    pub status: u16,
    pub bytes: usize,
}

pub struct Server {
    pub port: u16,
    log: Arc<Mutex<Vec<Sent>>>,
    /// Answers for paths that end in this wait until it is cleared.
    held: Arc<Mutex<Option<String>>>,
    changed: Arc<Mutex<Option<Changed>>>,
    /// Every connection is closed unanswered.
    away: Arc<AtomicBool>,
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
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("its number").port();
        let log: Arc<Mutex<Vec<Sent>>> = Arc::default();
        let held: Arc<Mutex<Option<String>>> = Arc::default();
        let changed: Arc<Mutex<Option<Changed>>> = Arc::default();
        let (shared_log, shared_held) = (Arc::clone(&log), Arc::clone(&held));
        let shared_changed = Arc::clone(&changed);
        let away: Arc<AtomicBool> = Arc::default();
        let shared_away = Arc::clone(&away);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if shared_away.load(Ordering::SeqCst) {
                    continue;
                }
                let (folder, log, held, changed) = (
                    folder.clone(),
                    Arc::clone(&shared_log),
                    Arc::clone(&shared_held),
                    Arc::clone(&shared_changed),
                );
                std::thread::spawn(move || serve(stream, &folder, &log, &held, &changed));
            }
        });
        Self {
            port,
            log,
            held,
            changed,
            away,
        }
    }

    /// Answers nobody any more: the network is gone.
    pub fn go_away(&self) {
        self.away.store(true, Ordering::SeqCst);
    }

    pub fn come_back(&self) {
        self.away.store(false, Ordering::SeqCst);
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}{UNDER}", self.port)
    }

    /// Everything sent so far.
    pub fn sent(&self) -> Vec<Sent> {
        self.log.lock().expect("the log").clone()
    }

    /// Lets paths with this ending wait, or lets them go.
    pub fn hold(&self, ending: Option<&str>) {
        *self.held.lock().expect("the hold") = ending.map(str::to_owned);
    }

    /// Answers that paths with this ending are not there.
    pub fn refuse(&self, ending: &str) {
        self.change(ending, None, false);
    }

    /// The same, to the next who asks.
    pub fn refuse_once(&self, ending: &str) {
        self.change(ending, None, true);
    }

    /// Answers paths with this ending with another text.
    pub fn replace(&self, ending: &str, body: &str) {
        self.change(ending, Some(body.to_owned()), false);
    }

    /// Every path is the folder's again.
    pub fn restore(&self) {
        *self.changed.lock().expect("the change") = None;
    }

    fn change(&self, ending: &str, body: Option<String>, once: bool) {
        *self.changed.lock().expect("the change") = Some(Changed {
            ending: ending.to_owned(),
            body,
            once,
        });
    }
}

/// What is answered instead of a path's file, if anything is.
fn instead(changed: &Mutex<Option<Changed>>, path: &str) -> Option<Option<String>> {
    let mut changed = changed.lock().expect("the change");
    let now = changed.as_ref().filter(|c| path.ends_with(&c.ending))?;
    let (body, once) = (now.body.clone(), now.once);
    if once {
        *changed = None;
    }
    Some(body)
}

fn serve(
    stream: TcpStream,
    folder: &Path,
    log: &Mutex<Vec<Sent>>,
    held: &Mutex<Option<String>>,
    changed: &Mutex<Option<Changed>>,
) {
    let Ok(mut out) = stream.try_clone() else {
        return;
    };
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let Some(first) = lines.next() else { return };
    let gzip = lines
        .take_while(|line| !line.is_empty())
        .fold(false, |gzip, line| {
            let line = line.to_ascii_lowercase();
            gzip || (line.starts_with("accept-encoding:") && line.contains("gzip"))
        });
    let target = first.split(' ').nth(1).unwrap_or_default();
    let path = target
        .split(['?', '#'])
        .next()
        .unwrap_or_default()
        .to_owned();
    while held
        .lock()
        .expect("the hold")
        .as_ref()
        .is_some_and(|ending| path.ends_with(ending.as_str()))
    {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let found = path.strip_prefix(UNDER).and_then(|rest| {
        let (kind, file) = read(folder, rest)?;
        match instead(changed, &path) {
            None => Some((kind, file)),
            Some(body) => Some((kind, body?.into_bytes())),
        }
    });
    let (status, kind, body) = match found {
        Some((kind, body)) => ("200 OK", kind, body),
        None => ("404 Not Found", "text/plain", b"not here".to_vec()),
    };
    let body = if gzip { squeeze(&body) } else { body };
    let encoding = if gzip {
        "Content-Encoding: gzip\r\n"
    } else {
        ""
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n{encoding}Cache-Control: no-store\r\nConnection: close\r\n\r\n",
        body.len()
    );
    log.lock().expect("the log").push(Sent {
        path,
        status: status[..3].parse().unwrap_or(0),
        bytes: body.len(),
    });
    // A browser that goes away in the middle is none of our business.
    let _ = out
        .write_all(head.as_bytes())
        .and_then(|()| out.write_all(&body));
}

fn read(folder: &Path, rest: &str) -> Option<(&'static str, Vec<u8>)> {
    let rest = if rest.is_empty() { "index.html" } else { rest };
    let relative = Path::new(rest);
    if relative
        .components()
        .any(|part| !matches!(part, Component::Normal(_)))
    {
        return None;
    }
    let kind = match relative.extension()?.to_str()? {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript",
        "css" => "text/css",
        "wasm" => "application/wasm",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "webmanifest" => "application/manifest+json",
        _ => "application/octet-stream",
    };
    Some((kind, std::fs::read(folder.join(relative)).ok()?))
}

fn squeeze(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(6));
    encoder
        .write_all(body)
        .and_then(|()| encoder.finish())
        .expect("memory to compress into")
}
