//! A sweep: every block left out once, on held-out rows of a teaching task.
//!
//! ```sh
//! cargo run --release --example sweep -- 200
//! ```

use std::error::Error;
use std::fmt::Write;

use atelier::model::catalogue;
use atelier::study::orders::{Extent, Order, Sweep, Sweeping};
use atelier::study::{LoadedModel, Running};
use atelier::task::item::Item;
use atelier::task::primer::{self, GeneratedTask};

#[allow(dead_code)] // Its test calls `run`.
fn main() -> Result<(), Box<dyn Error>> {
    let rows = std::env::args().nth(1).map_or(Ok(200), |rows| rows.parse())?;
    print!("{}", run("scholar-4", rows)?);
    Ok(())
}

/// Sweeps over the plans that leave out one block, and returns the text to print.
pub fn run(scholar: &str, rows: usize) -> Result<String, Box<dyn Error>> {
    // A model that is compiled into this program.
    let files = catalogue::find(scholar).ok_or("no such scholar")?.open()?;
    let model = LoadedModel::from_files(&files, &mut |_, _| ())?;
    let items: Vec<Item> = primer::held_out(GeneratedTask::Sum, None, rows, primer::ROWS_SEED)
        .into_iter()
        .map(Item::from)
        .collect();
    let orders = Order::all(&[Sweep::Drop], Extent::default(), &model.shape().order)?;
    // Orders that begin alike share their beginning, and rows go through together.
    let mut sweeping = Sweeping::start(&model, "sum", &items, orders, 0)?;
    while sweeping.advance()?.is_some() {}
    let found = sweeping.orders().ok_or("no row was run")?;

    let mut text = String::new();
    for variant in std::iter::once(&found.original).chain(&found.variants) {
        let accuracy = variant.measures.accuracy;
        let kl = variant.measures.kl.map_or("not known".to_owned(), |kl| format!("{:.3}", kl.mean));
        writeln!(
            text,
            "{:<10} {:>5.1} % right ({:.1} to {:.1}), KL {kl} nats",
            variant.name,
            100.0 * accuracy.mean,
            100.0 * accuracy.low,
            100.0 * accuracy.high,
        )?;
    }
    Ok(text)
}
