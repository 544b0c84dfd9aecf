//! Messages between the page and the download worker, as JSON.

use serde::{Deserialize, Serialize};

use crate::model::ModelFiles;
use crate::model::hub::{HubName, RemoteFile, spell_bytes};

/// Raised at every change of these types: a worker from another build is known by its first message.
pub const PROTOCOL: u32 = 1;

/// A model whose files are known: those it consists of, at one commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredModel {
    /// `hub:owner/name…`
    pub name: String,
    pub commit: String,
    pub licence: Option<String>,
    pub files: Vec<RemoteFile>,
}

/// To the worker. Requests of a kind wait for each other; look-ups, downloads and removals go on side by side, and the
/// removal of a model waits for its own download.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum HubAsk {
    /// Looks up a name. Ends in `Found` or `NotFound`.
    LookUp {
        name: String,
        ending: Option<String>,
        /// Other revisions that may have the very same weights.
        beside: Vec<String>,
    },
    /// Ends in `Fetched`, `Failed` or `Paused`.
    Fetch(StoredModel),
    /// Stops what is being fetched; what has come stays.
    Pause,
    /// Stops what is being looked up.
    GiveUp,
    /// Removes a model's files at its commit, whole or in part: ends in `Removed` or `Stays`.
    Remove(StoredModel),
    /// Answered at once, whatever is being done: `Alive`.
    Ping,
}

/// From the worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum HubTell {
    Ready {
        protocol: u32,
    },
    /// Reports a request that the worker cannot read.
    Unread,
    Alive,
    Found {
        model: StoredModel,
        is_gated: bool,
        /// Those beside it that the hub serves with the very same weights.
        same: Vec<String>,
    },
    /// Bytes of all the model's files that are there, and how many of them came in this download.
    Progress {
        name: String,
        done: u64,
        received: u64,
    },
    /// Why nothing comes for a while, in a sentence.
    Waiting(String),
    /// Something to know, in a sentence; it goes on.
    Notice(String),
    /// The model of this name is whole and right. Where this browser keeps no files, they come beside this message.
    Fetched(String),
    /// The download of the model of this name is stopped.
    Paused(String),
    Removed(StoredModel),
    /// Why a model is not removed, in a sentence.
    Stays(String),
    /// Why a download came to nothing, in a sentence.
    Failed(String),
    /// Why a look-up came to nothing, in a sentence; what is fetched meanwhile goes on.
    NotFound(String),
}

impl StoredModel {
    pub fn bytes(&self) -> u64 {
        self.files.iter().fold(0, |sum: u64, file| sum.saturating_add(file.size))
    }

    /// Is it the same model at the same commit?
    pub fn is_same(&self, other: &Self) -> bool {
        (&self.name, &self.commit) == (&other.name, &other.commit)
    }

    /// The commit as people write it.
    pub fn short_commit(&self) -> &str {
        self.commit.get(..8).unwrap_or(&self.commit)
    }

    /// The hashes of its weights.
    pub fn weights(&self) -> Vec<&str> {
        let weights = self.files.iter().filter(|file| ModelFiles::is_weights(&file.path));
        weights.map(|file| file.hash.hex()).collect()
    }

    /// The name that pictures and reports show.
    pub fn title(&self) -> String {
        HubName::parse(&self.name).map_or_else(|_| self.name.clone(), |name| name.title())
    }
}

/// How fast a download is: bytes that lay on the disk before, and are only read again, take no part in it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DownloadRate {
    /// When the first bytes had come, and how many they were: what came before costs no time.
    began: Option<(f64, u64)>,
    pub bytes_a_second: Option<f64>,
}

impl DownloadRate {
    /// So many bytes have come at this time, in milliseconds.
    pub fn hear(&mut self, now: f64, received: u64) {
        if received == 0 {
            return;
        }
        let (since, first) = *self.began.get_or_insert((now, received));
        let seconds = (now - since) / 1000.0;
        self.bytes_a_second =
            (seconds > 0.5).then(|| received.saturating_sub(first) as f64 / seconds);
    }
}

/// How far a download is, in words: `120 MB of 269 MB, 5 MB/s, 30 s left`.
pub fn spell_progress(done: u64, total: u64, bytes_a_second: Option<f64>) -> String {
    let mut words = format!("{} of {}", spell_bytes(done), spell_bytes(total));
    let Some(rate) = bytes_a_second.filter(|rate| *rate >= 1.0) else {
        return words;
    };
    words += &format!(", {}/s", spell_bytes(rate as u64));
    let left = (total.saturating_sub(done) as f64 / rate).ceil() as u64;
    words += &match left {
        0 => String::new(),
        1..=90 => format!(", {left} s left"),
        91..=5400 => format!(", {} min left", left.div_ceil(60)),
        _ => format!(", {} h left", left.div_ceil(3600)),
    };
    words
}

/// That a model's files are gone, and what that means to the page whose model `is_open`.
pub fn removed(name: &str, is_open: bool) -> String {
    let mut sentence = format!("{name} is deleted.");
    if is_open {
        sentence += " It is the page's model still: what was computed stays, and another has to be opened to ask again.";
    }
    sentence
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::hub::FileHash;

    #[test]
    fn what_is_read_again_from_the_disk_is_no_speed_of_the_line() {
        let mut rate = DownloadRate::default();
        // Twenty seconds of reading again what is there.
        for second in 0..20 {
            rate.hear(f64::from(second) * 1000.0, 0);
        }
        assert_eq!(rate.bytes_a_second, None);
        rate.hear(20_000.0, 1_000_000);
        rate.hear(22_000.0, 11_000_000);
        assert_eq!(rate.bytes_a_second, Some(5e6));
    }

    /// The sum of two such sizes was 8 kB, which fits.
    #[test]
    fn sizes_that_no_disk_has_do_not_wrap() {
        let file = |size| RemoteFile {
            path: "model.safetensors".to_owned(),
            size,
            hash: FileHash::Sha256("0".repeat(64)),
        };
        let (name, commit) = ("hub:a/b".to_owned(), "0".repeat(40));
        let files = vec![file(u64::MAX), file(8001)];
        let model = StoredModel { name, commit, licence: None, files };
        assert_eq!(model.bytes(), u64::MAX);
    }

    #[test]
    fn progress_is_said_with_rate_and_time_left() {
        let said = |done, rate| spell_progress(done, 269_000_000, rate);
        assert_eq!(said(0, None), "0 kB of 269 MB");
        assert_eq!(said(119_000_000, Some(5e6)), "119 MB of 269 MB, 5 MB/s, 30 s left");
        assert_eq!(said(0, Some(1e6)), "0 kB of 269 MB, 1 MB/s, 5 min left");
        assert_eq!(said(0, Some(1e4)), "0 kB of 269 MB, 10 kB/s, 8 h left");
        assert_eq!(said(269_000_000, Some(1e6)), "269 MB of 269 MB, 1 MB/s");
    }
}
