//! A site that is served for a while, at a port where something else will be served later.

use crate::files::{Files, Found, Sent};

/// The script that the page registers so that it works without a network.
const SERVICE_WORKER: &str = "service_worker.js";

/// A script that removes everything an older one stored, and itself.
const FORGET: &str = include_str!("forget.js");

/// Files that browsers do not store for later visits: another program may serve this port next. Files that
/// an earlier site stored are removed. They are served for too short a while to be worth compressing.
pub struct Passing<F>(pub F);

impl<F: Files> Files for Passing<F> {
    fn find(&self, path: &str) -> Option<Found> {
        if path == SERVICE_WORKER {
            return Some(Found::bytes(SERVICE_WORKER, FORGET));
        }
        self.0.find(path)
    }

    fn compresses(&self) -> bool {
        false
    }

    fn sent(&self, answer: &Sent) {
        self.0.sent(answer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_page_leaves_a_worker_behind() {
        struct Own;
        impl Files for Own {
            fn find(&self, path: &str) -> Option<Found> {
                Some(Found::bytes(path, "own"))
            }
        }
        let text = |path: &str| match Passing(Own).find(path) {
            Some(Found::Bytes { bytes, mime, .. }) => {
                (String::from_utf8_lossy(&bytes).into_owned(), mime)
            }
            _ => panic!("{path} is not there"),
        };
        assert_eq!(text("index.html").0, "own");
        let (script, mime) = text(SERVICE_WORKER);
        assert!(mime.starts_with("text/javascript"), "{mime}");
        for does in ["skipWaiting()", "caches.delete(", "unregister()"] {
            assert!(script.contains(does), "{does}");
        }
    }
}
