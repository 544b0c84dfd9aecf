//! A block as one or two branches of one form: norm, matrix, attention or activation, matrix, norm.
//!
//! Backends and derivatives follow this description. Nothing else looks at where a block's norms stand
//! or at what its MLP reads.

use crate::model::shape::{BlockShape, NormPlacement, Residual};
use crate::model::weights::{MatrixRole, VectorRole};
use crate::plan::Half;

/// The branches of a block that run.
#[derive(Clone, Copy, Debug)]
pub struct Branches {
    pub attention: Option<Branch>,
    pub mlp: Option<Branch>,
}

/// Attention or the MLP of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Whether it reads the stream with the block's attention added. Else it reads the stream.
    pub reads_attention: bool,
    /// The norm of its input.
    pub norm_before: Option<NormRole>,
    /// The matrix that makes queries, keys and values, or the MLP's wide rows.
    pub widen: LinearRole,
    /// The matrix behind attention or the activation.
    pub narrow: LinearRole,
    /// The norm of its output.
    pub norm_after: Option<NormRole>,
}

/// A norm of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormRole {
    /// Serves the MLP too, where that has no norm.
    Attention,
    Mlp,
}

/// A matrix of a block, and its bias.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinearRole {
    pub matrix: MatrixRole,
    pub bias: VectorRole,
}

const QKV: LinearRole = LinearRole { matrix: MatrixRole::Qkv, bias: VectorRole::QkvBias };
const OUT: LinearRole = LinearRole { matrix: MatrixRole::Out, bias: VectorRole::OutBias };
const UP: LinearRole = LinearRole { matrix: MatrixRole::Up, bias: VectorRole::UpBias };
const DOWN: LinearRole = LinearRole { matrix: MatrixRole::Down, bias: VectorRole::DownBias };

impl Branches {
    /// Describes what runs of a block.
    pub fn new(shape: &BlockShape, half: Half) -> Self {
        let mlp_norm = if shape.has_mlp_norm() { NormRole::Mlp } else { NormRole::Attention };
        let mlp = Branch {
            reads_attention: half.has_attention() && shape.residual == Residual::Sequential,
            ..Branch::new(shape, mlp_norm, UP, DOWN)
        };
        Self {
            attention: half.has_attention().then(|| Branch::attention(shape)),
            mlp: half.has_mlp().then_some(mlp),
        }
    }

    /// Whether the MLP reads the stream with the block's attention added.
    pub fn mlp_reads_attention(&self) -> bool {
        self.mlp.is_some_and(|mlp| mlp.reads_attention)
    }
}

impl Branch {
    /// Describes a block's attention.
    pub fn attention(shape: &BlockShape) -> Self {
        Self::new(shape, NormRole::Attention, QKV, OUT)
    }

    fn new(shape: &BlockShape, norm: NormRole, widen: LinearRole, narrow: LinearRole) -> Self {
        let (norm_before, norm_after) = match shape.placement {
            NormPlacement::Before => (Some(norm), None),
            NormPlacement::After => (None, Some(norm)),
        };
        Self { reads_attention: false, norm_before, widen, narrow, norm_after }
    }
}

impl NormRole {
    /// The norm's gain and its bias.
    pub fn vectors(self) -> [VectorRole; 2] {
        match self {
            Self::Attention => [VectorRole::AttentionNorm, VectorRole::AttentionNormBias],
            Self::Mlp => [VectorRole::MlpNorm, VectorRole::MlpNormBias],
        }
    }
}
