//! The files of a model folder, wherever they came from: a disk, the program itself, or a reader's
//! drop on the page.

mod choice;
mod ggufs;
#[cfg(feature = "cli")]
mod mapped;
#[cfg(all(test, feature = "cli"))]
mod tests;
mod tokenizer_files;

use std::ops::Deref;
use std::rc::Rc;

pub(super) use self::choice::{CheckpointKind, ShardIndex};
use self::choice::{choose, choose_index};
use self::ggufs::is_gguf;
#[cfg(any(feature = "cli", feature = "web"))]
pub(super) use self::ggufs::{shard_count, split_of};
pub use self::tokenizer_files::TokenizerFiles;
use super::ModelError;

/// The most bytes of `config.json` and its like, of `tokenizer.json`, and of `tokenizer.model`: several times what
/// the largest published ones have.
const MOST_JSON: u64 = 16 << 20;
const MOST_TOKENIZER: u64 = 256 << 20;
const MOST_PIECES: u64 = 32 << 20;

/// Bytes of one file, mapped, owned or compiled in.
pub enum FileBytes {
    #[cfg(feature = "cli")]
    Mapped(mapped::MappedFile),
    Owned(Vec<u8>),
    Static(&'static [u8]),
}

impl FileBytes {
    /// Checks that a mapped file is what it was when it was opened; other bytes are this program's.
    ///
    /// # Errors
    /// [`ModelError::Changed`]
    pub(super) fn check_unchanged(&self) -> Result<(), ModelError> {
        match self {
            #[cfg(feature = "cli")]
            Self::Mapped(file) => file.check_unchanged(),
            Self::Owned(_) | Self::Static(_) => Ok(()),
        }
    }

    /// Says that what was read so far will not be read again soon.
    pub(super) fn release(&self) {
        #[cfg(feature = "cli")]
        if let Self::Mapped(file) = self {
            file.release();
        }
    }
}

impl Deref for FileBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            #[cfg(feature = "cli")]
            Self::Mapped(file) => file,
            Self::Owned(bytes) => bytes,
            Self::Static(bytes) => bytes,
        }
    }
}

/// A Hugging Face model folder: `config.json`, `*.safetensors` or PyTorch's `*.bin` (with an index if
/// sharded), and `tokenizer.json` or `tokenizer.model` if it has one; or GGUF files, which say themselves what others say beside
/// them.
///
/// `W` is what the weights' content is: bytes at hand, or, in a browser, a file yet to be read.
pub struct ModelFiles<W = FileBytes> {
    pub name: String,
    /// `config.json`; `None` beside GGUF files.
    pub config: Option<FileBytes>,
    pub tokenizer: Option<TokenizerFiles>,
    /// `model.safetensors.index.json` or its like: its name and content.
    pub index: Option<(String, FileBytes)>,
    /// Name and content of each file of weights; at least one, all of one format. Shared with whoever reads
    /// them later.
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
        small: Vec<(String, FileBytes)>,
        weights: Vec<(String, W)>,
    ) -> Result<Self, ModelError> {
        let (mut config, mut words, mut indexes) = (None, Vec::new(), Vec::new());
        for (file, bytes) in small {
            match file.as_str() {
                "config.json" => config = Some(bytes),
                _ if TokenizerFiles::wants(&file) => words.push((file, bytes)),
                _ if CheckpointKind::of_index(&file).is_some() => indexes.push((file, bytes)),
                _ => {}
            }
        }
        let tokenizer = TokenizerFiles::new(words);
        let missing = |file, hint| ModelError::MissingFile { folder: name.to_string(), file, hint };
        if weights.is_empty() {
            return Err(missing(
                "*.safetensors, *.gguf or pytorch_model.bin file",
                match indexes.is_empty() {
                    true => "add the model's weights in safetensors, GGUF or PyTorch format",
                    false => "copy the files of weights that its index names beside the index",
                },
            ));
        }
        let shared = |(file, content)| (file, Rc::new(content));
        let names = weights.iter().map(|(file, _)| file.as_str());
        let names = names.chain(indexes.iter().map(|(file, _)| file.as_str()));
        let kind = CheckpointKind::choose(names);
        // GGUF files say all that an engine needs, their own vocabulary too.
        let has_gguf = weights.iter().any(|(file, _)| is_gguf(file));
        let kind = kind.filter(|kind| *kind == CheckpointKind::SAFETENSORS || !has_gguf);
        let Some(kind) = kind else {
            let ggufs = weights.into_iter().filter(|(file, _)| is_gguf(file)).collect();
            let ggufs = ggufs::choose(name, ggufs)?;
            return Ok(Self {
                name: one_line(name),
                config: None,
                tokenizer: tokenizer.filter(|words| matches!(words, TokenizerFiles::Json(_))),
                index: None,
                weights: ggufs.into_iter().map(shared).collect(),
            });
        };
        let weights: Vec<_> = weights
            .into_iter()
            .filter(|(file, _)| CheckpointKind::of(file) == Some(kind))
            .collect();
        let config = config.ok_or_else(|| {
            missing(
                "config.json",
                "add the model's config.json (Hugging Face layout) beside its weights",
            )
        })?;
        let index = choose_index(name, kind, indexes, &weights)?;
        let bytes = index.as_ref().map(|(_, bytes)| &bytes[..]);
        let weights = choose(name, kind, weights, bytes)?;
        Ok(Self {
            name: one_line(name),
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
    pub fn from_named(name: &str, files: Vec<(String, FileBytes)>) -> Result<Self, ModelError> {
        let is_weights = |(file, _): &(String, FileBytes)| Self::is_weights(file);
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

    /// Whether `file` is a file with tensors, by its name.
    pub fn is_weights(file: &str) -> bool {
        CheckpointKind::of(file).is_some() || is_gguf(file)
    }

    /// Whether all files that the index names are there, or all parts of a GGUF file.
    #[cfg(feature = "cli")]
    pub fn has_all_shards(&self) -> bool {
        let is_there = |shard: &String| self.weights.iter().any(|(file, _)| file == shard);
        match &self.index {
            Some((file, bytes)) => ShardIndex::read(file, bytes)
                .is_ok_and(|index| index.weight_map.values().all(is_there)),
            None => self
                .weights
                .iter()
                .all(|(file, _)| shard_count(file).is_none_or(|count| count == self.weights.len())),
        }
    }

    /// Whether the model lies in PyTorch's files.
    #[cfg(feature = "cli")]
    pub fn is_pytorch(&self) -> bool {
        let pytorch = Some(CheckpointKind::PYTORCH);
        self.weights.iter().all(|(file, _)| CheckpointKind::of(file) == pytorch)
    }

    /// Whether the model lies in GGUF files.
    pub fn is_gguf(&self) -> bool {
        self.config.is_none()
    }

    /// Whether [`Self::from_named`] can use `file`, by its name.
    pub fn wants(file: &str) -> bool {
        file == "config.json"
            || TokenizerFiles::wants(file)
            || Self::is_weights(file)
            || CheckpointKind::of_index(file).is_some()
    }

    /// Checks the size of a file before it is read whole; files of weights may have any.
    ///
    /// # Errors
    /// It has more bytes than any model's.
    pub fn check_size(file: &str, size: u64) -> Result<(), ModelError> {
        let most = match file {
            _ if Self::is_weights(file) => u64::MAX,
            "tokenizer.json" => MOST_TOKENIZER,
            "tokenizer.model" => MOST_PIECES,
            _ => MOST_JSON,
        };
        if size <= most {
            return Ok(());
        }
        Err(ModelError::TooLarge { file: file.to_string(), size, most })
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
        let folder = if folder.as_os_str().is_empty() { std::path::Path::new(".") } else { folder };
        let own = split_of(name).map(|(stem, _)| stem);
        let is_part = |file: &str| match split_of(file) {
            Some((stem, _)) => own == Some(stem),
            None => file == name,
        };
        let mut files = Self::open_folder(folder, &|file| {
            file == "tokenizer.json" || is_gguf(file) && is_part(file)
        })?;
        files.name = one_line(own.unwrap_or(name).trim_end_matches(ggufs::ENDING));
        Ok(files)
    }

    /// The files of a folder that are `wanted`.
    #[cfg(feature = "cli")]
    fn open_folder(
        folder: &std::path::Path,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Self, ModelError> {
        let read_error =
            |path: &std::path::Path, reason| ModelError::Read { path: path.to_path_buf(), reason };
        let mut names = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(|reason| read_error(folder, reason))? {
            let name = entry.map_err(|reason| read_error(folder, reason))?.file_name();
            names.extend(name.into_string().ok().filter(|name| Self::wants(name) && wanted(name)));
        }

        // Files of another copy of the weights are not opened.
        let kind = CheckpointKind::choose(names.iter().map(String::as_str));
        let mut files = Vec::new();
        for file in &names {
            let is_other_copy = kind.is_some_and(|kind| kind.leaves_out(file, &names));
            if is_other_copy || TokenizerFiles::leaves_out(file, &names) {
                continue;
            }
            let path = folder.join(file);
            // Asked before it is opened: to open a pipe is to wait for its writer.
            let about = std::fs::metadata(&path).map_err(|reason| read_error(&path, reason))?;
            if !about.is_file() {
                let file = file.to_string();
                return Err(ModelError::NotAFile { path, file });
            }
            Self::check_size(file, about.len())?;
            // An empty file cannot be mapped.
            let bytes = if Self::is_weights(file) && about.len() > 0 {
                mapped::MappedFile::open(&path).map(FileBytes::Mapped)
            } else {
                std::fs::read(&path).map(FileBytes::Owned)
            };
            files.push((file.to_string(), bytes.map_err(|reason| read_error(&path, reason))?));
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

/// A model's name: its folder may be called anything, and the name is shown in tables and lists.
fn one_line(name: &str) -> String {
    let shown = name.chars().map(|c| if c.is_control() { ' ' } else { c });
    shown.collect()
}
