//! The folders that chores read and write.

use std::path::{Path, PathBuf};

use crate::cache;
use crate::command::Stop;

pub struct Place {
    root: PathBuf,
    target: PathBuf,
    cache: PathBuf,
}

impl Place {
    pub fn find() -> Result<Self, Stop> {
        // Cargo sets the variable when it runs this program; the built-in path serves a direct run.
        let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = manifest
            .parent()
            .ok_or_else(|| Stop::new("The project's folder was not found."))?
            .to_path_buf();
        let target = match std::env::var_os("CARGO_TARGET_DIR") {
            Some(target) => root.join(target),
            None => root.join("target"),
        };
        let cache =
            cache::folder(|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
                .ok_or_else(|| {
                    Stop::new("There is no home folder to keep the tools in.")
                        .try_running("export ATELIER_CACHE=<a folder>")
                })?;
        // A relative cache means the same folder from wherever the chore was started.
        let cache = root.join(cache);
        Ok(Self { root, target, cache })
    }

    /// The project.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The finished page.
    pub fn dist(&self) -> PathBuf {
        self.root.join("dist")
    }

    /// Files made on the way to the page (the chart library's bundle, the style sheet), and notes on `dist/`.
    pub fn generated(&self) -> PathBuf {
        self.root.join("generated")
    }

    /// Folder of cargo's builds.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// This program's own notes and unfinished work.
    pub fn scratch(&self) -> PathBuf {
        self.target.join("xtask")
    }

    /// Folder of tools that are built once per user, for all clones of the project.
    pub fn cache(&self) -> &Path {
        &self.cache
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_is_where_the_reader_says_or_the_system_keeps_such_things() {
        let folder = |pairs: &[(&str, &str)]| {
            let find = |name: &str| {
                pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| value.to_string())
            };
            cache::folder(find)
        };
        let all = [("ATELIER_CACHE", "/a"), ("XDG_CACHE_HOME", "/x"), ("HOME", "/h")];
        assert_eq!(folder(&all), Some("/a".into()));
        assert_eq!(folder(&all[1..]), Some("/x/atelier".into()));
        assert_eq!(folder(&all[2..]), Some("/h/.cache/atelier".into()));
        assert_eq!(folder(&[]), None);
    }
}
