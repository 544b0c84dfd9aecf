//! A server of folders, for a browser in a bench.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;

/// Serves folders by the beginnings of paths, on a free port, until the program ends.
pub fn serve(folders: Vec<(&'static str, PathBuf)>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("its number").port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let folders = folders.clone();
            std::thread::spawn(move || answer(stream, &folders));
        }
    });
    port
}

/// One request a connection; the browser alone asks.
fn answer(mut stream: TcpStream, folders: &[(&str, PathBuf)]) -> Option<()> {
    let mut lines = BufReader::new(stream.try_clone().ok()?).lines();
    let request = lines.next()?.ok()?;
    while !lines.next()?.ok()?.is_empty() {}
    let path = request.split([' ', '?']).nth(1)?;
    let (start, folder) = folders.iter().find(|(start, _)| path.starts_with(start))?;
    let file = folder.join(&path[start.len()..]);
    let body = std::fs::read(&file).unwrap_or_default();
    let status = if file.is_file() { "200 OK" } else { "404 Not Found" };
    let kind = match file.extension().and_then(|e| e.to_str()) {
        Some("html") => "text/html",
        Some("js" | "mjs") => "text/javascript",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    };
    // Isolated, so that the clock is not made coarse and threads are allowed.
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\
         Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Embedder-Policy: require-corp\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(&body).ok()
}
