//! binaryen: wasm made smaller or faster, and its result kept.

use std::path::Path;

use crate::command::{Stop, run};
use crate::disk::{self, files_under, make_folder, remove};
use crate::hash::Hash;
use crate::npm;
use crate::place::Place;

/// WebAssembly features that rustc's output may use. binaryen must know them.
const WASM_FEATURES: &[&str] = &[
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-simd",
    "--enable-reference-types",
    "--enable-multivalue",
];

/// Like functions stand beside each other: 3 to 4 % less to send, because compression looks back
/// only so far.
const BESIDE: &str = "--reorder-functions-by-name";

/// The stack's last kilobyte lies lowest, so no address that the program computes with is that low, and offsets
/// can be folded into loads and stores.
const LOW_MEMORY: &str = "--low-memory-unused";

/// Runs binaryen over a file. It takes a minute, so its result is kept for as long as the same wasm comes in, as it does
/// when only words or styles changed.
pub fn optimise(place: &Place, file: &Path, level: &str) -> Result<(), Stop> {
    let mut arguments = vec![level];
    arguments.extend(WASM_FEATURES);
    arguments.extend([BESIDE, LOW_MEMORY]);
    let mut hash = Hash::new();
    hash.add_path(file)?;
    hash.add(arguments.join(" ").as_bytes());
    hash.add_path(&npm::folder(place).join("binaryen/package.json"))?;
    let kept = place.scratch().join("wasm-opt");
    make_folder(&kept)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let result = kept.join(format!("{}-{name}", hash.finish()));
    if !result.is_file() {
        // One result a file is enough to keep.
        for old in files_under(&kept)? {
            if old.to_string_lossy().ends_with(&*name) {
                remove(&old)?;
            }
        }
        let unfinished = kept.join(format!("unfinished-{name}"));
        let mut wasm_opt = npm::program(place, "binaryen/bin/wasm-opt");
        wasm_opt.args(&arguments).arg(file).arg("-o").arg(&unfinished);
        run(&mut wasm_opt, "wasm-opt could not optimise the page's wasm.")?;
        // On a full disk, wasm-opt leaves the beginning of a file and says nothing.
        let made = disk::read(&unfinished)?;
        if !is_whole(&made) {
            return Err(Stop::new(format!(
                "wasm-opt left {} bytes of {name} that end in the middle: is the disk full? Make room and build again.",
                made.len()
            )));
        }
        std::fs::rename(&unfinished, &result)
            .map_err(|error| Stop::file("write", &result, &error))?;
    }
    std::fs::copy(&result, file).map_err(|error| Stop::file("write", file, &error))?;
    Ok(())
}

/// Whether a module's sections end where its file does.
fn is_whole(wasm: &[u8]) -> bool {
    let mut rest = match wasm.strip_prefix(b"\0asm\x01\0\0\0") {
        Some(rest) if !rest.is_empty() => rest,
        _ => return false,
    };
    while let Some((_, after)) = rest.split_first() {
        let Some((length, after)) = leb128(after) else {
            return false;
        };
        let Some(next) = after.get(length..) else {
            return false;
        };
        rest = next;
    }
    true
}

/// A section's length and what follows it.
fn leb128(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0_u64;
    for (i, byte) in bytes.iter().take(5).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * i);
        if byte & 0x80 == 0 {
            return Some((usize::try_from(value).ok()?, &bytes[i + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::is_whole;

    #[test]
    fn a_module_that_ends_in_the_middle_is_seen() {
        // A header, and two sections: of 3 bytes, and of 130, whose length takes two.
        let mut wasm = b"\0asm\x01\0\0\0".to_vec();
        assert!(!is_whole(&wasm));
        wasm.extend([0, 3, 1, 2, 3, 10, 0x82, 0x01]);
        wasm.extend([0; 130]);
        assert!(is_whole(&wasm));
        for end in 0..wasm.len() {
            // Only after a section does a shorter file look whole.
            assert_eq!(is_whole(&wasm[..end]), end == 13, "{end}");
        }
        wasm[0] = b'<';
        assert!(!is_whole(&wasm));
    }
}
