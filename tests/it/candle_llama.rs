//! A second opinion on the real model: candle-transformers' Llama, on the weights that candle itself reads and
//! dequantises, against every logit of the processor's engine.

use std::collections::HashMap;
use std::fs::File;
use std::path::Path;

use atelier::model::Prompt;
use atelier_server::smollm2::FILE;
use candle_core::quantized::gguf_file::{Content, Value};
use candle_core::{DType, Device, Result, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::llama::{Cache, Config, Llama, LlamaConfig};

use crate::common::{TOLERANCE, load, model_folder, real_goldens, u32s};

/// A GGUF file as candle reads it.
struct CandleFile {
    file: File,
    content: Content,
}

impl CandleFile {
    fn open(path: &Path) -> Result<Self> {
        let mut file = File::open(path)?;
        let content = Content::read(&mut file)?;
        Ok(Self { file, content })
    }

    fn fact(&self, name: &str) -> &Value {
        &self.content.metadata[&format!("llama.{name}")]
    }

    fn count(&self, name: &str) -> Result<usize> {
        Ok(self.fact(name).to_u32()? as usize)
    }

    fn config(&self) -> Result<Config> {
        let rows = self.content.tensor_infos["token_embd.weight"].shape.dims()[0];
        let config = LlamaConfig {
            hidden_size: self.count("embedding_length")?,
            intermediate_size: self.count("feed_forward_length")?,
            vocab_size: rows,
            num_hidden_layers: self.count("block_count")?,
            num_attention_heads: self.count("attention.head_count")?,
            num_key_value_heads: Some(self.count("attention.head_count_kv")?),
            rms_norm_eps: f64::from(self.fact("attention.layer_norm_rms_epsilon").to_f32()?),
            rope_theta: self.fact("rope.freq_base").to_f32()?,
            bos_token_id: None,
            eos_token_id: None,
            rope_scaling: None,
            max_position_embeddings: self.count("context_length")?,
            tie_word_embeddings: Some(!self.content.tensor_infos.contains_key("output.weight")),
        };
        Ok(config.into_config(false))
    }

    /// Every tensor in f32, under the name that Hugging Face gives it.
    fn weights(&mut self, config: &Config) -> Result<HashMap<String, Tensor>> {
        let names: Vec<String> = self.content.tensor_infos.keys().cloned().collect();
        let mut weights = HashMap::new();
        for name in names {
            let tensor = self.content.tensor(&mut self.file, &name, &Device::Cpu)?;
            let tensor = tensor.dequantize(&Device::Cpu)?;
            let tensor = match name.rsplit('.').nth(1) {
                Some("attn_q") => in_halves(&tensor, config.num_attention_heads)?,
                Some("attn_k") => in_halves(&tensor, config.num_key_value_heads)?,
                _ => tensor,
            };
            weights.insert(published_name(&name), tensor);
        }
        Ok(weights)
    }
}

/// Rows of queries or keys, which a GGUF file holds by pairs that turn together, in the published order: all first
/// numbers of a head's pairs, then all second ones.
fn in_halves(rows: &Tensor, heads: usize) -> Result<Tensor> {
    let (outs, ins) = rows.dims2()?;
    let pairs = rows.reshape((heads, outs / heads / 2, 2, ins))?;
    pairs.transpose(1, 2)?.reshape((outs, ins))
}

/// `blk.3.attn_q.weight` is `model.layers.3.self_attn.q_proj.weight`.
fn published_name(name: &str) -> String {
    let parts: Vec<&str> = name.split('.').collect();
    match parts[..] {
        ["token_embd", end] => format!("model.embed_tokens.{end}"),
        ["output_norm", end] => format!("model.norm.{end}"),
        ["output", end] => format!("lm_head.{end}"),
        ["blk", block, role, end] => {
            let role = match role {
                "attn_norm" => "input_layernorm",
                "attn_q" => "self_attn.q_proj",
                "attn_k" => "self_attn.k_proj",
                "attn_v" => "self_attn.v_proj",
                "attn_output" => "self_attn.o_proj",
                "ffn_norm" => "post_attention_layernorm",
                "ffn_gate" => "mlp.gate_proj",
                "ffn_up" => "mlp.up_proj",
                "ffn_down" => "mlp.down_proj",
                _ => panic!("candle's Llama has no place for {name}"),
            };
            format!("model.layers.{block}.{role}.{end}")
        }
        _ => panic!("candle's Llama has no place for {name}"),
    }
}

#[test]
fn candles_own_llama_gives_every_words_logit() -> Result<()> {
    let Some(path) = model_folder(FILE) else { return Ok(()) };
    let mut file = CandleFile::open(&path)?;
    let config = file.config()?;
    let weights = file.weights(&config)?;
    let theirs = VarBuilder::from_tensors(weights, DType::F32, &Device::Cpu);
    let theirs = Llama::load(theirs, &config)?;
    let ours = load(&path);
    let plan = ours.plan(None).expect("its own order");

    for (name, golden) in real_goldens() {
        let ids = u32s(&golden["token_ids"]);
        let batch = Tensor::new(&ids[..], &Device::Cpu)?.unsqueeze(0)?;
        let mut cache = Cache::new(false, DType::F32, &config, &Device::Cpu)?;
        let expected = theirs.forward(&batch, 0, &mut cache)?.squeeze(0)?.to_vec1::<f32>()?; // [V]

        let prompt = Prompt { token_ids: ids, option_ids: Vec::new() };
        let run = ours.engine.next([prompt].into(), [plan.clone()].into());
        let found = run.expect("a run").complete().expect("logits").concat().concat(); // [V]

        assert_eq!(found.len(), config.vocab_size);
        assert_eq!(expected.len(), config.vocab_size);
        assert!(found.iter().all(|logit| logit.is_finite()), "{name}");
        let largest = expected.iter().fold(0f32, |largest, x| largest.max(x.abs()));
        let off = found.iter().zip(&expected).map(|(a, b)| (a - b).abs() / largest);
        let off = off.fold(0f32, f32::max);
        println!("{name}: {} logits, off by {off:.1e} of the largest", found.len());
        assert!(f64::from(off) <= TOLERANCE, "{name}: {off}");
    }
    Ok(())
}
