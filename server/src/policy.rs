//! The content policy of a document, and the pages that may show it in a frame.

use std::io::{self, Read};

use flate2::read::GzDecoder;
use hyper::header::{self, HeaderName};

use crate::files::{Found, open};

/// The document that the page frames for downloads: it alone may ask a hub, and its own meta tag says which.
const DOWNLOADS: &str = "hub.html";

/// The pages that may show an answer in a frame.
pub enum Framed {
    Nowhere,
    /// The page itself; under the policy that the document's own tag says.
    Here(String),
}

/// Returns the pages that may frame the file `path`.
///
/// # Errors
/// It cannot be read.
pub fn framed(path: Option<&str>, found: Option<&Found>) -> io::Result<Framed> {
    // The page may lie below a path.
    if path.and_then(|path| path.rsplit('/').next()) != Some(DOWNLOADS) {
        return Ok(Framed::Nowhere);
    }
    let html = match found {
        None => return Ok(Framed::Nowhere),
        Some(Found::File(path)) => {
            let mut html = Vec::new();
            open(path)?.read_to_end(&mut html)?;
            html
        }
        Some(Found::Bytes { bytes, gzip, .. }) if *gzip => {
            let mut plain = Vec::new();
            GzDecoder::new(&bytes[..]).read_to_end(&mut plain)?;
            plain
        }
        Some(Found::Bytes { bytes, .. }) => bytes.to_vec(),
    };
    Ok(policy_in(&html).map_or(Framed::Nowhere, Framed::Here))
}

impl Framed {
    /// Says the headers of an answer under the site's `policy`.
    pub fn say(&self, policy: &str, mut say: impl FnMut(HeaderName, &str)) {
        match self {
            Self::Here(own) => {
                let policy = format!("{own}; frame-ancestors 'self'");
                say(header::CONTENT_SECURITY_POLICY, &policy);
                say(header::X_FRAME_OPTIONS, "SAMEORIGIN");
            }
            Self::Nowhere => {
                let policy = format!("{policy}; frame-ancestors 'none'");
                say(header::CONTENT_SECURITY_POLICY, &policy);
                say(header::X_FRAME_OPTIONS, "DENY");
            }
        }
    }
}

/// The policy that a document's own meta tag says; none where it could not stand in a header.
pub fn policy_in(html: &[u8]) -> Option<String> {
    let html = std::str::from_utf8(html).ok()?;
    let (_, rest) = html.split_once("http-equiv=\"Content-Security-Policy\" content=\"")?;
    let (policy, _) = rest.split_once('"')?;
    // No character of the policy may end the header.
    let is_plain = policy.chars().all(|c| c.is_ascii_graphic() || c == ' ');
    is_plain.then(|| policy.to_owned())
}
