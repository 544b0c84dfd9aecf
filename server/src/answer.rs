//! An answer: its headers, and its file, which is sent whole, compressed or as a range.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use flate2::Compression;
use flate2::read::{GzDecoder, GzEncoder};
use hyper::body::Bytes;
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use tokio::task::spawn_blocking;

use crate::Site;
use crate::body::{Answer, Reading};
use crate::files::{Found, MadeOfFiles, Sent, mime, open, shrinks};
use crate::policy::{Framed, framed};
use crate::request::{Wanted, wanted};

/// An answer's status, headers and body.
struct Reply {
    status: StatusCode,
    mime: &'static str,
    /// Bytes of the body.
    length: u64,
    compressed: bool,
    /// `Content-Range`
    range: Option<String>,
    /// Whether ranges may be asked for.
    has_ranges: bool,
    framed: Framed,
    body: Answer,
}

/// Answers one request.
pub async fn answer<T>(site: Arc<Site>, request: Request<T>) -> Response<Answer> {
    let (head, _) = request.into_parts();
    let policy = site.policy;
    let is_head = head.method == Method::HEAD;
    let reply = match wanted(&head) {
        Ok(wanted) => {
            let path = head.uri.path().to_owned();
            let prepared = spawn_blocking(move || {
                let reply = prepare(&site, &wanted).unwrap_or_else(|_| Reply::missing());
                site.files.sent(&Sent { path, status: reply.status.as_u16(), bytes: reply.length });
                reply
            });
            let failed = |_| Reply::empty(StatusCode::INTERNAL_SERVER_ERROR);
            prepared.await.unwrap_or_else(failed)
        }
        Err(refusal) => Reply::empty(refusal),
    };
    reply.response(policy, is_head)
}

fn prepare(site: &Site, wanted: &Wanted) -> io::Result<Reply> {
    let found = wanted.path.as_deref().and_then(|path| site.files.find(path));
    let framed = framed(wanted.path.as_deref(), found.as_ref())?;
    let reply = match found {
        None => return Ok(Reply::missing()),
        Some(Found::Bytes { bytes, gzip: true, mime }) if !wanted.gzip => {
            let mut plain = Vec::new();
            GzDecoder::new(&bytes[..]).read_to_end(&mut plain)?;
            Reply::whole(StatusCode::OK, mime, plain.into())
        }
        // On one machine, sending takes less time than compressing.
        Some(Found::Bytes { bytes, gzip, mime }) => {
            Reply { compressed: gzip, ..Reply::whole(StatusCode::OK, mime, bytes) }
        }
        Some(Found::File(path)) => file_reply(&path, wanted, site.files.compresses())?,
    };
    Ok(Reply { framed, ..reply })
}

fn file_reply(path: &Path, wanted: &Wanted, compresses: bool) -> io::Result<Reply> {
    let mime = mime(path);
    // A unit that is not known is not asked for.
    let range = wanted.range.as_deref();
    let range = range.filter(|range| range.trim_start().starts_with("bytes"));
    if compresses && wanted.gzip && shrinks(mime) && range.is_none() {
        return Ok(Reply {
            compressed: true,
            ..Reply::whole(StatusCode::OK, mime, packed_file(path)?)
        });
    }
    let mut file = open(path)?;
    let size = file.metadata()?.len();
    let part = match range.map(|range| part(range, size)) {
        None | Some(Some(None)) => None,
        Some(Some(Some(part))) => Some(part),
        Some(None) => {
            return Ok(Reply {
                range: Some(format!("bytes */{size}")),
                ..Reply::empty(StatusCode::RANGE_NOT_SATISFIABLE)
            });
        }
    };
    let (start, length) =
        part.as_ref().map_or((0, size), |part| (*part.start(), part.end() + 1 - part.start()));
    file.seek(SeekFrom::Start(start))?;
    Ok(Reply {
        status: match part {
            Some(_) => StatusCode::PARTIAL_CONTENT,
            None => StatusCode::OK,
        },
        range: part.map(|part| format!("bytes {}-{}/{size}", part.start(), part.end())),
        has_ranges: true,
        mime,
        length,
        body: Answer::File { left: length, reading: Reading::Idle(Some(file)) },
        ..Reply::empty(StatusCode::OK)
    })
}

/// The one part of a file that is asked for; `Some(None)` for the whole, where several are, and `None`
/// where there is no such part.
fn part(range: &str, size: u64) -> Option<Option<RangeInclusive<u64>>> {
    let parts = http_range_header::parse_range_header(range).ok()?;
    let mut parts = parts.validate(size).ok()?;
    let one = parts.pop();
    Some(one.filter(|_| parts.is_empty()))
}

/// A file's bytes, compressed once for as long as the file does not change.
fn packed_file(path: &Path) -> io::Result<Bytes> {
    static PACKED: LazyLock<MadeOfFiles<Bytes>> = LazyLock::new(MadeOfFiles::default);
    PACKED.get(path, || {
        let mut bytes = Vec::new();
        GzEncoder::new(open(path)?, Compression::best()).read_to_end(&mut bytes)?;
        Ok(bytes.into())
    })
}

impl Reply {
    fn whole(status: StatusCode, mime: &'static str, bytes: Bytes) -> Self {
        Self {
            status,
            mime,
            length: bytes.len() as u64,
            compressed: false,
            range: None,
            has_ranges: false,
            framed: Framed::Nowhere,
            body: Answer::Bytes(bytes),
        }
    }

    fn empty(status: StatusCode) -> Self {
        Self::whole(status, "text/plain", Bytes::new())
    }

    fn missing() -> Self {
        let words = Bytes::from_static(b"There is no such file here.\n");
        Self::whole(StatusCode::NOT_FOUND, "text/plain", words)
    }

    fn response(self, policy: Option<&'static str>, is_head: bool) -> Response<Answer> {
        let body = if is_head { Answer::Bytes(Bytes::new()) } else { self.body };
        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        let mut say = |name: HeaderName, value: &str| {
            // All of them are made here, of letters.
            if let Ok(value) = HeaderValue::from_str(value) {
                headers.insert(name, value);
            }
        };
        say(header::CONTENT_TYPE, self.mime);
        say(header::CONTENT_LENGTH, &self.length.to_string());
        say(header::VARY, "accept-encoding");
        // Asks again each time: whoever serves from a clone is changing it.
        say(header::CACHE_CONTROL, "no-cache");
        if self.compressed {
            say(header::CONTENT_ENCODING, "gzip");
        }
        if let Some(range) = &self.range {
            say(header::CONTENT_RANGE, range);
        }
        if self.has_ranges {
            say(header::ACCEPT_RANGES, "bytes");
        }
        if self.status == StatusCode::METHOD_NOT_ALLOWED {
            say(header::ALLOW, "GET, HEAD");
        }
        if let Some(policy) = policy {
            say(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
            say(header::REFERRER_POLICY, "no-referrer");
            // No other site learns by a picture or a script that atelier runs.
            say(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
            self.framed.say(policy, say);
        }
        response
    }
}
