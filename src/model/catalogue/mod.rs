//! The models that come with atelier: one table for the command line, which carries them, and for
//! the page, which fetches them. And published ones, which lie on a hub.

#[cfg(any(feature = "cli", feature = "web"))]
pub mod published;

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

/// A file under `public/models`, which the page serves as `models/`, and the name it goes by.
macro_rules! file {
    ($folder:literal, $file:literal, $name:literal) => {
        KnownFile {
            name: $name,
            path: concat!("models/", $folder, "/", $file),
            #[cfg(not(target_arch = "wasm32"))]
            bytes: include_bytes!(concat!("../../../public/models/", $folder, "/", $file)),
        }
    };
}

/// A model in its own folder; or, with weights named, one that differs from it in them alone.
macro_rules! model {
    ($name:literal, $blocks:literal, $bytes:literal, $about:literal) => {
        model!($name, $name, "model.safetensors", $blocks, $bytes, $about)
    };
    ($name:literal, $folder:literal, $weights:literal, $blocks:literal, $bytes:literal, $about:literal) => {
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
}

/// Every finished model, the one to begin with first.
pub const KNOWN: &[KnownModel] = &[
    model!("apprentice-12", 12, 1_175_626, "12 blocks: the most able"),
    model!("apprentice-8", 8, 802_193, "8 blocks"),
    model!("apprentice-4", 4, 428_817, "4 blocks"),
    model!(
        "apprentice-2",
        2,
        242_129,
        "2 blocks: what little depth can do"
    ),
    model!(
        "apprentice-12-shared",
        12,
        615_566,
        "6 blocks, each run twice in a row"
    ),
];

/// `apprentice-4` on its way: the model after 0, 125, … steps of its training.
pub const TRAINING: &[KnownModel] = &[
    model!(
        "apprentice-4-step-000000",
        "apprentice-4",
        "step-000000.safetensors",
        4,
        428_817,
        "4 blocks after 0 steps"
    ),
    model!(
        "apprentice-4-step-000125",
        "apprentice-4",
        "step-000125.safetensors",
        4,
        428_817,
        "4 blocks after 125 steps"
    ),
    model!(
        "apprentice-4-step-000250",
        "apprentice-4",
        "step-000250.safetensors",
        4,
        428_817,
        "4 blocks after 250 steps"
    ),
    model!(
        "apprentice-4-step-000500",
        "apprentice-4",
        "step-000500.safetensors",
        4,
        428_817,
        "4 blocks after 500 steps"
    ),
    model!(
        "apprentice-4-step-001000",
        "apprentice-4",
        "step-001000.safetensors",
        4,
        428_817,
        "4 blocks after 1000 steps"
    ),
    model!(
        "apprentice-4-step-002000",
        "apprentice-4",
        "step-002000.safetensors",
        4,
        428_817,
        "4 blocks after 2000 steps"
    ),
    model!(
        "apprentice-4-step-004000",
        "apprentice-4",
        "step-004000.safetensors",
        4,
        428_817,
        "4 blocks after 4000 steps"
    ),
];

/// `"apprentice-2, …"`: what there is, for errors.
pub fn names() -> String {
    let names: Vec<&str> = KNOWN.iter().map(|known| known.name).collect();
    names.join(", ")
}

/// The known model of this name, finished or on its way.
pub fn find(name: &str) -> Option<&'static KnownModel> {
    KNOWN
        .iter()
        .chain(TRAINING)
        .find(|model| model.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_in_the_table_are_those_of_the_files() {
        for model in KNOWN.iter().chain(TRAINING) {
            let bytes: usize = model.files.iter().map(|file| file.bytes.len()).sum();
            assert_eq!(model.bytes, bytes, "{}", model.name);
        }
    }

    #[test]
    fn names_are_distinct_and_found() {
        let all: Vec<&KnownModel> = KNOWN.iter().chain(TRAINING).collect();
        for (at, model) in all.iter().enumerate() {
            assert!(all[..at].iter().all(|other| other.name != model.name));
            assert_eq!(find(model.name).map(|found| found.name), Some(model.name));
        }
        assert!(find("no such model").is_none());
    }
}
