//! A model in several files.

use super::expected::expected;
use super::*;

#[test]
fn shards_are_read_beside_their_index_only() {
    let tensors = stored("random-llama2");
    let (mut shards, mut map) = ([Stored::new(), Stored::new()], serde_json::Map::new());
    for (at, (name, tensor)) in tensors.iter().enumerate() {
        let shard = format!("model-0000{}-of-00002.safetensors", at % 2 + 1);
        map.insert(name.clone(), shard.into());
        shards[at % 2].insert(name.clone(), tensor.clone());
    }
    let sharded = |shards: &[Stored; 2], map: &serde_json::Map<String, serde_json::Value>| {
        let index = serde_json::json!({ "metadata": {}, "weight_map": map });
        let files = files(
            config("random-llama2"),
            vec![
                ("model.safetensors.index.json", index.to_string().into_bytes()),
                // The index of a copy in another dtype, which nothing asks for.
                ("model.fp16.safetensors.index.json", b"{".to_vec()),
                ("model-00001-of-00002.safetensors", written(&shards[0])),
                ("model-00002-of-00002.safetensors", written(&shards[1])),
                ("consolidated.safetensors", b"a copy".to_vec()),
            ],
        );
        Weights::open(&files)
    };
    let weights = sharded(&shards, &map).expect("a model");
    assert!(read(&weights) == expected("random-llama2", &tensors, 6));
    for outside in ["../x.safetensors", "/x.safetensors", "sub/x.safetensors", "..\\x.safetensors"]
    {
        let mut map = map.clone();
        map.insert("model.norm.weight".into(), outside.into());
        let sentence = sharded(&shards, &map).err().expect("a refusal").to_string();
        let begins = "model.safetensors.index.json says tensor model.norm.weight is in ";
        assert!(sentence.starts_with(begins), "{sentence}");
        assert!(sentence.contains("which is not beside it"), "{sentence}");
    }
    let mut moved = map.clone();
    let shard = moved["model.norm.weight"].as_str().expect("a name");
    let other = if shard.contains("00001-") {
        shard.replace("00001-", "00002-")
    } else {
        shard.replace("00002-", "00001-")
    };
    moved.insert("model.norm.weight".into(), other.into());
    let sentence = sharded(&shards, &moved).err().expect("a refusal").to_string();
    assert!(sentence.contains("which does not hold it"), "{sentence}");
    for shard in &mut shards {
        shard.insert("model.norm.weight".into(), tensors["model.norm.weight"].clone());
    }
    let sentence = sharded(&shards, &map).err().expect("a refusal").to_string();
    assert!(sentence.starts_with("tensor model.norm.weight is both in model-00001"), "{sentence}");
}
