//! `cargo xtask serve`: its options, and `dist/` on the server of `atelier open`.

use std::path::Path;
use std::sync::Arc;

use atelier_server::{Folder, POLICY, Passing, Server, open_browser};

use crate::command::Stop;

const PORT: u16 = 8080;

#[derive(Debug, PartialEq, Eq)]
pub struct Options {
    pub port: u16,
    /// Whether to open a browser.
    pub open: bool,
}

impl Options {
    pub fn parse(words: &[String]) -> Result<Self, Stop> {
        let mut options = Self { port: PORT, open: true };
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
pub fn listen(port: u16) -> Result<Server, Stop> {
    Server::bind(port).map_err(|error| match error.kind() {
        std::io::ErrorKind::AddrInUse => {
            Stop::new(format!("Port {port} is in use by another program."))
                .try_running("cargo xtask serve --port 0")
        }
        _ => Stop::new(format!("Port {port} cannot be used: {error}."))
            .try_running("cargo xtask serve --port 0"),
    })
}

/// Serves a folder until the program is ended.
pub fn serve(server: Server, folder: &Path, open: bool) -> Result<(), Stop> {
    let address = server
        .address()
        .map_err(|error| Stop::new(format!("The server has no address: {error}.")))?;
    let unserved = |error| Stop::new(format!("{} cannot be served: {error}.", folder.display()));
    let files = Folder::new(folder).map_err(unserved)?;
    let url = format!("http://{address}/");
    println!("atelier is at {url} (Ctrl-C ends it)");
    if open && !open_browser(&url) {
        println!("There is no desktop here to open a browser on: open that address by hand.");
    }
    server.serve(Arc::new(Passing(files)), Some(POLICY)).map_err(unserved)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{SocketAddr, TcpListener};
    use std::path::PathBuf;
    use std::process::{Command, Stdio};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    fn options(words: &[&str]) -> Result<Options, String> {
        let words: Vec<String> = words.iter().map(|word| word.to_string()).collect();
        Options::parse(&words).map_err(|stop| stop.to_string())
    }

    #[test]
    fn options_are_read_in_any_order() {
        assert_eq!(options(&[]), Ok(Options { port: PORT, open: true }));
        let want = Ok(Options { port: 9000, open: false });
        assert_eq!(options(&["--port", "9000", "--no-open"]), want);
        assert_eq!(options(&["--no-open", "--port=9000"]), want);
        assert!(options(&["--port"]).is_err_and(|why| why.contains("needs a number")));
        assert!(options(&["--port", "70000"]).is_err_and(|why| why.contains("`70000` is no port")));
        assert!(options(&["--fast"]).is_err_and(|why| why.contains("takes no `--fast`")));
    }

    #[test]
    fn a_taken_port_is_one_sentence() {
        let first = listen(0).unwrap();
        let port = first.address().unwrap().port();
        let why = listen(port).err().unwrap().to_string();
        assert!(why.starts_with(&format!("Port {port} is in use by another program.")), "{why}");
    }

    /// A small site that is served for the rest of the tests.
    struct Served {
        folder: PathBuf,
        address: SocketAddr,
    }

    impl Served {
        fn with(name: &str, policy: &'static str) -> Self {
            let folder =
                std::env::temp_dir().join(format!("atelier-{name}-{}", std::process::id()));
            let site = folder.join("site");
            std::fs::create_dir_all(&site).unwrap();
            let server = listen(0).unwrap();
            let address = server.address().unwrap();
            let files = Arc::new(Folder::new(&site).unwrap());
            std::thread::spawn(move || server.serve(files, Some(policy)));
            Self { folder, address }
        }
    }

    impl Drop for Served {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }

    /// Says yes to every request, and how many there were.
    fn stranger() -> (u16, Arc<AtomicUsize>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
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
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"])
            .args(["--enable-logging=stderr", "--disable-dev-shm-usage"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg(format!("http://{}/", served.address))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (send, receive) = std::sync::mpsc::channel();
        let lines = BufReader::new(child.stderr.take().unwrap()).split(b'\n');
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let line = String::from_utf8_lossy(&line);
                let said = line.split_once("WORKER ").and_then(|(_, said)| said.split_once('.'));
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
        // A browser that does not come up says nothing: another one may.
        let tried = |policy| {
            let mut tries = (0..3).map(|_| sent_elsewhere(&chrome, policy));
            tries.find(|(_, said)| !said.is_empty()).unwrap_or_default()
        };
        assert_eq!(tried(POLICY), (0, "stopped".to_string()));
        // The page's own policy does not reach its worker: without the header, it goes.
        assert_eq!(tried("img-src *"), (1, "went".to_string()));
    }
}
