//! Serves `dist/` to this machine, compressed where that helps, as a static host would.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use crate::command::Stop;
use crate::page::gzip;

const PORT: u16 = 8080;

/// Longest request head that is read: more is no browser.
const HEAD_LIMIT: u64 = 16 * 1024;

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
    let address = listener
        .local_addr()
        .map_err(|error| Stop::new(format!("The server has no address: {error}.")))?;
    let url = format!("http://{address}/");
    println!("atelier is at {url} (Ctrl-C ends it)");
    if open {
        open_browser(&url);
    }
    let site = Arc::new(Site {
        folder: folder.to_path_buf(),
        packed: Mutex::default(),
    });
    for stream in listener.incoming().flatten() {
        let site = Arc::clone(&site);
        // A browser that goes away in the middle of an answer is no matter.
        std::thread::spawn(move || site.answer(stream));
    }
    Ok(())
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
    packed: Mutex<HashMap<PathBuf, Packed>>,
}

impl Site {
    fn answer(&self, mut stream: TcpStream) -> std::io::Result<()> {
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        let mut lines = BufReader::new(stream.try_clone()?.take(HEAD_LIMIT)).lines();
        let Some(first) = lines.next() else {
            return Ok(());
        };
        let first = first?;
        let mut compressed = false;
        for line in lines {
            let line = line?.to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(accepted) = line.strip_prefix("accept-encoding:") {
                compressed = accepted.contains("gzip");
            }
        }
        let mut words = first.split(' ');
        let (method, target) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
        if method != "GET" && method != "HEAD" {
            return write_head(
                &mut stream,
                "405 Method Not Allowed",
                "text/plain",
                0,
                false,
            );
        }
        let file = local_path(target).map(|path| self.folder.join(path));
        let file = file.map(|path| {
            if path.is_dir() {
                path.join("index.html")
            } else {
                path
            }
        });
        let read = file
            .as_ref()
            .and_then(|path| Some((path, std::fs::read(path).ok()?)));
        let Some((path, plain)) = read else {
            let text = b"There is no such file here.\n";
            write_head(
                &mut stream,
                "404 Not Found",
                "text/plain",
                text.len(),
                false,
            )?;
            return if method == "GET" {
                stream.write_all(text)
            } else {
                Ok(())
            };
        };
        let mime = mime(path);
        let compressed = compressed && shrinks(mime);
        let body = if compressed {
            self.pack(path, plain)?
        } else {
            Arc::new(plain)
        };
        write_head(&mut stream, "200 OK", mime, body.len(), compressed)?;
        if method == "GET" {
            stream.write_all(&body)
        } else {
            Ok(())
        }
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

fn write_head(
    stream: &mut TcpStream,
    status: &str,
    mime: &str,
    length: usize,
    compressed: bool,
) -> std::io::Result<()> {
    let encoding = if compressed {
        "Content-Encoding: gzip\r\n"
    } else {
        ""
    };
    // `no-cache` asks again each time: whoever serves from a clone is changing it.
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {mime}\r\nContent-Length: {length}\r\n{encoding}\
         Vary: Accept-Encoding\r\nCache-Control: no-cache\r\nX-Content-Type-Options: nosniff\r\n\
         Connection: close\r\n\r\n"
    )
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

    #[test]
    fn a_file_arrives_compressed_when_asked() {
        let folder = std::env::temp_dir().join(format!("atelier-serve-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("index.html"), "atelier ".repeat(100)).unwrap();
        let listener = listen(0).unwrap();
        let address = listener.local_addr().unwrap();
        let served = folder.clone();
        std::thread::spawn(move || serve(listener, &served, false));
        let ask = |head: &str| {
            let mut stream = TcpStream::connect(address).unwrap();
            write!(stream, "{head}\r\n\r\n").unwrap();
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer).unwrap();
            String::from_utf8_lossy(&answer).into_owned()
        };
        assert!(ask("GET / HTTP/1.1").ends_with("atelier atelier "));
        let small = ask("GET / HTTP/1.1\r\nAccept-Encoding: gzip, br");
        assert!(small.contains("Content-Encoding: gzip") && small.len() < 400);
        assert!(ask("GET /missing.js HTTP/1.1").starts_with("HTTP/1.1 404"));
        assert!(ask("POST / HTTP/1.1").starts_with("HTTP/1.1 405"));
        assert!(ask("HEAD / HTTP/1.1").ends_with("\r\n\r\n"));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
