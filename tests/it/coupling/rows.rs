//! Rows of a task and their means, what orders cost on them, runs that were stopped, models side by side.

use std::collections::BTreeMap;

use atelier::study::coupling::{
    CouplingMethod, CouplingWish, ModelsCoupling, ModelsCouplingReport, RelationTo,
    RowsLinearising, TaskCoupling,
};
use atelier::study::orders::{Extent, Order, Orders, Sweep, Sweeping};
use atelier::study::report::{Opened, Report};
use atelier::study::{LoadedModel, Running};
use atelier::task::item::Item;

use super::{ids, random};
use crate::common::coupling::{of_plan, wish};

fn items(count: u32) -> Vec<Item> {
    (0..count)
        .map(|n| Item::Ids {
            token_ids: ids(3 + n % 4),
            option_ids: vec![5, 6, 7],
            answer: n as usize % 3,
        })
        .collect()
}

fn swept(model: &LoadedModel, items: &[Item]) -> Orders {
    let order = &model.shape().order;
    let orders = Order::all(&[Sweep::Drop, Sweep::Swap], Extent::default(), order);
    let mut sweeping =
        Sweeping::start(model, "ids", items, orders.expect("orders"), 0).expect("a sweep");
    while sweeping.advance().expect("a step").is_some() {}
    sweeping.orders().expect("rows")
}

fn rows(model: &LoadedModel, items: &[Item], from: Option<&TaskCoupling>) -> TaskCoupling {
    let wish = wish(model, &[4, 8], CouplingMethod::Whole);
    let mut run = RowsLinearising::start(model, "ids", items, wish, 0).expect("rows");
    if let Some(from) = from {
        run.resume(from).expect("the same rows");
    }
    while run.advance().expect("a step").is_some() {}
    run.costs = Some(swept(model, items));
    run.found().expect("rows")
}

#[test]
fn rows_their_means_and_what_orders_cost() {
    let model = random("random-llama3");
    let items = items(5);
    let found = rows(&model, &items, None);
    let steps = model.shape().order.len();
    assert_eq!((found.rows, found.each.len()), (5, 5));
    let of_k = &found.depth_wise[&8];
    let mean = of_k.off_diagonal[0][1].expect("a mean");
    let each: Vec<f64> = found
        .each
        .iter()
        .map(|row| f64::from(row.depth_wise[&8].off_diagonal[1].expect("a pair")))
        .collect();
    assert!((mean.mean - each.iter().sum::<f64>() / 5.0).abs() < 1e-12);
    assert!(mean.low <= mean.mean && mean.mean <= mean.high && mean.low < mean.high);
    assert_eq!(found.costs.len(), 2 * steps - 1);
    let swaps = found
        .relations
        .iter()
        .find(|relation| relation.to == RelationTo::SwapMargin && relation.k == 8);
    let swaps = swaps.expect("a relation");
    assert_eq!(swaps.points.len(), steps - 1);
    assert_eq!(swaps.left_out.len(), steps - 1);
    let pair = 1.0
        - (of_k.off_diagonal[0][1].expect("a mean").mean
            + of_k.off_diagonal[1][0].expect("a mean").mean)
            / 2.0;
    assert!((swaps.points[0].x - pair).abs() < 1e-12);
    let report = Report {
        orders: vec![swept(&model, &items)],
        task_coupling: vec![found],
        ..Report::of(&model)
    };
    let text = serde_json::to_string(&report).expect("JSON");
    assert!(matches!(Opened::read(text.as_bytes()), Ok(Opened::Coupling(_))));
}

#[test]
fn rows_that_were_stopped_end_as_those_that_were_not() {
    let model = random("random-llama2");
    let items = items(4);
    let whole = rows(&model, &items, None);
    let wish = || wish(&model, &[4, 8], CouplingMethod::Whole);
    let mut run = RowsLinearising::start(&model, "ids", &items, wish(), 0).expect("rows");
    assert!(run.found().is_none());
    while run.rows_done() < 2 {
        run.advance().expect("a step");
    }
    run.costs = Some(swept(&model, &items));
    let stopped = run.found().expect("rows");
    let text = serde_json::to_string(&stopped).expect("JSON");
    let stopped: TaskCoupling = serde_json::from_str(&text).expect("what was written");
    assert_eq!((stopped.rows, stopped.rows_asked), (2, 4));
    assert_eq!(rows(&model, &items, Some(&stopped)), whole);
    // Another K, seed, plan or other rows.
    let other = |wish: CouplingWish, seed: u64, count: usize| {
        let rows = &items[..count];
        let mut run = RowsLinearising::start(&model, "ids", rows, wish, seed).expect("rows");
        let refused = run.resume(&stopped).expect_err("another run").to_string();
        assert!(refused.contains("'ids'"), "{refused}");
    };
    other(CouplingWish { top: vec![4], ..wish() }, 0, 4);
    other(CouplingWish { plan: of_plan(&model, "0,1"), ..wish() }, 0, 4);
    other(wish(), 1, 4);
    other(wish(), 0, 3);
}

/// A run that began as a search resumes as one where no method is named.
#[test]
fn a_stopped_search_goes_on_as_a_search() {
    let model = random("random-llama2");
    let items = items(3);
    let start = |method| {
        let wish = CouplingWish { method, ..wish(&model, &[4], CouplingMethod::Lanczos) };
        RowsLinearising::start(&model, "ids", &items, wish, 0).expect("rows")
    };
    let to = |run: &mut RowsLinearising<'_>, rows: usize| {
        while run.rows_done() < rows {
            run.advance().expect("a step");
        }
        run.found().expect("rows")
    };
    let whole = to(&mut start(Some(CouplingMethod::Lanczos)), 3);
    let stopped = to(&mut start(Some(CouplingMethod::Lanczos)), 1);
    let mut run = start(None);
    run.resume(&stopped).expect("the same rows");
    assert_eq!(to(&mut run, 3), whole);
    let mut run = start(Some(CouplingMethod::Whole));
    let refused = run.resume(&stopped).expect_err("another method");
    assert!(refused.to_string().contains("method"), "{refused}");
}

#[test]
fn models_side_by_side() {
    let reports: Vec<Report> = ["random-llama2", "random-llama3", "random-mistral", "random-gpt2"]
        .into_iter()
        .map(|name| {
            let model = random(name);
            let found = rows(&model, &items(2), None);
            Report { task_coupling: vec![found], ..Report::of(&model) }
        })
        .collect();
    let models = ModelsCoupling::of(reports);
    let mut kinds = BTreeMap::new();
    for relation in &models.relations {
        *kinds.entry(relation.to).or_insert(0) += 1;
        assert_eq!(relation.task.as_deref(), Some("ids"));
    }
    // Two K and two metrics.
    assert_eq!(kinds.get(&RelationTo::Depth), Some(&4));
    assert_eq!(kinds.get(&RelationTo::Training), None);
    assert_eq!(kinds.get(&RelationTo::MeanSwapMargin), Some(&4));
    assert_eq!(kinds.get(&RelationTo::MeanDropMargin), Some(&4));
    // These are of one model's own steps.
    assert_eq!(kinds.get(&RelationTo::SwapMargin), None);
    let report = ModelsCouplingReport::new(models);
    let text = serde_json::to_string(&report).expect("JSON");
    let read = ModelsCouplingReport::read(&text).expect("what was written");
    assert_eq!(read, report);
    assert!(Report::read(&text).is_err());
}
