//! Measures the cost of a product with a block's Jacobian: against one token through the same block with
//! cached keys and values, and against the whole Jacobian. Random weights, 32 tokens, at the last one.
//!
//! `cargo bench -p atelier-benches --bench tangents`; with the argument `quick` the smallest shape alone.

mod common;

use std::time::Duration;

use atelier::engine::{Engine, EngineChoice, TangentPoint, TangentProduct, Tangents};
use atelier::plan::{BlockRun, Plan};
use common::random::RandomModel;
use common::{config, first_stream, is_quick, load, median, own_plan, time};

const TOKENS: usize = 32;

/// Probes of one product.
const PROBES: [usize; 4] = [1, 8, 64, 256];

/// (name, config, rounds)
fn shapes(is_quick: bool) -> Vec<(&'static str, String, usize)> {
    let mut shapes = vec![("D 64", config(320, 64, 176, 1, 4, 2), 200)];
    if !is_quick {
        shapes.push(("D 576", config(320, 576, 1536, 1, 9, 3), 40));
        shapes.push(("D 2048", config(320, 2048, 8192, 1, 32, 8), 8));
    }
    shapes
}

fn ids() -> Vec<u32> {
    (0..TOKENS as u32).map(|t| (t * 79 + 13) % 320).collect()
}

/// One token through the model's only block, and through a read-out of 320 tokens, which is little
/// beside it.
fn token(engine: &Engine, plan: &Plan) -> Duration {
    let mut decoder = engine.decoder(vec![ids()], plan).expect("a decoder");
    let mut next = |id: Option<u32>| {
        if let Some(id) = id {
            decoder.push(0, id).expect("room");
        }
        decoder.ask(&[0]).expect("a step");
        while decoder.advance().expect("a step").is_none() {}
    };
    next(None);
    time(|| next(Some(5)))
}

fn probes(rows: usize, width: usize) -> Vec<f32> {
    let number = |i: usize| (i as f32 * 0.37).sin();
    (0..rows * width).map(number).collect()
}

/// Some rows of one direction, the keys and values that they look at being kept.
fn product(tangents: &mut dyn Tangents, rows: usize, width: usize, transposed: bool) -> Vec<f32> {
    let asked = TangentProduct {
        t_in: TOKENS - 1,
        t_out: TOKENS - 1,
        transposed,
        probes: probes(rows, width),
    };
    let mut found = tangents.products(vec![asked]).expect("a product");
    found.remove(0)
}

fn main() {
    println!("medians; each product per probe, in the time of one token through the block\n");
    for (name, config, rounds) in shapes(is_quick()) {
        let model = load(&RandomModel::new(&config), &EngineChoice::Cpu);
        let (engine, width) = (&model.engine, model.shape().width);
        let plan = own_plan(engine);
        let point = TangentPoint::of(BlockRun::whole(0), first_stream(&model, &ids()));
        let mut tangents = engine.tangents(point).expect("a point");
        product(tangents.as_mut(), 1, width, false); // What is kept, is kept.
        // Rounds alternate, so that a machine that slows down slows all of them.
        let mut alone = Vec::new();
        let mut of = vec![Vec::new(); 2 * PROBES.len()];
        for _ in 0..rounds {
            alone.push(token(engine, &plan));
            for (n, times) in of.iter_mut().enumerate() {
                let (rows, transposed) = (PROBES[n / 2], n % 2 == 1);
                times.push(time(|| product(tangents.as_mut(), rows, width, transposed)));
            }
        }
        let alone = median(alone);
        println!("{name}: one token {alone:.2?}");
        println!("  probes   J x, each   ratio   J^T w, each   ratio");
        let mut widest = f64::INFINITY;
        for (&rows, times) in PROBES.iter().zip(of.chunks(2)) {
            let each = |times: &Vec<Duration>| median(times.clone()).as_secs_f64() / rows as f64;
            let [forward, back] = [each(&times[0]), each(&times[1])];
            let (us, by) = (1e6, alone.as_secs_f64());
            println!(
                "  {rows:>6} {:>9.1} us {:>7.2} {:>10.1} us {:>7.2}",
                forward * us,
                forward / by,
                back * us,
                back / by
            );
            widest = forward;
        }
        let whole = widest * width as f64;
        println!("  the whole Jacobian in products of 256: {:.1} ms\n", whole * 1e3);
    }
}
