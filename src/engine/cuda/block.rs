//! One decoder block of any shape (docs/definitions.md, "Families").

use std::collections::HashMap;

use candle_core::{DType, Result, Tensor};

use super::attention::Attention;
use super::rope::RopeTables;
use super::{multiply, norm};
use crate::engine::backend::AttentionRows;
use crate::engine::schedule::pack::Pack;
use crate::model::shape::{Activation, BlockShape, NormKind, NormPlacement, Residual};
use crate::model::weights::{MatrixRole, VectorRole};
use crate::plan::{BlockRun, Half, HeadsOff};

pub struct CandleBlock {
    pub shape: BlockShape,
    /// By [`MatrixRole::ALL`], as they are stored: `[out, in]`.
    pub matrices: [Tensor; 4],
    /// f32: `[length]`.
    pub vectors: HashMap<VectorRole, Tensor>,
}

/// The members that a block's two branches add to the stream: `[N, D]` each; `None` where a branch did not
/// run.
pub struct Branches {
    pub attention: Option<Tensor>,
    pub mlp: Option<Tensor>,
}

impl CandleBlock {
    /// Runs on the streams `h` of C packs one after the other: `[C N, D]`.
    pub fn run(
        &self,
        h: &Tensor,
        run: BlockRun,
        pack: &Pack,
        tables: &RopeTables,
    ) -> Result<Branches> {
        let attention = match run.half {
            Half::Mlp => None,
            _ => Some(self.attention(h, run.heads_off, pack, tables)?), // [C N, D]
        };
        let mlp = match (run.half, self.shape.residual, &attention) {
            (Half::Attention, ..) => None,
            (_, Residual::Sequential, Some(a)) => Some(self.mlp(&(h + a)?)?), // [C N, D]
            _ => Some(self.mlp(h)?),                                          // [C N, D]
        };
        Ok(Branches { attention, mlp })
    }

    fn attention(
        &self,
        h: &Tensor,
        off: HeadsOff,
        pack: &Pack,
        tables: &RopeTables,
    ) -> Result<Tensor> {
        use VectorRole::{AttentionNorm, AttentionNormBias};
        let attention = self.heads();
        self.branch(h, AttentionNorm, AttentionNormBias, |x| {
            let qkv = self.linear(x, MatrixRole::Qkv, VectorRole::QkvBias)?; // [C N, (H + 2 KV) W]
            let mut attended = attention.run(&qkv, pack, tables)?; // [C N, H W]
            if !off.is_empty() {
                attended = attended.broadcast_mul(&self.on(off)?)?; // [C N, H W]
            }
            self.linear(&attended, MatrixRole::Out, VectorRole::OutBias) // [C N, D]
        })
    }

    fn heads(&self) -> Attention<'_> {
        Attention {
            shape: &self.shape.attention,
            query_norm: self.vectors.get(&VectorRole::QueryNorm),
            key_norm: self.vectors.get(&VectorRole::KeyNorm),
            eps: self.shape.norm.eps,
        }
    }

    /// One sequence's stream `[T, D]` to where its tokens look: weights and carried lengths
    /// `[2, H', Q, T]`.
    pub fn looks(
        &self,
        h: &Tensor,
        rows: &AttentionRows,
        off: HeadsOff,
        tables: &RopeTables,
    ) -> Result<Tensor> {
        use VectorRole::{AttentionNorm, AttentionNormBias};
        let x = match self.shape.placement {
            NormPlacement::Before => self.norm(h, AttentionNorm, AttentionNormBias)?, // [T, D]
            NormPlacement::After => h.clone(),                                        // [T, D]
        };
        let qkv = self.linear(&x, MatrixRole::Qkv, VectorRole::QkvBias)?; // [T, (H + 2 KV) W]
        let [weights, values] = self.heads().weights(&qkv, rows.sequence, tables)?;
        let width = self.shape.attention.head_width;
        let out = &self.matrices[MatrixRole::Out as usize]; // [D, H W]
        let out = out.to_dtype(DType::F32)?;
        let queries: Vec<u32> = rows.queries.iter().map(|&query| query as u32).collect();
        let queries = Tensor::new(queries, h.device())?; // [Q]
        let (mut all, mut lengths) = (Vec::new(), Vec::new());
        for &head in &rows.heads {
            let weights = weights.get(head)?.index_select(&queries, 0)?; // [Q, T]
            let columns = out.narrow(1, head * width, width)?; // [D, W]
            let through = values.get(head)?.contiguous()?.matmul(&columns.t()?)?; // [T, D]
            let length = through.sqr()?.sum(1)?.sqrt()?; // [T]
            let is_on = f64::from(u8::from(!off.contains(head)));
            lengths.push((weights.broadcast_mul(&length)? * is_on)?); // [Q, T]
            all.push(weights);
        }
        all.append(&mut lengths);
        Tensor::cat(&all, 0)
    }

    /// `[H W]`: 0 where a head is off, else 1.
    fn on(&self, off: HeadsOff) -> Result<Tensor> {
        let shape = &self.shape.attention;
        let on = |n: usize| f32::from(u8::from(!off.contains(n / shape.head_width)));
        let on: Vec<f32> = (0..shape.attended_width()).map(on).collect();
        Tensor::new(on, self.matrices[MatrixRole::Out as usize].device())
    }

    fn mlp(&self, h: &Tensor) -> Result<Tensor> {
        let (gain, bias) = if self.shape.has_mlp_norm() {
            (VectorRole::MlpNorm, VectorRole::MlpNormBias)
        } else {
            (VectorRole::AttentionNorm, VectorRole::AttentionNormBias)
        };
        let f = self.shape.mlp.width;
        self.branch(h, gain, bias, |x| {
            let up = self.linear(x, MatrixRole::Up, VectorRole::UpBias)?; // [C N, 2 F] or [C N, F]
            let inside = if self.shape.mlp.is_gated {
                let gate = up.narrow(1, 0, f)?.contiguous()?; // [C N, F]
                (self.activate(&gate)? * up.narrow(1, f, f)?)? // [C N, F]
            } else {
                self.activate(&up)? // [C N, F]
            };
            self.linear(&inside, MatrixRole::Down, VectorRole::DownBias) // [C N, D]
        })
    }

    /// A branch with its norm before it, or after it.
    fn branch(
        &self,
        h: &Tensor,
        gain: VectorRole,
        bias: VectorRole,
        inside: impl Fn(&Tensor) -> Result<Tensor>,
    ) -> Result<Tensor> {
        match self.shape.placement {
            NormPlacement::Before => inside(&self.norm(h, gain, bias)?),
            NormPlacement::After => self.norm(&inside(h)?, gain, bias),
        }
    }

    /// `[N, D]` to `[N, D]`.
    fn norm(&self, x: &Tensor, gain: VectorRole, bias: VectorRole) -> Result<Tensor> {
        let eps = self.shape.norm.eps;
        match self.shape.norm.kind {
            NormKind::Rms => norm::rms(x, self.vector(gain)?, eps),
            NormKind::Layer => norm::layer(x, self.vector(gain)?, self.vector(bias)?, eps),
        }
    }

    /// `x W^T + b`, where there is a bias: `[N, in]` to `[N, out]`.
    fn linear(&self, x: &Tensor, matrix: MatrixRole, bias: VectorRole) -> Result<Tensor> {
        let y = multiply(x, &self.matrices[matrix as usize])?; // [N, out]
        match self.vectors.get(&bias) {
            Some(bias) => y.broadcast_add(bias),
            None => Ok(y),
        }
    }

    fn activate(&self, x: &Tensor) -> Result<Tensor> {
        match self.shape.mlp.activation {
            Activation::Silu => x.silu(),
            Activation::GeluTanh => x.gelu(),
            Activation::GeluErf => x.gelu_erf(),
        }
    }

    fn vector(&self, role: VectorRole) -> Result<&Tensor> {
        let missing = || candle_core::Error::msg(format!("a block came without its {role:?}"));
        self.vectors.get(&role).ok_or_else(missing)
    }
}
