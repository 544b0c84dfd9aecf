//! The leading singular vectors of a block's Jacobian, searched by products, against the whole Jacobian
//! and all its singular vectors, by faer on all threads; and all pairs of blocks both ways. Random
//! weights, 32 tokens, K 8.
//!
//! `cargo bench -p atelier-benches --bench coupling`; with the argument `quick` the smallest shape alone.
//! Widths of 2048 take about 1 GB.

mod common;

use std::rc::Rc;

use atelier::engine::{EngineChoice, TangentPoint, TangentProduct, Tangents};
use atelier::measure::coupling::{Jacobian, Lanczos, Leading, PROBES, TOLERANCE};
use atelier::plan::BlockRun;
use atelier::study::coupling::{Coupling, CouplingMethod, CouplingWish, Linearising};
use atelier::study::{LoadedModel, Running};
use common::random::RandomModel;
use common::{by_turns, config, first_stream, is_quick, load, median, prompts, ratio, time};

const TOKENS: usize = 32;
const K: usize = 8;
/// Random starts of a search that are counted.
const STARTS: u32 = 10;
/// Rows of one product when the whole Jacobian is formed.
const PANEL: usize = 128;

/// A shape, how many rounds, and the most that the ratios should be.
struct Shape {
    name: &'static str,
    config: String,
    rounds: usize,
    want: f64,
}

fn shapes(is_quick: bool) -> Vec<Shape> {
    let shape = |name, config, rounds, want| Shape { name, config, rounds, want };
    let mut shapes =
        vec![shape("D 64, 12 blocks", config(320, 64, 176, 12, 4, 2), 15, f64::INFINITY)];
    if !is_quick {
        shapes.push(shape("D 576, 30 blocks", config(2000, 576, 1536, 30, 9, 3), 5, 0.7));
        // Two of Llama-3.2-1B's blocks.
        shapes.push(shape("D 2048, 2 blocks", config(2000, 2048, 8192, 2, 32, 8), 3, 0.35));
    }
    shapes
}

/// One block's Jacobian at (last, last).
struct One<'a> {
    tangents: Box<dyn Tangents + 'a>,
    width: usize,
}

impl One<'_> {
    fn products(&mut self, transposed: bool, probes: Vec<f32>) -> Vec<f32> {
        let product = TangentProduct { t_in: TOKENS - 1, t_out: TOKENS - 1, transposed, probes };
        let mut found = self.tangents.products(vec![product]).expect("a product");
        found.remove(0)
    }

    fn whole(&mut self) -> Jacobian {
        let d = self.width;
        let mut columns = Vec::with_capacity(d * d);
        for first in (0..d).step_by(PANEL) {
            let count = PANEL.min(d - first);
            let mut probes = vec![0.0; count * d];
            (0..count).for_each(|n| probes[n * d + first + n] = 1.0);
            columns.extend(self.products(false, probes));
        }
        Jacobian::of_columns(d, columns).expect("finite")
    }

    /// Runs a search: returns the vectors that it found, and its numbers of JVPs and VJPs.
    fn search(&mut self, seed: u32) -> (Leading, [usize; 2]) {
        let mut search = Lanczos::new(self.width, K, PROBES, TOLERANCE, seed);
        let mut spent = [0; 2];
        while let Some(wanted) = search.wanted() {
            spent[usize::from(wanted.transposed)] += wanted.rows.len() / self.width;
            let found = self.products(wanted.transposed, wanted.rows);
            search.answer(&found).expect("finite");
        }
        (search.into_leading().expect("found"), spent)
    }
}

/// All singular values, with all their vectors.
fn apart(numbers: &[f32], width: usize) -> Vec<f32> {
    let matrix = faer::MatRef::from_row_major_slice(numbers, width, width);
    let found = matrix.svd().expect("all singular vectors");
    (0..width).map(|k| found.S()[k]).collect()
}

fn one_block(model: &LoadedModel, shape: &Shape, stream: &Rc<[f32]>) {
    let width = model.shape().width;
    let point = TangentPoint::of(BlockRun::whole(0), stream.clone());
    let mut one = One { tangents: model.engine.tangents(point).expect("a point"), width };
    // The comparison means nothing unless both find the same.
    let whole = one.whole();
    let numbers = whole.times(&identity(width));
    let all = apart(&numbers, width);
    let starts = (0..STARTS).map(|seed| {
        let (found, spent) = one.search(seed);
        for (k, all) in all[..K].iter().enumerate() {
            let value = found.value(k).expect("a value");
            assert!((value / f64::from(*all) - 1.0).abs() < 1e-3, "s_{k}");
        }
        spent
    });
    let spent: Vec<[usize; 2]> = starts.collect();
    let mean = |of: usize| spent.iter().map(|spent| spent[of]).sum::<usize>() / spent.len();
    let most = |of: usize| spent.iter().map(|spent| spent[of]).max().unwrap_or(0);
    let (mut formed, mut svd, mut searched) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..shape.rounds {
        formed.push(time(|| one.whole()));
        svd.push(time(|| apart(&numbers, width)));
        searched.push(time(|| one.search(round as u32)));
    }
    let [formed, svd, searched] = [formed, svd, searched].map(|times| median(times).as_secs_f64());
    println!(
        "{:<18} one block  {searched:>8.4} s ({} JVPs, {} VJPs; at most {} and {} of {STARTS} starts)   {formed:>8.4} s ({width} JVPs) + {svd:>8.4} s (all vectors) {:>6.2} {}",
        shape.name,
        mean(0),
        mean(1),
        most(0),
        most(1),
        searched / (formed + svd),
        wanted(shape)
    );
}

fn wanted(shape: &Shape) -> String {
    if shape.want.is_finite() { format!("(want <= {:.2})", shape.want) } else { String::new() }
}

fn identity(width: usize) -> Vec<f32> {
    let mut rows = vec![0.0; width * width];
    (0..width).for_each(|n| rows[n * width + n] = 1.0);
    rows
}

fn coupling(model: &LoadedModel, ids: &[u32], method: CouplingMethod) -> Coupling {
    let plan = model.plan(None).expect("its own order");
    let wish = CouplingWish { method: Some(method), ..CouplingWish::of(plan, vec![K]) };
    let mut run = Linearising::start(model, ids, wish).expect("a run");
    while run.advance().expect("a step").is_some() {}
    run.coupling(None).expect("a coupling")
}

fn all_pairs(model: &LoadedModel, shape: &Shape, ids: &[u32]) {
    let methods = [CouplingMethod::Lanczos, CouplingMethod::Whole];
    let found = methods.map(|method| coupling(model, ids, method));
    let maps = found.each_ref().map(|found| &found.depth_wise[&K].map.off_diagonal);
    for (a, b) in maps[0].iter().flatten().zip(maps[1].iter().flatten()) {
        let (a, b) = (a.expect("a pair"), b.expect("a pair"));
        assert!((a - b).abs() < 2e-3, "{a}, {b}");
    }
    let median_times = by_turns(
        shape.rounds.div_ceil(3),
        || coupling(model, ids, CouplingMethod::Lanczos),
        || coupling(model, ids, CouplingMethod::Whole),
    );
    let [searched, formed] = median_times.map(|time| time.as_secs_f64());
    let [a, b] = found.each_ref().map(|found| found.products);
    println!(
        "{:<18} all pairs  {searched:>8.4} s ({} JVPs, {} VJPs)   {formed:>8.4} s ({} JVPs), with every spectrum {:>6.2}",
        shape.name,
        a.jvp,
        a.vjp,
        b.jvp,
        ratio(median_times)
    );
}

fn main() {
    println!(
        "searched by products, K {K}, {TOKENS} tokens, beside whole Jacobians; medians of alternating rounds\n"
    );
    for shape in shapes(is_quick()) {
        let model = load(&RandomModel::new(&shape.config), &EngineChoice::Cpu);
        let ids = prompts(model.shape().vocabulary, 1, TOKENS).remove(0).token_ids;
        one_block(&model, &shape, &first_stream(&model, &ids));
        all_pairs(&model, &shape, &ids);
    }
}
