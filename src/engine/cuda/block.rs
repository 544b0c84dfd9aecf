//! One decoder block of any shape (docs/definitions.md, "Families").

use std::collections::HashMap;

use candle_core::{DType, Result, Tensor};

use super::attention::Attention;
use super::rope::RopeTables;
use super::{multiply, norm};
use crate::engine::backend::AttentionRows;
use crate::engine::branch::{Branch, Branches, LinearRole, NormRole};
use crate::engine::schedule::pack::Pack;
use crate::model::shape::{Activation, BlockShape, NormKind};
use crate::model::weights::{MatrixRole, VectorRole};
use crate::plan::{BlockRun, HeadsOff};

pub struct CandleBlock {
    pub shape: BlockShape,
    /// By [`MatrixRole::ALL`], as they are stored: `[out, in]`.
    pub matrices: [Tensor; 4],
    /// f32: `[length]`.
    pub vectors: HashMap<VectorRole, Tensor>,
}

/// The members that a block's two branches add to the stream: `[N, D]` each; `None` where a branch did not
/// run.
pub struct Members {
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
    ) -> Result<Members> {
        let branches = Branches::new(&self.shape, run.half);
        let mut members = Members { attention: None, mlp: None };
        if let Some(branch) = branches.attention {
            members.attention = Some(self.attention(branch, h, run.heads_off, pack, tables)?); // [C N, D]
        }
        if let Some(branch) = branches.mlp {
            let read = match &members.attention {
                Some(a) if branch.reads_attention => (h + a)?, // [C N, D]
                _ => h.clone(),
            };
            members.mlp = Some(self.mlp(branch, &read)?); // [C N, D]
        }
        Ok(members)
    }

    fn attention(
        &self,
        branch: Branch,
        h: &Tensor,
        off: HeadsOff,
        pack: &Pack,
        tables: &RopeTables,
    ) -> Result<Tensor> {
        let qkv = self.widened(branch, h)?; // [C N, (H + 2 KV) W]
        let mut attended = self.heads().run(&qkv, pack, tables)?; // [C N, H W]
        if !off.is_empty() {
            attended = attended.broadcast_mul(&self.on(off)?)?; // [C N, H W]
        }
        self.narrowed(branch, &attended) // [C N, D]
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
        let qkv = self.widened(Branch::attention(&self.shape), h)?; // [T, (H + 2 KV) W]
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

    fn mlp(&self, branch: Branch, h: &Tensor) -> Result<Tensor> {
        let f = self.shape.mlp.width;
        let up = self.widened(branch, h)?; // [C N, 2 F] or [C N, F]
        let inside = if self.shape.mlp.is_gated {
            let gate = up.narrow(1, 0, f)?.contiguous()?; // [C N, F]
            (self.activate(&gate)? * up.narrow(1, f, f)?)? // [C N, F]
        } else {
            self.activate(&up)? // [C N, F]
        };
        self.narrowed(branch, &inside) // [C N, D]
    }

    /// A branch's input through the norm before it and its first matrix.
    fn widened(&self, branch: Branch, h: &Tensor) -> Result<Tensor> {
        match branch.norm_before {
            Some(norm) => self.linear(&self.norm(h, norm)?, branch.widen),
            None => self.linear(h, branch.widen),
        }
    }

    /// A branch's member: `inside` through its last matrix and the norm after it.
    fn narrowed(&self, branch: Branch, inside: &Tensor) -> Result<Tensor> {
        let out = self.linear(inside, branch.narrow)?;
        match branch.norm_after {
            Some(norm) => self.norm(&out, norm),
            None => Ok(out),
        }
    }

    /// `[N, D]` to `[N, D]`.
    fn norm(&self, x: &Tensor, role: NormRole) -> Result<Tensor> {
        let (eps, [gain, bias]) = (self.shape.norm.eps, role.vectors());
        match self.shape.norm.kind {
            NormKind::Rms => norm::rms(x, self.vector(gain)?, eps),
            NormKind::Layer => norm::layer(x, self.vector(gain)?, self.vector(bias)?, eps),
        }
    }

    /// `x W^T + b`, where there is a bias: `[N, in]` to `[N, out]`.
    fn linear(&self, x: &Tensor, role: LinearRole) -> Result<Tensor> {
        let y = multiply(x, &self.matrices[role.matrix as usize])?; // [N, out]
        match self.vectors.get(&role.bias) {
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
