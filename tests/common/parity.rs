//! Bodies of the parity tests, which every engine must pass.
use std::ops::ControlFlow;
use std::path::Path;

use atelier::engine::{
    AttentionReading, AttentionWish, Capture, DepthWish, Engine, MemberKind, Reference, Trace,
    VocabularyReading, VocabularyWish, last_members,
};
use atelier::model::shape::NormPlacement;
use atelier::model::{Passage, Prompt};
use atelier::plan::Plan;
use atelier::study::{LoadedModel, Question, lens};
use atelier_server::smollm2::FILE;
use serde_json::{Value, json};

use super::{
    assert_close_to, goldens, goldens_in, model_folder, model_of, notation, real_goldens, skipped,
    strings, u32s,
};

/// Loads a model's folder into the engine under test.
pub type Load = dyn Fn(&Path) -> LoadedModel;

pub fn run(engine: &Engine, prompts: &[Prompt], plans: &[Plan]) -> Vec<Vec<Trace>> {
    engine.run(prompts, plans, &mut |_, _| ControlFlow::Continue(())).expect("a run")
}

fn question(model: &LoadedModel, golden: &Value) -> Question {
    let answer = golden["answer"].as_u64().expect("an answer") as usize;
    match golden["prompt"].as_str() {
        Some(prompt) => model.question(prompt, &strings(&golden["options"]), answer),
        None => model.question_from_ids(&u32s(&golden["ids"]), &u32s(&golden["rows"]), answer),
    }
    .expect("a question")
}

/// Answers the question of a golden under each of these orders (`None`: the model's own) on the model at
/// this path: one lens each.
pub type Lenses<'a> = dyn FnMut(&Path, &Value, &[Option<&str>]) -> Vec<Value> + 'a;

/// Every golden run, and every plan of it.
pub fn goldens_hold(load: &Load, tolerance: f64) {
    goldens_hold_for(&mut |path, golden, orders| lenses(&load(path), golden, orders), tolerance);
}

/// Like [`goldens_hold`], for a program that is asked for lenses.
pub fn goldens_hold_for(lenses: &mut Lenses, tolerance: f64) {
    let checked = runs_hold(lenses, &goldens(), tolerance);
    println!("{checked} golden runs equal");
    // 192 runs where the story models are here, 234 of the families, and those of ten GGUF files, of
    // which one travels with the project.
    assert!(checked >= 5 + 4 * 32 + 9 * 25 + 3, "{checked}");
}

/// Every golden run of PyTorch checkpoints with SentencePiece vocabularies, and every plan of it, where they
/// are here.
pub fn pickled_goldens_hold(load: &Load, tolerance: f64) {
    let folder = "../shared/golden/pickled";
    if !Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).exists() {
        skipped(&format!("{folder} is not here"));
        return;
    }
    let goldens = goldens_in(folder);
    let mut lenses = |path: &Path, golden: &Value, orders: &[Option<&str>]| {
        let model = load(path);
        for text in golden["encode"].as_array().into_iter().flatten() {
            let (text, ids) = (text["text"].as_str().expect("a text"), u32s(&text["ids"]));
            let found = model.tokenizer().expect("a tokenizer").encode(text);
            assert_eq!(found.expect("tokens"), ids, "{}: {text:?}", path.display());
        }
        self::lenses(&model, golden, orders)
    };
    let checked = runs_hold(&mut lenses, &goldens, tolerance);
    println!("{checked} golden runs of {} checkpoints equal", goldens.len());
    assert!(goldens.len() >= 9 && checked >= 10 * goldens.len(), "{checked}");
}

/// Every golden run of the real model, and every plan of it.
pub fn real_goldens_hold(load: &Load, tolerance: f64) {
    real_goldens_hold_for(
        &mut |path, golden, orders| lenses(&load(path), golden, orders),
        tolerance,
    );
}

/// Like [`real_goldens_hold`], for a program that is asked for lenses.
pub fn real_goldens_hold_for(lenses: &mut Lenses, tolerance: f64) {
    let checked = runs_hold(lenses, &real_goldens(), tolerance);
    println!("{checked} golden runs of the real model equal");
    assert!(checked == 3 + 2 + 1 + 3 || model_folder(FILE).is_none(), "{checked}");
}

/// Holds each golden's own order and its plans, and returns how many runs there were.
fn runs_hold(lenses: &mut Lenses, goldens: &[(String, Value)], tolerance: f64) -> usize {
    let mut checked = 0;
    for (name, golden) in goldens {
        let plans = golden["plans"].as_array().expect("plans");
        let orders = plans.iter().map(|plan| Some(notation(&plan["steps"])));
        let orders = std::iter::once(None).chain(orders);
        let expected = std::iter::once(&golden["baseline"]).chain(plans);
        checked += orders_hold(lenses, name, golden, orders.zip(expected), tolerance);
    }
    checked
}

/// Plans that switch heads off.
pub fn head_goldens_hold(load: &Load, tolerance: f64) {
    head_goldens_hold_for(
        &mut |path, golden, orders| lenses(&load(path), golden, orders),
        tolerance,
    );
}

/// Like [`head_goldens_hold`], for a program that is asked for lenses.
pub fn head_goldens_hold_for(lenses: &mut Lenses, tolerance: f64) {
    let mut checked = 0;
    for (name, golden) in goldens_in("tests/golden/heads") {
        let cases = golden["cases"].as_array().expect("cases");
        let line = |case: &Value| Some(case["plan"].as_str().expect("a plan").to_owned());
        let runs = cases.iter().map(|case| (line(case), case));
        checked += orders_hold(lenses, &name, &golden, runs, tolerance);
    }
    println!("{checked} plans with heads off equal");
    assert!(checked >= 10, "{checked}");
}

/// Holds the lenses of one golden's orders to its numbers, and returns how many there were: none where
/// its model is not here.
fn orders_hold<'a>(
    lenses: &mut Lenses,
    name: &str,
    golden: &Value,
    runs: impl Iterator<Item = (Option<String>, &'a Value)>,
    tolerance: f64,
) -> usize {
    let (orders, expected): (Vec<Option<String>>, Vec<&Value>) = runs.unzip();
    let found = golden_lenses(lenses, name, golden, &orders);
    for ((at, found), expected) in found.iter().zip(expected) {
        let mut expected = expected.clone();
        let fields = expected.as_object_mut().expect("an object");
        for words in ["name", "steps", "plan"] {
            fields.remove(words);
        }
        assert_close_to(found, &expected, at, tolerance);
    }
    found.len()
}

/// One golden's lenses under these orders, each with its name for people, once its ids are the golden's; none where its
/// model is not here.
pub fn golden_lenses(
    lenses: &mut Lenses,
    name: &str,
    golden: &Value,
    orders: &[Option<String>],
) -> Vec<(String, Value)> {
    let Some(path) = model_of(golden) else { return Vec::new() };
    let lines: Vec<Option<&str>> = orders.iter().map(Option::as_deref).collect();
    let found = lenses(&path, golden, &lines);
    assert_eq!(found.len(), orders.len(), "{name}: orders");

    let mut named = Vec::new();
    for (line, found) in lines.into_iter().zip(found) {
        let at = format!("{name} {}", line.unwrap_or("in its own order"));
        for (field, ids) in [("token_ids", "ids"), ("option_token_ids", "rows")] {
            // What was asked as ids may say so once.
            let ids = golden.get(field).unwrap_or(&golden[ids]);
            assert_eq!(u32s(&found[field]), u32s(ids), "{at}: {field}");
        }
        named.push((at, found));
    }
    named
}

/// The lenses of a golden's question on this model, all orders in one pass.
pub fn lenses(model: &LoadedModel, golden: &Value, orders: &[Option<&str>]) -> Vec<Value> {
    let question = question(model, golden);
    let plan = |order: &Option<&str>| model.plan(*order).expect("a golden plan");
    let original = plan(&None);
    let plans: Vec<Plan> =
        std::iter::once(original.clone()).chain(orders.iter().map(plan)).collect();

    let wish = VocabularyWish { reference: Reference::FirstPlan, ..VocabularyWish::ANSWER };
    let capture = Capture { vocabulary: Some(wish), ..Capture::default() };
    let prompts = [question.prompt.clone()];
    let run = model.engine.start(prompts.into(), plans.clone().into(), capture);
    let traces = run.expect("a run").complete().expect("traces");

    let lens = |(plan, trace): (&Plan, Trace)| {
        let read = if *plan == original { lens::lens } else { lens::compared_lens };
        json!(read(model, &question, plan, trace))
    };
    plans.iter().zip(traces.into_iter().flatten()).skip(1).map(lens).collect()
}

/// The logit lens of every golden that has one, of the model's own order; and what must hold of it
/// between steps and with the scale held, against `reference` where there is one.
pub fn depth_goldens_hold(load: &Load, tolerance: f64) {
    let mut checked = 0;
    let goldens = goldens_in("tests/golden/lens").into_iter();
    for (name, golden) in goldens.chain(goldens_in("tests/golden/families")) {
        let Some(folder) = model_of(&golden) else { continue };
        let model = load(&folder);
        let ids = [u32s(&golden["token_ids"]), u32s(&golden["option_token_ids"])];
        let question = model.question_from_ids(&ids[0], &ids[1], 0).expect("a question");
        let own = model.plan(None).expect("its own order");
        let expected = golden["logit_lens"].as_array().expect("a logit lens");
        let read = |tokens: usize, is_held: bool| -> Trace {
            let capture = Capture {
                depths: Some(DepthWish {
                    top: 5,
                    followed: ids[1].clone(),
                    is_held,
                    positions: vec![1, tokens - 1],
                }),
                ..Capture::default()
            };
            let mut prompt = question.prompt.clone();
            prompt.token_ids.truncate(tokens);
            let prompts = vec![prompt];
            let run = model.engine.start(prompts.into(), vec![own.clone()].into(), capture);
            let mut traces = run.expect("a run").complete().expect("traces");
            traces.remove(0).remove(0)
        };
        let (trace, held) = (read(ids[0].len(), false), read(ids[0].len(), true));
        let short = read(2, false);
        let steps = last_members(&own);
        assert_eq!(steps.len(), expected.len(), "{name}: depths");
        for (&member, expected) in steps.iter().zip(expected) {
            let found = &trace.depths[member];
            let at = format!("{name}, after member {member}");
            near_ids(found, expected, &at);
            let numbers = ["kl", "entropy"].map(|field| expected[field].as_f64().expect(field));
            for (found, expected) in [found.kl, found.entropy].into_iter().zip(numbers) {
                let off = (found - expected).abs();
                assert!(off <= tolerance * expected.abs().max(1.0), "{at}: {found}, {expected}");
            }
            checked += 1;
        }
        // The grid's last position is what the members say there.
        for trace in [&trace, &held] {
            assert_eq!(trace.grid.len(), 2, "{name}: positions");
            for (&member, found) in steps.iter().zip(&trace.grid[1].1) {
                let expected = &trace.depths[member];
                let off = (found.kl - expected.kl).abs() + (found.entropy - expected.entropy).abs();
                assert!(off < 1e-3, "{name}: {found:?}, {expected:?}");
            }
            assert_eq!(trace.grid[0].1.len(), steps.len());
        }
        // A causal model reads there what it would if the prompt ended there.
        for (&member, found) in steps.iter().zip(&trace.grid[0].1) {
            let expected = &short.depths[member];
            let off = (found.kl - expected.kl).abs() + (found.entropy - expected.entropy).abs();
            assert!(off < 1e-3, "{name}: {found:?}, {expected:?}");
            let [found, expected] = [found, expected].map(|depth| depth.followed[0]);
            let off = (found.log_probability - expected.log_probability).abs();
            assert!(off < 1e-2, "{name}: {found:?}, {expected:?}");
        }
        for trace in [&trace, &held] {
            assert!(trace.grid[0].1.iter().all(|depth| depth.entropy > 0.0));
            assert_eq!(trace.grid[0].1.last().map(|depth| depth.kl), Some(0.0));
        }
        let (last, held_last) = (trace.depths.last(), held.depths.last());
        let (last, held_last) = (last.expect("a member"), held_last.expect("a member"));
        assert_eq!(last.kl, 0.0, "{name}: the end is its own");
        assert_eq!(last.top_ids, held_last.top_ids, "{name}: its scale is its own");
        // The followed tokens are the options: their differences are those of the logits.
        for (depth, what) in [(last, "recomputed"), (held_last, "held")] {
            for (a, token) in depth.followed.iter().enumerate() {
                let found = token.log_probability - depth.followed[0].log_probability;
                let expected = f64::from(trace.logits[a] - trace.logits[0]);
                let most = 10.0 * tolerance * expected.abs().max(1.0);
                assert!((found - expected).abs() < most, "{name} {what}: {found}, {expected}");
                let place = depth.top_ids.iter().position(|&id| id == token.id);
                assert!(place.is_none_or(|place| place + 1 == token.rank as usize), "{name}");
            }
        }
        // With the scale held, a stream's differences are the sums of its members' votes.
        for (m, depth) in held.depths.iter().enumerate() {
            let sum = |k: usize| -> f64 {
                let votes = held.member_logits[..=m].iter();
                votes.map(|votes| f64::from(votes[k])).sum()
            };
            let bias = match held.members.last() {
                Some(last) if last.kind == MemberKind::Bias => {
                    &held.member_logits[held.members.len() - 1]
                }
                _ => &vec![0.0; ids[1].len()],
            };
            let found = depth.followed[1].log_probability - depth.followed[0].log_probability;
            let expected = sum(1) - sum(0) + f64::from(bias[1] - bias[0]);
            let most = 10.0 * tolerance * expected.abs().max(1.0);
            assert!((found - expected).abs() < most, "{name} held {m}: {found}, {expected}");
        }
    }
    println!("{checked} depths equal");
    assert!(checked >= 60, "{checked}");
}

/// Where a prompt looks, and what is carried, under one plan.
fn looks(
    engine: &Engine,
    prompts: &[Prompt],
    plan: &Plan,
    wish: &AttentionWish,
) -> Vec<Vec<AttentionReading>> {
    let capture = Capture { attention: vec![wish.clone()], ..Capture::default() };
    let run = engine.start(prompts.into(), vec![plan.clone()].into(), capture);
    let mut traces = run.expect("a run").complete().expect("traces");
    let traces = traces.remove(0).into_iter();
    traces.map(|mut trace| trace.attention.remove(0)).collect()
}

/// The attention pattern of every golden that has one; that a window of heads and queries is cut from
/// the whole; and what is carried, against a run in which nothing else moves.
pub fn attention_goldens_hold(load: &Load, tolerance: f64) {
    let mut checked = 0;
    let goldens = goldens_in("tests/golden/lens").into_iter();
    for (name, golden) in goldens.chain(goldens_in("tests/golden/families")) {
        let Some(folder) = model_of(&golden) else { continue };
        let model = load(&folder);
        let token_ids = u32s(&golden["token_ids"]);
        let prompt = Prompt { token_ids, option_ids: vec![0] };
        let short = Prompt { token_ids: prompt.token_ids[..3].to_vec(), option_ids: vec![1] };
        let own = model.plan(None).expect("its own order");
        let prompts = [short, prompt];
        let engine = &model.engine;
        let both = looks(engine, &prompts, &own, &AttentionWish::default());
        let found: Vec<_> = both[1].iter().map(|of| of.first(&of.weights)).collect();
        assert_close_to(
            &json!(found),
            &golden["attention_pattern"],
            &format!("{name}: attention pattern"),
            tolerance,
        );
        let wish = AttentionWish { queries: vec![0, 2, 1], blocks: vec![1], heads: vec![1, 0] };
        let some = looks(engine, &prompts, &own, &wish);
        for (some, prompt) in some.iter().zip(&prompts) {
            for some in some {
                assert_eq!((some.block, &some.heads), (1, &vec![1, 0]), "{name}");
                for row in some.weights.chunks(prompt.token_ids.len()) {
                    let sum: f32 = row.iter().sum();
                    assert!((sum - 1.0).abs() < 1e-4, "{name}: {row:?} sums to one");
                }
                let first = &some.weights[..prompt.token_ids.len()];
                assert!(first[1..].iter().all(|&weight| weight == 0.0), "{name}");
            }
        }
        // The short prompt's last look is the long one's from the same place.
        let place = both[0].iter().position(|of| of.block == 1).expect("a run");
        let near = |found: &[f32], expected: &[f32], what: &str| {
            let at = format!("{name}: {what}");
            assert_close_to(&json!(found), &json!(expected), &at, tolerance);
        };
        let (last, row) = (&both[0][place], some[0][0].tokens);
        let of_head = |numbers: &[f32], head: usize| numbers[head * row..][..row].to_vec();
        for (n, head) in [1, 0].into_iter().enumerate() {
            for (some, all, what) in [
                (&some[0][0].weights, &last.weights, "weights of some"),
                (&some[0][0].carried, &last.carried, "carried of some"),
            ] {
                near(&of_head(some, 3 * n + 1), &of_head(all, head), what);
            }
        }
        checked += found.len();
        checked += usize::from(carried_is_what_moves(&model, &name, tolerance));
    }
    println!("{checked} runs of attention equal");
    assert!(checked >= 60, "{checked}");
}

/// A single token looks at itself alone: what a head carries is what the stream grows by when the
/// others are off. Not where a bias or a norm comes on top.
fn carried_is_what_moves(model: &LoadedModel, name: &str, tolerance: f64) -> bool {
    let block = &model.shape().blocks[0];
    let heads = block.attention.heads;
    if block.attention.out_bias || block.placement != NormPlacement::Before || heads < 2 {
        return false;
    }
    let others = (1..heads).map(|head| head.to_string());
    let line = format!("0a~h{}", others.collect::<Vec<_>>().join("."));
    let plan = model.plan(Some(&line)).expect("a plan");
    let prompts: Vec<Prompt> =
        [7, 11, 30].map(|id| Prompt { token_ids: vec![id], option_ids: vec![0] }).into();
    let capture =
        Capture { states: true, attention: vec![AttentionWish::default()], ..Capture::default() };
    let run = model.engine.start(prompts.into(), vec![plan].into(), capture);
    let traces = run.expect("a run").complete().expect("traces").remove(0);
    for trace in traces {
        assert_eq!(trace.attention[0].len(), 1);
        let moved = trace.states[1].iter().zip(&trace.states[0]);
        let moved = moved.map(|(after, before)| f64::from(after - before).powi(2));
        let moved = moved.sum::<f64>().sqrt();
        let found = &trace.attention[0][0].carried;
        let off = (f64::from(found[0]) - moved).abs();
        assert!(off < tolerance * moved.max(1.0), "{name}: {found:?}, {moved}");
        assert!(found[1..].iter().all(|&x| x == 0.0), "{name}: off carries nothing");
    }
    true
}

/// The likeliest ids and their log-probabilities; ids nearer than 1e-3 nats may change places.
fn near_ids(found: &VocabularyReading, expected: &Value, at: &str) {
    let logs: Vec<f64> = serde_json::from_value(expected["top_log_probabilities"].clone())
        .expect("log-probabilities");
    for (found, expected) in found.top_log_probabilities.iter().zip(&logs) {
        assert!(
            (found - expected).abs() < 1e-3 * expected.abs().max(1.0),
            "{at}: {found}, {expected}"
        );
    }
    for (place, id) in u32s(&expected["top_ids"]).iter().enumerate() {
        let own = found.top_ids.iter().position(|other| other == id);
        let near = |a: usize| (logs[a] - logs[place]).abs() < 1e-3 * logs[place].abs().max(1.0);
        let is_near = match own {
            Some(own) => near(own),
            // The last ones may have left the list.
            None => near(logs.len() - 1),
        };
        assert!(is_near, "{at}: {id} at {own:?}, not {place}");
    }
}

/// Prompts of unequal lengths and numbers of options, together and alone.
pub fn batches_equal_their_rows(load: &Load, tolerance: f64) {
    for name in [
        "random-llama3",
        "random-mistral",
        "random-phi3",
        "random-gpt2",
        "random-pythia",
        "random-falcon",
        "random-olmo2",
        "random-qwen3",
    ] {
        let model = load(&model_folder(name).expect("random models travel with the project"));
        let vocabulary = model.shape().vocabulary as u32;
        let prompt = |length: u32, options: &[u32]| Prompt {
            token_ids: (0..length).map(|i| (i * 37 + length) % vocabulary).collect(),
            option_ids: options.to_vec(),
        };
        let prompts = [
            prompt(3, &[1, 2]),
            prompt(40, &[3, 4, 5, 6]),
            prompt(1, &[7, 8, 9]),
            prompt(17, &[1, 2]),
        ];
        let plans = ["0-3", "3-0", "0,(1-2)x2,3", "0-1,2a,3m,1", "0-2"];
        let plans = plans.map(|line| model.plan(Some(line)).expect("a plan"));
        let together = run(&model.engine, &prompts, &plans);
        for (p, prompt) in prompts.iter().enumerate() {
            for (i, plan) in plans.iter().enumerate() {
                let alone =
                    run(&model.engine, std::slice::from_ref(prompt), std::slice::from_ref(plan));
                let (together, alone) = (&together[i][p], &alone[0][0]);
                assert_eq!(together.members, alone.members);
                let at = format!("{name}, prompt {p}, plan {plan}");
                let close = |found: Value, expected: Value| {
                    assert_close_to(&found, &expected, &at, tolerance)
                };
                close(json!(together.member_logits), json!(alone.member_logits));
                close(json!(together.logits), json!(alone.logits));
            }
        }
    }
}

/// Two engines on the same questions: traces with states, passages' scores, next-token logits.
pub fn engines_agree(load: &Load, reference: &Load, tolerance: f64) {
    let names = [
        "random-llama2",
        "random-mistral",
        "random-mobilellm-layer-share",
        "random-gpt2",
        "random-pythia",
        "random-phi2",
        "random-olmo2",
    ];
    for name in names {
        let folder = model_folder(name).expect("random models travel with the project");
        let (model, reference) = (load(&folder), reference(&folder));
        let lengths = [5, 33, 2];
        let vocabulary = model.shape().vocabulary as u32;
        let ids = |length: u32| {
            let id = |i: u32| (i * 53 + 7 * length) % vocabulary;
            (0..length).map(id).collect()
        };
        let prompts =
            lengths.map(|length| Prompt { token_ids: ids(length), option_ids: vec![length, 9] });
        let passages = [(5, 2), (33, 32), (2, 1)]
            .map(|(length, scored)| Passage { token_ids: ids(length), scored });
        let lines = ["0-3", "3-0", "0,(1,1,2)x2,3", "0a,(1a,2m),3~h0", "0-1"];
        let plans = lines.map(|line| model.plan(Some(line)).expect("a plan"));
        let all = |model: &LoadedModel| {
            let engine = &model.engine;
            let traces = engine
                .start(
                    prompts.to_vec().into(),
                    plans.to_vec().into(),
                    Capture {
                        attention: vec![AttentionWish {
                            queries: vec![1, 0],
                            ..AttentionWish::default()
                        }],
                        ..Capture::states()
                    },
                )
                .expect("a run");
            let scores = engine.score(passages.to_vec().into(), plans.to_vec().into());
            let scores = scores.expect("a run").complete().expect("scores");
            let next = engine.next(prompts.to_vec().into(), plans.to_vec().into()).expect("a run");
            let next = next.complete().expect("logits");
            (traces.complete().expect("traces"), scores, next)
        };
        let (found, expected) = (all(&model), all(&reference));
        let close = |found: Value, expected: Value, what: &str| {
            assert_close_to(&found, &expected, &format!("{name}, {what}"), tolerance);
        };
        for (found, expected) in found.0.iter().flatten().zip(expected.0.iter().flatten()) {
            assert_eq!(found.members, expected.members);
            close(json!(found.member_logits), json!(expected.member_logits), "members");
            close(json!(found.logits), json!(expected.logits), "logits");
            close(json!(found.states), json!(expected.states), "states");
            let (found, expected) = (&found.attention[0], &expected.attention[0]);
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(expected) {
                assert_eq!(found.block, expected.block);
                close(json!(found.weights), json!(expected.weights), "weights");
                close(json!(found.carried), json!(expected.carried), "carried");
            }
        }
        for (found, expected) in found.1.iter().flatten().zip(expected.1.iter().flatten()) {
            close(json!(found.log_probability), json!(expected.log_probability), "scores");
            assert_eq!(found.greedy, expected.greedy, "{name}");
        }
        close(json!(found.2), json!(expected.2), "next tokens");
    }
}

/// Models of every causal family, and of other types of weights where they are here.
pub const GROWING: [&str; 17] = [
    "random-llama2",
    "random-llama3",
    "random-mistral",
    "random-mobilellm-layer-share",
    "random-phi3",
    "random-falcon",
    "random-gemma",
    "random-gpt2",
    "random-olmo2",
    "random-phi2",
    "random-pythia",
    "random-qwen2",
    "random-qwen3",
    "gguf/random-llama3-wide-q4_k.gguf",
    "gguf/random-llama3-wide-q8_0.gguf",
    "gguf/random-llama3-wide-bf16.gguf",
    "gguf/stories260k-q4_0.gguf",
];

/// The plans that [`growing_equals_recomputing`] runs of each model.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum GrowingPlans {
    All,
    /// Its own order and the plan with every kind of step, for engines that take seconds per plan.
    OwnAndRichest,
}

/// Sequences that grow by some tokens at a time give the logits of the whole sequence run anew. What is
/// said tells whether keys and values are kept.
pub fn growing_equals_recomputing(load: &Load, plans: GrowingPlans, tolerance: f64) -> bool {
    let (mut checked, mut wanted, mut is_cached) = (0, 0, true);
    for name in GROWING {
        let Some(folder) = model_folder(name) else { continue };
        // What recomputes everything recomputes it in every family alike.
        if !is_cached {
            break;
        }
        let model = load(&folder);
        let vocabulary = model.shape().vocabulary as u32;
        let id = |n: usize, t: usize| (t as u32 * 53 + 7 * n as u32 + 1) % vocabulary;
        let own = model.plan(None).expect("its own order").to_string();
        // Some files have two blocks.
        let lines = match model.shape().blocks.len() {
            0..=2 => ["1x2", "(0,1)x2", "0,1a", "0,1~h0,1m", "0,(1,1,1~h1),1a~h0"],
            _ => ["1x2", "(1,2)x2", "0,1a,2", "0,1~h0,2m", "0,(1,1,2~h1),1a~h0"],
        };
        let lines = match plans {
            GrowingPlans::All => lines.into_iter().chain([own.as_str()]).collect(),
            GrowingPlans::OwnAndRichest => vec![own.as_str(), lines[4]],
        };
        wanted += lines.len() * 13;
        // A text that grows alone goes another way.
        for (line, lengths) in
            lines.into_iter().flat_map(|line| [&[9, 1, 5][..], &[9], &[1]].map(|of| (line, of)))
        {
            let plan = model.plan(Some(line)).expect(line);
            let starts = lengths.iter();
            let starts = starts.map(|&length| (0..length).map(|t| id(length, t)).collect());
            let mut decoder = model.engine.decoder(starts.collect(), &plan).expect("room");
            is_cached &= decoder.is_cached();
            // Who is asked, and how many tokens each grows by before.
            let rounds: [(&[usize], usize); 6] = [
                (&[0, 1, 2], 0),
                (&[2, 0, 1], 1),
                (&[1], 1),
                (&[0, 2], 3),
                (&[0, 1, 2], 1),
                (&[1], 0),
            ];
            // Past what a cache has room for at first, and past that again, beside others.
            let far: [(&[usize], usize); 3] = [(&[1], 60), (&[0, 1, 2], 1), (&[1, 2], 70)];
            let far = if model.shape().context >= 160 { &far[..] } else { &[] };
            let rounds = rounds.iter().chain(far).copied();
            for (round, (asked, more)) in rounds.enumerate() {
                let asked: Vec<usize> =
                    asked.iter().copied().filter(|&n| n < lengths.len()).collect();
                let asked = &asked[..];
                if asked.is_empty() {
                    continue;
                }
                for &n in asked {
                    for _ in 0..more {
                        let next = id(n, decoder.ids(n).len());
                        decoder.push(n, next).expect("room");
                    }
                }
                decoder.ask(asked).expect("a step");
                if round == 3 {
                    // Given up in the middle, and asked anew.
                    assert!(decoder.advance().expect("a block").is_none());
                    decoder.ask(asked).expect("a step");
                }
                let found = loop {
                    if let Some(found) = decoder.advance().expect("a block") {
                        break found;
                    }
                };
                let prompt = |&n: &usize| Prompt {
                    token_ids: decoder.ids(n).to_vec(),
                    option_ids: Vec::new(),
                };
                let prompts: Vec<Prompt> = asked.iter().map(prompt).collect();
                let run = model.engine.next(prompts.into(), [plan.clone()].into());
                let anew = run.expect("a run").complete().expect("logits").concat();
                assert_eq!(found.len(), anew.len());
                for (found, anew) in found.iter().zip(&anew) {
                    let largest = anew.iter().fold(1f32, |largest, x| largest.max(x.abs()));
                    for (a, b) in found.iter().zip(anew) {
                        let off = f64::from((a - b).abs() / largest);
                        assert!(off <= tolerance, "{name} {line}, round {round}: {a}, {b}");
                    }
                    checked += 1;
                }
            }
        }
    }
    println!("{checked} next tokens equal");
    assert!(wanted > 0 && checked >= wanted, "{checked} of {wanted}");
    is_cached
}
