//! Hostile requests: a server that holds prompts and models must refuse or survive each.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use atelier_server::{
    CONNECTIONS, Files, Folder, Found, HEAD_LIMIT, HEAD_TIME, OpenedSite, POLICY, Passing, Server,
};

/// A small site that is served for the rest of the tests, and what lies outside it.
struct Served {
    folder: tempfile::TempDir,
    address: SocketAddr,
}

impl Served {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let site = folder.path().join("site");
        std::fs::create_dir_all(&site).expect("a site");
        std::fs::write(site.join("index.html"), "atelier ".repeat(100)).expect("a page");
        std::fs::write(folder.path().join("secret.txt"), "secret").expect("a secret");
        let server = Server::bind(0).expect("a port");
        let address = server.address().expect("an address");
        let files = Arc::new(Folder::new(&site).expect("the site"));
        std::thread::spawn(move || server.serve(files, Some(POLICY)));
        Self { folder, address }
    }

    fn put(&self, name: &str, content: &[u8]) {
        let file = self.folder.path().join("site").join(name);
        std::fs::write(file, content).expect("a file");
    }

    /// The answer to a head without its `Host`.
    fn ask(&self, head: &str) -> String {
        self.raw(format!("{head}\r\nHost: localhost\r\n\r\n").as_bytes())
    }

    fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.address).expect("a connection");
        // A server that has heard enough may close before all is sent.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }
}

/// A header's value; headers' names have no case.
fn header<'a>(answer: &'a str, name: &str) -> Option<&'a str> {
    let (head, _) = answer.split_once("\r\n\r\n")?;
    let mut pairs = head.lines().filter_map(|line| line.split_once(": "));
    let found = pairs.find(|(key, _)| key.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value)
}

fn body(answer: &str) -> &str {
    answer.split_once("\r\n\r\n").map_or("", |(_, body)| body)
}

#[test]
fn a_file_arrives_compressed_when_asked() {
    let served = Served::new();
    let ask = |head: &str| served.ask(head);
    assert!(ask("GET / HTTP/1.1").ends_with("atelier atelier "));
    let small = ask("GET / HTTP/1.1\r\nAccept-Encoding: gzip, br");
    assert_eq!(header(&small, "content-encoding"), Some("gzip"));
    assert!(body(&small).len() < 200, "{small}");
    assert!(ask("GET /missing.js HTTP/1.1").starts_with("HTTP/1.1 404"));
    let head = ask("HEAD / HTTP/1.1");
    assert!(head.ends_with("\r\n\r\n"), "{head}");
    assert_eq!(header(&head, "content-length"), Some("800"));
    // The compressed copy is dropped when the file changes.
    served.put("index.html", b"changed");
    let small = ask("GET / HTTP/1.1\r\nAccept-Encoding: gzip");
    assert_ne!(header(&small, "content-length"), None);
    assert!(ask("GET / HTTP/1.1").ends_with("changed"));
}

/// A report was compressed anew for every request: 2 s for 27 MB, which are sent in 0.02 s.
#[test]
fn an_opened_report_is_sent_as_it_is() {
    let served = Served::new();
    let page = Folder::new(&served.folder.path().join("site")).expect("the site");
    let mut site = OpenedSite::new(page).expect("a site");
    let report = "1.25, ".repeat(1000);
    site.open_report("a.atelier.json".to_owned(), report.clone().into_bytes());
    let path = site.query().replace("?report=", "/");
    let server = Server::bind(0).expect("a port");
    let served = Served { address: server.address().expect("an address"), ..served };
    std::thread::spawn(move || server.serve(Arc::new(site), Some(POLICY)));
    let answer = served.ask(&format!("GET {path} HTTP/1.1\r\nAccept-Encoding: gzip"));
    assert_eq!(header(&answer, "content-encoding"), None, "{path}");
    assert!(body(&answer) == report, "{path}");
}

/// Each start of the page waited for its programs to be compressed, 8 MB of them, by a program that was hardly
/// optimised.
#[test]
fn a_page_that_is_served_for_a_while_is_sent_as_it_is() {
    let served = Served::new();
    served.put("page_bg.wasm", &[7; 100_000]);
    let site = OpenedSite::new(Folder::new(&served.folder.path().join("site")).expect("the site"));
    let files = Arc::new(Passing(site.expect("a site")));
    let server = Server::bind(0).expect("a port");
    let served = Served { address: server.address().expect("an address"), ..served };
    std::thread::spawn(move || server.serve(files, Some(POLICY)));
    let answer = served.ask("GET /page_bg.wasm HTTP/1.1\r\nAccept-Encoding: gzip");
    assert_eq!(header(&answer, "content-encoding"), None);
    assert_eq!(header(&answer, "content-length"), Some("100000"));
}

/// A pipe in a file's place was waited for, in one of a few threads: after some dozens nobody was answered.
#[cfg(unix)]
#[test]
fn a_pipe_in_a_files_place_is_not_waited_for() {
    let served = Served::new();
    let make = |name: &str| {
        let pipe = served.folder.path().join("site").join(name);
        assert!(std::process::Command::new("mkfifo").arg(pipe).status().expect("mkfifo").success());
    };
    ["model.safetensors", "hub.html"].into_iter().for_each(make);
    let opened = Arc::new(Opened(served.folder.path().join("site")));
    let server = Server::bind(0).expect("a port");
    let served = Served { address: server.address().expect("an address"), ..served };
    std::thread::spawn(move || server.serve(opened, Some(POLICY)));
    for file in ["model.safetensors", "hub.html"] {
        for more in ["", "\r\nAccept-Encoding: gzip", "\r\nRange: bytes=0-9"] {
            let answer = served.ask(&format!("GET /{file} HTTP/1.1{more}"));
            assert!(answer.starts_with("HTTP/1.1 404"), "{file}{more}: {answer}");
        }
    }
}

/// Files that were there when the program looked: as those of an opened model, which may be replaced later.
struct Opened(std::path::PathBuf);

impl Files for Opened {
    fn find(&self, path: &str) -> Option<Found> {
        Some(Found::File(self.0.join(path)))
    }
}

#[test]
fn a_part_of_a_file_is_what_was_asked_for() {
    let served = Served::new();
    let bytes: Vec<u8> = (0..1_000_000_u32).map(|i| b'a' + (i % 26) as u8).collect();
    served.put("model.safetensors", &bytes);
    let part =
        |range: &str| served.ask(&format!("GET /model.safetensors HTTP/1.1\r\nRange: {range}"));
    let whole = served.ask("GET /model.safetensors HTTP/1.1\r\nAccept-Encoding: gzip");
    assert!(body(&whole).as_bytes() == bytes, "the whole file");
    assert_eq!(header(&whole, "accept-ranges"), Some("bytes"));
    for (range, start, end) in [
        ("bytes=0-0", 0, 1),
        ("bytes=10-600009", 10, 600_010),
        ("bytes=999999-", 999_999, 1_000_000),
        ("bytes=-5", 999_995, 1_000_000),
    ] {
        let answer = part(range);
        assert!(answer.starts_with("HTTP/1.1 206"), "{range}");
        assert!(body(&answer).as_bytes() == &bytes[start..end], "{range}");
        let said = format!("bytes {start}-{}/1000000", end - 1);
        assert_eq!(header(&answer, "content-range"), Some(said.as_str()));
    }
    for nowhere in ["bytes=1000000-", "bytes=5-1", "bytes=x", "bytes=1000000-2000000"] {
        let answer = part(nowhere);
        assert!(answer.starts_with("HTTP/1.1 416"), "{nowhere}: {answer}");
        assert_eq!(header(&answer, "content-range"), Some("bytes */1000000"));
    }
    // Several at once and other units may be answered with the whole.
    for whole in ["bytes=0-1,5-6", "pages=1-2"] {
        let answer = part(whole);
        assert!(answer.starts_with("HTTP/1.1 200"), "{whole}");
        assert!(body(&answer).as_bytes() == bytes, "{whole}");
    }
    // A range of what could be compressed is a range of the file.
    let range = "GET / HTTP/1.1\r\nAccept-Encoding: gzip\r\nRange: bytes=0-6";
    let answer = served.ask(range);
    assert_eq!(header(&answer, "content-encoding"), None);
    assert_eq!(body(&answer), "atelier");
}

#[test]
fn every_answer_says_what_pages_and_workers_may_do() {
    let served = Served::new();
    for file in ["worker.js", "embed.html"] {
        served.put(file, b"1");
    }
    let ask = |path: &str| served.ask(&format!("GET {path} HTTP/1.1"));
    for path in ["/", "/worker.js", "/missing", "/embed.html"] {
        let answer = ask(path);
        let policy = header(&answer, "content-security-policy").unwrap_or_default();
        assert!(policy.contains("connect-src 'self';"), "{path}: {answer}");
        assert!(policy.ends_with("frame-ancestors 'none'"), "{path}: {answer}");
        assert_eq!(header(&answer, "x-frame-options"), Some("DENY"), "{path}");
        let shared = header(&answer, "cross-origin-resource-policy");
        assert_eq!(shared, Some("same-origin"), "{path}");
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    // The document of downloads may ask what its own tag names, and be framed by the page.
    let document = std::fs::read(root.join("web/hub.html")).expect("the document");
    let below = served.folder.path().join("site/below");
    std::fs::create_dir(below).expect("a folder");
    for path in ["hub.html", "below/hub.html"] {
        served.put(path, &document);
        let answer = ask(&format!("/{path}"));
        let policy = header(&answer, "content-security-policy").unwrap_or_default();
        assert!(policy.contains("connect-src 'self' https://"), "{answer}");
        assert!(policy.ends_with("frame-ancestors 'self'"), "{answer}");
        assert_eq!(header(&answer, "x-frame-options"), Some("SAMEORIGIN"));
    }
    // The server sends the policy of the page's own tag with all files that it loads.
    let page = std::fs::read_to_string(root.join("index.html")).expect("the page");
    assert!(page.contains(&format!("content=\"{POLICY}\"")));
}

#[test]
fn names_of_other_sites_are_refused() {
    let served = Served::new();
    let with = |host: &str| served.raw(format!("GET / HTTP/1.1\r\n{host}\r\n\r\n").as_bytes());
    for host in ["localhost", "LocalHost:8080", "127.0.0.1", "127.0.0.1:9", "[::1]:8080", "[::1]"] {
        let answer = with(&format!("Host: {host}"));
        assert!(answer.starts_with("HTTP/1.1 200"), "{host}: {answer}");
    }
    for host in [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example:8080",
        "localhost:x",
        "localhost:",
        "",
    ] {
        let answer = with(&format!("Host: {host}"));
        assert!(answer.starts_with("HTTP/1.1 421"), "{host}: {answer}");
    }
    assert!(with("Accept: */*").starts_with("HTTP/1.1 400"));
    assert!(with("Host: localhost\r\nHost: evil.example").starts_with("HTTP/1.1 400"));
    // A whole address names its own host.
    let answer = served.ask("GET http://evil.example/ HTTP/1.1");
    assert!(answer.starts_with("HTTP/1.1 421"), "{answer}");
    let answer = served.ask("GET http://localhost/ HTTP/1.1");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[test]
fn other_methods_and_broken_heads_are_refused() {
    let served = Served::new();
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE", "get"] {
        let answer = served.ask(&format!("{method} / HTTP/1.1"));
        assert!(answer.starts_with("HTTP/1.1 405"), "{method}: {answer}");
        assert_eq!(header(&answer, "allow"), Some("GET, HEAD"));
    }
    for head in [
        "GET /",
        "GET  / HTTP/1.1",
        "",
        "GET / HTTP/1.1 x",
        "GET / HTTP/1.1\r\nno colon",
        "GET / HTTP/2",
    ] {
        let answer = served.ask(head);
        assert!(answer.starts_with("HTTP/1.1 400"), "{head}: {answer}");
    }
    let answer = served.raw(b"GET /\xff HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 4"), "{answer}");
    let long = "x".repeat(HEAD_LIMIT);
    let answer = served.ask(&format!("GET / HTTP/1.1\r\nCookie: {long}"));
    assert!(answer.starts_with("HTTP/1.1 431"), "{answer}");
    let many: String = (0..200).map(|i| format!("\r\nX-{i}: x")).collect();
    let answer = served.ask(&format!("GET / HTTP/1.1{many}"));
    assert!(answer.starts_with("HTTP/1.1 431"), "{answer}");
    let endless = vec![b'a'; 4 << 20];
    let answer = served.raw(&endless);
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431"), "{answer}");
    assert!(served.ask("GET / HTTP/1.1").starts_with("HTTP/1.1 200"));
}

#[test]
fn nothing_outside_the_folder_is_served() {
    let served = Served::new();
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
        let folder = served.folder.path();
        let site = folder.join("site");
        let link = |to: &Path, name: &str| symlink(to, site.join(name)).expect("a link");
        link(&folder.join("secret.txt"), "link.txt");
        link(folder, "folder");
        link(Path::new("index.html"), "inner.html");
        link(Path::new("/dev/zero"), "zero");
        for path in ["/link.txt", "/folder/secret.txt", "/folder", "/zero"] {
            let answer = served.ask(&format!("GET {path} HTTP/1.1"));
            assert!(answer.starts_with("HTTP/1.1 404"), "{path}: {answer}");
        }
        let inner = served.ask("GET /inner.html HTTP/1.1");
        assert!(inner.starts_with("HTTP/1.1 200"), "{inner}");
    }
}

#[test]
fn requests_that_never_end_keep_nobody_out() {
    let served = Served::new();
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
        let status = std::fs::read_to_string("/proc/self/status").expect("this process");
        let threads =
            status.lines().find_map(|line| line.strip_prefix("Threads:")).expect("its threads");
        let threads: usize = threads.trim().parse().expect("a number");
        assert!(threads < 3 * CONNECTIONS, "{threads} threads");
    }
    drop(half);
}

#[test]
fn a_head_that_comes_a_letter_at_a_time_is_given_up() {
    let served = Served::new();
    let mut stream = TcpStream::connect(served.address).expect("a connection");
    let began = Instant::now();
    let every = Duration::from_millis(250);
    stream.set_read_timeout(Some(every)).expect("a time-out");
    stream.write_all(b"GET / HTTP/1.1\r\nX: ").expect("a beginning");
    loop {
        let mut byte = [0];
        // Bytes, an end, or an end in anger: given up; a time-out: it still listens.
        match stream.read(&mut byte) {
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            _ => break,
        }
        if stream.write_all(b"x").is_err() {
            break;
        }
        assert!(began.elapsed() < 2 * HEAD_TIME, "it listens for ever");
    }
    assert!(began.elapsed() > HEAD_TIME / 2, "{:?}", began.elapsed());
}
