//! The models that come with atelier: one table for the command line, which carries them, and for
//! the page, which fetches them.

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

/// A file of a folder under `public/models`, which the page serves as `models/`.
macro_rules! file {
    ($folder:literal, $name:literal) => {
        KnownFile {
            name: $name,
            path: concat!("models/", $folder, "/", $name),
            #[cfg(not(target_arch = "wasm32"))]
            bytes: include_bytes!(concat!("../../public/models/", $folder, "/", $name)),
        }
    };
}

macro_rules! model {
    ($name:literal, $blocks:literal, $bytes:literal, $about:literal) => {
        KnownModel {
            name: $name,
            about: $about,
            blocks: $blocks,
            bytes: $bytes,
            files: [
                file!($name, "config.json"),
                file!($name, "tokenizer.json"),
                file!($name, "model.safetensors"),
            ],
        }
    };
}

/// Every known model, the one to begin with first.
pub const KNOWN: &[KnownModel] = &[model!(
    "apprentice-2",
    2,
    242_129,
    "2 blocks: what little depth can do"
)];

/// The known model of this name.
pub fn find(name: &str) -> Option<&'static KnownModel> {
    KNOWN.iter().find(|model| model.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_in_the_table_are_those_of_the_files() {
        for model in KNOWN {
            let bytes: usize = model.files.iter().map(|file| file.bytes.len()).sum();
            assert_eq!(model.bytes, bytes, "{}", model.name);
        }
    }

    #[test]
    fn names_are_distinct_and_found() {
        for (at, model) in KNOWN.iter().enumerate() {
            assert!(KNOWN[..at].iter().all(|other| other.name != model.name));
            assert_eq!(find(model.name).map(|found| found.name), Some(model.name));
        }
        assert!(find("no such model").is_none());
    }
}
