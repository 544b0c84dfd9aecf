//! The reference against plain loops in f64: blocks of every kind of shape, and the read-out.

use candle_core::{Device, Tensor};

use super::block::CandleBlock;
use super::rope::RopeTables;
use crate::engine::rope::Rope;
use crate::engine::schedule::pack::Pack;
use crate::engine::tests::twin::TwinBlock;
use crate::model::shape::{
    Activation, AttentionShape, BlockShape, MlpShape, NormKind, NormPlacement, NormShape, QkNorm,
    Residual, RopeScaling, RopeShape,
};
use crate::model::weights::MatrixRole;
use crate::plan::{BlockRun, Half};

/// D
const WIDTH: usize = 12;

/// Numbers between -1 and 1, the same ones every time.
pub struct Noise(rand_mt::Mt);

impl Noise {
    pub fn numbers(&mut self, count: usize) -> Vec<f32> {
        let mut next = || self.0.next_u32() as f32 / u32::MAX as f32 * 2.0 - 1.0;
        (0..count).map(|_| next()).collect()
    }
}

/// Llama's, small: 4 query heads of 6 that share 2 KV heads.
fn llama() -> BlockShape {
    BlockShape {
        norm: NormShape { kind: NormKind::Rms, eps: 1e-5 },
        placement: NormPlacement::Before,
        residual: Residual::Sequential,
        attention: AttentionShape {
            heads: 4,
            kv_heads: 2,
            head_width: 6,
            window: None,
            qkv_bias: false,
            out_bias: false,
            qk_norm: QkNorm::None,
            rope: Some(RopeShape { width: 6, theta: 100.0, scaling: None }),
        },
        mlp: MlpShape { width: 10, is_gated: true, activation: Activation::Silu, has_bias: false },
    }
}

/// As GPT-2's: LayerNorm, biases, learned positions.
fn gpt2() -> BlockShape {
    let mut shape = llama();
    shape.norm.kind = NormKind::Layer;
    shape.attention.kv_heads = 4;
    shape.attention.qkv_bias = true;
    shape.attention.out_bias = true;
    shape.attention.rope = None;
    shape.mlp =
        MlpShape { width: 10, is_gated: false, activation: Activation::GeluTanh, has_bias: true };
    shape
}

fn shapes() -> Vec<(&'static str, BlockShape)> {
    let of = |base: fn() -> BlockShape, change: fn(&mut BlockShape)| {
        let mut shape = base();
        change(&mut shape);
        shape
    };
    vec![
        ("llama", llama()),
        ("gpt2", gpt2()),
        ("window", of(llama, |s| s.attention.window = Some(3))),
        ("window 1", of(llama, |s| s.attention.window = Some(1))),
        (
            "long rope",
            of(llama, |s| {
                if let Some(rope) = &mut s.attention.rope {
                    rope.scaling = Some(RopeScaling::LongRope {
                        short: vec![1.0, 2.0, 3.0],
                        long: vec![4.0, 5.0, 6.0],
                        original_context: 4,
                        attention_factor: 1.2,
                    });
                }
            }),
        ),
        (
            "pythia",
            of(gpt2, |s| {
                s.residual = Residual::Parallel { shared_norm: false };
                s.mlp.activation = Activation::GeluErf;
                s.attention.rope = Some(RopeShape { width: 2, theta: 100.0, scaling: None });
            }),
        ),
        ("phi", of(gpt2, |s| s.residual = Residual::Parallel { shared_norm: true })),
        (
            "olmo2",
            of(llama, |s| {
                s.placement = NormPlacement::After;
                s.attention.qk_norm = QkNorm::Full;
            }),
        ),
        ("qwen3", of(llama, |s| s.attention.qk_norm = QkNorm::Head)),
        (
            "gemma",
            of(llama, |s| {
                s.mlp.activation = Activation::GeluTanh;
                s.attention.kv_heads = 1;
            }),
        ),
    ]
}

/// A block of random weights: candle's, and the same numbers.
fn random(shape: &BlockShape, noise: &mut Noise) -> (CandleBlock, TwinBlock) {
    let noise = std::cell::RefCell::new(noise);
    let matrix = |_, count| noise.borrow_mut().numbers(count);
    let vector = |_, count| noise.borrow_mut().numbers(count);
    let twin = TwinBlock::new(shape.clone(), WIDTH, matrix, vector);
    let tensor = |numbers: &[f32], shape: &[usize]| {
        Tensor::from_slice(numbers, shape, &Device::Cpu).expect("a tensor")
    };
    let matrix = |role| tensor(&twin.matrices[role as usize], &shape.matrix(role, WIDTH));
    let block = CandleBlock {
        shape: shape.clone(),
        matrices: MatrixRole::ALL.map(matrix),
        vectors: twin.vectors.iter().map(|(role, x)| (*role, tensor(x, &[x.len()]))).collect(),
    };
    (block, twin)
}

fn close(found: &[f32], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        let off = (f64::from(*found) - expected).abs();
        assert!(off < 1e-4 * (1.0 + expected.abs()), "{what}: {found}, {expected}");
    }
}

fn flat(x: &Tensor) -> Vec<f32> {
    let flat = x.flatten_all().and_then(|x| x.to_vec1());
    flat.expect("numbers")
}

#[test]
fn every_kind_of_block_is_that_of_plain_loops() {
    let mut noise = Noise(rand_mt::Mt::new(7));
    let (lengths, copies) = ([1, 7, 4], 2);
    for (name, shape) in shapes() {
        let (block, twin) = random(&shape, &mut noise);
        let rope = shape.attention.rope.as_ref().map(Rope::of);
        let pack = Pack::of(&lengths, rope.as_ref());
        let tables = RopeTables::new(&pack, &Device::Cpu).expect("tables");
        let h = noise.numbers(copies * pack.rows * WIDTH);
        let streams = Tensor::from_slice(&h, (copies * pack.rows, WIDTH), &Device::Cpu);
        let streams = streams.expect("streams");
        for half in [Half::Both, Half::Attention, Half::Mlp] {
            let run = BlockRun { half, ..BlockRun::whole(0) };
            let found = block.run(&streams, run, &pack, &tables).expect("a block");
            let found = [found.attention, found.mlp].map(|x| x.map(|x| flat(&x)));
            for copy in 0..copies {
                for (sequence, &(start, length)) in pack.spans.iter().enumerate() {
                    let first = (copy * pack.rows + start) * WIDTH;
                    let span = first..first + length * WIDTH;
                    let angles = pack.angles(sequence);
                    let expected = twin.members(&h[span.clone()], half, angles);
                    for (found, expected) in found.iter().zip(expected) {
                        assert_eq!(found.is_some(), expected.is_some(), "{name} {half:?}");
                        if let (Some(found), Some(expected)) = (found, expected) {
                            let what = format!("{name} {half:?}, sequence {sequence}");
                            close(&found[span.clone()], &expected, &what);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn half_matrices_multiply_as_the_numbers_they_hold() {
    let mut noise = Noise(rand_mt::Mt::new(8));
    let numbers = |rows: usize, noise: &mut Noise| {
        let x = noise.numbers(rows * WIDTH);
        Tensor::from_vec(x, (rows, WIDTH), &Device::Cpu).expect("rows")
    };
    let (x, w) = (numbers(3, &mut noise), numbers(5, &mut noise));
    for dtype in [candle_core::DType::F16, candle_core::DType::BF16] {
        let half = w.to_dtype(dtype).expect("halves");
        let widened = half.to_dtype(candle_core::DType::F32).expect("f32");
        let product = super::multiply(&x, &half).expect("a product");
        let (x, w) = (flat(&x), flat(&widened));
        let dot = |(x, w): (&[f32], &[f32])| -> f64 {
            let products = x.iter().zip(w);
            products.map(|(x, w)| f64::from(*x) * f64::from(*w)).sum()
        };
        let rows = |x: &[f32]| -> Vec<Vec<f32>> { x.chunks(WIDTH).map(<[f32]>::to_vec).collect() };
        let expected: Vec<f64> = rows(&x)
            .iter()
            .flat_map(|x| rows(&w).into_iter().map(|w| dot((x, &w))).collect::<Vec<_>>())
            .collect();
        close(&flat(&product), &expected, "a product");
    }
}
