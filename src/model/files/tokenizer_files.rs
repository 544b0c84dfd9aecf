//! The files that say how a model's text is cut into tokens.

use super::FileBytes;

const JSON: &str = "tokenizer.json";
const MODEL: &str = "tokenizer.model";
const CONFIG: &str = "tokenizer_config.json";

/// A model's tokenizer, as its files hold it.
pub enum TokenizerFiles {
    /// `tokenizer.json`, which says all.
    Json(FileBytes),
    SentencePiece {
        /// `tokenizer.model`
        model: FileBytes,
        /// `tokenizer_config.json`
        config: Option<FileBytes>,
    },
}

impl TokenizerFiles {
    /// Names of all files that a tokenizer may have, those that say all first.
    pub const NAMES: [&str; 3] = [JSON, MODEL, CONFIG];

    /// Sorts named files into their roles: where there is a `tokenizer.json`, nothing else is read.
    pub fn new(files: Vec<(String, FileBytes)>) -> Option<Self> {
        let (mut json, mut model, mut config) = (None, None, None);
        for (file, bytes) in files {
            match file.as_str() {
                JSON => json = Some(bytes),
                MODEL => model = Some(bytes),
                CONFIG => config = Some(bytes),
                _ => {}
            }
        }
        let pieces = model.map(|model| Self::SentencePiece { model, config });
        json.map(Self::Json).or(pieces)
    }

    /// Whether a file is one of a tokenizer's.
    pub fn wants(file: &str) -> bool {
        Self::NAMES.contains(&file)
    }

    /// Whether a file of a tokenizer is not read, by the names of its folder.
    #[cfg(any(feature = "cli", feature = "web"))]
    pub fn leaves_out<N: AsRef<str>>(file: &str, folder: &[N]) -> bool {
        let has = |name: &str| folder.iter().any(|file| file.as_ref() == name);
        match file {
            MODEL => has(JSON),
            CONFIG => has(JSON) || !has(MODEL),
            _ => false,
        }
    }

    /// The files with their names.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, &FileBytes)> {
        let (first, second) = match self {
            Self::Json(json) => ((JSON, json), None),
            Self::SentencePiece { model, config } => {
                ((MODEL, model), config.as_ref().map(|config| (CONFIG, config)))
            }
        };
        std::iter::once(first).chain(second)
    }
}
