//! `hub:owner/name`: models on a hub, kept in the cache that Python's programs keep them in.
//!
//! `HF_ENDPOINT` is the hub's address, `HF_TOKEN` the reader's token, or the file that `HF_TOKEN_PATH` names;
//! `HF_HUB_CACHE` or `HF_HOME` say where the cache is. `HF_HUB_OFFLINE`, `HF_HUB_DISABLE_IMPLICIT_TOKEN` and
//! `HF_HUB_DOWNLOAD_TIMEOUT` mean what they mean to Python's programs. The client is our own, because that of the crate
//! hf-hub takes a file with a wrong byte, and a whole file after the first half of one.

mod asking;
mod cache;
mod download;

pub use cache::{CachedModel, HubCache};

use std::path::PathBuf;
use std::time::Duration;

use crate::model::ModelFiles;
use crate::model::catalogue::published::{PublishedModel, published};
use crate::model::hub::{
    HubAddress, HubError, HubInfo, HubName, MAIN, RemoteFile, index_of, pick, shards, spell_bytes,
};

/// Seconds without a byte after which a connection is given up, where the environment names no others.
const STILL: u64 = 60;

/// A hub, and the cache of what came from it.
pub struct Hub {
    pub address: HubAddress,
    cache: HubCache,
    token: Option<String>,
    agent: ureq::Agent,
}

/// A model's files on the hub.
pub struct HubModel {
    pub info: HubInfo,
    /// Every file of the commit.
    listed: Vec<RemoteFile>,
    /// Those that are the model.
    picked: Vec<RemoteFile>,
}

impl Hub {
    /// The hub, the token and the cache that the environment names, or the usual ones.
    ///
    /// # Errors
    /// The network is switched off; an address or a token that is none; no home folder to have a cache in.
    pub fn from_env() -> Result<Self, HubError> {
        refuse_if!(is_on("HF_HUB_OFFLINE"), HubError::SwitchedOff);
        let address = variable("HF_ENDPOINT");
        let address = HubAddress::parse(address.as_deref().unwrap_or(HubAddress::DEFAULT))?;
        let cache = HubCache::from_env()?;
        let token = token(&cache)?;
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            // Followed by hand: the token goes to the hub alone.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("atelier/", env!("CARGO_PKG_VERSION")))
            .timeout_connect(Some(Duration::from_secs(20)))
            .timeout_recv_response(Some(Duration::from_secs(60)))
            .timeout_per_read(Some(stillness()?))
            .build();
        Ok(Self { address, cache, token, agent: config.into() })
    }

    /// Asks what a name means: commit, terms, files.
    ///
    /// # Errors
    /// No such model, none that may be had, or none that atelier reads; no answer.
    pub fn look_up(&self, name: &HubName) -> Result<HubModel, HubError> {
        let info = self.info(name)?;
        let listed = match self.list(name, &info.commit) {
            // Some hubs say only that the list is not for everybody.
            Err(HubError::NoRepo { repo, .. }) if info.is_gated => {
                let page = self.address.page(&repo);
                return Err(HubError::Gated { repo, page });
            }
            listed => listed?,
        };
        let of_list = published().iter().find(|model| model.repo == name.repo);
        let ending = of_list.and_then(|model| model.ending.as_deref());
        let picked = pick(name, ending, &listed)?;
        Ok(HubModel { info, listed, picked })
    }

    /// Fetches what is missing of a model and checks all of it; the place in the cache.
    ///
    /// # Errors
    /// See [`HubError`].
    pub fn fetch(
        &self,
        name: &HubName,
        model: &mut HubModel,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<PathBuf, HubError> {
        let commit = model.info.commit.clone();
        let _held = self.cache.hold(name)?;
        if let Some(index) = index_of(&model.picked).cloned() {
            let path = self.download(name, &commit, &index, &mut |_| ())?;
            let bytes = std::fs::read(&path).map_err(|error| cache::written(&path, &error))?;
            for shard in shards(name, &bytes, &model.listed)? {
                if !model.picked.contains(&shard) {
                    model.picked.push(shard);
                }
            }
        }
        let total = model.bytes();
        let mut before: u64 = 0;
        for file in &model.picked {
            self.download(name, &commit, file, &mut |done| {
                progress(before.saturating_add(done), total);
            })?;
            before = before.saturating_add(file.size);
            progress(before, total);
        }
        // Linked when all are there: what is linked is whole.
        self.cache.link(name, &commit, &model.picked)
    }

    /// Says of a step of training whether its weights are those of another revision: some hubs serve
    /// one file under many names. A revision that this hub does not have is none of them.
    ///
    /// # Errors
    /// No answer.
    pub fn same_weights(&self, name: &HubName, model: &HubModel) -> Result<Vec<String>, HubError> {
        let of_list = published().iter().find(|known| known.repo == name.repo);
        let beside = of_list.and_then(|known: &PublishedModel| known.neighbours(name.revision()));
        let Some(mut others) = beside else {
            return Ok(Vec::new());
        };
        others.push(MAIN.to_owned());
        let mut same = Vec::new();
        for revision in others {
            let other = match self.look_up(&name.at(&revision)) {
                Err(error) if error.is_absence() => continue,
                other => other?,
            };
            if other.weights() == model.weights() {
                same.push(revision);
            }
        }
        Ok(same)
    }
}

impl HubModel {
    /// Bytes of all files that are picked.
    pub fn bytes(&self) -> u64 {
        self.picked.iter().fold(0, |sum: u64, file| sum.saturating_add(file.size))
    }

    /// `Apache-2.0`, or that it is not stated.
    pub fn licence(&self) -> &str {
        self.info.licence.as_deref().unwrap_or("no licence stated")
    }

    /// The hashes of the large files.
    fn weights(&self) -> Vec<&str> {
        let large = self.picked.iter().filter(|file| {
            ModelFiles::is_weights(&file.path) || index_of(&self.picked) == Some(file)
        });
        large.map(|file| file.hash.hex()).collect()
    }

    /// `271 MB, apache-2.0`.
    pub fn words(&self) -> String {
        format!("{}, {}", spell_bytes(self.bytes()), self.licence())
    }
}

/// The token to send, if any: the one that Python's programs would send.
fn token(cache: &HubCache) -> Result<Option<String>, HubError> {
    if is_on("HF_HUB_DISABLE_IMPLICIT_TOKEN") {
        return Ok(None);
    }
    let (token, variable_or_file) = match variable("HF_TOKEN") {
        Some(token) => (token, "HF_TOKEN".to_owned()),
        None => match cache.token()? {
            Some((token, path)) => (token, path.display().to_string()),
            None => return Ok(None),
        },
    };
    if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(HubError::Token { variable_or_file });
    }
    Ok(Some(token).filter(|token| !token.is_empty()))
}

/// The longest time without a byte on a connection.
fn stillness() -> Result<Duration, HubError> {
    let Some(value) = variable("HF_HUB_DOWNLOAD_TIMEOUT") else {
        return Ok(Duration::from_secs(STILL));
    };
    let seconds = value.parse().ok().filter(|seconds| *seconds > 0);
    seconds.map(Duration::from_secs).ok_or(HubError::Timeout { value })
}

/// Whether a variable says yes, in the words of Python's programs.
fn is_on(name: &str) -> bool {
    let yes = ["1", "on", "yes", "true"];
    variable(name).is_some_and(|value| yes.contains(&&*value.to_lowercase()))
}

/// A variable that is set to something.
fn variable(name: &str) -> Option<String> {
    let value = std::env::var(name).ok()?;
    Some(value.trim().to_owned()).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::hub::FileHash;

    /// The sum of two such sizes was announced as 16 kB.
    #[test]
    fn sizes_that_no_disk_has_do_not_wrap() {
        let file = |path: &str| RemoteFile {
            path: path.to_owned(),
            size: u64::MAX,
            hash: FileHash::Sha256("0".repeat(64)),
        };
        let picked = vec![file("config.json"), file("model.safetensors")];
        let info = HubInfo { commit: "0".repeat(40), is_gated: false, licence: None };
        let model = HubModel { info, listed: Vec::new(), picked };
        assert_eq!(model.bytes(), u64::MAX);
    }
}
