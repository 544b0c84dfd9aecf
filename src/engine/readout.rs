//! From the last stream to options' logits: the final norm's linear part, the options' output rows and
//! the constants that no branch wrote (docs/definitions.md, "Members" and "Families").

use std::ops::Range;
use std::rc::Rc;

use atelier_kernels::matmul::multiply_stored;
use atelier_kernels::team::Team;

use super::EngineError;
use super::backend::OptionRows;
use crate::model::shape::NormKind;
use crate::model::weights::Weights;
use crate::model::{ModelShape, Prompt};

pub struct Readout {
    weights: Rc<Weights>,
    /// The final norm's gain. `[D]`
    gain: Vec<f32>,
    /// The final norm's bias. `[D]`
    bias: Option<Vec<f32>>,
    /// `[V]`
    head_bias: Option<Vec<f32>>,
    team: Team,
}

/// The options of some prompts, as they are read.
pub struct PromptOptions {
    pub rows: OptionRows,
    /// The bias member's vote on each option, `[P][K]`; `None`: the model has no such member.
    pub biases: Option<Vec<Vec<f32>>>,
}

impl Readout {
    pub fn new(weights: Rc<Weights>) -> Result<Self, EngineError> {
        let read = |vector: &Option<_>| {
            let read = vector.as_ref().map(|vector| weights.vector(vector));
            read.transpose()
        };
        Ok(Self {
            gain: weights.vector(&weights.final_norm)?,
            bias: read(&weights.final_norm_bias)?,
            head_bias: read(&weights.head_bias)?,
            team: Team::default(),
            weights,
        })
    }

    pub fn shape(&self) -> &ModelShape {
        &self.weights.shape
    }

    /// D
    pub fn width(&self) -> usize {
        self.gain.len()
    }

    /// The norm's scale, held at the full run's value: of the mean square of its final stream, or of
    /// its variance.
    pub fn scale(&self, mean_square: f64) -> f32 {
        (1.0 / (mean_square + self.weights.shape.head.norm.eps).sqrt()) as f32
    }

    /// The options' rows of every prompt, filled up to `count` each, and what the bias member adds to
    /// each option: `W[option] beta + b[option]`.
    ///
    /// # Errors
    /// The output rows cannot be read.
    pub fn options(&self, prompts: &[Prompt], count: usize) -> Result<PromptOptions, EngineError> {
        let (d, head) = (self.width(), self.weights.head());
        let is_centred = self.weights.shape.head.norm.kind == NormKind::Layer;
        let mut numbers = Vec::with_capacity(prompts.len() * count * d);
        let mut biases = Vec::with_capacity(prompts.len());
        for prompt in prompts {
            let rows = self.weights.gather(head, &prompt.option_ids)?;
            for row in rows.chunks_exact(d) {
                let folded = row.iter().zip(&self.gain).map(|(w, g)| w * g);
                let mean = match is_centred {
                    true => folded.clone().map(f64::from).sum::<f64>() / d as f64,
                    false => 0.0,
                };
                numbers.extend(folded.map(|x| x - mean as f32));
            }
            let missing = count - prompt.option_ids.len();
            numbers.resize(numbers.len() + missing * d, 0.0);
            let bias = |(row, &id): (&[f32], &u32)| {
                let dot = |beta: &Vec<f32>| -> f64 {
                    let products = row.iter().zip(beta);
                    products.map(|(w, b)| f64::from(*w) * f64::from(*b)).sum()
                };
                let own = self.head_bias.as_ref();
                let own = own.map_or(0.0, |bias| f64::from(bias[id as usize]));
                (self.bias.as_ref().map_or(0.0, dot) + own) as f32
            };
            let of_prompt = rows.chunks_exact(d).zip(&prompt.option_ids).map(bias);
            biases.push(of_prompt.collect());
        }
        let rows = OptionRows { numbers, prompts: prompts.len(), count, is_centred };
        let has_bias = self.weights.shape.has_bias_member();
        Ok(PromptOptions { rows, biases: has_bias.then_some(biases) })
    }

    /// Returns a member's votes on some tokens: see [`Engine::read_out`](super::Engine::read_out).
    pub fn tokens(
        &self,
        written: Option<&[f32]>,
        scale: f32,
        ids: Range<u32>,
    ) -> Result<Vec<f32>, EngineError> {
        let vocabulary = self.shape().vocabulary;
        let asked = ids.start as usize..ids.end as usize;
        if asked.end > vocabulary && !asked.is_empty() {
            return Err(EngineError::TokenId { id: ids.end - 1, vocabulary });
        }

        // 1. The row that the output rows read; a bias of the head is no branch's.
        let (row, bias) = match written {
            Some(written) => (self.normed(written, scale), None),
            None => {
                let bias = self.bias.clone();
                (bias.unwrap_or_else(|| vec![0.0; self.width()]), self.head_bias.as_ref())
            }
        };

        // 2. Its products with them, slice by slice as they are stored.
        let head = self.weights.head();
        let mut votes = vec![0.0; asked.len()];
        for slice in head.slices() {
            let rows = slice.start.max(asked.start)..slice.end.min(asked.end);
            if rows.is_empty() {
                continue;
            }
            let weights = self.weights.rows(head, rows.clone())?;
            let bias = bias.and_then(|bias| bias.get(rows.clone())).unwrap_or_default();
            let votes = &mut votes[rows.start - asked.start..rows.end - asked.start];
            multiply_stored(&row, &weights, bias, votes, &self.team);
        }
        self.weights.check_unchanged()?;
        Ok(votes)
    }

    /// `[D]`: what a member wrote through the final norm's linear part, its scale held.
    fn normed(&self, written: &[f32], scale: f32) -> Vec<f32> {
        let mean = match self.weights.shape.head.norm.kind {
            NormKind::Layer => {
                let sum: f64 = written.iter().copied().map(f64::from).sum();
                (sum / self.width() as f64) as f32
            }
            NormKind::Rms => 0.0,
        };
        let numbers = written.iter().zip(&self.gain);
        numbers.map(|(z, gain)| (z - mean) * gain * scale).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::cell::Cell;
    use std::path::Path;

    use super::*;
    use crate::model::weights::{BytesAtHand, Source};
    use crate::model::{ModelError, ModelFiles};

    /// Counts how often a file is read.
    struct CountedSource {
        bytes: BytesAtHand,
        reads: Cell<usize>,
    }

    impl Source for CountedSource {
        fn read(&self, file: usize, range: Range<u64>) -> Result<Cow<'_, [u8]>, ModelError> {
            self.reads.set(self.reads.get() + 1);
            self.bytes.read(file, range)
        }
    }

    /// A browser takes half a millisecond for a read, however short.
    #[test]
    fn a_range_of_tokens_is_one_read_and_each_has_its_options_vote() {
        for name in ["random-gpt2", "random-llama3", "random-phi2"] {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name);
            let files = ModelFiles::open(&folder).expect("it travels with the project");
            let sizes: Vec<u64> = files.weights.iter().map(|(_, all)| all.len() as u64).collect();
            let bytes = BytesAtHand::of(&files);
            let source = Rc::new(CountedSource { bytes, reads: Cell::new(0) });
            let weights = Weights::from_source(&files, &sizes, source.clone()).expect("weights");
            let readout = Readout::new(Rc::new(weights)).expect("a readout");
            let written: Vec<f32> = (0..readout.width()).map(|i| (i as f32).sin()).collect();

            source.reads.set(0);
            let votes = readout.tokens(Some(&written), 0.5, 10..90).expect("votes");
            assert_eq!(source.reads.get(), 1, "{name}");

            let prompt = Prompt { token_ids: Vec::new(), option_ids: (10..90).collect() };
            let options = readout.options(&[prompt], 80).expect("options").rows.numbers;
            for (vote, row) in votes.iter().zip(options.chunks_exact(readout.width())) {
                let dot: f32 = row.iter().zip(&written).map(|(w, z)| w * z).sum();
                assert!((vote - 0.5 * dot).abs() < 1e-5, "{name}: {vote} {}", 0.5 * dot);
            }
            let vocabulary = readout.shape().vocabulary as u32;
            assert!(readout.tokens(None, 1.0, 0..vocabulary + 1).is_err());
        }
    }
}
