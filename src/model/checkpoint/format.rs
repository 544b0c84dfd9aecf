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
const SAFETENSORS: &str = "take the same model's safetensors files";
const AGAIN: &str = "download it again, and look at what the server answers";

/// First bytes, the format that has them, and advice.
const FORMATS: &[(&[u8], &str, &str)] = &[
    (b"PK\x03\x04", "a PyTorch checkpoint or another zip archive", PYTORCH),
    (b"\x80\x02", "a PyTorch checkpoint of the old kind (a pickle)", PYTORCH),
    (b"\x1f\x8b", "compressed (gzip)", "unpack it with `gunzip` first"),
    (b"\x93NUMPY", "a NumPy file", SAFETENSORS),
    (
        b"version https://git-lfs",
        "a Git LFS pointer, a few lines that stand for the weights",
        "fetch the weights themselves with `git lfs pull`",
    ),
    (b"GGUF", "a GGUF file", "give it back its name, with .gguf at the end"),
    (b"\x89HDF", "an HDF5 file (Keras, TensorFlow)", SAFETENSORS),
    (b"<", "a web page", AGAIN),
    (b"{", "a JSON text", AGAIN),
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
    let known = FORMATS.iter().find(|(magic, ..)| first.starts_with(magic));
    known.map(|&(_, what, hint)| OtherFormat { what, hint })
}
