//! Llama-3.2-1B's shape as a GGUF file in Q8_0, and a tokenizer of its size and kind beside it.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use half::f16;
use serde_json::json;

const VOCABULARY: usize = 128_256;
const WIDTH: usize = 2048;
const MLP: usize = 8192;
const HEADS: usize = 32;
const KV_HEADS: usize = 8;
const BLOCKS: usize = 16;

/// Numbers and bytes of a block.
const NUMBERS: usize = 32;
const BYTES: usize = 34;

/// Blocks that are made; a prime number of them, so that rows begin everywhere among them.
const MADE: usize = 65_537;

/// `folder/large.gguf` and `folder/tokenizer.json`.
pub fn write(folder: &Path) -> PathBuf {
    let tokenizer = tokenizer().to_string();
    std::fs::write(folder.join("tokenizer.json"), tokenizer).expect("written");
    let path = folder.join("large.gguf");
    let mut to = BufWriter::new(File::create(&path).expect("a file"));
    let tensors = tensors();
    let header = header(&tensors);
    to.write_all(&header).expect("written");
    let mut seed = 7;
    for (_, rows, columns) in &tensors {
        // Every tensor's bytes are a whole number of 32.
        if *rows == 1 {
            let ones = std::iter::repeat_n(1f32.to_le_bytes(), *columns);
            let ones: Vec<u8> = ones.flatten().collect();
            to.write_all(&ones).expect("written");
            continue;
        }
        let blocks = blocks(*columns, &mut seed);
        let mut left = rows * columns / NUMBERS * BYTES;
        while left > 0 {
            let piece = left.min(blocks.len());
            to.write_all(&blocks[..piece]).expect("written");
            left -= piece;
        }
    }
    to.flush().expect("written");
    path
}

/// Names, rows and columns; one row: a vector in F32.
fn tensors() -> Vec<(String, usize, usize)> {
    let kv = WIDTH / HEADS * KV_HEADS;
    let mut all = vec![
        ("token_embd.weight".to_owned(), VOCABULARY, WIDTH),
        ("output_norm.weight".to_owned(), 1, WIDTH),
    ];
    for block in 0..BLOCKS {
        for (name, rows, columns) in [
            ("attn_norm", 1, WIDTH),
            ("attn_q", WIDTH, WIDTH),
            ("attn_k", kv, WIDTH),
            ("attn_v", kv, WIDTH),
            ("attn_output", WIDTH, WIDTH),
            ("ffn_norm", 1, WIDTH),
            ("ffn_gate", MLP, WIDTH),
            ("ffn_up", MLP, WIDTH),
            ("ffn_down", WIDTH, MLP),
        ] {
            all.push((format!("blk.{block}.{name}.weight"), rows, columns));
        }
    }
    all
}

fn header(tensors: &[(String, usize, usize)]) -> Vec<u8> {
    let text = |out: &mut Vec<u8>, text: &str| {
        out.extend((text.len() as u64).to_le_bytes());
        out.extend(text.as_bytes());
    };
    let sizes = [
        ("embedding_length", WIDTH),
        ("block_count", BLOCKS),
        ("feed_forward_length", MLP),
        ("context_length", 131_072),
        ("attention.head_count", HEADS),
        ("attention.head_count_kv", KV_HEADS),
        ("rope.dimension_count", WIDTH / HEADS),
        ("vocab_size", VOCABULARY),
    ];
    let numbers = [("attention.layer_norm_rms_epsilon", 1e-5_f32), ("rope.freq_base", 500_000.0)];
    let pairs = 1 + sizes.len() + numbers.len();
    let mut out = b"GGUF".to_vec();
    out.extend(3_u32.to_le_bytes());
    out.extend((tensors.len() as u64).to_le_bytes());
    out.extend((pairs as u64).to_le_bytes());
    text(&mut out, "general.architecture");
    out.extend(8_u32.to_le_bytes());
    text(&mut out, "llama");
    for (key, size) in sizes {
        text(&mut out, &format!("llama.{key}"));
        out.extend(4_u32.to_le_bytes());
        out.extend((size as u32).to_le_bytes());
    }
    for (key, number) in numbers {
        text(&mut out, &format!("llama.{key}"));
        out.extend(6_u32.to_le_bytes());
        out.extend(number.to_le_bytes());
    }
    let mut offset = 0_u64;
    for (name, rows, columns) in tensors {
        text(&mut out, name);
        let (kind, bytes, sides) = if *rows == 1 {
            (0_u32, 4 * columns, vec![*columns])
        } else {
            let bytes = rows * columns / NUMBERS * BYTES;
            (8, bytes, vec![*columns, *rows])
        };
        out.extend((sides.len() as u32).to_le_bytes());
        for side in sides {
            out.extend((side as u64).to_le_bytes());
        }
        out.extend(kind.to_le_bytes());
        out.extend(offset.to_le_bytes());
        offset += bytes as u64;
    }
    out.resize(out.len().next_multiple_of(32), 0);
    out
}

/// Random blocks of numbers of about 1 / sqrt(columns), as trained weights are.
fn blocks(columns: usize, seed: &mut u32) -> Vec<u8> {
    let scale = f16::from_f32(1.0 / (73.0 * (columns as f32).sqrt()));
    let mut out = Vec::with_capacity(MADE * BYTES);
    for _ in 0..MADE {
        out.extend(scale.to_le_bytes());
        for _ in 0..NUMBERS {
            out.push((random(seed) >> 24) as u8);
        }
    }
    out
}

fn random(seed: &mut u32) -> u32 {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    *seed
}

/// Byte pairs over the alphabet of bytes as Llama 3's are: as many words, merged in as many ways as those
/// allow, and 256 words for control.
fn tokenizer() -> serde_json::Value {
    let mut words: Vec<String> = (0..=255_u8).map(|byte| letter(byte).to_string()).collect();
    let mut ids: HashMap<String, usize> = HashMap::new();
    for (id, word) in words.iter().enumerate() {
        ids.insert(word.clone(), id);
    }
    let mut merges = Vec::new();
    let mut merge = |left: String, right: String, words: &mut Vec<String>| {
        let word = format!("{left}{right}");
        if word.chars().count() > 12 || ids.contains_key(&word) {
            return;
        }
        ids.insert(word.clone(), words.len());
        merges.push([left, right]);
        // Every other way to it.
        let letters: Vec<char> = word.chars().collect();
        for at in 1..letters.len() {
            let part = |letters: &[char]| letters.iter().collect::<String>();
            let pair = [part(&letters[..at]), part(&letters[at..])];
            if pair != *merges.last().expect("one at least")
                && pair.iter().all(|part| ids.contains_key(part))
            {
                merges.push(pair);
            }
        }
        words.push(word);
    };
    for byte in b'a'..=b'z' {
        merge(letter(b' ').to_string(), letter(byte).to_string(), &mut words);
    }
    let mut seed = 11;
    while words.len() < VOCABULARY - 256 {
        // Short words are drawn more often, so that there is more than one way to many.
        let (left, right) = (random(&mut seed) as usize, random(&mut seed) as usize);
        let left = words[left % words.len().min(20_000)].clone();
        let right = words[right % words.len().min(2_000)].clone();
        merge(left, right, &mut words);
    }
    let control = (0..256).map(|n| {
        let content = if n == 0 {
            "<|begin_of_text|>".to_owned()
        } else {
            format!("<|reserved_special_token_{n}|>")
        };
        json!({
            "id": VOCABULARY - 256 + n, "content": content, "special": true, "normalized": false,
            "single_word": false, "lstrip": false, "rstrip": false,
        })
    });
    let control: Vec<_> = control.collect();
    let vocabulary: BTreeMap<&String, usize> = words.iter().zip(0..).collect();
    let pattern = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
    json!({
        "version": "1.0",
        "added_tokens": control,
        "normalizer": null,
        "pre_tokenizer": { "type": "Sequence", "pretokenizers": [
            { "type": "Split", "pattern": { "Regex": pattern }, "behavior": "Isolated", "invert": false },
            { "type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false },
        ] },
        "post_processor": null,
        "decoder": { "type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true },
        "model": {
            "type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
            "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false, "ignore_merges": true,
            "vocab": vocabulary, "merges": merges,
        },
    })
}

/// Returns the letter that stands for a byte: itself where it can be seen, else one from 256 on.
fn letter(byte: u8) -> char {
    let seen = |byte: u8| matches!(byte, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff);
    if seen(byte) {
        return char::from(byte);
    }
    let before = (0..byte).filter(|&other| !seen(other)).count() as u32;
    char::from_u32(256 + before).unwrap_or('?')
}
