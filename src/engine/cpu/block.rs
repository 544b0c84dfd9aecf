//! A block of any shape on this processor.
//!
//! A piece of rows goes through everything that concerns one row alone (norm, projection, MLP,
//! sums) while it is in a thread's cache; only attention looks across rows. So between the
//! threads there are three meetings a block, and what is as wide as an MLP exists a piece at a time. (Few
//! rows and a single one meet at every product: the threads share it.)

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use atelier_kernels::activation::activate;
use atelier_kernels::attention::{Heads, Sequence, attention};
use atelier_kernels::matmul::PackedMatrix;
use atelier_kernels::norm::{Norm, rms_norm_in_place};
use atelier_kernels::sums::are_finite;
use atelier_kernels::team::Team;
use rayon::prelude::*;

use super::cache::CacheRows;
use super::scratch::{fit, take, with_scratch};
use super::stretch::{Piece, Stretch, cut, pieces, read};
use crate::engine::branch::{Branch, Branches, LinearRole, NormRole};
use crate::engine::schedule::pack::Pack;
use crate::model::shape::{BlockShape, QkNorm};
use crate::model::weights::{MatrixRole, VectorRole};
use crate::plan::{BlockRun, HeadsOff};

/// A block's weights.
pub struct Block {
    /// D
    pub width: usize,
    pub shape: BlockShape,
    pub heads: Heads,
    /// By [`NormRole`]; the MLP's is empty where it has none.
    pub norms: [Norm; 2],
    /// By [`MatrixRole::ALL`].
    pub matrices: [PackedMatrix; 4],
    /// The vectors that the shape has, without those of norms of rows.
    pub vectors: HashMap<VectorRole, Vec<f32>>,
}

/// Whole sequences that go through a block together.
pub struct BlockRows<'a> {
    pub stretches: Vec<Stretch<'a>>,
    pub pack: &'a Pack,
    /// The pack's sequences that the stretches' rows are, one after the other.
    pub sequences: &'a [usize],
    /// Cached keys and values of the pack's sequences; `None` if this pass uses no cache.
    pub cache: Option<CacheRows<'a>>,
}

/// Memory that every call uses again.
#[derive(Default)]
pub struct Inside {
    qkv: Vec<f32>,      // [N, (H + 2 KV) W]
    attended: Vec<f32>, // [N, H W]
    attention: Vec<f32>,
    mlp: Vec<f32>,
    pub team: Team,
}

/// The two members of a block at the sequences' last tokens, `[sequences, D]` each; empty where that
/// half did not run.
pub struct LastMembers<'a> {
    pub attention: &'a [f32],
    pub mlp: &'a [f32],
    /// The first branch that wrote a number that is not finite, at any token.
    pub overflow: Option<&'static str>,
}

/// Which branches wrote a number that is not finite.
#[derive(Default)]
struct Overflow {
    attention: AtomicBool,
    mlp: AtomicBool,
}

impl Overflow {
    fn note(&self, attention: &[f32], mlp: &[f32]) {
        for (seen, branch) in [(&self.attention, attention), (&self.mlp, mlp)] {
            if !are_finite(branch) {
                seen.store(true, Ordering::Relaxed);
            }
        }
    }

    fn first(self) -> Option<&'static str> {
        if self.attention.into_inner() {
            Some("attention")
        } else {
            self.mlp.into_inner().then_some("MLP")
        }
    }
}

impl Block {
    /// Numbers that [`Inside`] holds for each row.
    pub fn inside_width(&self) -> usize {
        self.shape.attention.qkv_width() + self.shape.attention.attended_width()
    }

    pub fn norm(&self, role: NormRole) -> &Norm {
        &self.norms[role as usize]
    }

    pub fn matrix(&self, role: MatrixRole) -> &PackedMatrix {
        &self.matrices[role as usize]
    }

    /// Empty where the shape has none.
    pub fn vector(&self, role: VectorRole) -> &[f32] {
        self.vectors.get(&role).map_or(&[], Vec::as_slice)
    }

    /// Runs on whole sequences, and adds what comes of it to the streams.
    pub fn run<'a>(
        &self,
        run: BlockRun,
        rows: BlockRows,
        inside: &'a mut Inside,
    ) -> LastMembers<'a> {
        let count: usize = rows.sequences.iter().map(|&s| rows.pack.spans[s].1).sum();
        // Not of several texts, whose numbers must not depend on who else is still growing.
        let is_alone = rows.cache.as_ref().is_some_and(|cache| cache.run.is_of_one());
        let is_one = is_alone && count == 1;
        if is_one || cfg!(target_arch = "wasm32") {
            // A team has its own way into the pool, and in a browser there is none.
            return self.run_rows(run, rows, (count, is_one), inside);
        }
        // The pool is entered once: from outside, every product would wait twice for a thread to wake.
        rayon::scope(|_| self.run_rows(run, rows, (count, is_one), inside))
    }

    fn run_rows<'a>(
        &self,
        run: BlockRun,
        rows: BlockRows,
        (count, is_one): (usize, bool),
        inside: &'a mut Inside,
    ) -> LastMembers<'a> {
        let half = run.half;
        let BlockRows { stretches, pack, sequences, cache } = rows;
        let Inside { qkv, attended, attention: last_attention, mlp: last_mlp, team } = inside;
        let d = self.width;
        let (each, shared) = pieces(count);
        let by = match (is_one, shared) {
            (true, _) => Threads::OneToken(team),
            (false, true) => Threads::Together,
            (false, false) => Threads::Apart,
        };
        let mut pieces = cut(stretches, each, d);
        let branches = Branches::new(&self.shape, half);
        let (has_attention, has_mlp) = (half.has_attention(), half.has_mlp());

        let wide = self.shape.attention.attended_width();
        let attended = if has_attention {
            let qkv_width = self.shape.attention.qkv_width();
            let qkv = fit(qkv, count * qkv_width); // [N, (H + 2 KV) W]
            let project = |piece: &Piece, qkv: &mut [f32]| {
                self.project(&piece.stretches, piece.rows, qkv, by);
            };
            if let [piece] = &pieces[..] {
                project(piece, qkv);
            } else {
                let parts = qkv.par_chunks_mut((each * qkv_width).max(1));
                let pieces = pieces.par_iter().zip(parts);
                pieces.for_each(|(piece, qkv)| project(piece, qkv));
            }
            let attended = fit(attended, count * wide); // [N, H W]
            let mut kept = cache.map_or_else(Vec::new, CacheRows::heads);
            let rows = sequences.iter().map(|&sequence| Sequence {
                tokens: pack.spans[sequence].1,
                past: pack.past[sequence],
                angles: pack.angles(sequence),
                kept: kept.get_mut(sequence).and_then(Option::take),
            });
            attention(qkv, self.heads, rows.collect(), by.team(), attended);
            switch_off(run.heads_off, self.heads.width, attended, wide);
            &*attended
        } else {
            &[]
        };

        let of = |wanted: bool| if wanted { sequences.len() * d } else { 0 };
        let last_attention = fit(last_attention, of(has_attention));
        let last_mlp = fit(last_mlp, of(has_mlp));
        let (mut attention_left, mut mlp_left) = (&mut *last_attention, &mut *last_mlp);
        let mut ends = sequences.iter().scan(0, |end, &s| {
            *end += pack.spans[s].1;
            Some(*end - 1)
        });
        let mut next = ends.next();
        let mut first = 0;
        for piece in &mut pieces {
            while let Some(row) = next.filter(|&row| row < first + piece.rows) {
                piece.last.push(row - first);
                next = ends.next();
            }
            if has_attention {
                piece.attended = &attended[first * wide..][..piece.rows * wide];
                piece.last_attention = take(&mut attention_left, piece.last.len() * d);
            }
            if has_mlp {
                piece.last_mlp = take(&mut mlp_left, piece.last.len() * d);
            }
            first += piece.rows;
        }
        let overflow = Overflow::default();
        let add = |piece| self.add(piece, branches, by, &overflow);
        match pieces.len() {
            1 => pieces.into_iter().for_each(add),
            _ => pieces.into_par_iter().for_each(add),
        }
        LastMembers { attention: last_attention, mlp: last_mlp, overflow: overflow.first() }
    }

    /// Computes queries, keys and values of some rows, `[rows, (H + 2 KV) W]`: with their norm, before
    /// rotary positions.
    pub(super) fn project(&self, stretches: &[Stretch], rows: usize, qkv: &mut [f32], by: Threads) {
        let branch = Branch::attention(&self.shape);
        with_scratch([rows * self.width], |[x]| {
            read(stretches, branch.norm_before.map(|norm| self.norm(norm)), x);
            self.times(branch.widen, x, qkv, by);
        });
        if self.shape.attention.qk_norm != QkNorm::None {
            qkv.chunks_exact_mut(self.heads.qkv_width()).for_each(|row| self.qk_norm(row));
        }
    }

    /// Norms queries and keys of a row [(H + 2 KV) W].
    pub(super) fn qk_norm(&self, row: &mut [f32]) {
        let eps = self.shape.norm.eps as f32;
        let (query, rest) = row.split_at_mut(self.shape.attention.attended_width());
        rms_norm_in_place(query, self.vector(VectorRole::QueryNorm), eps);
        let keys = self.heads.kv_heads * self.heads.width;
        rms_norm_in_place(&mut rest[..keys], self.vector(VectorRole::KeyNorm), eps);
    }

    /// From attended values to the stream after the block.
    fn add(&self, piece: Piece, branches: Branches, by: Threads, overflow: &Overflow) {
        let Piece { mut stretches, rows, attended, last, last_attention, last_mlp } = piece;
        let (d, mlp) = (self.width, &self.shape.mlp);
        let (has_attention, has_mlp) = (branches.attention.is_some(), branches.mlp.is_some());
        let of = |wanted: bool, width: usize| if wanted { rows * width } else { 0 };
        let sizes = [
            of(has_attention, d),
            of(has_mlp, d),
            rows * d,
            of(has_mlp, mlp.up_rows()),
            of(has_mlp, mlp.width),
        ];
        with_scratch(sizes, |[a, m, x, wide, narrow]| {
            if let Some(branch) = branches.attention {
                self.member(branch, attended, x, a, by);
            }
            if let Some(branch) = branches.mlp {
                // The MLP reads the stream, with attention's member added where it follows attention.
                let input = if branch.norm_before.is_some() { &mut *m } else { &mut *x };
                read(&stretches, None, input);
                if branch.reads_attention {
                    input.iter_mut().zip(&*a).for_each(|(input, a)| *input += a);
                }
                if let Some(norm) = branch.norm_before {
                    self.norm(norm).run(m, x);
                }
                self.times(branch.widen, x, wide, by);
                activate(mlp.activation, mlp.is_gated, wide, mlp.width, narrow);
                self.member(branch, narrow, x, m, by);
            }
            overflow.note(a, m);
            for (n, &row) in last.iter().enumerate() {
                if has_attention {
                    last_attention[n * d..][..d].copy_from_slice(&a[row * d..][..d]);
                }
                if has_mlp {
                    last_mlp[n * d..][..d].copy_from_slice(&m[row * d..][..d]);
                }
            }
            let (mut a, mut m) = (a, m);
            for stretch in &mut stretches {
                let (a, m) = (take(&mut a, stretch.h.len()), take(&mut m, stretch.h.len()));
                if has_attention && has_mlp {
                    a.iter_mut().zip(&*m).for_each(|(a, m)| *a += *m);
                }
                stretch.add(if has_attention { a } else { m });
            }
        });
    }

    /// Computes a branch's member [rows, D] from its attended or activated rows; `x` [rows, D] is overwritten.
    fn member(
        &self,
        branch: Branch,
        inside: &[f32],
        x: &mut [f32],
        member: &mut [f32],
        by: Threads,
    ) {
        match branch.norm_after {
            None => self.times(branch.narrow, inside, member, by),
            Some(norm) => {
                self.times(branch.narrow, inside, x, by);
                self.norm(norm).run(x, member);
            }
        }
    }

    /// Computes `y = W x + b`.
    pub(super) fn times(&self, role: LinearRole, x: &[f32], y: &mut [f32], by: Threads) {
        let (weights, bias) = (self.matrix(role.matrix), self.vector(role.bias));
        match by {
            Threads::Apart => weights.multiply(x, bias, y),
            Threads::Together => weights.multiply_shared(x, bias, y),
            Threads::OneToken(team) => weights.multiply_one(x, bias, y, team),
        }
    }
}

/// The threads that compute a matrix product.
#[derive(Clone, Copy)]
pub enum Threads<'a> {
    /// This thread alone: the other threads have other rows.
    Apart,
    /// All threads.
    Together,
    /// All threads of a team that already waits for work: for the single token by which a text grows.
    OneToken(&'a Team),
}

impl<'a> Threads<'a> {
    fn team(self) -> Option<&'a Team> {
        match self {
            Self::OneToken(team) => Some(team),
            Self::Apart | Self::Together => None,
        }
    }
}

/// Zeros the heads that are off in `attended` [N, H W].
fn switch_off(off: HeadsOff, width: usize, attended: &mut [f32], wide: usize) {
    if off.is_empty() {
        return;
    }
    for row in attended.chunks_exact_mut(wide) {
        for head in off.iter() {
            row[head * width..][..width].fill(0.0);
        }
    }
}
