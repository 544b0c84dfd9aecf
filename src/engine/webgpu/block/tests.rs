//! Blocks of every shape against a plain one in f64, with matrices of several types in one block.

use std::borrow::Cow;

use super::*;
use crate::engine::rope::Rope;
use crate::engine::schedule::pack::Pack;
use crate::engine::schedule::program::{Program, StreamStep};
use crate::engine::tests::twin::TwinBlock;
use crate::engine::webgpu::device::tests::device;
use crate::engine::webgpu::gemm::check::sixty_fourths;
use crate::engine::webgpu::probe::{agree, heads, noise};
use crate::engine::webgpu::readback::Staging;
use crate::engine::webgpu::tables::PackPlan;
use crate::model::shape::{
    Activation, MlpShape, NormKind, NormPlacement, NormShape, Residual, RopeShape,
};
use crate::model::{DType, Tensor};
use crate::plan::BlockRun;

const WIDTH: usize = 24;
/// Tokens of each of the pack's sequences.
const LENGTHS: [usize; 3] = [5, 1, 18];

fn gpu(longest: usize) -> Gpu {
    Gpu::new(device(), WIDTH, longest)
}

fn llama() -> BlockShape {
    BlockShape {
        norm: NormShape { kind: NormKind::Rms, eps: 1e-5 },
        placement: NormPlacement::Before,
        residual: Residual::Sequential,
        attention: heads(4, 2, 8, None),
        mlp: MlpShape { width: 40, is_gated: true, activation: Activation::Silu, has_bias: false },
    }
}

fn with_biases(mut shape: BlockShape) -> BlockShape {
    shape.norm.kind = NormKind::Layer;
    shape.attention.qkv_bias = true;
    shape.attention.out_bias = true;
    shape.mlp.has_bias = true;
    shape.mlp.is_gated = false;
    shape
}

/// In the manner of the families that differ.
fn shapes() -> Vec<(&'static str, BlockShape)> {
    let mut gpt2 = with_biases(llama());
    gpt2.attention.rope = None;
    gpt2.mlp.activation = Activation::GeluTanh;
    let mut neox = with_biases(llama());
    neox.residual = Residual::Parallel { shared_norm: false };
    neox.mlp.activation = Activation::GeluErf;
    neox.attention.rope = Some(RopeShape { width: 4, theta: 100.0, scaling: None });
    let mut falcon = llama();
    falcon.norm.kind = NormKind::Layer;
    falcon.residual = Residual::Parallel { shared_norm: true };
    falcon.attention = heads(3, 1, 8, None);
    falcon.mlp.is_gated = false;
    falcon.mlp.activation = Activation::GeluErf;
    let mut qwen3 = llama();
    qwen3.attention.qk_norm = QkNorm::Head;
    qwen3.attention.qkv_bias = true;
    qwen3.attention.window = Some(4);
    let mut olmo2 = llama();
    olmo2.placement = NormPlacement::After;
    olmo2.attention.qk_norm = QkNorm::Full;
    let mut both = with_biases(olmo2.clone());
    both.residual = Residual::Parallel { shared_norm: false };
    let mut gemma = llama();
    gemma.mlp.activation = Activation::GeluTanh;
    vec![
        ("llama", llama()),
        ("gpt2", gpt2),
        ("neox", neox),
        ("falcon", falcon),
        ("qwen3", qwen3),
        ("olmo2", olmo2),
        ("norms behind parallel branches", both),
        ("gemma", gemma),
    ]
}

/// Numbers that every stored type holds.
fn twin(shape: &BlockShape) -> TwinBlock {
    let matrix = |role: MatrixRole, count: usize| sixty_fourths(count, role as u32);
    let vector = |role: VectorRole, length: usize| noise(length, 20 + role as u32);
    TwinBlock::new(shape.clone(), WIDTH, matrix, vector)
}

/// Members of half a block or both on the sequences of a pack.
fn members(twin: &TwinBlock, pack: &Pack, h: &[f32], half: Half) -> [Option<Vec<f32>>; 2] {
    let [mut attention, mut mlp] =
        [half.has_attention(), half.has_mlp()].map(|is| is.then(Vec::new));
    for (sequence, &(start, length)) in pack.spans.iter().enumerate() {
        let h = &h[start * WIDTH..][..length * WIDTH];
        let found = twin.members(h, half, pack.angles(sequence));
        for (all, found) in [&mut attention, &mut mlp].into_iter().zip(found) {
            let all = all.iter_mut().zip(found);
            all.for_each(|(all, found)| all.extend(found.iter().map(|&x| x as f32)));
        }
    }
    [attention, mlp]
}

fn step(slot_in: usize, slot_out: usize, first: bool, kept: Option<[usize; 2]>) -> StreamStep {
    StreamStep {
        node: 0,
        run: 0,
        slot_in,
        slot_out,
        is_first: first,
        share: if first { 1 } else { 2 },
        kept,
    }
}

fn upload(device: &Device, plain: &TwinBlock) -> GpuBlock {
    let dtypes = [DType::F32, DType::Bf16, DType::F16, DType::F32];
    let typed = MatrixRole::ALL.map(|role| {
        let [rows, _] = plain.shape.matrix(role, WIDTH);
        let dtype = dtypes[role as usize];
        vec![TypedRows { rows, dtype }]
    });
    let block = GpuBlock::reserve(device, &plain.shape, WIDTH, typed).expect("room");
    for role in MatrixRole::ALL {
        let numbers = &plain.matrices[role as usize];
        let [rows, columns] = plain.shape.matrix(role, WIDTH);
        let tensor = Tensor {
            dtype: DType::F32,
            rows,
            columns,
            bytes: Cow::Borrowed(bytemuck::cast_slice(numbers)),
        };
        let filled = block.matrix(role).fill(device, 0, &tensor, String::new);
        filled.expect("numbers that every type holds");
    }
    for (&role, numbers) in &plain.vectors {
        block.fill_vector(device, role, numbers);
    }
    block
}

fn read(gpu: &Gpu, to: &mut Recording, buffer: &wgpu::Buffer, numbers: usize) -> Vec<f32> {
    let mut staging = Staging::default();
    let parts = vec![(numbers, "a block's test")];
    let pending = staging.begin(&mut to.recorder, buffer, parts);
    let pending = pending.expect("a submission");
    assert!(pending.is_here(&gpu.device).expect("an answer"));
    staging.finish(&gpu.device, pending).expect("numbers").concat()
}

fn try_block(gpu: &Gpu, name: &'static str, shape: &BlockShape, half: Half) {
    try_sequences(gpu, name, shape, half, &LENGTHS);
}

fn try_sequences(gpu: &Gpu, name: &'static str, shape: &BlockShape, half: Half, lengths: &[usize]) {
    let plain = twin(shape);
    let pack = Pack::of(lengths, shape.attention.rope.as_ref().map(Rope::of).as_ref());
    let block = upload(&gpu.device, &plain);
    let n = pack.rows;
    let sequences = lengths.len();
    let run = BlockRun { half, ..BlockRun::whole(0) };
    let call = BlockCall {
        run,
        steps: vec![step(0, 2, true, Some([sequences, 0])), step(1, 3, false, None)],
        complete: Vec::new(),
    };
    // A call before it, whose steps are not these.
    let other = BlockCall { steps: vec![step(9, 9, true, None)], ..call.clone() };
    let program = Program { calls: vec![other, call.clone()], slots: 4 };
    let before = noise(4 * n * WIDTH, 50);
    let queries = TileSize::of(&gpu.device, shape.attention.head_width).expect("a size");
    let plan = PackPlan {
        pack: &pack,
        program: &program,
        embedded: &before,
        width: WIDTH,
        kept_rows: 2 * sequences,
        rope_width: shape.attention.rope.as_ref().map_or(0, |rope| rope.width),
        queries: &[queries.queries],
    };
    let mut arena = Arena::default();
    let tables = Tables::upload(&mut arena, &gpu.device, &gpu.bindings, &plan);
    let mut to = Recording { recorder: Recorder::new(&gpu.device, &gpu.bindings), arena, tables };
    block.run(gpu, &mut to, &call, 1, None).expect("a run");
    gpu.device.check().expect("kernels that compile");

    let slot = |slot: usize| &before[slot * n * WIDTH..][..n * WIDTH];
    let sum = |base: &[f32], share: f32, members: &[Option<Vec<f32>>; 2]| -> Vec<f32> {
        let mut sum = base.to_vec();
        for member in members.iter().flatten() {
            sum.iter_mut().zip(member).for_each(|(s, z)| *s += share * z);
        }
        sum
    };
    let [members, others] = [0, 1].map(|n| members(&plain, &pack, slot(n), half));
    let expected = [
        slot(0).to_vec(),
        slot(1).to_vec(),
        sum(slot(0), 1.0, &members),
        sum(slot(3), 0.5, &others),
    ];
    let streams = to.tables.streams.clone();
    let found = read(gpu, &mut to, &streams, 4 * n * WIDTH);
    for (found, expected) in found.chunks(n * WIDTH).zip(&expected) {
        agree(name, found, expected, 1e-4).expect("the plain block's stream");
    }
    let kept = to.tables.kept.clone();
    let found = read(gpu, &mut to, &kept, 2 * sequences * WIDTH);
    let last = pack.last_rows();
    for (member, first) in members.iter().zip([sequences, 0]) {
        let Some(member) = member else { continue };
        let rows = last.iter().map(|&row| &member[row as usize * WIDTH..][..WIDTH]);
        let expected = rows.collect::<Vec<_>>().concat();
        let found = &found[first * WIDTH..][..sequences * WIDTH];
        agree(name, found, &expected, 1e-4).expect("the plain block's member");
    }
}

#[test]
fn a_block_of_every_shape_is_the_plain_block() {
    let gpu = gpu(200);
    for (name, shape) in shapes() {
        for half in [Half::Both, Half::Attention, Half::Mlp] {
            try_block(&gpu, name, &shape, half);
        }
    }
}

/// Cut for the watchdog's sake into many small dispatches.
#[test]
fn a_block_in_many_dispatches_is_the_same() {
    let mut gpu = gpu(200);
    gpu.bindings.most_work = 20_000;
    for (name, shape) in shapes() {
        try_block(&gpu, name, &shape, Half::Both);
    }
}

/// Heads of every width that tiles are cut for, KV heads that one, some or all queries share, halves
/// of rotary parts that are odd, MLPs of no whole tile, and sequences around the edges of tiles.
#[test]
fn blocks_of_drawn_shapes_are_the_plain_block() {
    let gpu = gpu(4000);
    let mut drawn = rand_mt::Mt::new(7);
    let mut pick = |of: &[usize]| of[drawn.next_u32() as usize % of.len()];
    for head_width in [4, 12, 32, 36, 64, 68, 80, 100, 128, 160, 192, 244, 256] {
        let mut shape = shapes()[pick(&[0, 1, 2, 3, 4, 5, 6, 7])].1.clone();
        let kv_heads = pick(&[1, 2, 3]);
        let attention = &mut shape.attention;
        attention.head_width = head_width;
        attention.kv_heads = kv_heads;
        attention.heads = kv_heads * pick(&[1, 2, 3]);
        attention.window =
            Some(pick(&[1, 2, 15, 16, 17, 33, 1000])).filter(|&window| window < 1000);
        if let Some(rope) = &mut attention.rope {
            rope.width = pick(&[2, 6, 10, head_width]).min(head_width);
        }
        shape.mlp.width = pick(&[4, 28, 32, 36, 68]);
        let lengths = [1, pick(&[15, 16, 17]), pick(&[31, 32, 33, 65]), pick(&[1, 2, 7, 8, 9])];
        try_sequences(&gpu, "a drawn block", &shape, Half::Both, &lengths);
    }
}
