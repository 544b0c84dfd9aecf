//! The models that come with atelier: one table for the command line, which carries them, and for
//! the page, which fetches them. And published ones, which lie on a hub.

#[cfg(any(feature = "cli", feature = "web"))]
pub mod published;

#[cfg(not(target_arch = "wasm32"))]
use super::{FileBytes, ModelError, ModelFiles};

/// One file of a known model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownFile {
    /// The name that the Hugging Face layout gives it, such as `config.json`.
    pub name: &'static str,
    /// Where the page finds it, relative to its own address.
    pub path: &'static str,
    /// Its bytes; the page has them only after it fetched them.
    #[cfg(not(target_arch = "wasm32"))]
    pub bytes: &'static [u8],
}

/// A model known by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownModel {
    pub name: &'static str,
    /// One line for a list of choices.
    pub about: &'static str,
    /// Blocks that run.
    pub blocks: usize,
    /// Bytes of all its files.
    pub bytes: usize,
    pub files: [KnownFile; 3],
}

impl KnownModel {
    /// Opens the files, which this program carries.
    ///
    /// # Errors
    /// The files are not a model's: a test opens them all.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn open(&self) -> Result<ModelFiles, ModelError> {
        let files = self.files.iter();
        let files = files.map(|file| (file.name.to_owned(), FileBytes::Static(file.bytes)));
        ModelFiles::from_named(self.name, files.collect())
    }
}

/// A file under `public/models`, which the page serves as `models/`, and the name it goes by.
macro_rules! file {
    ($folder:literal, $file:expr, $name:literal) => {
        KnownFile {
            name: $name,
            path: concat!("models/", $folder, "/", $file),
            #[cfg(not(target_arch = "wasm32"))]
            bytes: include_bytes!(concat!("../../../public/models/", $folder, "/", $file)),
        }
    };
}

/// A model in a folder, with these weights of it.
macro_rules! model {
    ($name:expr, $folder:literal, $weights:expr, $blocks:literal, $bytes:expr, $about:expr) => {
        KnownModel {
            name: $name,
            about: $about,
            blocks: $blocks,
            bytes: $bytes,
            files: [
                file!($folder, "config.json", "config.json"),
                file!($folder, "tokenizer.json", "tokenizer.json"),
                file!($folder, $weights, "model.safetensors"),
            ],
        }
    };
    ($name:literal, $blocks:literal, $bytes:expr, $about:literal) => {
        model!($name, $name, "model.safetensors", $blocks, $bytes, $about)
    };
}

/// Every finished model, the one to begin with first.
pub const KNOWN: &[KnownModel] = &[
    model!("scholar-12", 12, 1_158_074, "12 blocks: the most able"),
    model!("scholar-8", 8, 784_641, "8 blocks"),
    model!("scholar-4", 4, OF_FOUR_BLOCKS, "4 blocks"),
    model!("scholar-2", 2, 224_569, "2 blocks: what little depth can do"),
    model!("scholar-12-shared", 12, 598_014, "6 blocks, each run twice in a row"),
];

/// Bytes of `scholar-4`, finished or on its way.
const OF_FOUR_BLOCKS: usize = 411_257;

/// Other weights of `scholar-4`'s shape, in its folder.
macro_rules! copy {
    ($weights:literal, $about:literal) => {
        model!(
            concat!("scholar-4-", $weights),
            "scholar-4",
            concat!($weights, ".safetensors"),
            4,
            OF_FOUR_BLOCKS,
            $about
        )
    };
}

/// `scholar-4` on its way: when it was new, and whenever it had met another kind of task
/// (`train/session.rs` says which).
pub const TRAINING: &[KnownModel] = &[
    copy!("step-000000", "4 blocks after 0 steps"),
    copy!("step-000784", "4 blocks after 784 steps"),
    copy!("step-001805", "4 blocks after 1805 steps"),
    copy!("step-002803", "4 blocks after 2803 steps"),
    copy!("step-004863", "4 blocks after 4863 steps"),
    copy!("step-007402", "4 blocks after 7402 steps"),
    copy!("step-010125", "4 blocks after 10125 steps"),
];

/// `scholar-4` trained again from other seeds: what of a finding is the shape's, and what chance.
pub const SEEDS: &[KnownModel] =
    &[copy!("seed-2", "4 blocks from another seed"), copy!("seed-3", "4 blocks from a third seed")];

/// All of them: finished, on their way, of other seeds.
pub fn all() -> impl Iterator<Item = &'static KnownModel> {
    KNOWN.iter().chain(TRAINING).chain(SEEDS)
}

/// The step after which a model on its way was kept: of `scholar-4-step-000784`, 784.
pub fn moment(name: &str) -> Option<u64> {
    name.rsplit_once("step-")?.1.parse().ok()
}

/// `"scholar-12, …"`: what there is, for errors.
pub fn names() -> String {
    let names: Vec<&str> = KNOWN.iter().map(|known| known.name).collect();
    names.join(", ")
}

/// The known model of this name, whichever it is.
pub fn find(name: &str) -> Option<&'static KnownModel> {
    all().find(|model| model.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_in_the_table_are_those_of_the_files() {
        for model in all() {
            let bytes: usize = model.files.iter().map(|file| file.bytes.len()).sum();
            assert_eq!(model.bytes, bytes, "{}", model.name);
            assert!(model.open().is_ok(), "{}", model.name);
        }
    }

    #[test]
    fn names_are_distinct_and_found() {
        let all: Vec<&KnownModel> = all().collect();
        for (at, model) in all.iter().enumerate() {
            assert!(all[..at].iter().all(|other| other.name != model.name));
            assert_eq!(find(model.name).map(|found| found.name), Some(model.name));
        }
        assert!(find("no such model").is_none());
        assert!(TRAINING.iter().all(|model| moment(model.name).is_some()));
        assert!(KNOWN.iter().chain(SEEDS).all(|model| moment(model.name).is_none()));
        assert_eq!(moment("scholar-4-step-000784"), Some(784));
    }
}
