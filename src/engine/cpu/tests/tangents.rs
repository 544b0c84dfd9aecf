//! Derivatives of blocks of every shape against central differences of their twins in f64, and of whole
//! models' blocks, in every stored type, against those of the blocks themselves.

use std::path::Path;
use std::rc::Rc;

use atelier_kernels::testing::random;

use super::blocks::{D, block, pack, shapes, twin};
use super::models::{NAMES, backend, embed, open, tests};
use crate::engine::backend::{Backend, Output, Start};
use crate::engine::cpu::backend::CpuBackend;
use crate::engine::cpu::head::Head;
use crate::engine::cpu::tangent::CpuTangents;
use crate::engine::rope::{Angles, Rope};
use crate::engine::schedule::Schedule;
use crate::engine::schedule::pack::Pack;
use crate::engine::schedule::program::Program;
use crate::engine::tests::twin::TwinBlock;
use crate::engine::{TangentPoint, TangentProduct, Tangents};
use crate::model::shape::RopeScaling;
use crate::model::weights::Weights;
use crate::model::{DType, ModelFiles};
use crate::plan::{BlockRun, Half, HeadsOff, Plan, Step};

const T: usize = 6;

/// `(t_in, t_out)`: a token itself, one before it, the first, one that is not seen, and one that is seen
/// only through no window.
const PAIRS: [(usize, usize); 5] = [(5, 5), (3, 4), (0, 0), (4, 2), (0, 5)];

fn product(pair: (usize, usize), transposed: bool, probes: &[f32]) -> TangentProduct {
    TangentProduct { t_in: pair.0, t_out: pair.1, transposed, probes: probes.to_vec() }
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    let pairs = a.iter().zip(b);
    pairs.map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
}

fn length(a: &[f32]) -> f64 {
    dot(a, a).sqrt()
}

/// J(t_out, t_in) dx of a pair, from another source.
type Slopes<'a> = dyn Fn((usize, usize), &[f32]) -> Vec<f32> + 'a;

/// Both directions for every pair, two probes each, in one question: J dx is as `slopes` say, to the
/// first bound of its length, or of the second bound of dx's where that is more; and w . J dx = J^T w . dx,
/// to the third.
fn check(
    tangents: &mut dyn Tangents,
    d: usize,
    what: &str,
    [bound, smallest, pair_bound]: [f64; 3],
    slopes: &Slopes,
) {
    let (dx, w) = (random(2 * d, 1.0, 40), random(2 * d, 1.0, 41));
    let asked = PAIRS.iter().flat_map(|&pair| [product(pair, false, &dx), product(pair, true, &w)]);
    let found = tangents.products(asked.collect()).expect("products");
    let mut largest = 0.0;
    for (&pair, found) in PAIRS.iter().zip(found.chunks_exact(2)) {
        let [dy, z] = found else { unreachable!() };
        for row in 0..2 {
            let row = row * d..(row + 1) * d;
            let (dx, w, dy, z) = (&dx[row.clone()], &w[row.clone()], &dy[row.clone()], &z[row]);
            let expected = slopes(pair, dx);
            let off: Vec<f32> = dy.iter().zip(&expected).map(|(a, b)| a - b).collect();
            let size = length(&expected).max(smallest * length(dx));
            assert!(
                length(&off) <= bound * size,
                "{what} {pair:?}: off by {:.1e} of {size:.2e}",
                length(&off) / size
            );
            let (forward, back) = (dot(w, dy), dot(z, dx));
            let size = length(w) * length(dy) + length(z) * length(dx);
            assert!(
                (forward - back).abs() <= pair_bound * size,
                "{what} {pair:?}: {forward}, but transposed {back}"
            );
            if pair.0 > pair.1 {
                assert!(dy.iter().chain(z).all(|&x| x == 0.0));
            }
            largest = f64::max(largest, length(dy));
        }
    }
    assert!(largest > 1e-3, "{what}: nothing moves");
}

/// A twin's central differences at `t_out`, where the stream moves by `dx` at `t_in`.
fn twin_slopes(
    twin: &TwinBlock,
    stream: &[f32],
    half: Half,
    angles: &Angles,
    (t_in, t_out): (usize, usize),
    dx: &[f32],
) -> Vec<f32> {
    let by = 1e-5;
    let at = |by: f64| {
        let mut rows: Vec<Vec<f64>> =
            stream.chunks_exact(D).map(|row| row.iter().map(|&x| f64::from(x)).collect()).collect();
        for (x, &dx) in rows[t_in].iter_mut().zip(dx) {
            *x += by * f64::from(dx);
        }
        let [attention, mlp] = twin.run(&rows, half, angles)[t_out].clone();
        attention.into_iter().zip(mlp).map(|(a, m)| a + m)
    };
    let slopes = at(by).zip(at(-by));
    slopes.map(|(a, b)| ((a - b) / (2.0 * by)) as f32).collect()
}

#[test]
fn blocks_of_any_shape_move_as_their_twins() {
    let weights = open("random-llama2");
    for (n, mut shape) in shapes().into_iter().enumerate() {
        // One in three sees no more than the token before.
        if n % 3 == 0 {
            shape.attention.window = Some(2);
        }
        // One in four has angles whose list and factor are those past their first context.
        if n % 4 == 0
            && let Some(rope) = &mut shape.attention.rope
        {
            let halves = rope.width / 2;
            rope.scaling = Some(RopeScaling::LongRope {
                short: vec![1.0; halves],
                long: (0..halves).map(|n| 2.0 + n as f64).collect(),
                original_context: T - 2,
                attention_factor: 1.2,
            });
        }
        let is_bf16 = n % 5 == 0;
        let mut twin = twin(&shape, is_bf16);
        let block = block(&twin, if is_bf16 { DType::Bf16 } else { DType::F32 });
        let head = Head::new(weights.clone(), Vec::new()).expect("a head");
        let backend = CpuBackend::new(D, Vec::new(), vec![block], head);
        let pack = pack(&shape, &[T]);
        let stream: Rc<[f32]> = random(T * D, 1.0, 30).into();
        let one = HeadsOff::NONE.and(1).expect("a head");
        for (half, heads_off) in [
            (Half::Both, HeadsOff::NONE),
            (Half::Both, one),
            (Half::Attention, HeadsOff::NONE),
            (Half::Mlp, HeadsOff::NONE),
        ] {
            twin.heads_off = heads_off;
            let point = TangentPoint { block: 0, half, heads_off, stream: stream.clone() };
            let mut tangents = CpuTangents::new(&backend, point, &pack).expect("a point");
            let what = format!("{shape:?} {half:?} {heads_off}");
            check(&mut tangents, D, &what, [2e-5, 1e-3, 1e-6], &|pair, dx| {
                twin_slopes(&twin, &stream, half, pack.angles(0), pair, dx)
            });
        }
    }
}

/// The stream `[T, D]` after a run of some steps on a stream.
fn after(backend: &CpuBackend, weights: &Weights, steps: &[Step], stream: &[f32]) -> Vec<f32> {
    let plan = Plan::new(steps.to_vec(), weights.shape.blocks.len()).expect("a plan");
    let program = Rc::new(Program::new(&Schedule::new(&[plan]), 1));
    let rope = weights.shape.rope().map(Rope::of);
    let start = Start {
        pack: Rc::new(Pack::of(&[stream.len() / weights.shape.width], rope.as_ref())),
        program: program.clone(),
        embedded: stream.to_vec(),
        kept_rows: 0,
        numbers: 0,
    };
    let mut pass = backend.begin(start).expect("a pass");
    for call in 0..program.calls.len() {
        pass.run(call).expect("a call");
    }
    let last = &program.calls[program.calls.len() - 1];
    pass.give(Output::Stream(last.complete[0].1)).expect("a stream");
    pass.finish().expect("an end");
    pass.answer().expect("numbers").expect("an answer").remove(0)
}

/// Every block of a model, on the stream that enters it in the model's own order.
fn model_moves(name: &str, weights: &Rc<Weights>) {
    let (backend, d) = (backend(weights), weights.shape.width);
    let ids: Vec<u32> = (0..T as u32).map(|t| (t * 31 + 3) % 100).collect();
    let mut stream = embed(weights, &[ids]);
    let rope = weights.shape.rope().map(Rope::of);
    let pack = Rc::new(Pack::of(&[T], rope.as_ref()));
    for &block in &weights.shape.order {
        let run = BlockRun::whole(block);
        let point = TangentPoint::of(run, stream.as_slice().into());
        let mut tangents = backend.tangents(point, pack.clone()).expect("a point");
        // Twice the step halves the rounding error of f32 and multiplies the error of curvature by sixteen.
        // Both are well below the bound here, also for the small streams of some models' embeddings.
        let by = 2e-2 * stream.iter().fold(0.1f32, |most, x| most.max(x.abs()));
        let slopes = |(t_in, t_out): (usize, usize), dx: &[f32]| -> Vec<f32> {
            let at = |by: f32| {
                let mut moved = stream.clone();
                for (x, dx) in moved[t_in * d..][..d].iter_mut().zip(dx) {
                    *x += by * dx;
                }
                let out = after(&backend, weights, &[Step::Block(run)], &moved);
                let out = &out[t_out * d..][..d];
                // Without the skip, as it was rounded.
                let before = moved[t_out * d..][..d].to_vec();
                out.iter().zip(before).map(|(x, h)| x - h).collect::<Vec<_>>()
            };
            let slopes = |by: f32| {
                let pairs = at(by).into_iter().zip(at(-by));
                pairs.map(move |(a, b)| (a - b) / (2.0 * by))
            };
            // A second difference with half the step cancels the error that grows as the square of the step.
            let both = slopes(by / 2.0).zip(slopes(by));
            both.map(|(half, whole)| (4.0 * half - whole) / 3.0).collect()
        };
        let what = format!("{name} block {block}");
        check(tangents.as_mut(), d, &what, [4e-3, 1e-2, 2e-6], &slopes);
        stream = after(&backend, weights, &[Step::Block(run)], &stream);
    }
}

#[test]
fn every_familys_blocks_move_as_they_say() {
    for name in NAMES {
        model_moves(name, &open(name));
    }
}

#[test]
fn blocks_of_quantised_files_move_as_they_say() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/models/gguf");
    let mut files = std::fs::read_dir(tests("models/gguf"))
        .expect("one travels with the project")
        .chain(std::fs::read_dir(shared).into_iter().flatten())
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|end| end == "gguf"))
        .collect::<Vec<_>>();
    files.sort();
    for path in &files {
        let name = path.display().to_string();
        let opened = ModelFiles::open(path).expect(&name);
        model_moves(&name, &Rc::new(Weights::open(&opened).expect(&name)));
    }
    assert!(!files.is_empty());
}
