//! Formats of files, known by their first bytes: an error names the one that lies there instead.

/// A format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OtherFormat {
    /// For people: `"a GGUF file"`.
    pub what: &'static str,
    /// Advice for the user.
    pub hint: &'static str,
}

const PYTORCH: &str = "give it back its name, with .bin at the end";
const AGAIN: &str = "download it again, and look at what the server answers";

/// First bytes, and the format that has them.
const FORMATS: &[(&[u8], OtherFormat)] = &[
    (
        b"PK\x03\x04",
        OtherFormat { what: "a PyTorch checkpoint or another zip archive", hint: PYTORCH },
    ),
    (
        b"\x80\x02",
        OtherFormat { what: "a PyTorch checkpoint of the old kind (a pickle)", hint: PYTORCH },
    ),
    (b"\x1f\x8b", OtherFormat { what: "compressed (gzip)", hint: "unpack it with `gunzip` first" }),
    (
        b"\x93NUMPY",
        OtherFormat { what: "a NumPy file", hint: "take the same model's safetensors files" },
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

/// Where a tar archive says that it is one.
const TAR: (usize, &[u8]) = (257, b"ustar");

/// The format that begins so, if it is a known one.
pub fn known(first: &[u8]) -> Option<OtherFormat> {
    let (at, magic) = TAR;
    if first.get(at..).is_some_and(|rest| rest.starts_with(magic)) {
        return Some(OtherFormat {
            what: "a tar archive, as PyTorch wrote before 2017",
            hint: "load it in PyTorch and save it again",
        });
    }
    let known = FORMATS.iter().find(|(magic, _)| first.starts_with(magic));
    known.map(|(_, format)| *format)
}
