//! What a file is that is called `.safetensors` and is none, by its first bytes.

/// A format that is no safetensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OtherFormat {
    /// For people: `"a GGUF file"`.
    pub what: &'static str,
    /// What to do about it.
    pub hint: &'static str,
}

const CONVERT: &str = "renaming does not convert it: load it in PyTorch and save it as safetensors, or take the model's own safetensors file";
const AGAIN: &str = "download it again, and look at what the server answers";

/// First bytes, and the format that has them.
const FORMATS: &[(&[u8], OtherFormat)] = &[
    (
        b"PK\x03\x04",
        OtherFormat { what: "a PyTorch checkpoint or another zip archive", hint: CONVERT },
    ),
    (
        b"\x80\x02",
        OtherFormat { what: "a PyTorch checkpoint of the old kind (a pickle)", hint: CONVERT },
    ),
    (
        b"version https://git-lfs",
        OtherFormat {
            what: "a Git LFS pointer, a few lines that stand for the weights",
            hint: "fetch the weights themselves with `git lfs pull`",
        },
    ),
    (
        b"GGUF",
        OtherFormat { what: "a GGUF file", hint: "give it back its name, with .gguf at the end" },
    ),
    (
        b"\x89HDF",
        OtherFormat {
            what: "an HDF5 file (Keras, TensorFlow)",
            hint: "take the same model's safetensors files",
        },
    ),
    (b"<", OtherFormat { what: "a web page", hint: AGAIN }),
    (b"{", OtherFormat { what: "a JSON text", hint: AGAIN }),
];

/// The format that begins so, if it is a known one.
pub fn of(first: &[u8]) -> Option<OtherFormat> {
    let known = FORMATS.iter().find(|(magic, _)| first.starts_with(magic));
    known.map(|(_, format)| *format)
}
