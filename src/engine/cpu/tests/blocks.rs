//! Every combination of a block's choices against a twin in f64, written plainly.

use std::borrow::Cow;

use atelier_kernels::testing::{close, random};
use half::bf16;

use crate::engine::cpu::block::{Block, BlockRows, Inside};
use crate::engine::cpu::incoming::Incoming;
use crate::engine::cpu::stretch::Stretch;
use crate::engine::rope::Rope;
use crate::engine::schedule::pack::Pack;
use crate::engine::tests::twin::TwinBlock;
use crate::model::shape::*;
use crate::model::weights::MatrixRole;
use crate::model::{DType, Tensor};
use crate::plan::{BlockRun, Half};

pub const D: usize = 24;

/// Norms x places x residuals x MLPs x norms of queries and keys x turns, with biases and without.
pub fn shapes() -> Vec<BlockShape> {
    let residuals = [
        Residual::Sequential,
        Residual::Parallel { shared_norm: false },
        Residual::Parallel { shared_norm: true },
    ];
    let mlps =
        [(true, Activation::Silu), (false, Activation::GeluErf), (true, Activation::GeluTanh)];
    let mut shapes = Vec::new();
    for kind in [NormKind::Rms, NormKind::Layer] {
        for placement in [NormPlacement::Before, NormPlacement::After] {
            for residual in residuals {
                for (is_gated, activation) in mlps {
                    for qk_norm in [QkNorm::None, QkNorm::Head, QkNorm::Full] {
                        for rope_width in [0, 4, 10] {
                            for has_bias in [false, true] {
                                let rope =
                                    RopeShape { width: rope_width, theta: 1e4, scaling: None };
                                shapes.push(BlockShape {
                                    norm: NormShape { kind, eps: 1e-5 },
                                    placement,
                                    residual,
                                    attention: AttentionShape {
                                        heads: 4,
                                        kv_heads: if rope_width == 0 { 4 } else { 2 },
                                        head_width: 10,
                                        window: has_bias.then_some(5),
                                        qkv_bias: has_bias,
                                        out_bias: has_bias,
                                        qk_norm,
                                        rope: (rope_width > 0).then_some(rope),
                                    },
                                    mlp: MlpShape {
                                        width: 33,
                                        is_gated,
                                        activation,
                                        has_bias: has_bias && !is_gated,
                                    },
                                });
                            }
                        }
                    }
                }
            }
        }
    }
    shapes
}

/// A twin of random numbers, of which every matrix's are bf16 where `is_bf16`.
pub fn twin(shape: &BlockShape, is_bf16: bool) -> TwinBlock {
    let matrix = |role: MatrixRole, count: usize| {
        let mut numbers = random(count, 0.4, role as u32);
        if is_bf16 {
            numbers.iter_mut().for_each(|number| *number = bf16::from_f32(*number).to_f32());
        }
        numbers
    };
    let mut seeds = 10..;
    let vector = |_, length| random(length, 1.0, seeds.next().unwrap_or_default());
    TwinBlock::new(shape.clone(), D, matrix, vector)
}

/// The block of a twin's numbers, its matrices stored as `dtype`.
pub fn block(twin: &TwinBlock, dtype: DType) -> Block {
    let mut incoming = Incoming::default();
    for role in MatrixRole::ALL {
        let ([rows, columns], numbers) =
            (twin.shape.matrix(role, D), &twin.matrices[role as usize]);
        let bytes: Vec<u8> = match dtype {
            DType::Bf16 => numbers.iter().flat_map(|&x| bf16::from_f32(x).to_le_bytes()).collect(),
            _ => numbers.iter().flat_map(|x| x.to_le_bytes()).collect(),
        };
        let tensor = Tensor { dtype, rows, columns, bytes: Cow::Owned(bytes) };
        incoming.matrix(role, [rows, columns], 0, &tensor);
    }
    for (&role, numbers) in &twin.vectors {
        incoming.vector(role, numbers.clone());
    }
    incoming.block(&twin.shape, D).expect("all of it")
}

pub fn pack(shape: &BlockShape, lengths: &[usize]) -> Pack {
    Pack::of(lengths, shape.attention.rope.as_ref().map(Rope::of).as_ref())
}

/// Runs `block` on whole packs, one a step, and gives the streams after and the last members.
fn run(
    block: &Block,
    half: Half,
    pack: &Pack,
    h: &[f32],
    out: &mut [f32],
    is_first: bool,
    scale: f32,
) -> [Vec<f32>; 2] {
    let size = pack.rows * D;
    let stretches = h.chunks(size).zip(out.chunks_mut(size));
    let stretches: Vec<Stretch> =
        stretches.map(|(h, out)| Stretch { h, out, is_first, scale }).collect();
    let copies = stretches.len();
    let sequences: Vec<usize> = (0..copies).flat_map(|_| 0..pack.spans.len()).collect();
    let rows = BlockRows { stretches, pack, sequences: &sequences, cache: None };
    let mut inside = Inside::default();
    let run = BlockRun { half, ..BlockRun::whole(0) };
    let last = block.run(run, rows, &mut inside);
    [last.attention.to_vec(), last.mlp.to_vec()]
}

#[test]
fn a_block_of_any_shape_equals_its_twin() {
    for (n, shape) in shapes().into_iter().enumerate() {
        let is_bf16 = n % 5 == 0;
        let plain = twin(&shape, is_bf16);
        let block = block(&plain, if is_bf16 { DType::Bf16 } else { DType::F32 });
        let pack = pack(&shape, &[1, 9, 4]);
        let h = random(2 * pack.rows * D, 1.0, 30);
        let before = random(h.len(), 1.0, 31);
        for half in [Half::Both, Half::Attention, Half::Mlp] {
            for (is_first, scale) in [(true, 1.0), (false, 0.25)] {
                let mut out = before.clone();
                let last = run(&block, half, &pack, &h, &mut out, is_first, scale);
                let mut expected = Vec::new();
                let mut expected_last = [Vec::new(), Vec::new()];
                for copy in 0..2 {
                    for (s, &(start, length)) in pack.spans.iter().enumerate() {
                        let first = copy * pack.rows + start;
                        let row = |t: usize| -> Vec<f64> {
                            let row = &h[(first + t) * D..][..D];
                            row.iter().map(|&x| f64::from(x)).collect()
                        };
                        let rows: Vec<Vec<f64>> = (0..length).map(row).collect();
                        let members = plain.run(&rows, half, pack.angles(s));
                        for (t, [a, m]) in members.iter().enumerate() {
                            let base = if is_first { &h } else { &before };
                            let base = &base[(first + t) * D..][..D];
                            let sums = base.iter().zip(a.iter().zip(m));
                            let scale = f64::from(scale);
                            expected
                                .extend(sums.map(|(&b, (a, m))| f64::from(b) + scale * (a + m)));
                        }
                        let last = members.last().expect("a token");
                        for (to, member) in expected_last.iter_mut().zip(last) {
                            to.extend(member);
                        }
                    }
                }
                close(&out, &expected, 5e-5);
                for (ours, (expected, off)) in
                    last.iter().zip(expected_last.iter().zip([Half::Mlp, Half::Attention]))
                {
                    if half == off {
                        assert!(ours.is_empty());
                    } else {
                        close(ours, expected, 5e-5);
                    }
                }
            }
        }
    }
}

#[test]
fn a_sequence_has_the_same_bits_alone_and_among_others() {
    let mut all = shapes();
    // One of each kind is enough here; what matters is how rows are shared out.
    let shapes = [all.remove(0), all.remove(40), all.remove(100)];
    for (shape, dtype) in shapes.into_iter().zip([DType::F32, DType::Bf16, DType::F32]) {
        let block = block(&twin(&shape, true), dtype);
        let lengths = [40, 3, 150, 77];
        let together = pack(&shape, &lengths);
        let h = random(together.rows * D, 1.0, 32);
        let mut all = vec![0.0; h.len()];
        let members = run(&block, Half::Both, &together, &h, &mut all, true, 1.0);
        for (n, &(start, length)) in together.spans.iter().enumerate() {
            let span = start * D..(start + length) * D;
            let alone = pack(&shape, &[length]);
            let mut one = vec![0.0; length * D];
            let last = run(&block, Half::Both, &alone, &h[span.clone()], &mut one, true, 1.0);
            assert_eq!(one, all[span]);
            for (last, members) in last.iter().zip(&members) {
                assert_eq!(*last, members[n * D..(n + 1) * D]);
            }
        }
    }
}
