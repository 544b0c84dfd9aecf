//! Why a hub's files cannot be had.

/// Each message is one sentence that says what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HubError {
    #[error(
        "{name:?} is no model on a hub: {reason}; write hub:owner/name, hub:owner/name@revision or hub:owner/name:file.gguf"
    )]
    Name { name: String, reason: &'static str },
    #[error(
        "{address:?} is no hub's address: set HF_ENDPOINT to http:// or https://, a host, and perhaps a port and a path"
    )]
    Address { address: String },
    #[error("the token in {variable_or_file} holds a character that no token has: set it anew")]
    Token { variable_or_file: String },
    #[error(
        "HF_HUB_DOWNLOAD_TIMEOUT is {value:?}, which is no time: set it to whole seconds, such as 60"
    )]
    Timeout { value: String },
    #[error(
        "HF_HUB_OFFLINE is set, so no hub is asked: unset it to fetch what the cache does not hold"
    )]
    SwitchedOff,
    #[error(
        "{repo} is being fetched by another program: wait until it is done, or stop it, then remove the model"
    )]
    InUse { repo: String },
    #[error(
        "another tab of this page is fetching {name} or deleting it: wait until it is done, or stop it there"
    )]
    OtherTab { name: String },
    #[error("{path} cannot be read ({reason}); mend or remove it")]
    Read { path: String, reason: String },
    #[error(
        "{host} did not answer ({reason}); check the connection and ask again: what has come is kept"
    )]
    Offline { host: String, reason: String },
    #[error(
        "{repo} is gated: sign in at {page} and agree to its terms. Then download its files there into one folder and \
         open that from disk, or set HF_TOKEN for the command line"
    )]
    Gated { repo: String, page: String },
    #[error(
        "{host} refuses {repo} (403): ask for access at {page}; a token in HF_TOKEN must be of an account that has it"
    )]
    NoAccess { host: String, repo: String, page: String },
    #[error("{host} has no model {repo}, or shows it to its owners alone; check the name")]
    NoRepo { host: String, repo: String },
    #[error("{repo} has no revision {revision:?}; check the branch, tag or commit")]
    NoRevision { repo: String, revision: String },
    #[error("{repo} has no file {file:?}; it has {there}")]
    NoFile { repo: String, file: String, there: String },
    #[error(
        "{repo} holds no model that atelier reads ({reason}); take one with config.json and *.safetensors or pytorch_model.bin, or a .gguf file"
    )]
    NotAModel { repo: String, reason: String },
    #[error(
        "{repo} holds several models as GGUF files ({files}); name the one you want: hub:{repo}:{example}"
    )]
    SeveralFiles { repo: String, files: String, example: String },
    #[error(
        "{host} is busy (it answers {status} again and again); wait some minutes and ask again: what has come is kept"
    )]
    Busy { host: String, status: u16 },
    #[error("{host} answers {status} for {path}; ask again later")]
    Refused { host: String, status: u16, path: String },
    #[error(
        "{host} answers with something else than a hub does ({reason}); check the hub's address"
    )]
    NotAHub { host: String, reason: String },
    #[error(
        "{file} came with {found} bytes where the hub promised {expected}; it was taken away again: ask once more"
    )]
    Size { file: String, expected: u64, found: u64 },
    #[error(
        "{file} came damaged (its hash is not the one that the hub states); it was taken away again: ask once more"
    )]
    WrongHash { file: String },
    #[error("there is no room for {file}: {needed} are needed; make room and ask again")]
    NoRoom { file: String, needed: String },
    #[error("{path} cannot be written ({reason}); check the folder and its permissions")]
    Write { path: String, reason: String },
}

impl HubError {
    /// Whether there is no such model or revision, or none that is read, however often it is asked for.
    pub fn is_absence(&self) -> bool {
        matches!(
            self,
            Self::NoRepo { .. }
                | Self::NoRevision { .. }
                | Self::NoFile { .. }
                | Self::NotAModel { .. }
                | Self::SeveralFiles { .. }
        )
    }
}
