//! What `atelier open` serves beside the page: a model's folder, named by `?model=` in the address.

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

/// The folder that the address names, if it names one.
///
/// # Errors
/// A sentence: it is on another site, or is no folder.
pub fn linked() -> Option<Result<ServedFolder, String>> {
    let query = browser::window().location().search().unwrap_or_default();
    let named =
        query.trim_start_matches('?').split('&').find_map(|part| part.strip_prefix("model="))?;
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
