//! The files of a model folder, wherever they came from: a disk, the program itself, or a reader's
//! drop on the page.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::rc::Rc;

use serde::Deserialize;

use super::ModelError;

const INDEX: &str = ".safetensors.index.json";

/// The index of the model itself, and its only file where there is no index.
const MODEL_INDEX: &str = "model.safetensors.index.json";
const MODEL: &str = "model.safetensors";

/// The most bytes of `config.json` and of an index, and of `tokenizer.json`: several times what the
/// largest published ones have.
const MOST_JSON: u64 = 16 << 20;
const MOST_TOKENIZER: u64 = 256 << 20;

/// Bytes of one file, mapped, owned or compiled in.
pub enum Bytes {
    #[cfg(feature = "cli")]
    Mapped(memmap2::Mmap),
    Owned(Vec<u8>),
    Static(&'static [u8]),
}

impl Bytes {
    /// Says that what was read so far will not be read again soon: of a mapped file the system then
    /// keeps no second copy beside what was made of it.
    pub(super) fn release(&self) {
        #[cfg(all(feature = "cli", unix))]
        if let Self::Mapped(map) = self {
            // SAFETY: the map is of a file and read only, so its pages come back from the file.
            // It is only advice: where it is not taken, memory is all that it costs.
            let _ = unsafe { map.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) };
        }
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            #[cfg(feature = "cli")]
            Self::Mapped(map) => map,
            Self::Owned(bytes) => bytes,
            Self::Static(bytes) => bytes,
        }
    }
}

/// A Hugging Face model folder: `config.json`, `*.safetensors` (with an index if sharded), and
/// `tokenizer.json` if it has one; or GGUF files, which say themselves what others say beside them.
///
/// `W` is what the weights' content is: bytes at hand, or, in a browser, a file yet to be read.
pub struct ModelFiles<W = Bytes> {
    pub name: String,
    /// `config.json`; `None` beside GGUF files.
    pub config: Option<Bytes>,
    pub tokenizer: Option<Bytes>,
    /// `model.safetensors.index.json`: its name and content.
    pub index: Option<(String, Bytes)>,
    /// Name and content of each safetensors or GGUF file; at least one, all of one format. Shared with
    /// whoever reads them later.
    pub weights: Vec<(String, Rc<W>)>,
}

impl<W> ModelFiles<W> {
    /// Sorts named files into their roles; files that play none are ignored.
    ///
    /// # Errors
    /// No `config.json` among the `small` files or no `weights`, or several of the latter and no
    /// index that says which belong together.
    pub fn new(
        name: &str,
        small: Vec<(String, Bytes)>,
        weights: Vec<(String, W)>,
    ) -> Result<Self, ModelError> {
        let (mut config, mut tokenizer, mut indexes) = (None, None, Vec::new());
        for (file, bytes) in small {
            match file.as_str() {
                "config.json" => config = Some(bytes),
                "tokenizer.json" => tokenizer = Some(bytes),
                _ if file.ends_with(INDEX) => indexes.push((file, bytes)),
                _ => {}
            }
        }
        let missing = |file, hint| ModelError::MissingFile {
            folder: name.to_string(),
            file,
            hint,
        };
        if weights.is_empty() {
            return Err(missing(
                "*.safetensors or *.gguf file",
                "add the model's weights in safetensors or GGUF format",
            ));
        }
        let (ggufs, weights): (Vec<_>, Vec<_>) =
            weights.into_iter().partition(|(file, _)| is_gguf(file));
        let shared = |(file, content)| (file, Rc::new(content));
        if weights.is_empty() {
            let ggufs = choose_ggufs(name, ggufs)?;
            return Ok(Self {
                name: name.to_string(),
                config: None,
                tokenizer,
                index: None,
                weights: ggufs.into_iter().map(shared).collect(),
            });
        }
        let config = config.ok_or_else(|| {
            missing(
                "config.json",
                "add the model's config.json (Hugging Face layout) beside its weights",
            )
        })?;
        let index = choose_index(name, indexes, &weights)?;
        let weights = choose(name, weights, index.as_ref().map(|(_, bytes)| &bytes[..]))?;
        Ok(Self {
            name: name.to_string(),
            config: Some(config),
            tokenizer,
            index,
            weights: weights.into_iter().map(shared).collect(),
        })
    }
}

impl ModelFiles {
    /// Sorts named files, all of whose bytes are at hand.
    ///
    /// # Errors
    /// As [`ModelFiles::new`].
    pub fn from_named(name: &str, files: Vec<(String, Bytes)>) -> Result<Self, ModelError> {
        let is_weights = |(file, _): &(String, Bytes)| Self::is_weights(file);
        let (weights, small) = files.into_iter().partition(is_weights);
        Self::new(name, small, weights)
    }

    /// Says that the weights read so far will not be read again soon: the system then keeps no
    /// second copy of them.
    pub fn release(&self) {
        for (_, bytes) in &self.weights {
            bytes.release();
        }
    }

    /// Is `file` one that holds tensors?
    pub fn is_weights(file: &str) -> bool {
        file.ends_with(".safetensors") || is_gguf(file)
    }

    /// Does the model lie in GGUF files?
    pub fn is_gguf(&self) -> bool {
        self.config.is_none()
    }

    /// Is `file` one that [`Self::from_named`] has a use for?
    pub fn wants(file: &str) -> bool {
        matches!(file, "config.json" | "tokenizer.json")
            || Self::is_weights(file)
            || file.ends_with(INDEX)
    }

    /// Checks the size of a file before it is read whole; files of weights may have any.
    ///
    /// # Errors
    /// It has more bytes than any model's.
    pub fn check_size(file: &str, size: u64) -> Result<(), ModelError> {
        let most = match file {
            _ if Self::is_weights(file) => u64::MAX,
            "tokenizer.json" => MOST_TOKENIZER,
            _ => MOST_JSON,
        };
        if size <= most {
            return Ok(());
        }
        Err(ModelError::TooLarge {
            file: file.to_string(),
            size,
            most,
        })
    }

    /// Opens a folder, or a GGUF file with the other parts of its model and a `tokenizer.json` beside
    /// it; weights are mapped, not read.
    ///
    /// # Errors
    /// As [`ModelFiles::new`]; a file that cannot be read, is no regular one, or is too large.
    #[cfg(feature = "cli")]
    pub fn open(path: &std::path::Path) -> Result<Self, ModelError> {
        if !path.is_file() {
            return Self::open_folder(path, &|_| true);
        }
        let name = path.file_name().and_then(|name| name.to_str());
        let (Some(name), Some(folder)) = (name.filter(|name| is_gguf(name)), path.parent()) else {
            return Err(ModelError::NoFolder {
                folder: path.to_path_buf(),
                known: super::catalogue::names(),
            });
        };
        let folder = if folder.as_os_str().is_empty() {
            std::path::Path::new(".")
        } else {
            folder
        };
        let own = split_of(name).map(|(stem, _)| stem);
        let is_part = |file: &str| match split_of(file) {
            Some((stem, _)) => own == Some(stem),
            None => file == name,
        };
        let mut files = Self::open_folder(folder, &|file| {
            file == "tokenizer.json" || is_gguf(file) && is_part(file)
        })?;
        files.name = own.unwrap_or(name).trim_end_matches(GGUF).to_string();
        Ok(files)
    }

    /// The files of a folder that are `wanted`.
    #[cfg(feature = "cli")]
    fn open_folder(
        folder: &std::path::Path,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Self, ModelError> {
        let read_error = |path: &std::path::Path, reason| ModelError::Read {
            path: path.to_path_buf(),
            reason,
        };
        let mut files = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(|reason| read_error(folder, reason))? {
            let path = entry.map_err(|reason| read_error(folder, reason))?.path();
            let Some(file) = path
                .file_name()
                .and_then(|name| name.to_str())
                .filter(|name| Self::wants(name) && wanted(name))
            else {
                continue;
            };
            // Asked before it is opened: to open a pipe is to wait for its writer.
            let about = std::fs::metadata(&path).map_err(|reason| read_error(&path, reason))?;
            if !about.is_file() {
                let file = file.to_string();
                return Err(ModelError::NotAFile { path, file });
            }
            Self::check_size(file, about.len())?;
            let bytes = if Self::is_weights(file) {
                map(&path)
            } else {
                std::fs::read(&path).map(Bytes::Owned)
            };
            files.push((
                file.to_string(),
                bytes.map_err(|reason| read_error(&path, reason))?,
            ));
        }
        let name = folder.canonicalize().ok();
        let name = name
            .as_deref()
            .unwrap_or(folder)
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or("model");
        Self::from_named(name, files)
    }
}

const GGUF: &str = ".gguf";

fn is_gguf(file: &str) -> bool {
    file.ends_with(GGUF)
}

/// Of `name-00001-of-00003.gguf`: `name` and `-of-00003`; a model's parts share both.
fn split_of(file: &str) -> Option<(&str, &str)> {
    const DIGITS: usize = "-00001".len();
    const ENDING: usize = "-of-00003".len();
    let stem = file.strip_suffix(GGUF)?;
    let (before, of) = stem.split_at_checked(stem.len().checked_sub(ENDING)?)?;
    let (name, number) = before.split_at_checked(before.len().checked_sub(DIGITS)?)?;
    let is_count = |text: &str, start: &str| {
        let digits = text.strip_prefix(start);
        digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
    };
    (is_count(number, "-") && is_count(of, "-of-")).then_some((name, of))
}

/// Which GGUF files are the model: the only one, or all parts of one.
fn choose_ggufs<W>(
    folder: &str,
    mut ggufs: Vec<(String, W)>,
) -> Result<Vec<(String, W)>, ModelError> {
    ggufs.sort_by(|a, b| a.0.cmp(&b.0));
    let first = ggufs.first().and_then(|(file, _)| split_of(file));
    let is_one = ggufs.len() == 1
        || first.is_some() && ggufs.iter().all(|(file, _)| split_of(file) == first);
    if is_one {
        return Ok(ggufs);
    }
    let files: Vec<String> = ggufs.into_iter().map(|(file, _)| file).collect();
    Err(ModelError::SeveralGgufs {
        folder: folder.to_string(),
        files: files.join(", "),
    })
}

/// Which index is the model's: the one of that name, or the only one where there is no
/// `model.safetensors` either. Others belong to copies of the weights.
fn choose_index<W>(
    folder: &str,
    mut indexes: Vec<(String, Bytes)>,
    weights: &[(String, W)],
) -> Result<Option<(String, Bytes)>, ModelError> {
    if let Some(at) = indexes.iter().position(|(file, _)| file == MODEL_INDEX) {
        return Ok(Some(indexes.swap_remove(at)));
    }
    if weights.iter().any(|(file, _)| file == MODEL) {
        return Ok(None);
    }
    if indexes.len() > 1 {
        let mut files: Vec<String> = indexes.into_iter().map(|(file, _)| file).collect();
        files.sort();
        return Err(ModelError::SeveralIndexes {
            folder: folder.to_string(),
            files: files.join(", "),
        });
    }
    Ok(indexes.pop())
}

/// Which safetensors files are the model: those the index names, or `model.safetensors`, or the
/// only one. Many folders hold a second copy under another name (`consolidated.safetensors`).
fn choose<W>(
    folder: &str,
    mut weights: Vec<(String, W)>,
    index: Option<&[u8]>,
) -> Result<Vec<(String, W)>, ModelError> {
    if let Some(index) = index {
        // An index that cannot be read is reported where its tensors are looked up.
        if let Ok(index) = serde_json::from_slice::<Index>(index) {
            weights.retain(|(file, _)| index.weight_map.values().any(|named| named == file));
        }
    } else if weights.iter().any(|(file, _)| file == MODEL) {
        weights.retain(|(file, _)| file == MODEL);
    } else if weights.len() > 1 {
        let files: Vec<String> = weights.into_iter().map(|(file, _)| file).collect();
        return Err(ModelError::SeveralWeights {
            folder: folder.to_string(),
            files: files.join(", "),
        });
    }
    weights.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(weights)
}

/// `model.safetensors.index.json`.
#[derive(Deserialize)]
pub(super) struct Index {
    /// Tensor to file.
    pub weight_map: BTreeMap<String, String>,
}

impl Index {
    /// Reads the index called `file`.
    ///
    /// # Errors
    /// It is no such JSON, or names a file that is not beside it.
    pub fn read(file: &str, bytes: &[u8]) -> Result<Self, ModelError> {
        let read: Self = serde_json::from_slice(bytes).map_err(|reason| ModelError::Json {
            file: file.to_string(),
            reason,
        })?;
        let is_elsewhere = |shard: &str| shard.contains(['/', '\\']) || shard == "..";
        match read
            .weight_map
            .iter()
            .find(|(_, shard)| is_elsewhere(shard))
        {
            None => Ok(read),
            Some((tensor, shard)) => Err(ModelError::ShardOutside {
                index: file.to_string(),
                tensor: tensor.escape_debug().to_string(),
                file: shard.escape_debug().to_string(),
            }),
        }
    }
}

#[cfg(feature = "cli")]
fn map(path: &std::path::Path) -> std::io::Result<Bytes> {
    let file = std::fs::File::open(path)?;
    if file.metadata()?.len() == 0 {
        return Ok(Bytes::Owned(Vec::new())); // an empty file cannot be mapped
    }
    // SAFETY: the map is read only. Another process that truncates the file while it is being
    // converted to tensors would fault this one, as with any mapped checkpoint reader; the
    // alternative, reading tens of gigabytes into the heap first, doubles the memory a model needs.
    unsafe { memmap2::Mmap::map(&file) }.map(Bytes::Mapped)
}

#[cfg(all(test, feature = "cli"))]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use super::*;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str| std::fs::write(folder.path().join(name), b"{}").expect(name);
        write("config.json");
        write("model.safetensors");
        folder
    }

    /// Opened on a thread of its own: a pipe that is waited for would hang the test.
    fn refused(folder: &Path) -> String {
        let folder = folder.to_path_buf();
        let (send, receive) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let opened = ModelFiles::open(&folder).err();
            send.send(opened.map(|error| error.to_string()))
        });
        let answer = receive.recv_timeout(Duration::from_secs(20));
        answer.expect("an answer").expect("a refusal")
    }

    #[test]
    fn folders_stand_for_no_file() {
        let folder = folder();
        std::fs::create_dir(folder.path().join("tokenizer.json")).expect("a folder");
        let sentence = refused(folder.path());
        assert!(
            sentence.contains("tokenizer.json is not a file"),
            "{sentence}"
        );
    }

    #[test]
    #[cfg(unix)]
    fn pipes_and_devices_are_not_opened() {
        for file in ["config.json", "tokenizer.json", "model.safetensors"] {
            let folder = folder();
            let path = folder.path().join(file);
            let _ = std::fs::remove_file(&path);
            let made = std::process::Command::new("mkfifo").arg(&path).status();
            assert!(made.expect("mkfifo").success());
            let sentence = refused(folder.path());
            let ends = format!(
                "{file} is not a file (it may be a folder, a pipe or a device); put the model's own {file} there"
            );
            assert!(sentence.ends_with(&ends), "{sentence}");
            std::fs::remove_file(&path).expect("it was made");
            std::os::unix::fs::symlink("/dev/zero", &path).expect("a link");
            assert!(refused(folder.path()).ends_with(&ends));
        }
    }

    #[test]
    fn small_files_are_small() {
        for (file, size) in [
            ("config.json", 16 << 20),
            ("model.safetensors.index.json", 16 << 20),
            ("tokenizer.json", 256 << 20),
        ] {
            assert!(ModelFiles::check_size(file, size).is_ok());
            let folder = folder();
            // A hole takes no room on the disk.
            let large = std::fs::File::create(folder.path().join(file)).expect(file);
            large.set_len(size + 1).expect("a hole");
            let sentence = refused(folder.path());
            let begins = format!(
                "{file} has {} bytes, but no model's has more than {size};",
                size + 1
            );
            assert!(sentence.starts_with(&begins), "{sentence}");
        }
        assert!(ModelFiles::check_size("model.safetensors", u64::MAX).is_ok());
    }

    #[test]
    fn the_models_own_index_is_looked_at() {
        let named = |names: &[&str]| {
            let index = br#"{"weight_map": {"a": "a.safetensors"}}"#;
            let files = names.iter().chain(&["config.json"]);
            let files = files.map(|name| (name.to_string(), Bytes::Static(index)));
            ModelFiles::from_named("test", files.collect())
        };
        let chosen = |names: &[&str]| {
            let files = named(names).unwrap_or_else(|error| panic!("{names:?}: {error}"));
            let weights = files.weights.into_iter().map(|(name, _)| name);
            (
                files.index.map(|(name, _)| name),
                weights.collect::<Vec<_>>(),
            )
        };
        let (own, other, third) = (
            "model.safetensors.index.json",
            "b.safetensors.index.json",
            "c.safetensors.index.json",
        );
        let a = "a.safetensors";
        for order in [[own, other, third], [third, other, own]] {
            let [one, two, three] = order;
            assert_eq!(
                chosen(&[one, two, three, a]),
                (Some(own.into()), vec![a.into()])
            );
        }
        assert_eq!(chosen(&[other, a]), (Some(other.into()), vec![a.into()]));
        let whole = "model.safetensors";
        assert_eq!(
            chosen(&[other, third, a, whole]),
            (None, vec![whole.into()])
        );
        let error = named(&[third, other, a])
            .err()
            .expect("two indexes")
            .to_string();
        assert!(error.starts_with("test holds several indexes of safetensors files (b.safetensors.index.json, c.safetensors.index.json), none of them"), "{error}");
    }
}
