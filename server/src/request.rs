//! The parts of a request that are read, and the requests that are refused. hyper refuses broken and endless
//! ones.

use hyper::header::{ACCEPT_ENCODING, HOST, HeaderMap, HeaderName, RANGE};
use hyper::http::request::Parts;
use hyper::{Method, StatusCode};

/// A request of a browser on this machine.
#[derive(Debug)]
pub struct Wanted {
    /// `None` for a path that leads out of the served files.
    pub path: Option<String>,
    /// Whether the answer may be compressed.
    pub gzip: bool,
    /// The bytes that are asked for, in the header's words.
    pub range: Option<String>,
}

/// Reads a request's head.
///
/// # Errors
/// The request is refused, with this status.
pub fn wanted(head: &Parts) -> Result<Wanted, StatusCode> {
    // Another site's name may be made to lead here; its pages are then no strangers to ours.
    let mut hosts = head.headers.get_all(HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return Err(StatusCode::BAD_REQUEST);
    };
    let written = head.uri.authority().map(|authority| authority.as_str());
    let is_here = |host: &str| is_here(host.trim());
    if !host.to_str().is_ok_and(is_here) || !written.is_none_or(is_here) {
        return Err(StatusCode::MISDIRECTED_REQUEST);
    }
    if ![Method::GET, Method::HEAD].contains(&head.method) {
        return Err(StatusCode::METHOD_NOT_ALLOWED);
    }
    let accepted = text(&head.headers, ACCEPT_ENCODING).unwrap_or_default();
    Ok(Wanted {
        path: local_path(head.uri.path()),
        gzip: accepted.to_ascii_lowercase().contains("gzip"),
        range: text(&head.headers, RANGE).map(str::to_owned),
    })
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

/// Whether `host` is a loopback name of this machine, with any port.
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

/// The file that a request's path names, its parts joined by `/`: empty for the root, `None` when it
/// points elsewhere or is no path.
fn local_path(path: &str) -> Option<String> {
    let path = percent_decode(path.strip_prefix('/')?)?;
    let mut parts = Vec::new();
    for part in path.split('/') {
        // A colon or a backslash would start a path of its own on Windows.
        if part == ".." || part.contains(['\\', ':', '\0']) {
            return None;
        }
        if !part.is_empty() && part != "." {
            parts.push(part);
        }
    }
    Some(parts.join("/"))
}

fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                if !digits.iter().all(u8::is_ascii_hexdigit) {
                    return None;
                }
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_below_the_root_are_paths() {
        let path = |text: &str| local_path(text);
        assert_eq!(path("/").as_deref(), Some(""));
        assert_eq!(path("/a/./b.js").as_deref(), Some("a/b.js"));
        assert_eq!(path("/a%20b.js").as_deref(), Some("a b.js"));
        for outside in
            ["/../x", "/a/../../x", "/%2e%2e/x", "/a%5c..%5cx", "/c:/x", "x", "/%zz", "/%+1", ""]
        {
            assert_eq!(path(outside), None, "{outside}");
        }
    }
}
