//! Sweeps over orders: the same numbers as the lens's, whatever they are run together with, stopped
//! or not.

use std::sync::Arc;

use crate::common::{
    assert_close, goldens, goldens_in, in_project, load, model_of, notation, random, real_goldens,
    run_to_end, u32s,
};
use atelier::engine::{Capture, Reference, VocabularyWish};
use atelier::measure::decomposition::softmax;
use atelier::model::{Passage, Prompt};
use atelier::plan::Plan;
use atelier::study::lab::Rearranging;
use atelier::study::orders::{
    CHUNK, Extent, Order, OrderRows, Orders, PartedSweep, Sweep, Sweeping,
};
use atelier::study::{LoadedModel, Running, StudyError, geometry, lens};
use atelier::task::item::{Candidate, Item};
use atelier::task::primer::{self, GeneratedTask};
use serde_json::json;

fn scholar() -> LoadedModel {
    load(&in_project("public/models/scholar-4"))
}

/// The original order runs after the answer, once a prompt, and no inside of it is read.
#[test]
fn an_original_order_that_runs_after_the_answer_gives_the_same_kl() {
    let model = random("random-llama2");
    let question = model.question_from_ids(&[1, 2, 3], &[4, 5], 0).expect("a question");
    let prompt = &question.prompt;
    let plans = [None, Some("5-0")].map(|line| model.plan(line).expect("a plan"));
    let run = |plans: &[Plan], vocabulary: VocabularyWish| {
        let capture = Capture { vocabulary: Some(vocabulary), ..Capture::default() };
        let run = model.engine.start([prompt.clone()].into(), plans.into(), capture);
        run.expect("a run").complete().expect("traces").concat()
    };
    let kl = |trace: &atelier::engine::Trace| trace.vocabulary.as_ref().expect("read").kl;
    let together = VocabularyWish { reference: Reference::FirstPlan, ..VocabularyWish::ANSWER };
    let expected = kl(&run(&plans, together)[1]);
    assert!(expected > 1e-3, "{expected}");

    // 1. A new prompt: the plan first, then the original order.
    let wish = model.answer_wish(prompt, &plans[1]).expect("a wish");
    assert_eq!(wish.reference, Reference::None);
    let trace = run(&plans[1..], wish).remove(0);
    let after = model.original_after(prompt, &plans[1], &trace).expect("a run");
    let mut after = after.expect("the original order is not known");
    while after.advance().expect("a call").is_some() {}
    let original = after.finish().expect("a trace");
    let found = original.earlier_kl.expect("a distance");
    assert!((found - expected).abs() < 1e-5 * (1.0 + expected), "{found} {expected}");
    assert!(original.depths.is_empty() && original.attention.is_empty());

    // 2. The same prompt again: nothing runs after.
    let wish = model.answer_wish(prompt, &plans[1]).expect("a wish");
    assert!(matches!(wish.reference, Reference::Streams(_)));
    let trace = run(&plans[1..], wish).remove(0);
    assert!((kl(&trace) - expected).abs() < 1e-5 * (1.0 + expected));
    assert!(model.original_after(prompt, &plans[1], &trace).expect("no run").is_none());
}

#[test]
fn the_lab_runs_the_original_order_of_a_prompt_once() {
    let model = random("random-llama2");
    let question = model.question_from_ids(&[1, 2, 3], &[4, 5], 0).expect("a question");
    let lab = |line: &str| {
        let plan = model.plan(Some(line)).expect("a plan");
        let mut run = Rearranging::start(&model, &question, plan).expect("a run");
        let mut runs = 0;
        while let Some((_, total)) = run.advance().expect("a call") {
            runs = total;
        }
        (runs, run.report().expect("a report").lab.expect("a lab"))
    };
    let (first_runs, first) = lab("5-0");
    let (second_runs, second) = lab("5-0");
    assert_eq!((first_runs, second_runs), (12, 6));
    assert_close(&json!(second), &json!(first), "the lab with a known original order");
    let kl = second.kl().expect("a distance");

    // Then a lens under a plan needs no run of it either.
    let plan = model.plan(Some("5-0")).expect("a plan");
    let wish = model.answer_wish(&question.prompt, &plan).expect("a wish");
    assert!(matches!(wish.reference, Reference::Streams(_)) && kl > 0.0);
}

/// Rows of ids, of unequal lengths and numbers of options.
fn id_items(count: u32) -> Vec<Item> {
    let item = |i: u32| Item::Ids {
        token_ids: (0..3 + i % 9).map(|t| (t * 37 + i * 11) % 512).collect(),
        option_ids: (0..2 + i % 3).map(|k| (i * 7 + k * 3) % 512).collect(),
        answer: (i % 2) as usize,
    };
    (0..count).map(item).collect()
}

fn rows_of(task: GeneratedTask, count: usize) -> Vec<Item> {
    let rows = primer::held_out(task, None, count, 1);
    rows.into_iter().map(Item::from).collect()
}

fn orders_of(model: &LoadedModel, sweeps: &[Sweep]) -> Vec<Order> {
    let extent = Extent { seeds: 2, rounds: 3, heads: model.facts().heads };
    Order::all(sweeps, extent, &model.shape().order).expect("orders")
}

fn all(mut sweeping: Sweeping) -> Orders {
    run_to_end(|| sweeping.advance().expect("a batch"));
    sweeping.orders().expect("rows")
}

#[test]
fn a_sweep_finds_what_the_lens_finds_row_by_row() {
    let model = random("random-llama3");
    let items = id_items(2 * CHUNK as u32 + 3);
    let orders = orders_of(&model, &Sweep::ALL);
    let found = all(Sweeping::start(&model, "ids", &items, orders, 0).expect("a sweep"));
    assert_eq!(found.rows, items.len());
    for variant in [&found.original, &found.variants[1], &found.variants[20]] {
        let plan = model.plan(Some(&variant.plan)).expect("a printed plan");
        for (row, item) in items.iter().enumerate() {
            let Item::Ids { token_ids, option_ids, answer } = item else {
                unreachable!("rows of ids")
            };
            let question =
                model.question_from_ids(token_ids, option_ids, *answer).expect("a question");
            let mut go_on = |_, _| std::ops::ControlFlow::Continue(());
            let engine = &model.engine;
            let mut traces = engine
                .run(
                    std::slice::from_ref(&question.prompt),
                    std::slice::from_ref(&plan),
                    &mut go_on,
                )
                .expect("a run");
            let lens = lens::lens(&model, &question, &plan, traces.remove(0).remove(0));
            let at = format!("{}, row {row}", variant.name);
            assert_eq!(variant.rows.correct[row], lens.correct, "{at}");
            let column = &lens.decomposition.probability.total;
            assert_close(
                &json!(variant.rows.probability[row]),
                &json!([column.mse, column.bias, column.diversity]),
                &at,
            );
            let said = lens.vocabulary.expect("the vocabulary was read");
            let nats = variant.rows.log_likelihood[row];
            assert_close(&json!(-nats), &json!(said.surprise), &at);
            let is_first = said.option_ranks[*answer] == 1;
            assert_eq!(variant.rows.first_word[row], is_first, "{at}");
        }
    }
}

#[test]
fn the_goldens_vocabulary_stands_on_rows() {
    let mut checked = 0;
    for (name, golden) in goldens_in("tests/golden/vocabulary") {
        if !name.starts_with("random") {
            continue;
        }
        let model = random(golden["model"].as_str().expect("a model"));
        let item = Item::Ids {
            token_ids: u32s(&golden["token_ids"]),
            option_ids: u32s(&golden["option_token_ids"]),
            answer: golden["answer"].as_u64().expect("an answer") as usize,
        };
        // Another row beside it changes nothing.
        let items = [id_items(1).remove(0), item];
        let plans = golden["plans"].as_array().expect("plans");
        let order =
            |plan| Order::parse(&notation(plan), &model.shape().order).expect("a golden plan");
        let orders = plans[1..].iter().map(|plan| order(&plan["steps"])).collect();
        let found = all(Sweeping::start(&model, "ids", &items, orders, 0).expect("a sweep"));

        let variants = std::iter::once(&found.original).chain(&found.variants);
        for (variant, plan) in variants.zip(plans) {
            let (at, rows) = (format!("{name}, {}", variant.name), &variant.rows);
            assert_close(&json!(-rows.log_likelihood[1]), &plan["surprise"], &at);
            let kl = plan["kl"].as_f64().unwrap_or(0.0);
            assert!((rows.kl[1] - kl).abs() < 1e-4 * (1.0 + kl), "{at}: {} {kl}", rows.kl[1]);
            checked += 1;
        }
    }
    assert!(checked >= 12, "{checked}");
}

#[test]
fn a_stopped_sweep_goes_on_to_the_same_bytes() {
    let model = scholar();
    let items = rows_of(GeneratedTask::Sum, 2 * CHUNK + 5);
    let orders = orders_of(&model, &[Sweep::Drop, Sweep::Shuffle]);
    let start = || Sweeping::start(&model, "sum", &items, orders.clone(), 7).expect("a sweep");
    let whole = all(start());
    let mut stopped = start();
    while stopped.rows_done() < CHUNK {
        stopped.advance().expect("a batch");
    }
    // In the middle of the second chunk.
    for _ in 0..3 {
        stopped.advance().expect("a batch");
    }
    let kept = serde_json::to_string(&stopped.orders().expect("a chunk")).expect("JSON");
    let kept: Orders = serde_json::from_str(&kept).expect("a report");
    assert_eq!((kept.rows, kept.rows_asked), (CHUNK, items.len()));
    let mut again = start();
    again.resume(&kept).expect("the same sweep");
    assert_eq!(again.rows_done(), CHUNK);
    let text = |orders: &Orders| serde_json::to_string(orders).expect("JSON");
    assert_eq!(text(&all(again)), text(&whole));

    let other = orders_of(&model, &[Sweep::Drop]);
    let mut other = Sweeping::start(&model, "sum", &items, other, 7).expect("a sweep");
    assert!(matches!(other.resume(&kept), Err(StudyError::OtherSweep { .. })));
}

/// Runs a sweep to its end and gives what its rows have.
fn rows_found(mut part: Sweeping) -> Vec<OrderRows> {
    while part.advance().expect("a batch").is_some() {}
    part.into_rows()
}

#[test]
fn parts_of_a_sweep_in_any_order_are_the_sweep_to_the_last_bit() {
    let model = scholar();
    let choosing = rows_of(GeneratedTask::Sum, 3 * CHUNK + 5);
    let writing: Vec<Item> = choosing[..CHUNK + 1]
        .iter()
        .map(|item| match item {
            Item::Option { prompt, .. } => {
                Item::LastWord { context: prompt.clone(), word: " 3".into() }
            }
            other => other.clone(),
        })
        .collect();
    let orders = orders_of(&model, &[Sweep::Drop, Sweep::Shuffle]);
    for items in [choosing, writing] {
        let start = || Sweeping::start(&model, "sum", &items, orders.clone(), 7).expect("a sweep");
        let whole = all(start());
        let mut parted = PartedSweep::new(start());
        let mut parts: Vec<_> = PartedSweep::parts(items.len()).collect();
        let work: usize = parts.iter().map(|rows| parted.work(rows.clone())).sum();
        assert_eq!(work, parted.work(0..items.len()));
        // The last first, then the second, with the first still missing.
        parts.reverse();
        let first = parts.pop().expect("a part");
        for rows in parts {
            let found = rows_found(parted.part(rows.clone()));
            parted.take_in(rows, found).expect("its rows");
            assert_eq!((parted.rows_done(), parted.is_whole()), (0, false));
            assert!(parted.orders().is_none());
        }
        let found = rows_found(parted.part(first.clone()));
        // Through the text that workers write to each other.
        let text = serde_json::to_string(&found).expect("JSON");
        let read: Vec<OrderRows> = serde_json::from_str(&text).expect("rows");
        parted.take_in(first, read).expect("its rows");
        assert!(parted.is_whole());
        let text = |orders: &Orders| serde_json::to_string(orders).expect("JSON");
        assert_eq!(text(&parted.orders().expect("rows")), text(&whole));
    }
}

#[test]
fn rows_that_are_no_part_of_a_sweep_are_refused() {
    let model = scholar();
    let items = rows_of(GeneratedTask::Sum, 2 * CHUNK + 5);
    let orders = orders_of(&model, &[Sweep::Drop]);
    let whole = Sweeping::start(&model, "sum", &items, orders, 0).expect("a sweep");
    let mut parted = PartedSweep::new(whole);
    let found = rows_found(parted.part(0..CHUNK));
    let mut is_refused = |rows, found: Vec<OrderRows>| {
        let refused = parted.take_in(rows, found);
        matches!(refused, Err(StudyError::StrayRows { .. }))
    };
    // Other rows than it says, rows between two parts, rows past the last.
    assert!(is_refused(2 * CHUNK..items.len(), found.clone()));
    assert!(is_refused(1..CHUNK + 1, found.clone()));
    assert!(is_refused(3 * CHUNK..4 * CHUNK, found.clone()));
    // An order too few, a number too few.
    assert!(is_refused(0..CHUNK, found[1..].to_vec()));
    let mut cut = found.clone();
    cut[2].kl.pop();
    assert!(is_refused(0..CHUNK, cut));
    // What a device without room for the vocabulary would send.
    let mut unread = found.clone();
    for rows in &mut unread {
        rows.kl.clear();
        rows.first_word.clear();
        rows.log_likelihood.clear();
    }
    assert!(is_refused(0..CHUNK, unread));
    assert!(!is_refused(0..CHUNK, found.clone()));
    assert!(is_refused(0..CHUNK, found), "a second time");
}

#[test]
fn a_sweep_needs_rows_of_one_kind_that_the_model_can_read() {
    let model = scholar();
    let start = |items: &[Item]| Sweeping::start(&model, "mine", items, Vec::new(), 0).err();
    assert!(matches!(start(&[]), Some(StudyError::NoRows)));
    let mut mixed = rows_of(GeneratedTask::Mood, 2);
    mixed.push(Item::LastWord { context: "the soup is".into(), word: " good".into() });
    assert!(matches!(start(&mixed), Some(StudyError::MixedRows { row: 3 })));
    let mut long = rows_of(GeneratedTask::Mood, 1);
    long.push(Item::Option {
        prompt: vec!["the"; 200].join(" "),
        options: vec![" good".into(), " bad".into()],
        answer: 0,
    });
    let sentence = start(&long).expect("a row past the context").to_string();
    assert!(sentence.starts_with("mine, row 2: "), "{sentence}");
}

#[test]
fn a_small_model_has_not_every_sweep() {
    let runs = |sweep: Sweep, runs| sweep.strategies(runs, Extent::default()).map(|all| all.len());
    assert_eq!(runs(Sweep::Drop, 12).expect("drops"), 12);
    assert_eq!(runs(Sweep::Swap, 12).expect("swaps"), 11);
    assert_eq!(runs(Sweep::Skip, 12).expect("skips"), 6);
    assert_eq!(runs(Sweep::Shuffle, 12).expect("shuffles"), 50);
    assert_eq!(runs(Sweep::Loop, 12).expect("loops"), 48);
    let heads = Extent { heads: 4, ..Extent::default() };
    let all = Sweep::Heads.strategies(12, heads).expect("heads");
    assert_eq!(all.len(), 48);
    let own: Vec<usize> = (0..12).collect();
    let plan = all[4 * 7 + 3].plan(&own).expect("a plan");
    assert_eq!(
        (all[31].to_string(), plan.to_string()),
        ("head:7:3".into(), "0-6,7~h3,8-11".into())
    );
    assert!(runs(Sweep::Heads, 12).is_err(), "nobody said how many heads");
    for sweep in Sweep::ALL {
        for count in 0..40 {
            let strategies = sweep.strategies(count, Extent::default());
            assert_eq!(strategies.is_ok(), count >= sweep.least_runs(), "{sweep} {count}");
            let order: Vec<usize> = (0..count).collect();
            for strategy in strategies.unwrap_or_default() {
                strategy.plan(&order).expect("every strategy of a sweep exists");
            }
        }
    }
    let error = runs(Sweep::Reverse, 2).expect_err("nothing to reverse");
    assert!(error.to_string().contains("reverse needs at least 3"), "{error}");
    let none = Extent { seeds: 0, rounds: 8, heads: 0 };
    assert!(Sweep::Shuffle.strategies(12, none).is_err());
    let many = Extent { seeds: 1, rounds: 65, heads: 0 };
    assert!(Sweep::Loop.strategies(12, many).is_err());
}

/// The sum of the tokens' log-probabilities, one next token at a time.
fn one_by_one(model: &LoadedModel, passage: &Passage, plan: &Plan) -> (f64, bool) {
    let first = passage.token_ids.len() - passage.scored;
    let mut sum = 0.0;
    let mut greedy = true;
    for at in first..passage.token_ids.len() {
        let prompt = Prompt { token_ids: passage.token_ids[..at].to_vec(), option_ids: Vec::new() };
        let logits = model
            .engine
            .next(Arc::from([prompt]), Arc::from([plan.clone()]))
            .and_then(|run| run.complete())
            .expect("logits");
        let logits: Vec<f64> = logits[0][0].iter().map(|&x| f64::from(x)).collect();
        let id = passage.token_ids[at] as usize;
        sum += softmax(&logits)[id].ln();
        greedy &= logits.iter().all(|&x| x <= logits[id]);
    }
    (sum, greedy)
}

#[test]
fn passages_score_as_their_tokens_do_one_by_one() {
    let model = random("random-mistral");
    let passages: Vec<Passage> = [(5, 1), (12, 4), (40, 39), (2, 1)]
        .iter()
        .map(|&(length, scored)| Passage {
            token_ids: (0..length).map(|t| (t * 91 + length) % 512).collect(),
            scored,
        })
        .collect();
    let lines = ["0-5", "0,(1-4)x2,5", "5-0"];
    let plans: Vec<Plan> =
        lines.iter().map(|line| model.plan(Some(line)).expect("a plan")).collect();
    let run = model.engine.score(passages.clone().into(), plans.clone().into()).expect("a run");
    for (plan, scores) in plans.iter().zip(run.complete().expect("scores")) {
        for (passage, score) in passages.iter().zip(scores) {
            let (sum, greedy) = one_by_one(&model, passage, plan);
            assert!((score.log_probability - sum).abs() < 1e-3, "{score:?} {sum}");
            assert_eq!(score.greedy, greedy);
        }
    }
    let whole = Passage { token_ids: vec![1, 2], scored: 2 };
    assert!(model.engine.score(vec![whole].into(), plans.into()).is_err());
}

#[test]
fn continuations_words_and_texts_are_scored_under_every_order() {
    let model = scholar();
    let orders = || orders_of(&model, &[Sweep::Drop]);
    let row = |prompt: &str, right: &str, wrong: &str| {
        let candidate =
            |text: &str| Candidate { context: prompt.into(), continuation: text.into() };
        Item::Continuation { candidates: vec![candidate(wrong), candidate(right)], answer: 1 }
    };
    let mood = "Ann says that the soup is good. So it is";
    let continuation = [row(mood, " good", " bad")];
    let found = all(Sweeping::start(&model, "c", &continuation, orders(), 0).expect("a sweep"));
    // One token after the same context: the options' own comparison.
    let options = [Item::Option {
        prompt: mood.into(),
        options: vec![" bad".into(), " good".into()],
        answer: 1,
    }];
    let same = all(Sweeping::start(&model, "o", &options, orders(), 0).expect("a sweep"));
    for (a, b) in found.variants.iter().zip(&same.variants) {
        assert_eq!(a.rows.correct, b.rows.correct);
        assert_close(&json!(a.rows.margin), &json!(b.rows.margin), &a.name);
        assert_close(&json!(a.rows.log_likelihood), &json!(b.rows.log_likelihood), &a.name);
        assert_eq!(a.rows.first_word, b.rows.first_word);
    }
    assert_eq!(found.chance, 0.5);
    assert_eq!(found.original.rows.first_word, [true]);
    assert!(found.answer_tokens.is_empty(), "each counts as one");

    // A perplexity is of a token.
    let long = [row(mood, " good. So it is", " bad. So it is")];
    let found = all(Sweeping::start(&model, "l", &long, orders(), 0).expect("a sweep"));
    let [tokens] = found.answer_tokens[..] else { panic!("{:?}", found.answer_tokens) };
    assert!(tokens >= 4, "{tokens}");
    for variant in &found.variants {
        let per_token = variant.rows.log_likelihood[0] / tokens as f64;
        let perplexity = variant.measures.perplexity.expect("of tokens").mean;
        assert!((perplexity - (-per_token).exp()).abs() < 1e-9 * perplexity);
    }

    let word = [Item::LastWord { context: mood.into(), word: " good".into() }];
    let found = all(Sweeping::start(&model, "w", &word, orders(), 0).expect("a sweep"));
    assert_eq!(found.original.rows.correct, [true]);
    let nats = found.original.rows.log_likelihood[0];
    let perplexity = found.original.measures.perplexity.expect("of a word").mean;
    assert!((perplexity - (-nats).exp()).abs() < 1e-9 * perplexity);
    assert_eq!((found.chance, found.majority), (0.0, 0.0));
    assert_eq!(found.original.rows.first_word, found.original.rows.correct);

    // The sum's last digit is the whole text that a scholar writes.
    let text = [Item::Generate { prompt: "The sum 2 + 3 ends in".into(), answer: "5".into() }];
    let found = all(Sweeping::start(&model, "g", &text, orders(), 0).expect("a sweep"));
    assert_eq!(found.variants.len(), 4);
    assert!(found.variants.iter().all(|one| one.measures.kl.is_some_and(|kl| kl.mean > 0.0)));
    assert_eq!(
        (found.original.measures.first_word, found.original.measures.perplexity),
        (None, None)
    );
    assert_eq!(found.original.rows.correct, [true]);
}

#[test]
fn the_goldens_geometry() {
    for (name, golden) in goldens().into_iter().chain(real_goldens()) {
        let Some(folder) = model_of(&golden) else { continue };
        let model = load(&folder);
        let plan = model.plan(None).expect("its own order");
        let prompt = Prompt {
            token_ids: u32s(&golden["token_ids"]),
            option_ids: u32s(&golden["option_token_ids"]),
        };
        let prompts: Arc<[Prompt]> = Arc::from([prompt]);
        let run = model.engine.start(prompts, Arc::from([plan.clone()]), Capture::states());
        let trace = run.expect("a run").complete().expect("traces").remove(0).remove(0);
        let mut averaging = geometry::Averaging::new(&plan, model.shape().width);
        averaging.add(&trace.states).expect("a plane");
        let found = json!(averaging.mean());
        for field in ["cosine_map", "line_shape_score", "expodistance"] {
            assert_close(&found[field], &golden[field], &format!("{name} {field}"));
        }
    }
}

#[test]
fn the_lab_is_the_lens_twice() {
    let mut checked = 0;
    for (name, golden) in goldens() {
        let model = golden["model"].as_str().expect("a model");
        if !model.starts_with("random") {
            continue;
        }
        let model = random(model);
        let answer = golden["answer"].as_u64().expect("an answer") as usize;
        let (ids, rows) = (u32s(&golden["token_ids"]), u32s(&golden["option_token_ids"]));
        let question = model.question_from_ids(&ids, &rows, answer).expect("a question");
        let expected = golden["plans"].as_array().and_then(|plans| plans.last());
        // One golden has none: its model runs each block twice.
        let Some(expected) = expected else { continue };
        let line = notation(&expected["steps"]);
        let plan = model.plan(Some(&line)).expect("a golden plan");
        let mut run = Rearranging::start(&model, &question, plan).expect("a run");
        while run.advance().expect("a batch").is_some() {}
        let lab = run.report().expect("a report").lab.expect("a lab");
        let logits = |value| serde_json::to_value(value).expect("JSON");
        assert_close(&logits(&lab.original.logits), &golden["baseline"]["logits"], &name);
        assert_close(&logits(&lab.arranged.logits), &expected["logits"], &name);
        assert!(lab.kl().is_some_and(|kl| kl >= 0.0));
        assert_eq!(lab.geometry[1].plan, lab.arranged.plan);
        checked += 1;
    }
    // Four of one kind of block, and nine of the families.
    assert_eq!(checked, 4 + 9);
}
