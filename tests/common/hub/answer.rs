//! Answers of the two origins, as the real ones give them.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

use serde_json::json;

use super::{Fault, LARGE, Origin, PAGE, Place, Seen, TOKEN, git, sha256};

pub struct Answer {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

/// Headers of the hub's answers that pages may read.
const EXPOSED: &str = "X-Repo-Commit,X-Request-Id,X-Error-Code,X-Error-Message,X-Total-Count,ETag,Link,Accept-Ranges,Content-Range,X-Linked-Size,X-Linked-ETag,X-Xet-Hash";

type Places = BTreeMap<String, Place>;
type Bytes = Arc<Vec<u8>>;

pub fn to(seen: &Seen, places: &Places, cdn: SocketAddr, fault: Option<&Fault>) -> Answer {
    let mut answer = match fault {
        Some(Fault::Status { status, headers, .. }) => Answer {
            status: *status,
            headers: headers.clone(),
            body: b"{\"error\":\"as told\"}".to_vec(),
        },
        Some(Fault::Elsewhere(to)) => redirect(302, to.clone()),
        _ if seen.method == "OPTIONS" => preflight(seen),
        _ => match seen.origin {
            Origin::Hub => of_hub(seen, places, cdn, fault),
            Origin::Cdn => of_cdn(seen, places, fault),
        },
    };
    if !matches!(fault, Some(Fault::Status { cors: false, .. })) {
        let own = seen.headers.get("origin");
        match (seen.origin, own) {
            // The hub names who asks; the CDN does not ask who it is.
            (Origin::Hub, Some(own)) => {
                answer.headers.push(("Access-Control-Allow-Origin", own.clone()));
                answer.headers.push(("Vary", "Origin".into()));
            }
            (Origin::Hub, None) => {
                answer.headers.push(("Access-Control-Allow-Origin", "https://hub.test".into()))
            }
            (Origin::Cdn, _) => answer.headers.push(("Access-Control-Allow-Origin", "*".into())),
        }
        answer.headers.push(("Access-Control-Expose-Headers", EXPOSED.into()));
    }
    answer
}

/// The hub lets a preflight pass, the CDN does not.
fn preflight(seen: &Seen) -> Answer {
    let status = if seen.origin == Origin::Hub { 200 } else { 403 };
    Answer {
        status,
        headers: vec![("Access-Control-Allow-Headers", "authorization, range".into())],
        body: Vec::new(),
    }
}

fn of_hub(seen: &Seen, places: &Places, cdn: SocketAddr, fault: Option<&Fault>) -> Answer {
    let (path, query) = seen.path.split_once('?').unwrap_or((&seen.path, ""));
    let parts: Vec<String> = path.trim_start_matches('/').split('/').map(decoded).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    match parts.as_slice() {
        ["api", "models", owner, name] => {
            let repo = format!("{owner}/{name}");
            match place(places, &repo, "main") {
                Ok((place, at, files)) => info(&repo, place, at, files),
                Err(answer) => answer,
            }
        }
        ["api", "models", owner, name, "revision", revision] => {
            let repo = format!("{owner}/{name}");
            match place(places, &repo, revision) {
                Ok((place, at, files)) => info(&repo, place, at, files),
                Err(answer) => answer,
            }
        }
        ["api", "models", owner, name, "tree", revision, ..] => {
            let repo = format!("{owner}/{name}");
            match place(places, &repo, revision) {
                Ok((place, ..)) if place.is_gated && !has_token(seen) => gated(),
                Ok((_, _, files)) => tree(seen, path, query, files, fault),
                Err(answer) => answer,
            }
        }
        [owner, name, "resolve", revision, file @ ..] => {
            let repo = format!("{owner}/{name}");
            match place(places, &repo, revision) {
                Ok((place, ..)) if place.is_gated && !has_token(seen) => gated(),
                Ok((place, at, files)) => {
                    let commit = place.commit(at);
                    resolve(seen, cdn, &commit, files.get(&file.join("/")), fault)
                }
                Err(answer) => answer,
            }
        }
        _ => refused(404, "EntryNotFound", "Entry not found"),
    }
}

fn place<'a>(
    places: &'a Places,
    repo: &str,
    revision: &str,
) -> Result<(&'a Place, &'a str, &'a BTreeMap<String, Bytes>), Answer> {
    let place = places.get(repo).ok_or_else(|| Answer {
        status: 401,
        headers: vec![("X-Error-Message", "Invalid username or password.".into())],
        body: b"Invalid username or password.".to_vec(),
    })?;
    let mut revisions = place.revisions.iter();
    let found = revisions.find(|(name, _)| *name == revision || place.commit(name) == revision);
    let (name, files) = found.ok_or_else(|| refused(404, "RevisionNotFound", "Invalid rev id"))?;
    Ok((place, name, files))
}

fn info(repo: &str, place: &Place, revision: &str, files: &BTreeMap<String, Bytes>) -> Answer {
    let gated = if place.is_gated { json!("manual") } else { json!(false) };
    let siblings: Vec<_> = files.keys().map(|path| json!({ "rfilename": path })).collect();
    let answer = json!({
        "_id": "0", "id": repo, "modelId": repo, "sha": place.commit(revision), "private": false, "gated": gated,
        "disabled": false, "downloads": 0, "likes": 0, "tags": [format!("license:{}", place.licence)],
        "cardData": { "license": place.licence }, "siblings": siblings,
    });
    short(&answer.to_string())
}

fn tree(
    seen: &Seen,
    path: &str,
    query: &str,
    files: &BTreeMap<String, Bytes>,
    fault: Option<&Fault>,
) -> Answer {
    let cursor = query.split('&').find_map(|pair| pair.strip_prefix("cursor="));
    let from: usize = cursor.and_then(|cursor| cursor.parse().ok()).unwrap_or(0);
    let entries = files.iter().skip(from).take(PAGE).map(|(path, bytes)| {
        if bytes.len() < LARGE {
            return json!({ "type": "file", "path": path, "size": bytes.len(), "oid": git(bytes) });
        }
        let oid = sha256(bytes);
        let lfs = json!({ "oid": oid, "size": bytes.len(), "pointerSize": 134 });
        json!({ "type": "file", "path": path, "size": bytes.len(), "oid": "0".repeat(40), "lfs": lfs })
    });
    let mut answer = short(&serde_json::Value::from(entries.collect::<Vec<_>>()).to_string());
    if from + PAGE < files.len() {
        let host = seen.headers.get("host").cloned().unwrap_or_default();
        let own = format!("http://{host}{path}?recursive=true&cursor={}", from + PAGE);
        let next = match fault {
            Some(Fault::NextAt(elsewhere)) => elsewhere.clone(),
            _ => own,
        };
        answer.headers.push(("Link", format!("<{next}>; rel=\"next\"")));
    }
    if let Some(Fault::Longer(more)) = fault {
        answer.body.resize(answer.body.len() + more, b' ');
    }
    answer
}

fn resolve(
    seen: &Seen,
    cdn: SocketAddr,
    commit: &str,
    file: Option<&Bytes>,
    fault: Option<&Fault>,
) -> Answer {
    let Some(bytes) = file else { return refused(404, "EntryNotFound", "Entry not found") };
    let mut answer = if bytes.len() < LARGE {
        let mut answer = ranged(seen, bytes, fault);
        answer.headers.push(("ETag", format!("\"{}\"", git(bytes))));
        answer
    } else {
        let oid = sha256(bytes);
        let mut answer = redirect(302, format!("http://{cdn}/{oid}?X-Signature=short-lived"));
        answer.headers.push(("X-Linked-Size", bytes.len().to_string()));
        answer.headers.push(("X-Linked-ETag", format!("\"{oid}\"")));
        answer
    };
    answer.headers.push(("X-Repo-Commit", commit.to_owned()));
    answer.headers.push(("Accept-Ranges", "bytes".into()));
    answer
}

fn of_cdn(seen: &Seen, places: &Places, fault: Option<&Fault>) -> Answer {
    let oid = seen.path.trim_start_matches('/').split('?').next().unwrap_or_default();
    let files = places.values().flat_map(|place| place.revisions.values().flatten());
    let found =
        files.map(|(_, bytes)| bytes).find(|bytes| bytes.len() >= LARGE && sha256(bytes) == oid);
    match found {
        Some(bytes) => {
            let mut answer = ranged(seen, bytes, fault);
            // Of the CDN's own making: no hash.
            answer.headers.push(("ETag", "\"cdn-1\"".into()));
            answer
        }
        None => refused(403, "AccessDenied", "Access Denied"),
    }
}

/// The bytes, or the part of them that was asked for.
fn ranged(seen: &Seen, bytes: &[u8], fault: Option<&Fault>) -> Answer {
    let mut bytes = bytes.to_vec();
    match fault {
        Some(Fault::WrongByte(at)) => bytes[*at] ^= 1,
        Some(Fault::Longer(more)) => bytes.extend(vec![0; *more]),
        _ => {}
    }
    let asked = seen.headers.get("range").and_then(|range| {
        let (from, to) = range.strip_prefix("bytes=")?.split_once('-')?;
        let to = if to.is_empty() { bytes.len() } else { to.parse::<usize>().ok()? + 1 };
        Some((from.parse::<usize>().ok()?, to.min(bytes.len())))
    });
    match asked.filter(|_| !matches!(fault, Some(Fault::WholeAlways))) {
        None => Answer { status: 200, headers: Vec::new(), body: bytes },
        Some((from, to)) if from < to => {
            let total = match fault {
                Some(Fault::Total(total)) => (*total).to_owned(),
                _ => bytes.len().to_string(),
            };
            Answer {
                status: 206,
                headers: vec![("Content-Range", format!("bytes {from}-{}/{total}", to - 1))],
                body: bytes[from..to].to_vec(),
            }
        }
        Some(_) => Answer {
            status: 416,
            headers: vec![("Content-Range", format!("bytes */{}", bytes.len()))],
            body: Vec::new(),
        },
    }
}

fn short(json: &str) -> Answer {
    Answer {
        status: 200,
        headers: vec![("Content-Type", "application/json; charset=utf-8".into())],
        body: json.as_bytes().to_vec(),
    }
}

fn redirect(status: u16, to: String) -> Answer {
    Answer { status, headers: vec![("Location", to)], body: Vec::new() }
}

fn gated() -> Answer {
    refused(401, "GatedRepo", "Access to this model is restricted.")
}

fn refused(status: u16, code: &str, message: &str) -> Answer {
    Answer {
        status,
        headers: vec![("X-Error-Code", code.to_owned()), ("X-Error-Message", message.to_owned())],
        body: format!("{{\"error\":\"{message}\"}}").into_bytes(),
    }
}

fn has_token(seen: &Seen) -> bool {
    let asked = seen.headers.get("authorization");
    asked.is_some_and(|asked| asked == &format!("Bearer {TOKEN}"))
}

/// Percent signs and what follows them as the bytes that they stand for.
fn decoded(part: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = part.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let code = (first == b'%').then(|| after.get(..2)).flatten();
        let code =
            code.and_then(|code| u8::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok());
        match code {
            Some(code) => {
                bytes.push(code);
                rest = &after[2..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
