//! Errors for files of other formats name the format, and headers that cannot be right are refused.

use super::imagined::{header, imagined};
use super::*;
use crate::tables::table;

/// The error for a file of another format names the format, and little of the file is read.
#[test]
fn other_files_are_named_and_not_read() {
    let config = || config("random-llama2");
    for (beginning, piece) in [
        (
            &b"PK\x03\x04\x00\x00\x08\x08\x00\x00"[..],
            "but a PyTorch checkpoint or another zip archive; give it back",
        ),
        (
            b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j",
            "but a PyTorch checkpoint of the old kind (a pickle);",
        ),
        (
            b"version https://git-lfs",
            "but a Git LFS pointer, a few lines that stand for the weights; fetch",
        ),
        (b"GGUF\x03\x00\x00\x00\x10\x00", "but a GGUF file; give it back"),
        (b"<!DOCTYPE html><html>", "but a web page; download it again"),
        (b"{\"error\":\"Not Found\"}", "but a JSON text; download it again"),
    ] {
        for size in [beginning.len() as u64, 10 << 30] {
            let (opened, source) = imagined(config(), beginning.to_vec(), size);
            let sentence = opened.err().expect("a refusal").to_string();
            let begins = format!("model.safetensors is not a safetensors file {piece}");
            assert!(sentence.starts_with(&begins), "{sentence}");
            assert!(source.asked.borrow().iter().all(|range| range.end <= 64));
        }
    }
    for (length, size, piece) in [
        (
            u64::MAX,
            1000,
            "says its header has 18446744073709551615 bytes, but the whole file has 1000",
        ),
        (993, 1000, "says its header has 993 bytes, but the whole file has 1000"),
        (
            100_000_001,
            10 << 30,
            "says its header has 100000001 bytes, but a safetensors header has at most 100000000",
        ),
    ] {
        let (opened, source) = imagined(config(), length.to_le_bytes().to_vec(), size);
        let sentence = opened.err().expect("a refusal").to_string();
        assert!(sentence.contains(piece), "{sentence}");
        assert!(source.asked.borrow().iter().all(|range| range.end <= 64));
    }
    for size in [0, 7] {
        let sentence = imagined(config(), Vec::new(), size).0.err().expect("a refusal");
        assert!(sentence.to_string().contains(&format!("it has only {size} bytes")), "{sentence}");
    }
}

/// The rest of a header, the bytes behind it, and a piece of the refusal.
const HEADERS: &str = r#"
,"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}} | 8 | tensor b does not lie where
,"b":{"dtype":"F32","shape":[1],"data_offsets":[12,16]}} | 16 | tensor b does not lie where
,"b":{"dtype":"F32","shape":[2],"data_offsets":[8,12]}} | 12 | tensor b does not lie where
,"b":{"dtype":"F32","shape":[1],"data_offsets":[12,8]}} | 12 | tensor b does not lie where
,"b":{"dtype":"F32","shape":[9223372036854775807,3],"data_offsets":[8,12]}} | 12 | tensor b does not lie where
,"b":{"dtype":"F4","shape":[3],"data_offsets":[8,9]}} | 9 | tensor b does not lie where
,"b":{"dtype":"F32","shape":[1099511627776],"data_offsets":[8,4398046511112]}} | 12 | ends too early: its header describes
,"b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}} | 10 | ends too early: its header describes
,"b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}} | 20 | 8 bytes after its last tensor
,"b":{"dtype":"F33","shape":[1],"data_offsets":[8,12]}} | 12 | unknown type "F33"
,"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}} | 8 | tensor "a" is there twice
,"b":{"dtype":"F32","shape":[-1],"data_offsets":[8,12]}} | 12 | invalid value
,"b":{"dtype":"F32","data_offsets":[8,12]}} | 12 | missing field `shape`
 | 8 | EOF
"#;

#[test]
fn headers_whose_tensors_do_not_lie_end_to_end_are_refused() {
    let a = r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}"#;
    for [rest, bytes, piece] in table(HEADERS) {
        let beginning = header(&format!("{a}{rest}"));
        let size = beginning.len() as u64 + bytes.parse::<u64>().expect(bytes);
        let (opened, _) = imagined(config("random-llama2"), beginning, size);
        let sentence = opened.err().expect("a refusal").to_string();
        assert!(sentence.contains(piece) && !sentence.contains('\n'), "{rest}: {sentence}");
        assert!(sentence.starts_with("model.safetensors "), "{sentence}");
    }
}
