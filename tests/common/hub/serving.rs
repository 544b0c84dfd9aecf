//! One connection: a request's head, the answer to it, and what goes wrong on the way.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::Mutex;
use std::time::Duration;

use super::answer::{self, Answer};
use super::{Fault, Origin, Rule, Seen, Shelf};

pub fn serve(
    stream: TcpStream,
    origin: Origin,
    shelf: &Mutex<Shelf>,
    cdn: SocketAddr,
) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(20)))?;
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut words = line.split_whitespace().map(str::to_owned);
    let (Some(method), Some(path)) = (words.next(), words.next()) else { return Ok(()) };
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        match line.trim_end().split_once(':') {
            Some((name, value)) => headers.insert(name.to_lowercase(), value.trim().to_owned()),
            None => break,
        };
    }
    let length = headers.get("content-length").and_then(|text| text.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    let seen = Seen { origin, method, path, headers, bytes: 0 };
    let (answer, fault) = {
        let mut shelf = shelf.lock().expect("the shelf");
        if shelf.is_gone {
            return Ok(());
        }
        let fault = shelf.fault(&seen);
        let answer = answer::to(&seen, &shelf.places, cdn, fault.as_ref());
        let bytes = answer.body.len();
        shelf.seen.push(Seen { bytes, ..seen.clone() });
        (answer, fault)
    };
    let mut stream = reader.into_inner();
    let is_gone = || shelf.lock().is_ok_and(|shelf| shelf.is_gone);
    write(&mut stream, &seen, &answer, fault.as_ref(), &is_gone)?;
    stream.shutdown(Shutdown::Write)?;
    stream.set_read_timeout(Some(Duration::from_millis(200)))?;
    std::io::copy(&mut stream.take(1 << 16), &mut std::io::sink())?;
    Ok(())
}

impl Shelf {
    fn fault(&mut self, seen: &Seen) -> Option<Fault> {
        let is_meant = |rule: &&mut Rule| {
            rule.times > 0
                && rule.origin == seen.origin
                && seen.path.contains(&rule.path)
                && seen.method != "OPTIONS"
        };
        let rule = self.rules.iter_mut().find(is_meant)?;
        rule.times -= 1;
        Some(rule.fault.clone())
    }
}

fn write(
    stream: &mut TcpStream,
    seen: &Seen,
    answer: &Answer,
    fault: Option<&Fault>,
    is_gone: &dyn Fn() -> bool,
) -> std::io::Result<()> {
    if matches!(fault, Some(Fault::Silent)) {
        return until_closed(stream, is_gone);
    }
    let mut head = format!("HTTP/1.1 {} .\r\nConnection: close\r\n", answer.status);
    for (name, value) in &answer.headers {
        head += &format!("{name}: {value}\r\n");
    }
    let length = answer.body.len();
    head += &format!("Content-Length: {length}\r\n\r\n");
    stream.write_all(head.as_bytes())?;
    if seen.method == "HEAD" {
        return Ok(());
    }
    match fault {
        Some(Fault::Cut(after)) => {
            stream.write_all(&answer.body[..(*after).min(length)])?;
            // Who reads has what was sent before it hears of the end.
            std::thread::sleep(Duration::from_secs(1));
            Ok(())
        }
        Some(Fault::Still(after)) => {
            stream.write_all(&answer.body[..(*after).min(length)])?;
            until_closed(stream, is_gone)
        }
        Some(Fault::Slow(rate)) => {
            for piece in answer.body.chunks((rate / 20).max(1)) {
                if is_gone() {
                    return Ok(());
                }
                stream.write_all(piece)?;
                std::thread::sleep(Duration::from_millis(50));
            }
            Ok(())
        }
        _ => stream.write_all(&answer.body),
    }
}

/// Waits until the other end gives up.
fn until_closed(stream: &mut TcpStream, is_gone: &dyn Fn() -> bool) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_millis(100)))?;
    while !is_gone() {
        match stream.read(&mut [0]) {
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            ended => return ended.map(|_| ()),
        }
    }
    Ok(())
}
