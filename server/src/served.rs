//! A model's files as the page may read them, and the list of them that the page asks for first.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use sha2::{Digest, Sha256};

use crate::files::{Files, Found, MadeOfFiles};
use crate::smollm2::sha256;

/// The list of the files.
const LISTING: &str = "files.json";

/// A model's files, each where it lies, below the model's name.
pub struct ServedFiles {
    name: String,
    from: String,
    /// Name and place.
    files: Vec<(String, PathBuf)>,
}

impl ServedFiles {
    /// Files of the model `name`; `from` is the name of the file or the folder that they were found in.
    pub fn new(name: String, from: String, files: Vec<(String, PathBuf)>) -> Self {
        Self { name, from, files }
    }

    /// The model's name, as the page shows it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name of the file or the folder that the model was found in.
    pub fn from(&self) -> &str {
        &self.from
    }

    /// Place of the first file.
    pub fn first(&self) -> Option<&Path> {
        self.files.first().map(|(_, path)| path.as_path())
    }

    /// Names and places of the files.
    pub fn into_files(self) -> Vec<(String, PathBuf)> {
        self.files
    }

    /// Bytes of all files.
    ///
    /// # Errors
    /// A file is gone.
    pub fn bytes(&self) -> io::Result<u64> {
        self.files.iter().map(|(_, path)| Ok(path.metadata()?.len())).sum()
    }

    /// Hashes the files in a thread of its own: the page, which is about to ask for their list, waits the less.
    pub(crate) fn begin_hashing(&self) {
        let files = self.files.clone();
        std::thread::spawn(move || {
            for (_, path) in files {
                // Whoever asks for the list is told what is wrong with a file.
                let _ = known_sha256(&path);
            }
        });
    }

    /// The list of the files, as JSON: names, sizes, and the hash by which links tell this model from others.
    fn listing(&self) -> io::Result<String> {
        let mut lines = Vec::new();
        for (name, path) in &self.files {
            let bytes = path.metadata()?.len();
            lines.push(format!("{{\"name\":{},\"bytes\":{bytes}}}", quoted(name)));
        }
        Ok(format!(
            "{{\"from\":{},\"sha256\":\"{}\",\"files\":[{}]}}",
            quoted(&self.from),
            self.sha256()?,
            lines.join(",")
        ))
    }

    /// SHA-256 of the one file, or of the lines that `sha256sum` prints of several.
    fn sha256(&self) -> io::Result<String> {
        if let [(_, path)] = self.files.as_slice() {
            return known_sha256(path);
        }
        let mut hash = Sha256::new();
        for (name, path) in &self.files {
            hash.update(format!("{}  {name}\n", known_sha256(path)?));
        }
        Ok(format!("{:x}", hash.finalize()))
    }
}

impl Files for ServedFiles {
    fn find(&self, path: &str) -> Option<Found> {
        let file = path.strip_prefix(&self.name)?.strip_prefix('/')?;
        if file == LISTING {
            return Some(Found::bytes(file, self.listing().ok()?));
        }
        let found = self.files.iter().find(|(name, _)| name == file);
        found.map(|(_, path)| Found::File(path.clone()))
    }
}

/// Hashes of files, for as long as these do not change.
static HASHED: LazyLock<MadeOfFiles<String>> = LazyLock::new(MadeOfFiles::default);

/// A file's SHA-256, computed once for as long as the file does not change.
///
/// # Errors
/// The file cannot be read.
pub fn known_sha256(path: &Path) -> io::Result<String> {
    HASHED.get(path, || sha256(path))
}

/// A text as JSON spells it.
pub fn quoted(text: &str) -> String {
    let mut spelled = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => spelled.extend(['\\', letter]),
            letter if letter.is_control() => spelled += &format!("\\u{:04x}", letter as u32),
            letter => spelled.push(letter),
        }
    }
    spelled + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(served: &ServedFiles, path: &str) -> String {
        match served.find(path) {
            Some(Found::Bytes { bytes, .. }) => String::from_utf8_lossy(&bytes).into_owned(),
            _ => panic!("{path} is no list"),
        }
    }

    #[test]
    fn the_list_names_files_and_their_hash() {
        let home = tempfile::tempdir().expect("a folder");
        let [one, two] = ["one", "two"].map(|name| home.path().join(name));
        std::fs::write(&one, "abc").expect("a file");
        std::fs::write(&two, "").expect("a file");
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let model = ServedFiles::new("m".into(), "o\"ne".into(), vec![("one".into(), one.clone())]);
        assert_eq!(
            text(&model, "m/files.json"),
            format!(
                "{{\"from\":\"o\\\"ne\",\"sha256\":\"{abc}\",\"files\":[{{\"name\":\"one\",\"bytes\":3}}]}}"
            )
        );
        // As `sha256sum one two | sha256sum` says it.
        let both = vec![("one".into(), one.clone()), ("two".into(), two)];
        let model = ServedFiles::new("m".into(), "m".into(), both);
        let sum = "12eeb20da932e457d7c29ec8d3441919fde4523f65290ec400d98c8db2ef7de3";
        let list = text(&model, "m/files.json");
        assert!(list.contains(&format!("\"sha256\":\"{sum}\"")), "{list}");
        // A file that changed has another hash.
        std::fs::write(&one, "abcd").expect("a file");
        let model = ServedFiles::new("m".into(), "one".into(), vec![("one".into(), one)]);
        assert!(!text(&model, "m/files.json").contains(abc));
        assert!(model.find("m/two").is_none() && model.find("one").is_none());
    }

    /// Every start of the page waited until 98 MB were hashed, before the first of them was asked for.
    #[test]
    fn a_model_is_hashed_before_the_page_asks() {
        let home = tempfile::tempdir().expect("a folder");
        let path = home.path().join("weights");
        std::fs::write(&path, "abc").expect("a file");
        let is_known = || {
            let all = HASHED.0.lock().expect("the hashes");
            let slot = all.get(&path).cloned();
            drop(all);
            slot.is_some_and(|slot| slot.lock().expect("a hash").is_some())
        };
        assert!(!is_known());
        ServedFiles::new("m".into(), "m".into(), vec![("w".into(), path.clone())]).begin_hashing();
        let began = std::time::Instant::now();
        while !is_known() {
            assert!(began.elapsed().as_secs() < 60, "no hash came");
            std::thread::yield_now();
        }
        // Two who want it at once get the one hash.
        let both = std::thread::scope(|scope| {
            let other = scope.spawn(|| known_sha256(&path).expect("a hash"));
            [known_sha256(&path).expect("a hash"), other.join().expect("the other's")]
        });
        assert_eq!(both[0], both[1]);
    }
}
