//! Whole models through the backend's own calls, against goldens.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;
use std::path::PathBuf;
use std::rc::Rc;

use atelier_kernels::team::Team;
use atelier_kernels::testing::random;
use serde_json::Value;

use crate::engine::EngineError;
use crate::engine::backend::{
    Backend, Loader, OptionRows, Output, ReadStreams, Start, VocabularyRows,
};
use crate::engine::cpu::backend::CpuBackend;
use crate::engine::cpu::loader::CpuLoader;
use crate::engine::rope::Rope;
use crate::engine::schedule::Schedule;
use crate::engine::schedule::pack::Pack;
use crate::engine::schedule::program::Program;
use crate::model::shape::NormKind;
use crate::model::weights::{BytesAtHand, Source, Weights};
use crate::model::{ModelError, ModelFiles};
use crate::plan::Plan;

pub const NAMES: [&str; 14] = [
    "random-llama2",
    "random-llama3",
    "random-mistral",
    "random-phi3",
    "random-mobilellm-layer-share",
    "random-falcon",
    "random-gemma",
    "random-gpt2",
    "random-gpt2-prefixed",
    "random-olmo2",
    "random-phi2",
    "random-pythia",
    "random-qwen2",
    "random-qwen3",
];

pub fn tests(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests").join(path)
}

pub fn open(name: &str) -> Rc<Weights> {
    let files = ModelFiles::open(&tests("models").join(name)).expect(name);
    Rc::new(Weights::open(&files).expect(name))
}

fn golden(name: &str) -> Value {
    let whole = tests("golden").join(format!("{name}.json"));
    let family = tests("golden/families").join(format!("{name}.json"));
    let text = std::fs::read(whole).or_else(|_| std::fs::read(family));
    serde_json::from_slice(&text.expect(name)).expect(name)
}

pub fn backend(weights: &Rc<Weights>) -> CpuBackend {
    let mut loader = CpuLoader::new(weights.clone());
    for (block, tensors) in weights.blocks.iter().enumerate() {
        for (matrix, role) in tensors.matrices.iter().zip(crate::model::weights::MatrixRole::ALL) {
            for slice in matrix.slices() {
                let rows = weights.rows(matrix, slice.clone()).expect("rows");
                loader.matrix(block, role, slice.start, &rows).expect("room");
            }
        }
        for (role, vector) in &tensors.vectors {
            let numbers = weights.vector(vector).expect("a vector");
            loader.vector(block, *role, numbers).expect("room");
        }
    }
    if loader.takes_head() {
        let head = weights.head();
        for slice in head.slices() {
            let rows = weights.rows(head, slice.clone()).expect("rows");
            loader.head(slice.start, &rows).expect("room");
        }
    }
    loader.loaded().expect("a backend")
}

/// [N, D]: tokens, scaled, and their positions.
pub fn embed(weights: &Weights, sequences: &[Vec<u32>]) -> Vec<f32> {
    let mut all = Vec::new();
    for ids in sequences {
        let mut rows = weights.gather(&weights.embedding, ids).expect("tokens");
        for x in &mut rows {
            *x *= weights.shape.input.scale;
        }
        if let Some(positions) = &weights.positions {
            let places: Vec<u32> = (0..ids.len() as u32).collect();
            let places = weights.gather(positions, &places).expect("positions");
            rows.iter_mut().zip(places).for_each(|(x, place)| *x += place);
        }
        all.extend(rows);
    }
    all
}

fn ids(value: &Value) -> Vec<u32> {
    let ids = value.as_array().expect("ids").iter();
    ids.map(|id| id.as_u64().expect("an id") as u32).collect()
}

/// `[0, [1, 2], 3]` in one line.
fn notation(steps: &Value) -> String {
    let step = |step: &Value| match step.as_array() {
        Some(_) => format!("({})", notation(step)),
        None => step.to_string(),
    };
    let steps = steps.as_array().expect("steps").iter().map(step);
    steps.collect::<Vec<_>>().join(",")
}

fn numbers(value: &Value) -> Vec<f64> {
    let numbers = value.as_array().expect("numbers").iter();
    numbers.map(|x| x.as_f64().expect("a number")).collect()
}

#[track_caller]
fn same(what: &str, ours: impl Iterator<Item = f64>, golden: &Value) {
    let (ours, golden) = (ours.collect::<Vec<_>>(), numbers(golden));
    assert_eq!(ours.len(), golden.len(), "{what}");
    for (ours, golden) in ours.iter().zip(&golden) {
        assert!((ours - golden).abs() < 1e-4, "{what}: {ours}, not {golden}");
    }
}

/// The final norm's gain folded into the options' output rows, the same for each of `prompts`.
fn options(weights: &Weights, option_ids: &[u32], prompts: usize) -> OptionRows {
    let shape = &weights.shape;
    let is_centred = shape.head.norm.kind == NormKind::Layer;
    let gain = weights.vector(&weights.final_norm).expect("a norm");
    let rows = weights.gather(weights.head(), option_ids).expect("rows");
    let mut folded = Vec::new();
    for row in rows.chunks_exact(shape.width) {
        let row: Vec<f32> = row.iter().zip(&gain).map(|(w, g)| w * g).collect();
        let mean = row.iter().sum::<f32>() / row.len() as f32;
        let mean = if is_centred { mean } else { 0.0 };
        folded.extend(row.iter().map(|x| x - mean));
    }
    OptionRows { numbers: folded.repeat(prompts), prompts, count: option_ids.len(), is_centred }
}

/// Every plan of a model's golden: members' votes and the options' logits at the last token, beside
/// a shorter prompt.
fn check(name: &str) {
    let (weights, golden) = (open(name), golden(name));
    let shape = &weights.shape;
    let backend = backend(&weights);
    let prompt = ids(&golden["token_ids"]);
    let sequences = vec![prompt[..3].to_vec(), prompt.clone()];
    let mut goldens = vec![&golden["baseline"]];
    let mut plans = vec![Plan::whole(&shape.order).expect("an order")];
    for plan in golden["plans"].as_array().expect("plans") {
        plans.push(Plan::parse(&notation(&plan["steps"]), &shape.order).expect("a plan"));
        goldens.push(plan);
    }
    let schedule = Schedule::new(&plans);
    let mut program = Program::new(&schedule, 3);
    // First the embedding's members, then four rows a run, then the final streams.
    let mut runs = Vec::new();
    for (node, at) in schedule.nodes.iter().enumerate() {
        runs.extend((0..at.runs.len()).map(|run| (node, run)));
    }
    let place = |node: usize, run: usize| {
        2 + 4 * runs.iter().position(|&at| at == (node, run)).expect("a run")
    };
    program.keep(&|node, run| [place(node, run), place(node, run) + 2]);
    let ends = 2 + 4 * runs.len();
    let rope = shape.rope().map(Rope::of);
    let pack = Rc::new(Pack::of(&[3, prompt.len()], rope.as_ref()));
    let program = Rc::new(program);
    let last = pack.last_rows();
    let option_ids = ids(&golden["option_token_ids"]);
    let mut pass = backend
        .begin(Start {
            pack: pack.clone(),
            program: program.clone(),
            embedded: embed(&weights, &sequences),
            kept_rows: ends + 2 * schedule.nodes.len(),
            numbers: 0,
        })
        .expect("a pass");
    pass.keep(0, &last, 0).expect("kept");
    let mut completed = Vec::new();
    for (n, call) in program.calls.iter().enumerate() {
        pass.run(n).expect("a call");
        for &(node, slot) in &call.complete {
            pass.keep(slot, &last, ends + 2 * node).expect("kept");
            pass.give(Output::Logits { slot, rows: &last }).expect("logits");
            let rows = VocabularyRows {
                streams: ReadStreams::Rows { slot, rows: last.clone() },
                references: vec![1, 1],
                top: 2,
                followed: option_ids[..2].to_vec(),
                is_reproducible: false,
            };
            pass.give(Output::Vocabulary(&rows)).expect("the vocabulary");
            completed.push(node);
        }
    }
    pass.give(Output::Votes(&options(&weights, &option_ids, 2))).expect("votes");
    pass.finish().expect("an end");
    let outputs = pass.answer().expect("numbers").expect("an answer");
    let k = option_ids.len();
    let votes: Vec<&[f32]> = outputs[outputs.len() - 1].chunks_exact(k + 1).collect();
    for (path, golden) in schedule.paths.iter().zip(goldens) {
        let what = format!("{name} {}", golden["name"]);
        let end = path[path.len() - 1];
        let r = 1.0 / (f64::from(votes[ends + 2 * end + 1][k]) + shape.head.norm.eps).sqrt();
        let runs = path
            .iter()
            .flat_map(|&node| (0..schedule.nodes[node].runs.len()).map(move |run| (node, run)));
        let halves = runs.flat_map(|(node, run)| [place(node, run), place(node, run) + 2]);
        let members = golden["member_logits"].as_array().expect("members");
        for (row, golden) in [0].into_iter().chain(halves).zip(members) {
            let ours = votes[row + 1][..k].iter().map(|&vote| f64::from(vote) * r);
            same(&what, ours, golden);
        }
        let at = completed.iter().position(|&node| node == end).expect("it ended");
        let logits = &outputs[2 * at][shape.vocabulary..];
        let ours = option_ids.iter().map(|&id| f64::from(logits[id as usize]));
        same(&what, ours, &golden["logits"]);
        let numbers = VocabularyRows::numbers(2, 1);
        let all: Vec<&[f32]> = outputs[2 * at].chunks_exact(shape.vocabulary).collect();
        for (p, found) in outputs[2 * at + 1].chunks_exact(numbers).enumerate() {
            check_reading(all[p], all[1], option_ids[p], found);
        }
    }
}

#[test]
fn every_family_and_plan_equals_its_golden() {
    for name in NAMES {
        check(name);
    }
}

#[test]
fn a_backend_says_what_it_holds() {
    assert_eq!(backend(&open("random-llama2")).describe(), "CPU (f32)");
    assert_eq!(backend(&open("random-pythia")).describe(), "CPU (f16)");
}

/// The branch that is named where `embedded` [T, D], one sequence, goes through a plan.
fn first_overflow(line: &str, embedded: Vec<f32>) -> String {
    let weights = open("random-llama2");
    let backend = backend(&weights);
    let plan = [Plan::parse(line, &weights.shape.order).expect(line)];
    let program = Rc::new(Program::new(&Schedule::new(&plan), 1));
    let rope = weights.shape.rope().map(Rope::of);
    let tokens = embedded.len() / weights.shape.width;
    let start = Start {
        pack: Rc::new(Pack::of(&[tokens], rope.as_ref())),
        program: program.clone(),
        embedded,
        kept_rows: 0,
        numbers: 0,
    };
    let mut pass = backend.begin(start).expect("a pass");
    for call in 0..program.calls.len() {
        pass.run(call).expect("a call");
    }
    pass.give(Output::Stream(program.calls[program.calls.len() - 1].complete[0].1))
        .expect("a stream");
    pass.finish().expect("an end");
    let error: EngineError = pass.answer().expect_err("not finite");
    error.to_string()
}

#[test]
fn numbers_that_are_not_finite_are_refused_with_the_first_branch() {
    let first = first_overflow("0-5", vec![f32::INFINITY; 48]);
    assert!(first.contains("the attention of block 0"), "{first}");
    // Numbers that f32 holds, but not their squares, as which they go through the norm.
    let first = first_overflow("2-5", vec![1e30; 48]);
    assert!(first.contains("the attention of block 2"), "{first}");
    // At a token that is not the last one, which sees it only in the next block's attention.
    let embedded = [vec![1e30; 48], vec![0.5; 48]].concat();
    let first = first_overflow("3m,1,4", embedded);
    assert!(first.contains("the MLP of block 3"), "{first}");
}

#[test]
fn what_has_not_come_is_named() {
    let weights = open("random-llama2");
    let error = CpuLoader::new(weights).loaded().err().expect("a refusal");
    let text = error.to_string();
    assert!(text.starts_with("block 0 came without its Attention"), "{text}");
}

/// A browser's file: bytes are copied at every read.
struct BrowserFile {
    bytes: BytesAtHand,
    reads: Cell<usize>,
}

impl Source for BrowserFile {
    fn read(&self, file: usize, range: Range<u64>) -> Result<Cow<'_, [u8]>, ModelError> {
        self.reads.set(self.reads.get() + 1);
        Ok(Cow::Owned(self.bytes.read(file, range)?.into_owned()))
    }

    fn is_at_hand(&self) -> bool {
        false
    }
}

#[test]
fn a_head_that_is_not_at_hand_is_read_once() {
    for name in ["random-llama2", "random-gpt2", "random-phi2"] {
        let files = ModelFiles::open(&tests("models").join(name)).expect(name);
        let sizes: Vec<u64> = files.weights.iter().map(|(_, all)| all.len() as u64).collect();
        let file = BrowserFile { bytes: BytesAtHand::of(&files), reads: Cell::new(0) };
        let file = Rc::new(file);
        let weights = Weights::from_source(&files, &sizes, file.clone()).expect(name);
        let (held, lying) = (backend(&Rc::new(weights)), backend(&open(name)));
        let stream = random(2 * held.width, 1.0, 7);
        file.reads.set(0);

        let logits = held.head.logits(&stream, &[0, 1]).expect("logits");
        assert_eq!(logits, lying.head.logits(&stream, &[0, 1]).expect("logits"), "{name}");
        let logits = held.head.logits_of_one(&stream, 1, &Team::default()).expect("logits");
        let lying = lying.head.logits_of_one(&stream, 1, &Team::default());
        assert_eq!(logits, lying.expect("logits"), "{name}");
        assert_eq!(file.reads.get(), 0, "{name}");
    }
}

#[test]
fn calls_in_small_parts_and_memory_used_again_change_no_bit() {
    let weights = open("random-qwen3");
    let mut backend = backend(&weights);
    let order = &weights.shape.order;
    let lines = ["0-3", "0,(1-2)x3,3", "0,(1,1,2),3a", "3-0,1m"];
    let plans = lines.map(|line| Plan::parse(line, order).expect(line));
    let schedule = Schedule::new(&plans);
    let program = Rc::new(Program::new(&schedule, 3));
    let rope = weights.shape.rope().map(Rope::of);
    let run = |backend: &CpuBackend, lengths: &[usize]| -> Vec<Vec<f32>> {
        let sequences: Vec<Vec<u32>> = lengths
            .iter()
            .map(|&length| (0..length as u32).map(|t| t * 31 % 200).collect())
            .collect();
        let start = Start {
            pack: Rc::new(Pack::of(lengths, rope.as_ref())),
            program: program.clone(),
            embedded: embed(&weights, &sequences),
            kept_rows: 0,
            numbers: 0,
        };
        let mut pass = backend.begin(start).expect("a pass");
        for (n, call) in program.calls.iter().enumerate() {
            pass.run(n).expect("a call");
            for &(_, slot) in &call.complete {
                pass.give(Output::Stream(slot)).expect("a stream");
            }
        }
        pass.finish().expect("an end");
        pass.answer().expect("numbers").expect("an answer")
    };
    let roomy = run(&backend, &[9, 30, 4]);
    for rows in [1, 12, 35, 50] {
        backend.call_rows = rows;
        run(&backend, &[3]); // leaves memory of another size behind
        assert_eq!(run(&backend, &[9, 30, 4]), roomy, "{rows}");
    }
}

/// Holds what was read of one row of logits against plain sums over them.
fn check_reading(logits: &[f32], reference: &[f32], id: u32, found: &[f32]) {
    let log_sum = |logits: &[f32]| logits.iter().map(|&x| f64::from(x).exp()).sum::<f64>().ln();
    let logs = |logits: &[f32]| -> Vec<f64> {
        let log_sum = log_sum(logits);
        logits.iter().map(|&x| f64::from(x) - log_sum).collect()
    };
    let (own, from) = (logs(logits), logs(reference));
    let entropy: f64 = own.iter().map(|x| -x.exp() * x).sum();
    let kl: f64 = from.iter().zip(&own).map(|(from, x)| from.exp() * (from - x)).sum();
    for (found, expected) in found.iter().zip([log_sum(logits), entropy, kl]) {
        assert!((f64::from(*found) - expected).abs() < 1e-5 * (1.0 + expected.abs()));
    }

    let mut order: Vec<usize> = (0..logits.len()).collect();
    order.sort_by(|&a, &b| logits[b].total_cmp(&logits[a]).then(a.cmp(&b)));
    let rank = order.iter().position(|&other| other == id as usize).expect("an id");
    let expected = [
        [order[0] as f64, own[order[0]]],
        [order[1] as f64, own[order[1]]],
        [rank as f64 + 1.0, own[id as usize]],
    ];
    for (found, expected) in found[3..].iter().zip(expected.concat()) {
        assert!((f64::from(*found) - expected).abs() < 1e-6 * (1.0 + expected.abs()));
    }
}
