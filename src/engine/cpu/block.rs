//! A block of any shape on this processor.
//!
//! A piece of rows goes through everything that concerns one row alone (norm, projection, MLP,
//! sums) while it is in a thread's cache; only attention looks across rows. So between the
//! threads there are three meetings a block, and what is as wide as an MLP exists a piece at a time. (Few
//! rows and a single one meet at every product: the threads share it.)

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
use crate::engine::schedule::pack::Pack;
use crate::model::shape::{MlpShape, NormPlacement, QkNorm, Residual};
use crate::plan::{BlockRun, Half, HeadsOff};

/// A block's weights, and the choices of its shape. Biases that it has not are empty.
pub struct Block {
    /// D
    pub width: usize,
    pub placement: NormPlacement,
    pub residual: Residual,
    pub attention_norm: Norm,
    pub qkv: PackedMatrix, // [(H + 2 KV) W, D]
    pub qkv_bias: Vec<f32>,
    pub heads: Heads,
    pub qk_norm: QkNorm,
    pub query_norm: Vec<f32>, // [W] or [H W]
    pub key_norm: Vec<f32>,   // [W] or [KV W]
    /// Epsilon of the norms of queries and keys.
    pub eps: f32,
    pub out: PackedMatrix, // [D, H W]
    pub out_bias: Vec<f32>,
    /// `None`: attention's serves the MLP too.
    pub mlp_norm: Option<Norm>,
    pub mlp: MlpShape,
    pub up: PackedMatrix, // [2 F, D] or [F, D]
    pub up_bias: Vec<f32>,
    pub down: PackedMatrix, // [D, F]
    pub down_bias: Vec<f32>,
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
        self.qkv.outs() + self.out.ins()
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
        let (has_attention, has_mlp) = (half.has_attention(), half.has_mlp());

        let wide = self.out.ins();
        let attended = if has_attention {
            let qkv_width = self.qkv.outs();
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
        let add = |piece| self.add(piece, half, by, &overflow);
        match pieces.len() {
            1 => pieces.into_iter().for_each(add),
            _ => pieces.into_par_iter().for_each(add),
        }
        LastMembers { attention: last_attention, mlp: last_mlp, overflow: overflow.first() }
    }

    /// Computes queries, keys and values of some rows, `[rows, (H + 2 KV) W]`: with their norm, before
    /// rotary positions.
    pub(super) fn project(&self, stretches: &[Stretch], rows: usize, qkv: &mut [f32], by: Threads) {
        self.project_raw(stretches, rows, qkv, by);
        let (queries, keys) =
            (self.heads.heads * self.heads.width, self.heads.kv_heads * self.heads.width);
        if self.qk_norm != QkNorm::None {
            for row in qkv.chunks_exact_mut(self.qkv.outs()) {
                let (query, rest) = row.split_at_mut(queries);
                rms_norm_in_place(query, &self.query_norm, self.eps);
                rms_norm_in_place(&mut rest[..keys], &self.key_norm, self.eps);
            }
        }
    }

    /// Computes queries, keys and values of some rows, `[rows, (H + 2 KV) W]`, before the norm of queries
    /// and keys.
    pub(super) fn project_raw(
        &self,
        stretches: &[Stretch],
        rows: usize,
        qkv: &mut [f32],
        by: Threads,
    ) {
        let d = self.width;
        with_scratch([rows * d], |[x]| {
            let norm = (self.placement == NormPlacement::Before).then_some(&self.attention_norm);
            read(stretches, norm, x);
            times(&self.qkv, x, &self.qkv_bias, qkv, by);
        });
    }

    /// From attended values to the stream after the block.
    fn add(&self, piece: Piece, half: Half, by: Threads, overflow: &Overflow) {
        let Piece { mut stretches, rows, attended, last, last_attention, last_mlp } = piece;
        let (d, f) = (self.width, self.mlp.width);
        let (has_attention, has_mlp) = (half.has_attention(), half.has_mlp());
        let is_after = self.placement == NormPlacement::After;
        let is_sequential = has_attention && self.residual == Residual::Sequential;
        let mlp_norm = self.mlp_norm.as_ref().unwrap_or(&self.attention_norm);
        let of = |wanted: bool, width: usize| if wanted { rows * width } else { 0 };
        let sizes = [
            of(has_attention, d),
            of(has_mlp, d),
            of(has_mlp || is_after, d),
            of(has_mlp, self.up.outs()),
            of(has_mlp, f),
        ];
        with_scratch(sizes, |[a, m, x, wide, narrow]| {
            if has_attention {
                if is_after {
                    times(&self.out, attended, &self.out_bias, x, by);
                    self.attention_norm.run(x, a);
                } else {
                    times(&self.out, attended, &self.out_bias, a, by);
                }
            }
            if has_mlp {
                if is_sequential {
                    let middle = if is_after { &mut *x } else { &mut *m };
                    read(&stretches, None, middle);
                    for (middle, a) in middle.iter_mut().zip(&*a) {
                        *middle += a;
                    }
                    if !is_after {
                        mlp_norm.run(m, x);
                    }
                } else {
                    read(&stretches, (!is_after).then_some(mlp_norm), x);
                }
                times(&self.up, x, &self.up_bias, wide, by);
                activate(self.mlp.activation, self.mlp.is_gated, wide, f, narrow);
                if is_after {
                    times(&self.down, narrow, &self.down_bias, x, by);
                    mlp_norm.run(x, m);
                } else {
                    times(&self.down, narrow, &self.down_bias, m, by);
                }
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
                match half {
                    Half::Both => {
                        for (a, m) in a.iter_mut().zip(m) {
                            *a += *m;
                        }
                        stretch.add(a);
                    }
                    Half::Attention => stretch.add(a),
                    Half::Mlp => stretch.add(m),
                }
            }
        });
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

fn times(weights: &PackedMatrix, x: &[f32], bias: &[f32], y: &mut [f32], by: Threads) {
    match by {
        Threads::Apart => weights.multiply(x, bias, y),
        Threads::Together => weights.multiply_shared(x, bias, y),
        Threads::OneToken(team) => weights.multiply_one(x, bias, y, team),
    }
}
