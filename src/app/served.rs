//! Models that a server of this machine serves beside the page: a model's folder, named by `?model=` in the address,
//! and below `?models=` the list of those at hand.

use super::browser;
use super::link::decode;

/// A folder beside the page that the worker may read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServedFolder {
    /// The folder's own.
    pub name: String,
    /// Ends in `/`.
    pub url: String,
}

/// The folder of models that the address names, if it names one. Without it nothing is asked.
///
/// # Errors
/// A sentence: it is on another site, or is no folder.
pub fn at_hand() -> Option<Result<ServedFolder, String>> {
    named("models=")
}

/// The model's folder that the address names, if it names one.
///
/// # Errors
/// A sentence: it is on another site, or is no folder.
pub fn linked() -> Option<Result<ServedFolder, String>> {
    named("model=")
}

impl ServedFolder {
    /// A folder in this one.
    pub fn inner(&self, name: &str) -> Self {
        let encoded = String::from(js_sys::encode_uri_component(name));
        Self { name: name.to_owned(), url: format!("{}{encoded}/", self.url) }
    }
}

fn named(key: &str) -> Option<Result<ServedFolder, String>> {
    let query = browser::search();
    let named = query.trim_start_matches('?').split('&').find_map(|part| part.strip_prefix(key))?;
    let path = decode(named);
    let folder = browser::own_url(&path).and_then(|url| {
        let (url, path) = (url.href(), url.pathname());
        let name = decode(path.strip_suffix('/')?.rsplit('/').next()?);
        // What stands after a path is no part of a folder.
        let is_path = url.ends_with(&path);
        (is_path && !name.is_empty()).then_some(ServedFolder { name, url })
    });
    Some(folder.ok_or_else(|| {
        format!(
            "{path} is no model's folder on this site, and this page fetches nothing from elsewhere: download the folder and open it here."
        )
    }))
}
