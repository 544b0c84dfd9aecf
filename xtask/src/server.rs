//! Serves `dist/` to this machine, compressed where that helps, as a static host would.

use std::collections::{HashMap, VecDeque};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant, SystemTime};

use crate::command::Stop;
use crate::page::gzip;

const PORT: u16 = 8080;

/// Longest request head that is read: more is no browser.
const HEAD_LIMIT: usize = 16 * 1024;

/// How long a whole head may take.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// How long a reader may stop reading.
const BODY_TIME: Duration = Duration::from_secs(30);

/// How long one who gives way may take to be gone.
const LEAVE_TIME: Duration = Duration::from_secs(2);

/// Connections at a time: a browser opens six.
const CONNECTIONS: usize = 64;

/// What pages and workers may do: load and ask nothing but what is served here. A page's own meta tag
/// says the same and does not reach its worker, which holds the prompt and the model.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; \
                      style-src 'self'; connect-src 'self'; frame-src 'self'; img-src 'self' data: blob:; \
                      font-src 'self' data:; base-uri 'self'; form-action 'none'";

/// The one page that others may frame.
const EMBEDDED: &str = "embed.html";

/// The panel of models, which the page frames: it alone may ask a hub, and its own meta tag says which.
const PANEL: &str = "hub.html";

/// Who may show an answer in a frame.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Framed {
    Nowhere,
    Here,
    Anywhere,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Options {
    pub port: u16,
    /// Whether to open a browser.
    pub open: bool,
}

impl Options {
    pub fn parse(words: &[String]) -> Result<Self, Stop> {
        let mut options = Self {
            port: PORT,
            open: true,
        };
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            let port = match word {
                "--no-open" => {
                    options.open = false;
                    continue;
                }
                "--port" => words.next(),
                other => other.strip_prefix("--port="),
            };
            match (port, word.starts_with("--port")) {
                (Some(number), _) => {
                    options.port = number.parse().map_err(|_| {
                        Stop::usage(format!("`{number}` is no port: give a number up to 65535."))
                    })?;
                }
                (None, true) => return Err(Stop::usage("`--port` needs a number after it.")),
                (None, false) => return Err(Stop::usage(format!("`serve` takes no `{word}`."))),
            }
        }
        Ok(options)
    }
}

/// Takes the port; 0 takes any that is free.
pub fn listen(port: u16) -> Result<TcpListener, Stop> {
    TcpListener::bind(("127.0.0.1", port)).map_err(|error| match error.kind() {
        std::io::ErrorKind::AddrInUse => {
            Stop::new(format!("Port {port} is in use by another program."))
                .try_running("cargo xtask serve --port 0")
        }
        _ => Stop::new(format!("Port {port} cannot be used: {error}."))
            .try_running("cargo xtask serve --port 0"),
    })
}

/// Serves a folder until the program is ended.
pub fn serve(listener: TcpListener, folder: &Path, open: bool) -> Result<(), Stop> {
    serve_with(listener, folder, open, POLICY)
}

fn serve_with(
    listener: TcpListener,
    folder: &Path,
    open: bool,
    policy: &'static str,
) -> Result<(), Stop> {
    let address = listener
        .local_addr()
        .map_err(|error| Stop::new(format!("The server has no address: {error}.")))?;
    let url = format!("http://{address}/");
    println!("atelier is at {url} (Ctrl-C ends it)");
    if open {
        open_browser(&url);
    }
    let folder = folder
        .canonicalize()
        .map_err(|error| Stop::new(format!("{} cannot be served: {error}.", folder.display())))?;
    let site = Arc::new(Site {
        folder,
        policy,
        packed: Mutex::default(),
    });
    let crowd = Arc::new(Crowd::default());
    for stream in listener.incoming().flatten() {
        let Some(place) = Crowd::enter(&crowd, &stream) else {
            // All are being answered: who asks now may ask again.
            continue;
        };
        let site = Arc::clone(&site);
        std::thread::spawn(move || {
            // A browser that goes away in the middle of an answer is no matter.
            let _ = site.answer(stream, &place);
        });
    }
    Ok(())
}

/// Who is connected. When no place is left, the one who has been longest about asking gives way, so
/// that requests that are begun and never ended keep nobody out.
#[derive(Default)]
struct Crowd {
    inside: Mutex<Inside>,
    /// Somebody left.
    left: Condvar,
    next: AtomicU64,
}

#[derive(Default)]
struct Inside {
    count: usize,
    /// Those whose questions are not heard yet, the longest first.
    asking: VecDeque<(u64, TcpStream)>,
}

/// One connection's; left when it is dropped.
struct Guest {
    crowd: Arc<Crowd>,
    number: u64,
}

impl Crowd {
    fn enter(crowd: &Arc<Self>, stream: &TcpStream) -> Option<Guest> {
        let number = crowd.next.fetch_add(1, Ordering::Relaxed);
        let is_full = |inside: &mut Inside| inside.count >= CONNECTIONS;
        let mut inside = crowd.inside.lock().ok()?;
        if is_full(&mut inside) {
            let (_, longest) = inside.asking.pop_front()?;
            let _ = longest.shutdown(Shutdown::Both);
            // Its thread hears of it at once, and ends.
            let left = crowd.left.wait_timeout_while(inside, LEAVE_TIME, is_full);
            let (now, late) = left.ok()?;
            if late.timed_out() {
                return None;
            }
            inside = now;
        }
        let asking = stream.try_clone().ok()?;
        inside.asking.push_back((number, asking));
        inside.count += 1;
        Some(Guest {
            crowd: Arc::clone(crowd),
            number,
        })
    }
}

impl Guest {
    /// The question is heard: from now on it is answered.
    fn has_asked(&self) {
        if let Ok(mut inside) = self.crowd.inside.lock() {
            inside.asking.retain(|(number, _)| *number != self.number);
        }
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        if let Ok(mut inside) = self.crowd.inside.lock() {
            inside.asking.retain(|(number, _)| *number != self.number);
            inside.count -= 1;
        }
        self.crowd.left.notify_one();
    }
}

/// What is read of a request.
#[derive(Debug, PartialEq, Eq)]
struct Asked {
    method: String,
    target: String,
    gzip: bool,
}

/// Why a request is not answered with a file: a status line.
type Refusal = &'static str;

/// A request's head; `None` where it never ends.
fn read_head(stream: &mut TcpStream) -> std::io::Result<Option<Result<Vec<u8>, Refusal>>> {
    let until = Instant::now() + HEAD_TIME;
    let mut head = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let Some(left) = until.checked_duration_since(Instant::now()) else {
            return Ok(None);
        };
        // A timeout of nothing would be none.
        stream.set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
        let count = stream.read(&mut piece)?;
        if count == 0 {
            return Ok(None);
        }
        head.extend_from_slice(&piece[..count]);
        if let Some(end) = head.windows(4).position(|four| four == b"\r\n\r\n") {
            head.truncate(end);
            if end <= HEAD_LIMIT {
                return Ok(Some(Ok(head)));
            }
        }
        if head.len() > HEAD_LIMIT {
            return Ok(Some(Err("431 Request Header Fields Too Large")));
        }
    }
}

/// What a head asks, if this machine's own browser asks it.
fn asked(head: &[u8]) -> Result<Asked, Refusal> {
    const BAD: Refusal = "400 Bad Request";
    let head = std::str::from_utf8(head).map_err(|_| BAD)?;
    let mut lines = head.split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(target), Some(version), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(BAD);
    };
    if !version.starts_with("HTTP/1.") {
        return Err("505 HTTP Version Not Supported");
    }
    let (mut gzip, mut hosts) = (false, Vec::new());
    for line in lines {
        let (name, value) = line.split_once(':').ok_or(BAD)?;
        match name.to_ascii_lowercase().as_str() {
            "accept-encoding" => gzip |= value.to_ascii_lowercase().contains("gzip"),
            "host" => hosts.push(value.trim()),
            _ => {}
        }
    }
    // Another site's name may be made to lead here; its pages are then no strangers to ours.
    match hosts[..] {
        [host] if is_here(host) => {}
        [_] => return Err("421 Misdirected Request"),
        _ => return Err(BAD),
    }
    if method != "GET" && method != "HEAD" {
        return Err("405 Method Not Allowed");
    }
    Ok(Asked {
        method: method.to_string(),
        target: target.to_string(),
        gzip,
    })
}

/// Is this a name of this very machine, with whatever port was forwarded?
fn is_here(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => {
            if port.is_empty() || !port.bytes().all(|c| c.is_ascii_digit()) {
                return false;
            }
            name
        }
        _ => host,
    };
    ["127.0.0.1", "[::1]"].contains(&name) || name.eq_ignore_ascii_case("localhost")
}

/// Where there is a desktop; elsewhere the printed URL has to do.
fn open_browser(url: &str) {
    let opener = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else if ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| std::env::var_os(name).is_some())
    {
        "xdg-open"
    } else {
        return;
    };
    let quiet = Command::new(opener)
        .arg(url)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if quiet.is_err() {
        println!("No browser could be opened; open the address above by hand.");
    }
}

/// When a file was written and what it is when compressed.
type Packed = (SystemTime, Arc<Vec<u8>>);

struct Site {
    folder: PathBuf,
    /// See [`POLICY`].
    policy: &'static str,
    packed: Mutex<HashMap<PathBuf, Packed>>,
}

impl Site {
    fn answer(&self, mut stream: TcpStream, guest: &Guest) -> std::io::Result<()> {
        let Some(head) = read_head(&mut stream)? else {
            return Ok(());
        };
        guest.has_asked();
        stream.set_write_timeout(Some(BODY_TIME))?;
        match head.and_then(|head| asked(&head)) {
            Ok(asked) => self.give(&mut stream, &asked),
            Err(refusal) => self.head(refusal).write(&mut stream),
        }?;
        // What was sent and not read would make the system take the answer back.
        stream.shutdown(Shutdown::Write)?;
        stream.set_read_timeout(Some(Duration::from_millis(200)))?;
        std::io::copy(&mut stream.take(1 << 20), &mut std::io::sink())?;
        Ok(())
    }

    /// Of an empty answer.
    fn head(&self, status: &'static str) -> Head {
        Head {
            status,
            mime: "text/plain",
            length: 0,
            compressed: false,
            framed: Framed::Nowhere,
            policy: self.policy.to_owned(),
        }
    }

    fn give(&self, stream: &mut TcpStream, asked: &Asked) -> std::io::Result<()> {
        let body_too = asked.method == "GET";
        let file = local_path(&asked.target).and_then(|path| self.file(&path));
        let read = file.and_then(|path| Some((std::fs::read(&path).ok()?, path)));
        let Some((plain, path)) = read else {
            let text = b"There is no such file here.\n";
            Head {
                length: text.len(),
                ..self.head("404 Not Found")
            }
            .write(stream)?;
            return if body_too {
                stream.write_all(text)
            } else {
                Ok(())
            };
        };
        let mime = mime(&path);
        let compressed = asked.gzip && shrinks(mime);
        let is = |name: &str| path.strip_prefix(&self.folder) == Ok(Path::new(name));
        let (framed, policy) = match policy_in(&plain).filter(|_| is(PANEL)) {
            Some(policy) => (Framed::Here, policy),
            None if is(EMBEDDED) => (Framed::Anywhere, self.policy.to_owned()),
            None => (Framed::Nowhere, self.policy.to_owned()),
        };
        let body = if compressed {
            self.pack(&path, plain)?
        } else {
            Arc::new(plain)
        };
        Head {
            status: "200 OK",
            mime,
            length: body.len(),
            compressed,
            framed,
            policy,
        }
        .write(stream)?;
        if body_too {
            stream.write_all(&body)
        } else {
            Ok(())
        }
    }

    /// A regular file below the folder, wherever links lead.
    fn file(&self, path: &Path) -> Option<PathBuf> {
        let path = self.folder.join(path).canonicalize().ok()?;
        let path = if path.is_dir() {
            path.join("index.html").canonicalize().ok()?
        } else {
            path
        };
        (path.starts_with(&self.folder) && path.is_file()).then_some(path)
    }

    /// The file compressed, remembered for as long as it does not change.
    fn pack(&self, path: &Path, plain: Vec<u8>) -> std::io::Result<Arc<Vec<u8>>> {
        let written = std::fs::metadata(path)?.modified()?;
        let known = self
            .packed
            .lock()
            .ok()
            .and_then(|packed| packed.get(path).cloned());
        if let Some((when, bytes)) = known
            && when == written
        {
            return Ok(bytes);
        }
        let bytes = Arc::new(gzip(&plain)?);
        if let Ok(mut packed) = self.packed.lock() {
            packed.insert(path.to_path_buf(), (written, Arc::clone(&bytes)));
        }
        Ok(bytes)
    }
}

/// What an answer begins with.
struct Head {
    status: &'static str,
    mime: &'static str,
    /// Of the body, bytes.
    length: usize,
    compressed: bool,
    framed: Framed,
    policy: String,
}

impl Head {
    fn write(&self, stream: &mut TcpStream) -> std::io::Result<()> {
        let Self {
            status,
            mime,
            length,
            policy,
            ..
        } = self;
        let encoding = if self.compressed {
            "Content-Encoding: gzip\r\n"
        } else {
            ""
        };
        let allow = if status.starts_with("405") {
            "Allow: GET, HEAD\r\n"
        } else {
            ""
        };
        let (frames, options) = match self.framed {
            Framed::Anywhere => ("", ""),
            Framed::Here => (
                "; frame-ancestors 'self'",
                "X-Frame-Options: SAMEORIGIN\r\n",
            ),
            Framed::Nowhere => ("; frame-ancestors 'none'", "X-Frame-Options: DENY\r\n"),
        };
        // `no-cache` asks again each time: whoever serves from a clone is changing it.
        write!(
            stream,
            "HTTP/1.1 {status}\r\nContent-Type: {mime}\r\nContent-Length: {length}\r\n{encoding}{allow}\
             Vary: Accept-Encoding\r\nCache-Control: no-cache\r\nX-Content-Type-Options: nosniff\r\n\
             Content-Security-Policy: {policy}{frames}\r\n{options}Referrer-Policy: no-referrer\r\n\
             Connection: close\r\n\r\n"
        )
    }
}

/// The policy that a document's own meta tag says.
fn policy_in(html: &[u8]) -> Option<String> {
    let html = std::str::from_utf8(html).ok()?;
    let (_, rest) = html.split_once("http-equiv=\"Content-Security-Policy\" content=\"")?;
    let (policy, _) = rest.split_once('"')?;
    // What would end the header does not stand in it.
    let is_plain = policy.chars().all(|c| c.is_ascii_graphic() || c == ' ');
    is_plain.then(|| policy.to_owned())
}

/// The file that a request's target names below the served folder; none when it points out of it
/// or is not a path.
fn local_path(target: &str) -> Option<PathBuf> {
    let path = target.split(['?', '#']).next()?.strip_prefix('/')?;
    let path = percent_decode(path)?;
    let mut local = PathBuf::new();
    for part in path
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
    {
        // A colon or a backslash would start a path of its own on Windows.
        if part == ".." || part.contains(['\\', ':', '\0']) {
            return None;
        }
        local.push(part);
    }
    Some(local)
}

fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

fn mime(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json") => "application/json",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("txt" | "md") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// Whether compression makes such a file worthwhile smaller.
fn shrinks(mime: &str) -> bool {
    mime.starts_with("text/")
        || ["application/json", "application/wasm", "image/svg+xml"].contains(&mime)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    fn options(words: &[&str]) -> Result<Options, String> {
        let words: Vec<String> = words.iter().map(|word| word.to_string()).collect();
        Options::parse(&words).map_err(|stop| stop.to_string())
    }

    #[test]
    fn options_are_read_in_any_order() {
        assert_eq!(
            options(&[]),
            Ok(Options {
                port: PORT,
                open: true
            })
        );
        let want = Ok(Options {
            port: 9000,
            open: false,
        });
        assert_eq!(options(&["--port", "9000", "--no-open"]), want);
        assert_eq!(options(&["--no-open", "--port=9000"]), want);
        assert!(options(&["--port"]).is_err_and(|why| why.contains("needs a number")));
        assert!(options(&["--port", "70000"]).is_err_and(|why| why.contains("`70000` is no port")));
        assert!(options(&["--fast"]).is_err_and(|why| why.contains("takes no `--fast`")));
    }

    #[test]
    fn only_files_below_the_folder_are_served() {
        assert_eq!(local_path("/"), Some(PathBuf::new()));
        assert_eq!(local_path("/a/b.js?v=1"), Some("a/b.js".into()));
        assert_eq!(local_path("/a%20b.js"), Some("a b.js".into()));
        for outside in [
            "/../x",
            "/a/../../x",
            "/%2e%2e/x",
            "/a%5c..%5cx",
            "/c:/x",
            "x",
            "/%zz",
            "",
        ] {
            assert_eq!(local_path(outside), None, "{outside}");
        }
    }

    #[test]
    fn kinds_of_files_are_told() {
        assert_eq!(mime(Path::new("a/page_bg.wasm")), "application/wasm");
        assert_eq!(mime(Path::new("boot.js")), "text/javascript; charset=utf-8");
        assert_eq!(
            mime(Path::new("model.safetensors")),
            "application/octet-stream"
        );
        assert!(shrinks("application/wasm") && !shrinks("image/png"));
    }

    #[test]
    fn a_taken_port_is_one_sentence() {
        let first = listen(0).unwrap();
        let port = first.local_addr().unwrap().port();
        let why = listen(port).unwrap_err().to_string();
        assert!(
            why.starts_with(&format!("Port {port} is in use by another program.")),
            "{why}"
        );
    }

    /// A small site that is served for the rest of the tests.
    struct Served {
        folder: PathBuf,
        address: std::net::SocketAddr,
    }

    impl Served {
        fn new(name: &str) -> Self {
            Self::with(name, POLICY)
        }

        fn with(name: &str, policy: &'static str) -> Self {
            let folder =
                std::env::temp_dir().join(format!("atelier-{name}-{}", std::process::id()));
            let site = folder.join("site");
            std::fs::create_dir_all(&site).unwrap();
            std::fs::write(site.join("index.html"), "atelier ".repeat(100)).unwrap();
            std::fs::write(folder.join("secret.txt"), "secret").unwrap();
            let listener = listen(0).unwrap();
            let address = listener.local_addr().unwrap();
            std::thread::spawn(move || serve_with(listener, &site, false, policy));
            Self { folder, address }
        }

        fn ask(&self, head: &str) -> String {
            self.raw(format!("{head}\r\nHost: localhost\r\n\r\n").as_bytes())
        }

        fn raw(&self, bytes: &[u8]) -> String {
            let mut stream = TcpStream::connect(self.address).unwrap();
            // A server that has heard enough may close before all is sent.
            let _ = stream.write_all(bytes);
            let mut answer = Vec::new();
            let _ = stream.read_to_end(&mut answer);
            String::from_utf8_lossy(&answer).into_owned()
        }
    }

    impl Drop for Served {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }

    #[test]
    fn a_file_arrives_compressed_when_asked() {
        let served = Served::new("compressed");
        let ask = |head: &str| served.ask(head);
        assert!(ask("GET / HTTP/1.1").ends_with("atelier atelier "));
        let small = ask("GET / HTTP/1.1\r\nAccept-Encoding: gzip, br");
        let (head, body) = small.split_once("\r\n\r\n").unwrap();
        assert!(head.contains("Content-Encoding: gzip") && body.len() < 200);
        assert!(ask("GET /missing.js HTTP/1.1").starts_with("HTTP/1.1 404"));
        assert!(ask("HEAD / HTTP/1.1").ends_with("\r\n\r\n"));
    }

    #[test]
    fn every_answer_says_what_pages_and_workers_may_do() {
        let served = Served::new("policy");
        let site = served.folder.join("site");
        for file in ["worker.js", EMBEDDED] {
            std::fs::write(site.join(file), "1").unwrap();
        }
        std::fs::create_dir(site.join("in")).unwrap();
        std::fs::write(site.join("in").join(EMBEDDED), "1").unwrap();
        let ask = |path: &str| served.ask(&format!("GET {path} HTTP/1.1"));
        let policy = |answer: &str| -> String {
            let mut lines = answer.lines();
            let found = lines.find_map(|line| line.strip_prefix("Content-Security-Policy: "));
            found.unwrap_or_default().to_string()
        };
        for path in ["/", "/worker.js", "/missing", "/in/embed.html"] {
            let answer = ask(path);
            let policy = policy(&answer);
            assert!(policy.contains("connect-src 'self';"), "{path}: {answer}");
            assert!(
                policy.ends_with("frame-ancestors 'none'"),
                "{path}: {answer}"
            );
            assert!(
                answer.contains("\r\nX-Frame-Options: DENY\r\n"),
                "{path}: {answer}"
            );
        }
        let embedded = ask("/embed.html");
        assert!(policy(&embedded).contains("connect-src 'self';"));
        assert!(!embedded.contains("frame-ancestors") && !embedded.contains("X-Frame"));
        // The panel of models may ask what its own tag names, and be framed by the page.
        let panel = include_str!("../assets/hub.html");
        std::fs::write(site.join(PANEL), panel).unwrap();
        let panel = ask("/hub.html");
        assert!(
            policy(&panel).contains("connect-src 'self' https://"),
            "{panel}"
        );
        assert!(
            policy(&panel).ends_with("frame-ancestors 'self'"),
            "{panel}"
        );
        // What the pages say of themselves, the server says of all that they load.
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let page = std::fs::read_to_string(root.join("index.html")).unwrap();
        assert!(page.contains(&format!("content=\"{POLICY}\"")));
    }

    /// Says yes to every request, and how many there were.
    fn stranger() -> (u16, Arc<AtomicUsize>) {
        let listener = listen(0).unwrap();
        let port = listener.local_addr().unwrap().port();
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let mut head = [0; 4096];
                if stream.read(&mut head).is_ok_and(|read| read > 0) {
                    counted.fetch_add(1, Ordering::SeqCst);
                }
                let _ = stream.write_all(
                    b"HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\n\
                      Content-Length: 0\r\nConnection: close\r\n\r\n",
                );
            }
        });
        (port, count)
    }

    /// Requests that come to another origin from a worker that tries to send the prompt there, and what
    /// the worker heard.
    fn sent_elsewhere(chrome: &Path, policy: &'static str) -> (usize, String) {
        use std::io::{BufRead, BufReader};
        let (port, count) = stranger();
        let served = Served::with(&format!("worker-{}", policy.len()), policy);
        let put = |file: &str, text: &str| {
            std::fs::write(served.folder.join("site").join(file), text).unwrap();
        };
        put(
            "index.html",
            &format!(
                "<!doctype html><meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\
                 <script type=\"module\" src=\"page.js\"></script>"
            ),
        );
        put(
            "page.js",
            "const worker = new Worker('worker.js', { type: 'module' });\n\
             worker.onmessage = event => console.log('WORKER ' + event.data + '.');\n\
             worker.onerror = () => console.log('WORKER failed.');\n",
        );
        put(
            "worker.js",
            &format!(
                "fetch('http://127.0.0.1:{port}/', {{ method: 'POST', body: 'the prompt' }})\n\
                 .then(() => 'went', () => 'stopped').then(said => postMessage(said));\n"
            ),
        );
        let profile = served.folder.join("profile");
        let mut child = Command::new(chrome)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
            ])
            .args(["--enable-logging=stderr", "--disable-dev-shm-usage"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg(format!("http://{}/", served.address))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (send, receive) = std::sync::mpsc::channel();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let said = line
                    .split_once("WORKER ")
                    .and_then(|(_, said)| said.split_once('.'));
                if let Some((said, _)) = said {
                    let _ = send.send(said.to_string());
                }
            }
        });
        let said = receive.recv_timeout(Duration::from_secs(60));
        let _ = child.kill();
        let _ = child.wait();
        (count.load(Ordering::SeqCst), said.unwrap_or_default())
    }

    #[test]
    fn a_worker_sends_nothing_elsewhere() {
        let Some(chrome) = crate::browser::chrome() else {
            eprintln!("SKIPPED: there is no Chromium to try a worker in");
            return;
        };
        assert_eq!(sent_elsewhere(&chrome, POLICY), (0, "stopped".to_string()));
        // The page's own policy does not reach its worker: without the header, it goes.
        assert_eq!(
            sent_elsewhere(&chrome, "img-src *"),
            (1, "went".to_string())
        );
    }

    #[test]
    fn names_of_other_sites_are_refused() {
        let served = Served::new("hosts");
        let with = |host: &str| served.raw(format!("GET / HTTP/1.1\r\n{host}\r\n\r\n").as_bytes());
        for host in [
            "localhost",
            "LocalHost:8080",
            "127.0.0.1",
            "127.0.0.1:9",
            "[::1]:8080",
            "[::1]",
        ] {
            assert!(
                with(&format!("Host: {host}")).starts_with("HTTP/1.1 200"),
                "{host}"
            );
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example:8080",
            "localhost:x",
            "localhost:",
            "",
        ] {
            assert!(
                with(&format!("Host: {host}")).starts_with("HTTP/1.1 421"),
                "{host}"
            );
        }
        assert!(with("Accept: */*").starts_with("HTTP/1.1 400"));
        assert!(with("Host: localhost\r\nHost: evil.example").starts_with("HTTP/1.1 400"));
    }

    #[test]
    fn other_methods_and_broken_heads_are_refused() {
        let served = Served::new("methods");
        for method in [
            "POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE", "get",
        ] {
            let answer = served.ask(&format!("{method} / HTTP/1.1"));
            assert!(
                answer.starts_with("HTTP/1.1 405") && answer.contains("Allow: GET, HEAD"),
                "{answer}"
            );
        }
        for head in [
            "GET /",
            "GET  / HTTP/1.1",
            "",
            "GET / HTTP/1.1 x",
            "GET / HTTP/1.1\r\nno colon",
        ] {
            assert!(served.ask(head).starts_with("HTTP/1.1 400"), "{head}");
        }
        assert!(served.ask("GET / HTTP/2").starts_with("HTTP/1.1 505"));
        assert!(
            served
                .raw(b"GET /\xff HTTP/1.1\r\nHost: localhost\r\n\r\n")
                .starts_with("HTTP/1.1 400")
        );
        let long = "x".repeat(HEAD_LIMIT);
        let answer = served.ask(&format!("GET / HTTP/1.1\r\nCookie: {long}"));
        assert!(answer.starts_with("HTTP/1.1 431"), "{answer}");
        let endless = vec![b'a'; 4 << 20];
        let answer = served.raw(&endless);
        assert!(
            answer.is_empty() || answer.starts_with("HTTP/1.1 431"),
            "{answer}"
        );
        assert!(served.ask("GET / HTTP/1.1").starts_with("HTTP/1.1 200"));
    }

    #[test]
    fn nothing_outside_the_folder_is_served() {
        let served = Served::new("outside");
        for path in [
            "/../secret.txt",
            "/%2e%2e/secret.txt",
            "/%2e%2e%2fsecret.txt",
            "/..%2fsecret.txt",
            "/.%2e/secret.txt",
            "/%252e%252e/secret.txt",
            "/a/../../secret.txt",
            "//../secret.txt",
            "/%00/secret.txt",
            "/%c0%ae%c0%ae/secret.txt",
            "http://localhost/../secret.txt",
            "*",
        ] {
            let answer = served.ask(&format!("GET {path} HTTP/1.1"));
            assert!(answer.starts_with("HTTP/1.1 404"), "{path}: {answer}");
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::symlink;
            let site = served.folder.join("site");
            symlink(served.folder.join("secret.txt"), site.join("link.txt")).unwrap();
            symlink(&served.folder, site.join("folder")).unwrap();
            symlink("index.html", site.join("inner.html")).unwrap();
            symlink("/dev/zero", site.join("zero")).unwrap();
            for path in ["/link.txt", "/folder/secret.txt", "/folder", "/zero"] {
                let answer = served.ask(&format!("GET {path} HTTP/1.1"));
                assert!(answer.starts_with("HTTP/1.1 404"), "{path}: {answer}");
            }
            assert!(
                served
                    .ask("GET /inner.html HTTP/1.1")
                    .starts_with("HTTP/1.1 200")
            );
        }
    }

    #[test]
    fn requests_that_never_end_keep_nobody_out() {
        let served = Served::new("half");
        let half: Vec<TcpStream> = (0..500)
            .filter_map(|_| {
                let mut stream = TcpStream::connect(served.address).ok()?;
                stream.write_all(b"GET / HTTP/1.1\r\nHost: loc").ok()?;
                Some(stream)
            })
            .collect();
        assert!(half.len() > 400);
        let began = Instant::now();
        for _ in 0..10 {
            assert!(served.ask("GET / HTTP/1.1").starts_with("HTTP/1.1 200"));
        }
        assert!(began.elapsed() < HEAD_TIME / 2, "{:?}", began.elapsed());
        #[cfg(target_os = "linux")]
        {
            let status = std::fs::read_to_string("/proc/self/status").unwrap();
            let threads = status
                .lines()
                .find_map(|line| line.strip_prefix("Threads:"))
                .unwrap();
            let threads: usize = threads.trim().parse().unwrap();
            assert!(threads < 3 * CONNECTIONS, "{threads} threads");
        }
        drop(half);
    }
}
