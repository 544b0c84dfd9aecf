//! `hub:owner/name@revision:path/file.gguf`: a model on a hub.

use std::fmt;

use super::HubError;

/// The beginning of the name of every model on a hub.
pub const SCHEME: &str = "hub:";

/// The revision where none is named.
pub const MAIN: &str = "main";

/// A model on a hub: repository, revision and file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HubName {
    /// `owner/name`, or `name` alone.
    pub repo: String,
    /// A branch, a tag or a commit; `None` is [`MAIN`].
    pub revision: Option<String>,
    /// One GGUF file; `None` is the model that the place holds.
    pub file: Option<String>,
}

impl HubName {
    /// The model that a place holds.
    pub fn of(repo: &str) -> Self {
        Self { repo: repo.to_owned(), revision: None, file: None }
    }

    /// Whether `text` names a model on a hub: it begins with `hub:`.
    pub fn is_one(text: &str) -> bool {
        text.starts_with(SCHEME)
    }

    /// Reads a name, with or without `hub:` before it.
    ///
    /// # Errors
    /// Characters that no hub's names have: a name becomes a part of addresses and of paths.
    pub fn parse(text: &str) -> Result<Self, HubError> {
        let wrong = |reason| HubError::Name { name: text.escape_debug().to_string(), reason };
        let rest = text.trim().strip_prefix(SCHEME).unwrap_or(text.trim());
        let (place, file) = match rest.split_once(':') {
            Some((place, file)) => (place, Some(file)),
            None => (rest, None),
        };
        let (repo, revision) = match place.split_once('@') {
            Some((repo, revision)) => (repo, Some(revision)),
            None => (place, None),
        };
        let is_part = |part: &str| {
            let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
            !part.is_empty()
                && part.len() <= 96
                && part.chars().all(is_allowed)
                && !part.starts_with(['-', '.'])
                && !part.contains("..")
                && !part.contains("--")
        };
        if repo.split('/').count() > 2 || !repo.split('/').all(is_part) {
            return Err(wrong("it has the form owner/name"));
        }
        if revision.is_some_and(|revision| !is_path(revision)) {
            return Err(wrong("after @ comes a branch, a tag or a commit"));
        }
        if file.is_some_and(|file| !is_path(file) || !file.ends_with(".gguf")) {
            return Err(wrong("after : comes the path of a .gguf file"));
        }
        Ok(Self {
            repo: repo.to_owned(),
            revision: revision.map(str::to_owned),
            file: file.map(str::to_owned),
        })
    }

    /// The branch, tag or commit that is meant.
    pub fn revision(&self) -> &str {
        self.revision.as_deref().unwrap_or(MAIN)
    }

    /// Returns this model's name at another revision.
    pub fn at(&self, revision: &str) -> Self {
        Self { revision: Some(revision.to_owned()), ..self.clone() }
    }

    /// Returns the model's name for tables and reports: `SmolLM2-135M`, `pythia-70m@step1000`, `x-Q8_0`.
    pub fn title(&self) -> String {
        let name = match &self.file {
            Some(file) => last(file).trim_end_matches(".gguf"),
            None => last(&self.repo),
        };
        match &self.revision {
            Some(revision) => format!("{name}@{revision}"),
            None => name.to_owned(),
        }
    }
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether `path` can be a part of an address and of a path on disk, and cannot lead elsewhere.
pub(super) fn is_path(path: &str) -> bool {
    let is_allowed =
        |c: char| !c.is_control() && !c.is_whitespace() && !"\\:?#%*\"<>|@".contains(c);
    path.len() <= 512
        && path.split('/').all(|part| {
            !part.is_empty() && part != "." && part != ".." && part.chars().all(is_allowed)
        })
}

impl fmt::Display for HubName {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{SCHEME}{}", self.repo)?;
        if let Some(revision) = &self.revision {
            write!(to, "@{revision}")?;
        }
        match &self.file {
            Some(file) => write!(to, ":{file}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        for (text, title) in [
            ("hub:owner/Some-Model_1.5", "Some-Model_1.5"),
            ("hub:gpt2", "gpt2"),
            ("hub:a/b@step1000", "b@step1000"),
            ("hub:a/b@refs/pr/3:deep/c-Q8_0.gguf", "c-Q8_0@refs/pr/3"),
            ("hub:a/b:c.gguf", "c"),
        ] {
            let name = HubName::parse(text).expect(text);
            assert_eq!(name.to_string(), text);
            assert_eq!(HubName::parse(&text[SCHEME.len()..]).ok().as_ref(), Some(&name));
            assert_eq!(name.title(), title);
        }
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        for text in [
            "hub:",
            "hub:a/b/c",
            "hub:../b",
            "hub:a/..",
            "hub:a/b@",
            "hub:a/b@../x",
            "hub:a/b@x y",
            "hub:a/b:../c.gguf",
            "hub:a/b:/c.gguf",
            "hub:a/b:c.bin",
            "hub:a/b?x",
            "hub:a--b/c",
            "hub:.a/b",
            "hub:a/b@x%2f..",
            "hub:a/b:c\\d.gguf",
            "hub:a/b#c",
        ] {
            let error = HubName::parse(text).expect_err(text);
            assert!(error.to_string().contains("is no model on a hub"), "{error}");
        }
    }
}
