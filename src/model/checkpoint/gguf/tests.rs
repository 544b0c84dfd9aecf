//! Headers written by hand, and what damage does to them.

use std::borrow::Cow;

use super::*;

struct GgufFile(Vec<u8>);

/// The number of a tensor's type in a header.
const F32: u32 = 0;
const F16: u32 = 1;

impl GgufFile {
    /// A file of one tensor `w` [2, 32] in F32.
    fn new(pairs: &[(&str, u32, Vec<u8>)]) -> Self {
        Self::with_tensors(pairs, &[("w", F32, 0)], 256)
    }

    /// A file of tensors [2, 32], each with its name, type and offset, and `data` bytes of weights behind its
    /// header.
    fn with_tensors(
        pairs: &[(&str, u32, Vec<u8>)],
        tensors: &[(&str, u32, u64)],
        data: usize,
    ) -> Self {
        let mut bytes = b"GGUF".to_vec();
        bytes.extend(3u32.to_le_bytes());
        bytes.extend((tensors.len() as u64).to_le_bytes());
        bytes.extend((pairs.len() as u64).to_le_bytes());
        let mut file = Self(bytes);
        for (key, kind, value) in pairs {
            file.text(key);
            file.0.extend(kind.to_le_bytes());
            file.0.extend(value);
        }
        for (name, kind, offset) in tensors {
            file.text(name);
            file.0.extend(2u32.to_le_bytes());
            for number in [32u64, 2] {
                file.0.extend(number.to_le_bytes());
            }
            file.0.extend(kind.to_le_bytes());
            file.0.extend(offset.to_le_bytes());
        }
        let start = file.0.len().next_multiple_of(32);
        file.0.resize(start, 0);
        file.0.resize(start + data, 1);
        file
    }

    fn text(&mut self, text: &str) {
        self.0.extend((text.len() as u64).to_le_bytes());
        self.0.extend(text.as_bytes());
    }

    fn read(&self) -> Result<Header, ModelError> {
        read("test.gguf", self.0.len() as u64, &|range| {
            Ok(Cow::Borrowed(&self.0[range.start as usize..range.end as usize]))
        })
    }
}

#[test]
fn sides_come_outermost_first_and_places_count_from_the_files_beginning() {
    let file = GgufFile::new(&[("a.size", 4, 7u32.to_le_bytes().to_vec())]);
    let header = file.read().expect("a header");
    let tensor = &header.tensors["w"];
    assert_eq!(tensor.shape, [2, 32]);
    assert_eq!(tensor.bytes.end, file.0.len() as u64);
    assert_eq!(tensor.bytes.end - tensor.bytes.start, 256);
    let size = header.metadata.integer("a.size");
    assert_eq!(size.expect("a number"), Some(7));
    assert!(header.metadata.text("a.size").is_err());
    assert_eq!(header.metadata.text("b").expect("absent"), None);
}

/// A type that says fewer bytes than lie there was taken, and the numbers were others.
#[test]
fn tensors_lie_end_to_end() {
    let read = |tensors: &[(&str, u32, u64)], data: usize| {
        let read = GgufFile::with_tensors(&[], tensors, data).read();
        read.map(|header| header.tensors.len()).map_err(|error| error.to_string())
    };
    let refused = |reason: &str| {
        Err(format!("test.gguf is not a GGUF file that can be read ({reason}); download it again"))
    };
    assert_eq!(read(&[("a", F32, 0), ("b", F32, 256)], 512), Ok(2));
    assert_eq!(
        read(&[("a", F16, 0), ("b", F32, 256)], 512),
        refused("tensor b has offset 256, and the tensors before it end at 128")
    );
    assert_eq!(
        read(&[("a", F32, 0), ("b", F32, 128)], 512),
        refused("tensor b has offset 128, and the tensors before it end at 256")
    );
    assert_eq!(
        read(&[("a", F32, 0), ("b", F16, 256)], 512),
        refused("128 bytes lie behind its last tensor")
    );
    assert_eq!(read(&[("a", F32, 0), ("a", F32, 256)], 512), refused("tensor a is there twice"));
}

/// llama.cpp reads a padded file; weights behind the last tensor mean that its type is wrong.
#[test]
fn zeros_behind_the_last_tensor_are_padding_and_other_bytes_are_refused() {
    let read_with_end = |end: &[u8]| {
        let mut file = GgufFile::new(&[]);
        file.0.extend(end);
        file.read().map(|header| header.tensors.len()).map_err(|error| error.to_string())
    };
    let refused = |count: usize| {
        Err(format!(
            "test.gguf is not a GGUF file that can be read ({count} bytes lie behind its last tensor); download it again"
        ))
    };
    let zeros = vec![0; MAX_PADDING as usize + 1];
    assert_eq!(read_with_end(&[0]), Ok(1));
    assert_eq!(read_with_end(&zeros[1..]), Ok(1));
    assert_eq!(read_with_end(&zeros), refused(zeros.len()));
    assert_eq!(read_with_end(&[0, 0, 1]), refused(3));
}

#[test]
fn numbers_of_every_type_are_read() {
    let file = GgufFile::new(&[
        ("u8", 0, vec![255]),
        ("i8", 1, vec![255]),
        ("u16", 2, 65535u16.to_le_bytes().to_vec()),
        ("i16", 3, (-2i16).to_le_bytes().to_vec()),
        ("i32", 5, (-3i32).to_le_bytes().to_vec()),
        ("f32", 6, 0.5f32.to_le_bytes().to_vec()),
        ("flag", 7, vec![1]),
        ("u64", 10, u64::MAX.to_le_bytes().to_vec()),
        ("i64", 11, 5i64.to_le_bytes().to_vec()),
        ("f64", 12, 0.25f64.to_le_bytes().to_vec()),
    ]);
    let header = file.read().expect("a header");
    let integer = |key: &str| header.metadata.integer(key).ok().flatten();
    assert_eq!(integer("u8"), Some(255));
    assert_eq!(integer("i8"), None);
    assert_eq!(integer("u16"), Some(65535));
    assert_eq!(integer("i16"), None);
    assert_eq!(integer("i32"), None);
    assert_eq!(integer("u64"), Some(u64::MAX));
    assert_eq!(integer("i64"), Some(5));
    let number = |key: &str| header.metadata.number(key).ok().flatten();
    assert_eq!(number("f32"), Some(0.5));
    assert_eq!(number("f64"), Some(0.25));
    assert_eq!(number("i16"), Some(-2.0));
    assert_eq!(header.metadata.flag("flag").ok().flatten(), Some(true));
}

/// Any byte may be any other: a header, or a sentence, and memory only for what is there.
#[test]
fn damage_anywhere_is_survived() {
    let mut list = 8u32.to_le_bytes().to_vec();
    list.extend(2u64.to_le_bytes());
    for text in ["ab", "c"] {
        list.extend((text.len() as u64).to_le_bytes());
        list.extend(text.as_bytes());
    }
    let whole = GgufFile::new(&[
        ("general.alignment", 4, 32u32.to_le_bytes().to_vec()),
        ("texts", 9, list),
    ]);
    assert!(whole.read().is_ok());
    for at in 0..whole.0.len() {
        for byte in [0, 1, 7, 127, 128, 255] {
            let mut damaged = GgufFile(whole.0.clone());
            damaged.0[at] = byte;
            if let Err(error) = damaged.read() {
                assert!(!error.to_string().contains('\n'), "{error}");
            }
        }
        let cut = GgufFile(whole.0[..at].to_vec());
        assert!(cut.read().is_err(), "cut at {at}");
    }
}

/// Numbers of types in a header.
const LIST: u32 = 9;
const I32: u32 = 5;
const U16: u32 = 2;

#[test]
fn parts_that_lack_tensors_of_the_model_are_refused() {
    let integer = |number: i32| number.to_le_bytes().to_vec();
    let read_parts = |promised: i32| {
        let part = |number: u16, name: &str| {
            let pairs = [
                ("split.no", U16, number.to_le_bytes().to_vec()),
                ("split.count", U16, 2u16.to_le_bytes().to_vec()),
                ("split.tensors.count", I32, integer(promised)),
            ];
            GgufFile::with_tensors(&pairs, &[(name, F32, 0)], 256).0
        };
        let parts = [part(0, "v"), part(1, "w")];
        let files = [("a.gguf", parts[0].len() as u64), ("b.gguf", parts[1].len() as u64)];
        split::read(&files, |at, range| {
            Ok(Cow::Borrowed(&parts[at][range.start as usize..range.end as usize]))
        })
    };
    assert!(read_parts(2).is_ok());
    let error = read_parts(3).map(|_| ()).expect_err("one is missing").to_string();
    assert!(
        error.contains("it promises 3 tensors in all parts of the model, and they have 2"),
        "{error}"
    );
}

#[test]
fn lists_in_lists_have_an_end() {
    let nested = |depth: usize| {
        let list = [LIST.to_le_bytes().to_vec(), 1u64.to_le_bytes().to_vec()].concat();
        let empty = [I32.to_le_bytes().to_vec(), 0u64.to_le_bytes().to_vec()].concat();
        GgufFile::new(&[("deep", LIST, [list.repeat(depth - 1), empty].concat())]).read()
    };
    assert!(nested(4).is_ok());
    let error = nested(5).map(|_| ()).expect_err("too deep").to_string();
    assert!(error.contains("deep has lists in lists deeper than 4"), "{error}");
}
