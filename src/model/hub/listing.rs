//! A hub's description of a model: its commit, its terms, its files.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::name::is_path;
use super::{FileHash, HubAddress, HubError, HubName, Patience};

/// The most bytes of a short answer, of all pages of a list, and of an index of weights: read, they take several
/// times as many.
pub const MAX_SHORT: u64 = 64 << 20;

/// A commit of a model, and the terms that it is under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HubInfo {
    /// 40 hex digits: what is asked for from now on, so that all files are of one state.
    pub commit: String,
    pub is_gated: bool,
    /// As its owners state it.
    pub licence: Option<String>,
}

/// A file at a commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoteFile {
    pub path: String,
    pub size: u64,
    pub hash: FileHash,
}

#[derive(Deserialize)]
struct InfoAnswer {
    sha: String,
    #[serde(default)]
    gated: Value,
    #[serde(default, rename = "cardData")]
    card: Value,
    #[serde(default)]
    tags: Vec<String>,
}

#[derive(Deserialize)]
struct TreeAnswer {
    #[serde(rename = "type")]
    kind: String,
    path: String,
    #[serde(default)]
    size: u64,
    #[serde(default)]
    oid: String,
    lfs: Option<LfsAnswer>,
}

#[derive(Deserialize)]
struct LfsAnswer {
    oid: String,
    size: u64,
}

impl HubInfo {
    /// # Errors
    /// Not what a hub answers.
    pub fn read(hub: &HubAddress, bytes: &[u8]) -> Result<Self, HubError> {
        let info: InfoAnswer = read(hub, bytes)?;
        let is_commit = info.sha.len() == 40 && info.sha.bytes().all(|b| b.is_ascii_hexdigit());
        refuse_if!(!is_commit, not_a_hub(hub, "its answer names no commit"));
        let text = |value: &Value| value.as_str().map(str::to_owned);
        // `other` stands for a licence with a name of its own.
        let named = text(&info.card["license_name"]);
        let licence = match text(&info.card["license"]) {
            Some(licence) if licence == "other" => named.or(Some(licence)),
            Some(licence) => Some(licence),
            None => {
                info.tags.iter().find_map(|tag| tag.strip_prefix("license:").map(str::to_owned))
            }
        };
        Ok(Self {
            commit: info.sha,
            is_gated: !matches!(info.gated, Value::Null | Value::Bool(false)),
            licence,
        })
    }
}

impl RemoteFile {
    /// Reads a page of the list of a commit's files. Files whose name leads elsewhere are left out.
    ///
    /// # Errors
    /// The bytes are not a hub's answer.
    pub fn read_page(hub: &HubAddress, bytes: &[u8]) -> Result<Vec<Self>, HubError> {
        let entries: Vec<TreeAnswer> = read(hub, bytes)?;
        let files =
            entries.into_iter().filter(|entry| entry.kind == "file" && is_path(&entry.path));
        files
            .map(|entry| {
                let (hash, size) = match entry.lfs {
                    Some(lfs) => {
                        let oid = lfs.oid.strip_prefix("sha256:").unwrap_or(&lfs.oid);
                        (FileHash::Sha256(oid.to_owned()), lfs.size)
                    }
                    None => (FileHash::Git(entry.oid), entry.size),
                };
                if hash.is_well_formed() {
                    let path = entry.path;
                    Ok(Self { path, size, hash })
                } else {
                    Err(not_a_hub(hub, "a file of its list has no hash"))
                }
            })
            .collect()
    }

    /// Whether an answer with the whole of a file is this one, as far as its `Content-Length` and `Content-Type` say.
    /// A network that wants a login first answers whatever is asked with a page of its own.
    pub fn may_be(&self, length: Option<&str>, kind: Option<&str>) -> bool {
        let is_page = kind.is_some_and(|kind| kind.trim().to_lowercase().starts_with("text/html"));
        !is_page && length.is_none_or(|length| length.trim().parse() == Ok(self.size))
    }

    /// Whether an answer is the rest of this file from byte `from` on, as its `Content-Range` says.
    pub fn is_rest(&self, range: &str, from: u64) -> bool {
        let total = range.strip_prefix(&format!("bytes {from}-"));
        let total = total.and_then(|rest| rest.split_once('/'));
        total.is_some_and(|(_, total)| total == "*" || total.parse() == Ok(self.size))
    }
}

fn read<'a, T: Deserialize<'a>>(hub: &HubAddress, bytes: &'a [u8]) -> Result<T, HubError> {
    serde_json::from_slice(bytes).map_err(|error| not_a_hub(hub, &error.to_string()))
}

fn not_a_hub(hub: &HubAddress, reason: &str) -> HubError {
    HubError::NotAHub { host: hub.host().to_owned(), reason: reason.to_owned() }
}

impl HubError {
    /// Says why a hub refused. `code` is its `X-Error-Code`; `path` is the file that was asked for, if it was one.
    pub fn refusal(
        hub: &HubAddress,
        name: &HubName,
        status: u16,
        code: Option<&str>,
        path: Option<&str>,
    ) -> Self {
        let (host, repo) = (hub.host().to_owned(), name.repo.clone());
        let page = hub.page(&repo);
        match (status, code) {
            (_, Some("GatedRepo")) if status == 401 => Self::Gated { repo, page },
            (403, _) => Self::NoAccess { host, repo, page },
            (_, Some("RevisionNotFound")) => {
                Self::NoRevision { repo, revision: name.revision().to_owned() }
            }
            (404, _) if path.is_some() => Self::NoFile {
                repo,
                file: path.unwrap_or_default().to_owned(),
                there: "others".to_owned(),
            },
            (401 | 404, _) => Self::NoRepo { host, repo },
            _ if Patience::is_passing(status) => Self::Busy { host, status },
            _ => Self::Refused { host, status, path: path.unwrap_or(&name.repo).to_owned() },
        }
    }
}
