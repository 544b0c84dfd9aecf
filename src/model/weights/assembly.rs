//! Looks up the tensors that make a model of a given shape, by its family's names, before any is
//! read; and sees to it that no weight of the files is left out.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use super::matrix::{Matrix, Segment, SegmentLayout, Vector};
use super::{BlockTensors, MatrixRole, VectorRole};
use crate::model::checkpoint::tensors::TensorPlaces;
use crate::model::family::names::{Names, QkvNames, UpNames};
use crate::model::shape::{AttentionShape, BlockShape};
use crate::model::{ModelError, ModelShape};

/// A checkpoint being looked through.
pub struct Assembly<'a> {
    shape: &'a ModelShape,
    names: Names,
    places: &'a TensorPlaces,
    /// Prefix of all names of this checkpoint except the head's.
    prefix: &'static str,
    used: RefCell<BTreeSet<String>>,
}

/// Which tensors of a block are looked up: its matrices, or the biases beside them.
#[derive(Clone, Copy)]
enum Beside {
    Weights { columns: usize },
    Biases,
}

impl<'a> Assembly<'a> {
    pub fn new(shape: &'a ModelShape, names: Names, places: &'a TensorPlaces) -> Self {
        let is_bare = !places.contains(&format!("{}{}.weight", names.prefix, names.final_norm))
            && places.contains(&format!("{}.weight", names.final_norm));
        Self {
            shape,
            names,
            places,
            prefix: if is_bare { "" } else { names.prefix },
            used: RefCell::default(),
        }
    }

    /// `[V, D]`; a tied checkpoint stores the shared rows once, under either name.
    pub fn embedding(&self) -> Result<Matrix, ModelError> {
        let embedding = self.named(self.names.embedding);
        let is_under_head =
            self.shape.head.tied && !self.has(&embedding) && self.has(self.names.head);
        let stored = if is_under_head { self.names.head } else { &embedding };
        self.table(stored, self.shape.vocabulary, "every model has an embedding")
    }

    /// `[V, D]`, where the output rows are stored beside the embedding.
    pub fn head(&self) -> Result<Option<Matrix>, ModelError> {
        let (shape, head) = (&self.shape.head, self.names.head);
        let is_stored = self.has(head) && self.has(&self.named(self.names.embedding));
        if shape.tied && (shape.ignores_stored || !is_stored) {
            return Ok(None);
        }
        let hint = "tie_word_embeddings is not true, so the output rows must be stored";
        self.table(head, self.shape.vocabulary, hint).map(Some)
    }

    /// `[V]`
    pub fn head_bias(&self) -> Result<Option<Vector>, ModelError> {
        if !self.shape.head.has_bias {
            return Ok(None);
        }
        let name = format!("{}.bias", self.names.head);
        let hint = "the output rows of this family have a bias";
        self.vector(&name, self.shape.vocabulary, 0.0, hint).map(Some)
    }

    /// `[context, D]`
    pub fn positions(&self) -> Result<Option<Matrix>, ModelError> {
        if !self.shape.input.learned_positions {
            return Ok(None);
        }
        let name = self.named(self.names.positions);
        let hint = "the positions of this family are learned";
        self.table(&name, self.shape.context, hint).map(Some)
    }

    /// The final norm's gain and bias, `[D]`.
    pub fn final_norm(&self) -> Result<(Vector, Option<Vector>), ModelError> {
        let name = self.named(self.names.final_norm);
        let hint = "every model has a final norm";
        let read =
            |part: &str, plus| self.vector(&format!("{name}.{part}"), self.shape.width, plus, hint);
        let gain = read("weight", self.names.gain_plus)?;
        let is_layer = self.shape.head.norm.kind == crate::model::shape::NormKind::Layer;
        let bias = is_layer.then(|| read("bias", 0.0)).transpose()?;
        Ok((gain, bias))
    }

    pub fn block(&self, number: usize, block: &BlockShape) -> Result<BlockTensors, ModelError> {
        let names = BlockNames {
            assembly: self,
            block,
            before: format!("{}{}{number}.", self.prefix, self.names.blocks),
            hint: format!("{} is {}", self.names.blocks_field, self.shape.blocks.len()),
        };
        let vectors = block.vectors(self.shape.width).into_iter();
        let vectors = vectors.map(|(role, length)| Ok((role, names.vector(role, length)?)));
        let [qkv, out, up, down] = MatrixRole::ALL.map(|role| names.matrix(role));
        Ok(BlockTensors {
            matrices: [qkv?, out?, up?, down?],
            vectors: vectors.collect::<Result<_, ModelError>>()?,
        })
    }

    /// Every stored tensor was looked up, or is of a kind that no run needs.
    ///
    /// # Errors
    /// One that is neither.
    pub fn check_all_used(&self) -> Result<(), ModelError> {
        let used = self.used.borrow();
        let unused = |(tensor, _): &(&str, &str)| !used.contains(*tensor);
        let mut left = self.places.all().filter(unused);
        match left.find(|(tensor, _)| !self.is_needless(tensor)) {
            None => Ok(()),
            Some((tensor, file)) => Err(ModelError::UnusedTensor {
                tensor: tensor.escape_debug().to_string(),
                file: file.to_string(),
                family: self.shape.family,
                hint: self.why_unused(tensor),
            }),
        }
    }

    /// Rotary tables, masks, position numbers, and output rows of a model that never reads any.
    fn is_needless(&self, tensor: &str) -> bool {
        let ends = |end: &str| tensor == end || tensor.ends_with(&format!(".{end}"));
        let is_ignored =
            self.shape.head.ignores_stored && tensor == format!("{}.weight", self.names.head);
        is_ignored
            || ends("rotary_emb.inv_freq")
            || ends("masked_bias")
            || ends("position_ids")
            || self.names.mask.is_some_and(ends)
            || self.names.tables.contains(&tensor)
    }

    fn why_unused(&self, tensor: &str) -> String {
        let blocks = format!("{}{}", self.prefix, self.names.blocks);
        let number = tensor.strip_prefix(&blocks).and_then(|rest| {
            let digits = rest.split('.').next()?;
            digits.parse::<u64>().ok()
        });
        let count = self.shape.blocks.len();
        if number.is_some_and(|number| number >= count as u64) {
            format!(
                "{} is {count} in {}: take the one that belongs to the checkpoint",
                self.names.blocks_field, self.places.said_by
            )
        } else if tensor.ends_with(".bias") {
            format!(
                "as {0} describes it, the model has no bias there: take the {0} that belongs to the checkpoint",
                self.places.said_by
            )
        } else {
            format!(
                "{} is of another model, or the checkpoint has parts that atelier does not run",
                self.places.said_by
            )
        }
    }

    fn named(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// Says whether a weight of this name is stored.
    fn has(&self, name: &str) -> bool {
        self.places.contains(&format!("{name}.weight"))
    }

    /// `[rows, D]`: a row a token or a position.
    fn table(&self, name: &str, rows: usize, hint: &str) -> Result<Matrix, ModelError> {
        let (name, columns) = (format!("{name}.weight"), self.shape.width);
        let segment = self.whole(&name, rows, Beside::Weights { columns }, false, hint)?;
        Ok(Matrix::new(rows, columns, vec![segment]))
    }

    fn vector(
        &self,
        name: &str,
        length: usize,
        plus: f32,
        hint: &str,
    ) -> Result<Vector, ModelError> {
        let segment = self.whole(name, length, Beside::Biases, false, hint)?;
        Ok(Vector { length, segments: vec![segment], plus })
    }

    /// All of a stored tensor, of `rows` rows of the model's.
    fn whole(
        &self,
        tensor: &str,
        rows: usize,
        beside: Beside,
        is_transposed: bool,
        hint: &str,
    ) -> Result<Segment, ModelError> {
        let rows_stored = rows as u64;
        let (shape, layout) = match beside {
            Beside::Biases => (vec![rows_stored], SegmentLayout::Rows { first: 0 }),
            Beside::Weights { columns } if is_transposed => (
                vec![columns as u64, rows_stored],
                SegmentLayout::Strided { first: 0, row: 1, column: rows_stored },
            ),
            Beside::Weights { columns } => {
                (vec![rows_stored, columns as u64], SegmentLayout::Rows { first: 0 })
            }
        };
        let found = self.places.find(tensor, &shape, hint)?;
        // A view's rows and columns, whichever of its sides they are.
        let layout = match (found.strides.as_deref(), layout) {
            (None, layout) => layout,
            (Some(&[column, row]), SegmentLayout::Strided { .. }) | (Some(&[row, column]), _) => {
                SegmentLayout::Strided { first: 0, row, column }
            }
            (Some(strides), _) => {
                let row = strides.first().copied().unwrap_or(1);
                SegmentLayout::Strided { first: 0, row, column: 1 }
            }
        };
        // Rows of a vector have one number each, and of a block no single number can be read.
        if matches!(beside, Beside::Biases) && found.dtype.block() > 1 {
            return Err(ModelError::VectorBlocks {
                tensor: tensor.escape_debug().to_string(),
                file: self.places.files[found.file].clone(),
                found: found.dtype.name(),
            });
        }
        self.used.borrow_mut().insert(tensor.to_string());
        Ok(Segment {
            tensor: Rc::from(tensor),
            file: found.file,
            bytes: found.bytes,
            dtype: found.dtype,
            layout,
            count: rows,
        })
    }
}

/// The names of one block.
struct BlockNames<'a> {
    assembly: &'a Assembly<'a>,
    block: &'a BlockShape,
    before: String,
    hint: String,
}

impl BlockNames<'_> {
    fn matrix(&self, role: MatrixRole) -> Result<Matrix, ModelError> {
        let [rows, columns] = self.block.matrix(role, self.assembly.shape.width);
        let segments = self.segments(role, rows, Beside::Weights { columns })?;
        Ok(Matrix::new(rows, columns, segments))
    }

    fn vector(&self, role: VectorRole, length: usize) -> Result<Vector, ModelError> {
        let names = &self.assembly.names;
        let norm = |name: &str, part: &str, plus: f32| {
            let name = format!("{}{name}.{part}", self.before);
            self.assembly.vector(&name, length, plus, &self.hint)
        };
        let plus = names.gain_plus;
        let bias = match role {
            VectorRole::AttentionNorm => return norm(names.attention_norm, "weight", plus),
            VectorRole::AttentionNormBias => return norm(names.attention_norm, "bias", 0.0),
            VectorRole::MlpNorm => return norm(names.mlp_norm, "weight", plus),
            VectorRole::MlpNormBias => return norm(names.mlp_norm, "bias", 0.0),
            VectorRole::QueryNorm => return norm(names.query_norm, "weight", plus),
            VectorRole::KeyNorm => return norm(names.key_norm, "weight", plus),
            VectorRole::QkvBias => MatrixRole::Qkv,
            VectorRole::OutBias => MatrixRole::Out,
            VectorRole::UpBias => MatrixRole::Up,
            VectorRole::DownBias => MatrixRole::Down,
        };
        Ok(Vector { length, segments: self.segments(bias, length, Beside::Biases)?, plus: 0.0 })
    }

    /// Returns the segments of stored tensors that make a matrix or its bias, in the order of the model's rows.
    fn segments(
        &self,
        role: MatrixRole,
        rows: usize,
        beside: Beside,
    ) -> Result<Vec<Segment>, ModelError> {
        let names = &self.assembly.names;
        let one = |name: &str| Ok(vec![self.tensor(name, rows, beside)?]);
        match role {
            MatrixRole::Out => one(names.out),
            MatrixRole::Down => one(names.down),
            MatrixRole::Up => match names.up {
                UpNames::One(name) => one(name),
                UpNames::Apart(parts) => self.apart(&parts, &[rows / 2; 2], beside),
            },
            MatrixRole::Qkv => match names.qkv {
                QkvNames::Fused(name) => one(name),
                QkvNames::Apart(parts) => {
                    let attention = &self.block.attention;
                    let keys = attention.kv_heads * attention.head_width;
                    let rows = [attention.attended_width(), keys, keys];
                    let mut parts = self.apart(&parts, &rows, beside)?;
                    if names.has_pairs {
                        let (first, width) = (0, attention.head_width);
                        let turned = parts.iter_mut().take(2);
                        turned.for_each(|part| part.layout = SegmentLayout::Pairs { first, width });
                    }
                    Ok(parts)
                }
                QkvNames::Grouped(name) => {
                    let whole = self.tensor(name, rows, beside)?;
                    Ok(regrouped(&whole, &self.block.attention))
                }
            },
        }
    }

    fn apart(
        &self,
        names: &[&str],
        rows: &[usize],
        beside: Beside,
    ) -> Result<Vec<Segment>, ModelError> {
        let parts = names.iter().zip(rows);
        parts.map(|(name, &rows)| self.tensor(name, rows, beside)).collect()
    }

    fn tensor(&self, name: &str, rows: usize, beside: Beside) -> Result<Segment, ModelError> {
        let end = match beside {
            Beside::Weights { .. } => "weight",
            Beside::Biases => "bias",
        };
        let name = format!("{}{name}.{end}", self.before);
        let is_transposed = self.assembly.names.is_transposed;
        self.assembly.whole(&name, rows, beside, is_transposed, &self.hint)
    }
}

/// A tensor that holds, for every KV head in turn, its query heads, its key and its value: as all
/// queries, then all keys, then all values.
fn regrouped(whole: &Segment, attention: &AttentionShape) -> Vec<Segment> {
    let width = attention.head_width;
    let queries = attention.heads / attention.kv_heads; // of a group
    let head = |group: usize, within: usize| {
        let first = (group * (queries + 2) + within) * width;
        let layout = match whole.layout {
            SegmentLayout::Strided { row, column, .. } => {
                SegmentLayout::Strided { first, row, column }
            }
            _ => SegmentLayout::Rows { first },
        };
        Segment { layout, count: width, ..whole.clone() }
    };
    let groups = || 0..attention.kv_heads;
    let q = groups().flat_map(|group| (0..queries).map(move |within| (group, within)));
    let k = groups().map(|group| (group, queries));
    let v = groups().map(|group| (group, queries + 1));
    let mut segments: Vec<Segment> = Vec::new();
    for (group, within) in q.chain(k).chain(v) {
        let next = head(group, within);
        if !segments.last_mut().is_some_and(|last| last.join(&next)) {
            segments.push(next);
        }
    }
    segments
}
