//! A hub of models: names, what it says of a model's files, and which of them are the model.
//!
//! Nothing here asks anybody: the command line asks with a client of its own, the page with the
//! browser's, and both read the answers here.

mod address;
mod error;
mod hash;
mod listing;
mod name;
mod patience;
mod pick;

pub use address::HubAddress;
#[cfg(feature = "cli")]
pub use address::host_of;
pub use error::HubError;
pub use hash::{FileHash, Hashing};
pub use listing::{HubInfo, MAX_SHORT, RemoteFile};
pub use name::{HubName, MAIN, SCHEME};
pub use patience::Patience;
pub use pick::{index_of, pick, shards};

/// Bytes of a megabyte as hubs count them.
pub const MEGABYTE: u64 = 1_000_000;

/// Bytes as hubs show them: `145 MB`, `1.50 GB`, `3 kB`.
pub fn spell_bytes(bytes: u64) -> String {
    match bytes {
        0..MEGABYTE => format!("{} kB", bytes.div_ceil(1000)),
        MEGABYTE..1_000_000_000 => format!("{} MB", (bytes + MEGABYTE / 2) / MEGABYTE),
        _ => format!("{:.2} GB", bytes as f64 / 1e9),
    }
}

#[cfg(all(test, feature = "cli"))]
mod tests;
