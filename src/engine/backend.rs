//! The few things a device does for a run; everything else (which streams there are, what runs when,
//! what is kept) is decided once, in `schedule` and `record`.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

use super::schedule::Schedule;
use super::schedule::pack::Pack;
use super::schedule::program::Program;
use super::{EngineError, TangentPoint, Tangents};
use crate::model::Tensor;
use crate::model::weights::{MatrixRole, VectorRole};

/// A model's blocks and read-out on a device.
pub trait Backend {
    /// Device and precision, for people: `"CPU (bf16)"`.
    fn describe(&self) -> String;

    /// The device's limits for one pack.
    fn limits(&self) -> Limits;

    /// Whether the backend computes on the CPU. Then a program with several workers gains if each has an
    /// engine of its own. (All workers share one GPU.)
    fn is_on_processor(&self) -> bool {
        false
    }

    /// Bytes that the device lacks for the output head, which reading the whole vocabulary takes there;
    /// `None` where it can be read.
    fn vocabulary_lack(&self) -> Option<u64> {
        None
    }

    /// Gives the output head's memory back, since a run had too little beside it. From then on the
    /// vocabulary cannot be read.
    fn give_back_vocabulary(&self) {}

    /// Describes for people the device's work in the passes since the last call (dispatches, operations,
    /// bytes); `None` if the backend does not count it.
    fn profile(&self) -> Option<String> {
        None
    }

    /// Begins a pack.
    ///
    /// # Errors
    /// The device failed.
    fn begin<'a>(&'a self, start: Start) -> Result<Box<dyn Pass + 'a>, EngineError>;

    /// Prepares products with the Jacobians of one block at a stream, which is the one sequence of
    /// `pack`.
    ///
    /// # Errors
    /// The device failed, or has no derivatives.
    fn tangents<'a>(
        &'a self,
        _: TangentPoint,
        _pack: Rc<Pack>,
    ) -> Result<Box<dyn Tangents + 'a>, EngineError> {
        Err(EngineError::NoTangents { engine: self.describe() })
    }

    /// An empty cache of `sequences` sequences for every block run of a schedule; `None` where the
    /// backend keeps none, and texts are recomputed token by token.
    fn cache<'a>(&'a self, _: &Schedule, _sequences: usize) -> Option<Box<dyn KvCache<'a> + 'a>> {
        None
    }
}

/// Keys and values that the block runs of one plan had of some sequences.
pub trait KvCache<'a> {
    /// Begins a pack of tokens. Each prompt of it continues the first `start.pack.past` tokens of one of the
    /// cache's sequences, which `sequences` names. Later tokens of that sequence are forgotten.
    ///
    /// # Errors
    /// The device failed.
    fn begin(&self, start: Start, sequences: Vec<usize>)
    -> Result<Box<dyn Pass + 'a>, EngineError>;

    /// Bytes that a token of a sequence takes.
    fn bytes_a_token(&self) -> u64;
}

/// How much a device takes at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes that the waiting streams of a pack may take; as many again its kept rows, the numbers it
    /// gives back, and its options' rows.
    pub bytes: u64,
    /// Rows that one block call takes, where a pack is not larger than that.
    pub call_rows: usize,
    /// Rows that a pack may have: one sequence more makes the device fail.
    pub pack_rows: usize,
}

/// The input of a pass: a pack, its program, and the streams with which it starts.
pub struct Start {
    pub pack: Rc<Pack>,
    pub program: Rc<Program>,
    /// `[N, D]`: the stream that enters block 0, for slot 0.
    pub embedded: Vec<f32>,
    /// Rows `[D]` that are kept of the pack ([`Pass::keep`], and members where
    /// [`StreamStep::kept`](super::schedule::program::StreamStep::kept) says so).
    pub kept_rows: usize,
    /// Numbers that the pack will give back, all outputs together.
    pub numbers: usize,
}

/// One pack of sequences on a device: N rows in every slot's stream `[N, D]`.
///
/// The outputs arrive once, at the end, in the order in which they were asked for.
pub trait Pass {
    /// Runs call `call` of the program: its block on the streams of all its steps, each of which
    /// reads `slot_in` and writes `slot_out`; keeps the members at the sequences' last tokens where
    /// a step says so.
    ///
    /// # Errors
    /// The device failed.
    fn run(&mut self, call: usize) -> Result<(), EngineError>;

    /// Copies `rows` of the stream in `slot` to the kept rows from `at` on.
    ///
    /// # Errors
    /// The device failed.
    fn keep(&mut self, slot: usize, rows: &[u32], at: usize) -> Result<(), EngineError>;

    /// Writes `numbers` `[rows, D]` to the kept rows from `first` on.
    ///
    /// # Errors
    /// The device failed.
    fn put(&mut self, numbers: &[f32], first: usize) -> Result<(), EngineError>;

    /// Gives numbers back.
    ///
    /// # Errors
    /// The device failed, or has no room for the output head.
    fn give(&mut self, output: Output) -> Result<(), EngineError>;

    /// Whether too much work waits for the device. Then nothing is recorded until some is done, so that
    /// progress stays true and "cancel" is heard.
    fn is_crowded(&self) -> bool {
        false
    }

    /// Sends the recorded work to the device, once everything was asked for.
    ///
    /// # Errors
    /// The device failed.
    fn finish(&mut self) -> Result<(), EngineError> {
        Ok(())
    }

    /// Returns the numbers of every output that was asked for; `None` while the device has not answered.
    /// Waits where the thread may block. Call it after [`Pass::finish`], until it answers.
    ///
    /// # Errors
    /// The device failed, or gave numbers that are not finite.
    fn answer(&mut self) -> Result<Option<Vec<Vec<f32>>>, EngineError>;
}

/// Numbers that a pass gives back.
pub enum Output<'a> {
    /// The stream in a slot as it is now, `[N, D]`.
    Stream(usize),
    /// Some of the kept rows as they are, `[rows, D]`.
    Kept(&'a [u32]),
    /// Every kept row z read by the options of its prompt, `[kept rows, K + 1]`: kept row i belongs to
    /// prompt `i % P`; K products with that prompt's rows of the options, then the mean square of z (its
    /// variance where [`OptionRows::is_centred`]).
    Votes(&'a OptionRows),
    /// The logits of `rows` of the stream in `slot`, through the final norm, `[rows, V]`.
    Logits { slot: usize, rows: &'a [u32] },
    /// How streams read the whole vocabulary, `[streams, VocabularyRows::numbers]`: the natural logarithm
    /// of the sum of `exp(logit)`, the entropy, the divergence from the stream's reference to it (nats);
    /// then the id and ln P of each of the likeliest tokens, the likeliest first; then the rank and ln P of
    /// each followed token. If two logits are equal, the smaller id counts as likelier.
    Vocabulary(&'a VocabularyRows),
    /// Where some tokens look in a step of call `call`, which ran last, and how much each head carries from
    /// there: `[H', Q, T]` weights, 0 where a query does not see, then as many lengths of weight times
    /// value through the head's columns of the output matrix, 0 where the head is off.
    Attention { call: usize, rows: &'a AttentionRows },
}

impl Output<'_> {
    /// Names the numbers for people.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Stream(_) => "the stream",
            Self::Kept(_) => "what a member wrote",
            Self::Votes(_) => "the members' votes",
            Self::Logits { .. } => "the logits",
            Self::Vocabulary(_) => "the logits of the whole vocabulary",
            Self::Attention { .. } => "the attention",
        }
    }
}

/// Output rows of every prompt's options, with the final norm's linear part folded in.
#[derive(Clone, Debug)]
pub struct OptionRows {
    /// `[P, K, D]`: `g * W[option]`, minus its mean over D where the norm centres, so that a product
    /// with a member z is `W[option] N(z)` but for the norm's held scale. Prompts with fewer than K
    /// options are filled up with zeros.
    pub numbers: Vec<f32>,
    /// P
    pub prompts: usize,
    /// K, the most that a prompt has.
    pub count: usize,
    /// The final norm is a LayerNorm: its scale comes from the variance.
    pub is_centred: bool,
}

/// Tokens of one sequence that look, and the heads they look with.
#[derive(Clone, Debug)]
pub struct AttentionRows {
    /// Which of the call's steps.
    pub step: usize,
    /// Which of the pack's sequences, of T tokens.
    pub sequence: usize,
    /// Positions in it. `[Q]`
    pub queries: Vec<usize>,
    /// Query heads. `[H']`
    pub heads: Vec<usize>,
}

/// Streams that are read by the whole vocabulary.
#[derive(Clone, Debug)]
pub struct VocabularyRows {
    pub streams: ReadStreams,
    /// For each stream, the one that its divergence is taken from; itself: there is none, and the
    /// divergence is 0. `[S]`
    pub references: Vec<usize>,
    /// How many of the likeliest tokens.
    pub top: usize,
    /// Ids that are followed, as many for every stream. `[S, F]`
    pub followed: Vec<u32>,
    /// See [`VocabularyWish::is_reproducible`](super::VocabularyWish::is_reproducible).
    pub is_reproducible: bool,
}

/// Where streams that are read stand.
#[derive(Clone, Debug)]
pub enum ReadStreams {
    /// Each is the sum of some kept rows. With `is_held` it goes through the final norm with the scale
    /// of its reference instead of its own.
    Sums { sums: Vec<Vec<u32>>, is_held: bool },
    /// Rows of the stream in a slot.
    Rows { slot: usize, rows: Vec<u32> },
}

/// Streams that are read together, with their references.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VocabularyPart {
    /// The streams whose numbers are given back.
    pub streams: Range<usize>,
    /// Streams whose logits are needed: those, then references that are not among them.
    pub read: Vec<usize>,
    /// For each of `streams`, which of `read` its reference is.
    pub references: Vec<usize>,
}

impl VocabularyRows {
    /// Numbers that are given back of a stream.
    pub const fn numbers(top: usize, followed: usize) -> usize {
        3 + 2 * top + 2 * followed
    }

    /// F: ids that are followed of each stream.
    pub fn followed_count(&self) -> usize {
        self.followed.len() / self.references.len().max(1)
    }

    /// Neighbouring streams in parts that need the logits of at most `most` streams, or of one stream
    /// and its reference.
    pub fn parts(&self, most: usize) -> Vec<VocabularyPart> {
        let mut parts = Vec::new();
        let mut first = 0;
        // References of the part's streams that are none of them.
        let mut outside = BTreeSet::new();

        for (stream, &reference) in self.references.iter().enumerate() {
            outside.remove(&stream);
            if !(first..=stream).contains(&reference) {
                outside.insert(reference);
            }

            if stream > first && stream + 1 - first + outside.len() > most {
                parts.push(self.part(first..stream));
                first = stream;
                outside = BTreeSet::from_iter((reference != stream).then_some(reference));
            }
        }
        if first < self.references.len() {
            parts.push(self.part(first..self.references.len()));
        }
        parts
    }

    fn part(&self, streams: Range<usize>) -> VocabularyPart {
        let mut read: Vec<usize> = streams.clone().collect();
        let mut places = BTreeMap::new();
        let references = self.references[streams.clone()].iter().map(|&reference| {
            if streams.contains(&reference) {
                return reference - streams.start;
            }
            *places.entry(reference).or_insert_with(|| {
                read.push(reference);
                read.len() - 1
            })
        });
        let references = references.collect();
        VocabularyPart { streams, read, references }
    }
}

/// A backend that waits for its weights, which come block by block in slices of rows.
pub trait Loader {
    /// Rows `first_row..` of a matrix of a block; `first_row` is a multiple of
    /// [`SLICE_ROWS`](crate::model::weights::SLICE_ROWS).
    ///
    /// # Errors
    /// The device failed, or cannot hold these numbers in the type asked for.
    fn matrix(
        &mut self,
        block: usize,
        role: MatrixRole,
        first_row: usize,
        rows: &Tensor,
    ) -> Result<(), EngineError>;

    /// # Errors
    /// The device failed.
    fn vector(
        &mut self,
        block: usize,
        role: VectorRole,
        numbers: Vec<f32>,
    ) -> Result<(), EngineError>;

    /// Whether the backend holds a copy of the output head, whose rows then come after the blocks.
    fn takes_head(&self) -> bool {
        false
    }

    /// Rows `first_row..` of the output head. Memory that runs out is no error: the model runs without it.
    ///
    /// # Errors
    /// The device failed, or cannot hold these numbers in the type asked for.
    fn head(&mut self, _first_row: usize, _rows: &Tensor) -> Result<(), EngineError> {
        Ok(())
    }

    /// The backend, once everything has come.
    ///
    /// # Errors
    /// The device failed.
    fn finish(self: Box<Self>) -> Result<Box<dyn Backend>, EngineError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(references: Vec<usize>) -> VocabularyRows {
        let sums = vec![vec![0]; references.len()];
        let streams = ReadStreams::Sums { sums, is_held: false };
        VocabularyRows { streams, references, top: 1, followed: Vec::new(), is_reproducible: false }
    }

    fn streams(rows: &VocabularyRows, most: usize) -> Vec<Range<usize>> {
        rows.parts(most).into_iter().map(|part| part.streams).collect()
    }

    #[test]
    fn a_part_holds_its_streams_and_their_references() {
        let rows = rows(vec![3, 3, 3, 3, 6, 6, 6]);

        assert_eq!(streams(&rows, 100), vec![0..7]);
        assert_eq!(streams(&rows, 4), [0..4, 4..7]);
        assert_eq!(streams(&rows, 3), [0..2, 2..4, 4..7]);
        assert_eq!(streams(&rows, 0).len(), 7);

        let second = VocabularyPart { streams: 4..6, read: vec![4, 5, 6], references: vec![2, 2] };
        assert_eq!(rows.part(4..6), second);
    }
}
