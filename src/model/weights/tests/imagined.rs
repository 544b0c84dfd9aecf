//! Files larger than any memory, of which a beginning is all there is.

use std::borrow::Cow;
use std::cell::RefCell;

use super::*;

/// A file of any size that exists only where it is looked at: a beginning, then zeros.
pub struct Imagined {
    beginning: Vec<u8>,
    pub asked: RefCell<Vec<Range<u64>>>,
}

impl Source for Imagined {
    fn read(&self, _: usize, range: Range<u64>) -> Result<Cow<'_, [u8]>, ModelError> {
        self.asked.borrow_mut().push(range.clone());
        let bytes = range.map(|at| {
            let at = usize::try_from(at).ok();
            at.and_then(|at| self.beginning.get(at)).copied().unwrap_or(0)
        });
        Ok(Cow::Owned(bytes.collect()))
    }
}

pub fn imagined(
    config: Vec<u8>,
    beginning: Vec<u8>,
    size: u64,
) -> (Result<Weights, ModelError>, Rc<Imagined>) {
    let asked = RefCell::default();
    let source = Rc::new(Imagined { beginning, asked });
    let files = files(config, vec![("model.safetensors", Vec::new())]);
    let weights = Weights::from_source(&files, &[size], Rc::clone(&source) as Rc<dyn Source>);
    (weights, source)
}

pub fn header(json: &str) -> Vec<u8> {
    let mut bytes = (json.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(json.as_bytes());
    bytes
}

/// Tensors past 4 GiB, one of them larger than that: their places are 64-bit numbers all the way.
#[test]
fn places_past_four_gibibytes_are_read_where_they_are() {
    let (rows, width) = (1u64 << 22, 1u64 << 10);
    let config = serde_json::json!({
        "model_type": "llama", "vocab_size": rows, "hidden_size": width, "intermediate_size": 64,
        "num_hidden_layers": 1, "num_attention_heads": 16, "max_position_embeddings": 64,
        "rms_norm_eps": 1e-5, "tie_word_embeddings": true,
    });
    let mut described = serde_json::Map::new();
    let mut end = 0;
    let mut add = |name: &str, shape: &[u64]| {
        let bytes = 2 * shape.iter().product::<u64>();
        let info = serde_json::json!({ "dtype": "BF16", "shape": shape, "data_offsets": [end, end + bytes] });
        described.insert(name.into(), info);
        end += bytes;
    };
    add("model.embed_tokens.weight", &[rows, width]);
    for name in ["input_layernorm", "post_attention_layernorm"] {
        add(&format!("model.layers.0.{name}.weight"), &[width]);
    }
    for name in ["q_proj", "k_proj", "v_proj", "o_proj"] {
        add(&format!("model.layers.0.self_attn.{name}.weight"), &[width, width]);
    }
    for (name, shape) in
        [("gate_proj", [64, width]), ("up_proj", [64, width]), ("down_proj", [width, 64])]
    {
        add(&format!("model.layers.0.mlp.{name}.weight"), &shape);
    }
    add("model.norm.weight", &[width]);
    let beginning = header(&serde_json::Value::Object(described).to_string());
    let start = beginning.len() as u64;
    let (weights, source) = imagined(config.to_string().into_bytes(), beginning, start + end);
    let weights = weights.expect("a model");
    assert!(source.asked.borrow().iter().all(|range| range.end <= start), "headers only");
    assert!(weights.bytes().embedding == 8 << 30 && weights.parameters() > 1 << 32);
    source.asked.borrow_mut().clear();
    let last = weights.gather(&weights.embedding, &[rows as u32 - 1]).expect("a row");
    assert_eq!(last, vec![0.0; width as usize]);
    weights.vector(&weights.final_norm).expect("a vector");
    let row = start + (8 << 30) - 2 * width..start + (8 << 30);
    let norm = start + end - 2 * width..start + end;
    assert_eq!(*source.asked.borrow(), [row, norm]);
}
