//! The coupling of blocks: goldens, searches beside whole Jacobians on trained models, plans of every
//! kind, and what has no coupling.

mod common;

use std::collections::BTreeMap;

use atelier::measure::coupling::Undefined;
use atelier::model::{FileBytes, ModelFiles, catalogue};
use atelier::study::LoadedModel;
use atelier::study::coupling::{
    Coupling, CouplingMethod, CouplingPrompt, CouplingWish, MethodReason, MisCoupling,
    ModelsCoupling, ModelsCouplingReport, RelationTo, RowsLinearising, TaskCoupling, TokenWise,
    TokenWish,
};
use atelier::study::orders::{Extent, Order, Orders, Sweep, Sweeping};
use atelier::study::report::{Opened, Report};
use atelier::task::item::Item;
use common::coupling::{families_hold, goldens_hold, of_plan, refusal, run, too_early, wish};
use common::{load, model_folder};
use serde_json::{Value, json};

fn random(name: &str) -> LoadedModel {
    load(&model_folder(name).expect("random models travel with the project"))
}

fn apprentice(name: &str) -> LoadedModel {
    let known = catalogue::find(name).expect("it is shipped");
    let files = known.files.iter();
    let files = files.map(|file| (file.name.to_owned(), FileBytes::Static(file.bytes)));
    let files = ModelFiles::from_named(known.name, files.collect()).expect("its files");
    LoadedModel::from_files(&files, &mut |_, _| ()).expect("it loads")
}

fn ids(count: u32) -> Vec<u32> {
    (0..count).map(|n| (n * 37 + 5) % 200 + 1).collect()
}

#[test]
fn every_golden_from_whole_jacobians() {
    goldens_hold(&load, CouplingMethod::Whole, 1e-4, 1e-5);
}

#[test]
fn every_golden_by_searches() {
    goldens_hold(&load, CouplingMethod::Lanczos, 1e-3, 1e-5);
}

#[test]
fn every_familys_golden() {
    families_hold(&load, 1e-4);
}

/// The largest difference of two maps that are defined alike.
fn apart(a: &MisCoupling, b: &MisCoupling) -> f64 {
    assert_eq!((&a.why_row, &a.why_column), (&b.why_row, &b.why_column));
    let mut worst: f64 = 0.0;
    for (a, b) in [
        (&a.off_diagonal, &b.off_diagonal),
        (&a.singular, &b.singular),
    ] {
        for (a, b) in a.iter().flatten().zip(b.iter().flatten()) {
            match (a, b) {
                (Some(a), Some(b)) => worst = worst.max((a - b).abs()),
                (a, b) => assert_eq!(a, b),
            }
        }
    }
    worst
}

/// From many starts, each within 1e-3 in both metrics, wherever no gap is too small to say.
#[test]
fn searches_on_trained_blocks_find_what_whole_jacobians_have() {
    let model = apprentice("apprentice-4");
    let prompt = CouplingPrompt::of_text(&model, "mood : the soup is not really bad . it is")
        .expect("a prompt");
    let of = |method, seed| {
        let wish = CouplingWish {
            seed,
            ..wish(&model, &[4, 8, 16], method)
        };
        run(&model, &prompt.token_ids, wish).expect("a coupling")
    };
    let whole = of(CouplingMethod::Whole, 0);
    for seed in 0..10 {
        let searched = of(CouplingMethod::Lanczos, seed);
        for (k, one) in &whole.depth_wise {
            let off = apart(&one.map, &searched.depth_wise[k].map);
            assert!(off < 1e-3, "K {k}, start {seed}: {off}");
        }
        assert_eq!(searched.spectrum[0].entropy, None);
        assert_eq!((whole.seed, searched.seed), (None, Some(seed)));
        let pairs = whole
            .linearised
            .cosine
            .iter()
            .zip(&searched.linearised.cosine);
        for (a, b) in pairs {
            assert!((a.expect("a path") - b.expect("a path")).abs() < 1e-4);
        }
        assert!(searched.products.jvp > 0 && searched.products.vjp > 0);
    }
    assert_eq!(whole.products.vjp, 0);
}

/// The control that the map must pass: a block that runs twice in a row is most like itself.
#[test]
fn twins_are_bright() {
    let model = apprentice("apprentice-12-shared");
    let prompt = CouplingPrompt::of_text(&model, "mood : the soup is not really bad . it is")
        .expect("a prompt");
    let wish = wish(&model, &[8], CouplingMethod::Whole);
    let found = run(&model, &prompt.token_ids, wish).expect("a coupling");
    assert_eq!(found.steps[..4], ["0", "0", "1", "1"]);
    let map = &found.depth_wise[&8].map.off_diagonal;
    let pair = |i: usize, j: usize| 1.0 - map[i][j].expect("a pair");
    let mean = |pairs: &[(usize, usize)]| {
        pairs.iter().map(|&(i, j)| pair(i, j)).sum::<f64>() / pairs.len() as f64
    };
    let twins: Vec<_> = (0..6)
        .flat_map(|n| [(2 * n, 2 * n + 1), (2 * n + 1, 2 * n)])
        .collect();
    let others: Vec<_> = (0..5)
        .flat_map(|n| [(2 * n + 1, 2 * n + 2), (2 * n + 2, 2 * n + 1)])
        .collect();
    let (twins, others) = (mean(&twins), mean(&others));
    println!("twins {twins:.2}, other neighbours {others:.2}");
    assert!(twins > 0.5 && twins > 2.0 * others, "{twins}, {others}");
}

#[test]
fn one_token_and_one_block() {
    let model = random("random-llama2");
    let one = run(&model, &[5], wish(&model, &[4], CouplingMethod::Whole)).expect("one token");
    assert_eq!(one.trajectories.states[0].len(), 1);
    assert_eq!(one.trajectories.explained_variance_ratio, [0.0; 2]);
    assert!(one.depth_wise[&4].coupling.off_diagonal.is_some());
    for method in [CouplingMethod::Whole, CouplingMethod::Lanczos] {
        let plan = of_plan(&model, "2");
        let wish = CouplingWish {
            plan,
            ..wish(&model, &[4], method)
        };
        let found = run(&model, &ids(7), wish).expect("one block");
        let depth = &found.depth_wise[&4];
        assert_eq!(depth.map.off_diagonal, [[Some(0.0)]]);
        assert_eq!(depth.map.singular, [[Some(0.0)]]);
        assert_eq!(depth.coupling.off_diagonal, None);
        assert_eq!(found.linearised.cosine.len(), 1);
        let line = found.line_shape_score.expect("a step");
        assert!((line - 1.0).abs() < 1e-12, "{line}");
        assert!(Report::read(&written(&model, found)).is_ok());
    }
}

fn written(model: &LoadedModel, coupling: Coupling) -> String {
    let report = Report {
        coupling: Some(Box::new(coupling)),
        ..Report::of(model)
    };
    serde_json::to_string(&report).expect("JSON")
}

/// A half's Jacobian is its branch's, a parallel step's the mean of its runs'.
#[test]
fn halves_and_parallel_steps() {
    let model = random("random-llama3");
    let (t, k) = (9, 4);
    for method in [CouplingMethod::Whole, CouplingMethod::Lanczos] {
        let of = |line: &str| {
            let wish = CouplingWish {
                plan: of_plan(&model, line),
                tokens: TokenWish {
                    steps: vec![[0, 0]],
                    output: Some((t - 1, vec![2, t - 1])),
                    ..TokenWish::default()
                },
                ..wish(&model, &[k], method)
            };
            run(&model, &ids(t as u32), wish).expect(line)
        };
        let mlp = of("1m,2");
        assert_eq!(mlp.steps, ["1m", "2"]);
        // Nothing of another token reaches an MLP.
        let tokens = mlp.token_wise.as_ref().expect("a map");
        let map = &tokens.fixed_output.as_ref().expect("a map").pairs[0].map;
        assert_eq!(map.why_row, [Some(Undefined::Zero), None]);
        assert_eq!(map.off_diagonal[0], [None, None]);
        assert!(map.off_diagonal[1][1].is_some());
        // Twice the same side by side is that block; two others are not.
        let (alone, twice) = (of("1,3"), of("(1,1),3"));
        let off = apart(&alone.depth_wise[&k].map, &twice.depth_wise[&k].map);
        assert!(off < 2e-3, "{off}");
        let both = of("(1,2),3");
        assert_eq!(both.steps, ["(1-2)", "3"]);
        assert!(apart(&alone.depth_wise[&k].map, &both.depth_wise[&k].map) > 1e-2);
        // Every head off, and no MLP: nothing is added.
        let heads = model.shape().blocks[0].attention.heads;
        let off: Vec<String> = (0..heads).map(|head| head.to_string()).collect();
        let none = of(&format!("0a~h{},2,3", off.join(".")));
        let depth = &none.depth_wise[&k];
        assert_eq!(depth.map.why_row[0], Some(Undefined::Zero));
        assert_eq!(depth.map.why_column[0], Some(Undefined::Zero));
        assert_eq!(depth.map.off_diagonal[0], [None; 3]);
        assert!(depth.coupling.off_diagonal.is_some());
        assert_eq!(none.spectrum[0].gap[&k], None);
        assert!(Report::read(&written(&model, none)).is_ok());
    }
}

#[test]
fn what_cannot_be_asked() {
    let model = random("random-llama2");
    let (own, d) = (
        model.plan(None).expect("its own order"),
        model.shape().width,
    );
    let of = |top: &[usize]| CouplingWish::of(own.clone(), top.to_vec());
    let with = |tokens: TokenWish| CouplingWish { tokens, ..of(&[4]) };
    let five = ids(5);
    for (wish, says) in [
        (of(&[d + 1]), "this model's blocks have 1 to"),
        (
            with(TokenWish {
                same: vec![2, 5],
                ..TokenWish::default()
            }),
            "there is no position 5",
        ),
        (
            with(TokenWish {
                input: Some((3, vec![3, 2])),
                ..TokenWish::default()
            }),
            "token 3 comes after token 2",
        ),
        (
            with(TokenWish {
                output: Some((1, vec![0, 4])),
                ..TokenWish::default()
            }),
            "token 4 comes after token 1",
        ),
        (
            with(TokenWish {
                steps: vec![[0, 99]],
                same: vec![1],
                ..TokenWish::default()
            }),
            "there is no step 99",
        ),
        (
            with(TokenWish {
                same: vec![1; 129],
                ..TokenWish::default()
            }),
            "at most 128",
        ),
        (
            CouplingWish {
                plan: of_plan(&model, "(0,1)x64,(1,0)x64,0"),
                ..of(&[4])
            },
            "129 steps",
        ),
    ] {
        let sentence = refusal(&model, &five, wish);
        assert!(sentence.contains(says), "{sentence}");
    }
    too_early(&model, &five, of(&[4]));
    assert!(refusal(&model, &[], of(&[4])).contains("tokens"));
}

#[test]
fn what_a_window_hides_is_said() {
    let model = random("random-mistral");
    for method in [CouplingMethod::Whole, CouplingMethod::Lanczos] {
        let found = |ins: &[usize]| {
            let mut wish = wish(&model, &[4], method);
            wish.tokens.output = Some((23, ins.to_vec()));
            run(&model, &ids(24), wish).expect("a coupling")
        };
        let (seen, both) = (found(&[20]), found(&[0, 20]));
        if method == CouplingMethod::Whole {
            assert_eq!(both.products, seen.products);
        }
        let tokens = both.token_wise.and_then(|tokens| tokens.fixed_output);
        for pair in tokens.expect("a map").pairs {
            let why = [Some(Undefined::Unseen), None];
            assert_eq!(pair.map.why_row, why);
            assert_eq!(pair.map.why_column, why);
        }
    }
}

#[test]
fn more_searches_than_one_panel_holds() {
    let model = apprentice("apprentice-4");
    let positions: Vec<usize> = (0..20).collect();
    let found = [CouplingMethod::Whole, CouplingMethod::Lanczos].map(|method| {
        let mut wish = wish(&model, &[2], method);
        wish.tokens.same = positions.clone();
        wish.tokens.output = Some((19, positions.clone()));
        run(&model, &ids(20), wish).expect("a coupling").token_wise
    });
    let [whole, searched] = found.map(|tokens| tokens.expect("tokens"));
    let maps = |of: TokenWise| {
        let (same, output) = (of.same.expect("a map"), of.fixed_output.expect("a map"));
        same.pairs.into_iter().chain(output.pairs)
    };
    let mut compared = 0;
    for (a, b) in maps(whole).zip(maps(searched)) {
        // Only where no gap is too small to say.
        let is_sure = |gap: &Option<f64>| gap.is_some_and(|gap| gap > 0.02);
        let sure: Vec<bool> = a.gap.iter().map(is_sure).collect();
        let rows = a.map.off_diagonal.iter().zip(&b.map.off_diagonal);
        for (a, b) in rows
            .flat_map(|(a, b)| a.iter().zip(b).zip(&sure))
            .filter(|(_, sure)| **sure)
            .map(|(both, _)| both)
        {
            match (a, b) {
                (Some(a), Some(b)) => assert!((a - b).abs() < 5e-3, "{a}, {b}"),
                (a, b) => assert_eq!(a, b),
            }
            compared += 1;
        }
    }
    assert!(compared > 200, "{compared}");
}

#[test]
fn the_way_is_chosen_by_products_and_memory() {
    let model = random("random-llama2");
    let own = model.plan(None).expect("its own order");
    let found = run(&model, &ids(4), CouplingWish::of(own, vec![4])).expect("a coupling");
    assert_eq!(found.method, CouplingMethod::Whole);
    assert_eq!(found.reason, MethodReason::FewerProducts);
    let d = model.shape().width as u64;
    assert_eq!(found.products.jvp, d * found.steps.len() as u64);
}

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
    run.found(Some(&swept(model, items))).expect("rows")
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
    assert!(matches!(
        Opened::read(text.as_bytes()),
        Ok(Opened::Coupling(_))
    ));
}

#[test]
fn rows_that_were_stopped_end_as_those_that_were_not() {
    let model = random("random-llama2");
    let items = items(4);
    let whole = rows(&model, &items, None);
    let wish = || wish(&model, &[4, 8], CouplingMethod::Whole);
    let mut run = RowsLinearising::start(&model, "ids", &items, wish(), 0).expect("rows");
    assert!(run.found(None).is_none());
    while run.rows_done() < 2 {
        run.advance().expect("a step");
    }
    let stopped = run.found(Some(&swept(&model, &items))).expect("rows");
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
    other(
        CouplingWish {
            top: vec![4],
            ..wish()
        },
        0,
        4,
    );
    other(
        CouplingWish {
            plan: of_plan(&model, "0,1"),
            ..wish()
        },
        0,
        4,
    );
    other(wish(), 1, 4);
    other(wish(), 0, 3);
}

/// What began as a search goes on as one, where nobody says how.
#[test]
fn a_stopped_search_goes_on_as_a_search() {
    let model = random("random-llama2");
    let items = items(3);
    let start = |method| {
        let wish = CouplingWish {
            method,
            ..wish(&model, &[4], CouplingMethod::Lanczos)
        };
        RowsLinearising::start(&model, "ids", &items, wish, 0).expect("rows")
    };
    let to = |run: &mut RowsLinearising<'_>, rows: usize| {
        while run.rows_done() < rows {
            run.advance().expect("a step");
        }
        run.found(None).expect("rows")
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
    let reports: Vec<Report> = [
        "random-llama2",
        "random-llama3",
        "random-mistral",
        "random-gpt2",
    ]
    .into_iter()
    .map(|name| {
        let model = random(name);
        let found = rows(&model, &items(2), None);
        Report {
            task_coupling: vec![found],
            ..Report::of(&model)
        }
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

#[test]
fn parts_that_do_not_fit_are_refused_by_name() {
    let model = random("random-llama2");
    let tokens = TokenWish {
        same: vec![0, 3],
        input: Some((1, vec![1, 2])),
        output: Some((2, vec![0, 1])),
        ..TokenWish::default()
    };
    let asked = CouplingWish {
        tokens,
        ..wish(&model, &[4, 8], CouplingMethod::Whole)
    };
    let found = run(&model, &ids(4), asked).expect("a coupling");
    let whole: Value = serde_json::from_str(&written(&model, found)).expect("JSON");
    assert!(Report::read(&whole.to_string()).is_ok());
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut report = whole.clone();
        change(&mut report["coupling"]);
        let refused = Report::read(&report.to_string());
        refused.expect_err("it does not fit").to_string()
    };
    let pop = |list: &mut Value| drop(list.as_array_mut().map(Vec::pop));
    for (sentence, says) in [
        (refused(&|of| of["steps"] = json!([])), "it has 0 steps"),
        (refused(&|of| of["token_ids"] = json!([])), "no tokens"),
        (refused(&|of| of["top"] = json!([8, 4])), "not ascending"),
        (refused(&|of| of["top"] = json!([4])), "not of the K in top"),
        (refused(&|of| pop(&mut of["spectrum"])), "spectrum has"),
        (
            refused(&|of| of["spectrum"][0]["gap"] = json!({"4": 0.1})),
            "a spectrum's gap",
        ),
        (
            refused(&|of| pop(&mut of["depth_wise"]["8"]["singular"][1])),
            "a row of singular has",
        ),
        (
            refused(&|of| of["depth_wise"]["8"]["why_row"] = json!(["zero"])),
            "why_row has 1",
        ),
        (refused(&|of| of["aligned"]["k"] = json!(99)), "99 vectors"),
        (
            refused(&|of| pop(&mut of["aligned"]["pairs"][0][1])),
            "a pair of aligned has",
        ),
        (
            refused(&|of| of["token_wise"]["self"]["t"][1] = json!(4)),
            "self speaks of position 4 of 4",
        ),
        (
            refused(&|of| of["token_wise"]["fixed_input"]["t_in"] = json!(2)),
            "fixed_input has an input after its output",
        ),
        (
            refused(&|of| of["token_wise"]["fixed_output"]["pairs"][0]["steps"] = json!([0, 77])),
            "fixed_output speaks of step 77",
        ),
        (
            refused(&|of| pop(&mut of["token_wise"]["self"]["pairs"][0]["gap"])),
            "gap has 1",
        ),
        (
            refused(&|of| pop(&mut of["linearised"]["cosine"])),
            "linearised.cosine has",
        ),
        (
            refused(&|of| pop(&mut of["trajectories"]["states"][0])),
            "trajectories.states has 3",
        ),
    ] {
        assert!(sentence.contains(says), "`{says}` is not in: {sentence}");
        assert!(
            sentence.starts_with("the coupling does not fit"),
            "{sentence}"
        );
    }
}
