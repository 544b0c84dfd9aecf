//! A model of more blocks than the lessons are written for.

use std::collections::BTreeMap;

use atelier::model::{FileBytes, ModelFiles, catalogue};
use atelier::study::LoadedModel;
use serde_json::Value;

/// The shipped model `of`, its first blocks once more behind its last: `more` blocks longer.
pub fn longer(of: &str, more: usize) -> LoadedModel {
    let known = catalogue::find(of).unwrap_or_else(|| panic!("a model called {of}"));
    let name = format!("longer-{of}");
    let (mut small, mut weights) = (Vec::new(), Vec::new());
    for file in known.files {
        let name = file.name.to_owned();
        if ModelFiles::is_weights(file.name) {
            weights.push((name, FileBytes::Owned(doubled(file.bytes, known.blocks, more))));
        } else if file.name == "config.json" {
            let mut config: Value = serde_json::from_slice(file.bytes).expect("a config");
            config["num_hidden_layers"] = (known.blocks + more).into();
            let bytes = serde_json::to_vec(&config).expect("JSON");
            small.push((name, FileBytes::Owned(bytes)));
        } else {
            small.push((name, FileBytes::Static(file.bytes)));
        }
    }
    let files = ModelFiles::new(&name, small, weights).expect("a longer model's files");
    LoadedModel::from_files(&files, &mut |_, _| ()).expect("a longer model")
}

/// A file of weights whose block `blocks + n` is its block n.
fn doubled(bytes: &[u8], blocks: usize, more: usize) -> Vec<u8> {
    let length = u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes")) as usize;
    let (header, data) = bytes[8..].split_at(length);
    let mut header: BTreeMap<String, Value> = serde_json::from_slice(header).expect("a header");
    let mut data = data.to_vec();
    for n in 0..more {
        let own = format!("model.layers.{n}.");
        let of_block: Vec<(String, Value)> = header
            .iter()
            .filter_map(|(name, facts)| Some((name.strip_prefix(&own)?.to_owned(), facts.clone())))
            .collect();
        for (rest, mut facts) in of_block {
            let at = |n: usize| facts["data_offsets"][n].as_u64().expect("an offset") as usize;
            let begin = data.len();
            data.extend_from_within(at(0)..at(1));
            facts["data_offsets"] = [begin, data.len()].to_vec().into();
            header.insert(format!("model.layers.{}.{rest}", blocks + n), facts);
        }
    }
    let mut header = serde_json::to_vec(&header).expect("JSON");
    // Numbers begin at a multiple of eight bytes.
    header.resize(header.len().next_multiple_of(8), b' ');
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header);
    file.extend(data);
    file
}
