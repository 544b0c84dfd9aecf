//! Vote and need: the heads' votes are their attention's, the members' are the lead, and what is lost is
//! what the plan without a part loses, over rows and on one prompt.

use crate::common::{load, model_folder, question, random, run_to_end};
use atelier::engine::MemberKind;
use atelier::measure::decomposition::logit_difference;
use atelier::measure::interval::Mean;
use atelier::model::Prompt;
use atelier::plan::Plan;
use atelier::study::need::{Need, Needing};
use atelier::study::parts::{LeavingOut, PartLoss};
use atelier::study::report::{Opened, Report};
use atelier::study::{LoadedModel, Question, Running, StudyError};
use atelier::task::item::Item;

fn items(vocabulary: u32) -> Vec<Item> {
    let row = |n: u32| Item::Ids {
        token_ids: (0..5 + n).map(|t| (t * 37 + n) % vocabulary).collect(),
        option_ids: vec![n, 50 + n, 90 + n],
        answer: n as usize % 3,
    };
    (0..10).map(row).collect()
}

fn need(name: &str) -> Need {
    let model = random(name);
    let items = items(model.shape().vocabulary as u32);
    let mut needing = Needing::start(&model, "mine", &items, 0).expect("rows");
    while needing.advance().expect("a call").is_some() {}
    needing.need()
}

#[test]
fn heads_vote_what_their_attention_votes() {
    // Grouped heads, and norms of heads; no bias that would be the attention's and no head's.
    for name in ["random-llama3", "random-qwen3", "random-mobilellm-layer-share"] {
        let found = need(name);
        assert_eq!(found.rows, 10);
        let votes = |kind: MemberKind, run: usize, heads: bool| -> f64 {
            let parts = found.parts.iter();
            let own = parts
                .filter(|part| (part.kind, part.run, part.head.is_some()) == (kind, run, heads));
            own.map(|part| part.vote.mean).sum()
        };
        let runs = found.parts.iter().map(|part| part.run).max().expect("parts") + 1;
        for run in 0..runs {
            let (attention, heads) =
                (votes(MemberKind::Attention, run, false), votes(MemberKind::Attention, run, true));
            assert!(
                (attention - heads).abs() < 1e-3 * attention.abs().max(1.0),
                "{name}, run {run}: {attention}, {heads}"
            );
        }
        // All members' votes are the lead; the embedding is no part.
        let all: f64 = (0..runs)
            .map(|run| {
                votes(MemberKind::Attention, run, false) + votes(MemberKind::Mlp, run, false)
            })
            .sum();
        assert!(all.is_finite() && found.lead.mean.is_finite());
        assert!(found.parts.iter().any(|part| part.loss.mean.abs() > 1e-6));
        let model = load(&model_folder(name).expect("a model"));
        assert!(found.parts.iter().all(|part| model.plan(Some(&part.plan)).is_ok()));
    }
}

#[test]
fn ln_p_that_rows_lose_is_what_two_runs_differ_by() {
    let name = "random-llama3";
    let model = random(name);
    let items = items(model.shape().vocabulary as u32);
    let found = need(name);
    // The mean over rows of ln P of the right option.
    let mean = |plan: &Plan| {
        let of_row = |item: &Item| {
            let Item::Ids { token_ids, option_ids, answer } = item else {
                unreachable!("rows of ids")
            };
            let prompt = Prompt { token_ids: token_ids.clone(), option_ids: Vec::new() };
            let run = model.engine.next([prompt].into(), [plan.clone()].into()).expect("a run");
            let logits = run.complete().expect("logits").remove(0).remove(0);
            log_softmax(&logits)[option_ids[*answer] as usize]
        };
        items.iter().map(of_row).sum::<f64>() / items.len() as f64
    };

    let own = mean(&model.plan(None).expect("its own order"));
    let near = |found: Option<Mean>, expected: f64| {
        let found = found.expect("the vocabulary was read").mean;
        assert!((found - expected).abs() < 2e-4 * (1.0 + expected.abs()), "{found} {expected}");
    };
    near(found.log_probability, own);
    for part in found.parts.iter().step_by(5) {
        let without = model.plan(Some(&part.plan)).expect("a plan that can be read again");
        near(part.lost, own - mean(&without));
        assert!(part.first_word.is_some_and(|share| (0.0..=1.0).contains(&share.mean)));
    }
}

#[test]
fn components_are_compared_with_components_and_heads_with_heads() {
    let found = need("random-llama3");
    for (is_head, compared) in [(false, &found.components), (true, &found.heads)] {
        let largest = compared.largest_loss.as_ref().expect("several parts on several rows");
        let own = |n: usize| found.parts[n].head.is_some() == is_head;
        assert!(own(largest.part) && largest.beside.iter().all(|&n| own(n)));
        let most = found.parts[largest.part].loss.mean;
        let parts = found.parts.iter().enumerate().filter(|(n, _)| own(*n));
        assert!(parts.into_iter().all(|(_, part)| part.loss.mean <= most));
        assert!(compared.rank_correlation.is_some_and(|r| (-1.0..=1.0).contains(&r)));
    }
    assert_ne!(found.components.rank_correlation, found.heads.rank_correlation);
}

#[test]
fn a_need_is_asked_of_options() {
    let model = random("random-llama2");
    let none = Needing::start(&model, "mine", &[], 0).err().expect("no rows");
    assert!(matches!(none, StudyError::NoRows));
    let one = Item::Ids { token_ids: vec![1, 2], option_ids: vec![3], answer: 0 };
    let refused = Needing::start(&model, "mine", &[one], 0).err().expect("no options");
    let sentence = refused.to_string();
    assert!(sentence.contains("mine"), "{sentence}");
}

/// LayerNorm and biases, half-blocks side by side, grouped heads, a read-out's bias.
const MODELS: [&str; 4] = ["random-gpt2", "random-pythia", "random-llama3", "random-phi2"];

/// Leaves out every part of `plan` once.
fn left_out(model: &LoadedModel, plan: &Plan) -> Report {
    let mut run = LeavingOut::start(model, &question(model), plan.clone()).expect("a run");
    run_to_end(|| run.advance().expect("a step"));
    run.report().expect("a report")
}

/// Logits of the whole vocabulary under one plan, run by itself.
fn said(model: &LoadedModel, plan: &str) -> Vec<f32> {
    let plan = model.plan(Some(plan)).expect("a plan that can be read again");
    let prompt = question(model).prompt;
    let run = model.engine.next([prompt].into(), [plan].into()).expect("a run");
    run.complete().expect("logits").remove(0).remove(0)
}

#[test]
fn what_is_lost_without_a_part_is_what_two_runs_differ_by() {
    for name in MODELS {
        let model = random(name);
        for line in ["0-1", "0~h1,1,1m,(0a,1)"] {
            let plan = model.plan(Some(line)).expect("a plan");
            let report = left_out(&model, &plan);
            let parts = report.parts.as_deref().expect("parts");
            let Question { prompt, answer, .. } = question(&model);
            let right = prompt.option_ids[answer] as usize;
            let of_options = |all: &[f32]| -> f64 {
                let options: Vec<f32> =
                    prompt.option_ids.iter().map(|&id| all[id as usize]).collect();
                logit_difference(&options, answer)
            };

            let whole = said(&model, &plan.to_string());
            let before = log_softmax(&whole)[right];
            let near = |a: f64, b: f64| (a - b).abs() < 2e-4 * (1.0 + b.abs());
            assert!(near(parts.log_probability, before), "{name} {line}");
            assert!(near(parts.lead, of_options(&whole)), "{name} {line}");
            for part in parts.members.iter().chain(&parts.heads) {
                let PartLoss { plan: without, lost, lead_lost, kl: far, rank, .. } = part;
                let other = said(&model, without);
                let more = other.iter().filter(|&&x| x > other[right]).count();
                assert!(near(*lost, before - log_softmax(&other)[right]), "{name} {without}");
                assert!(near(*lead_lost, of_options(&whole) - of_options(&other)), "{name}");
                assert!(near(*far, kl(&whole, &other)), "{name} {without}: {far}");
                assert_eq!(*rank, 1 + more, "{name} {without}");
            }
        }
    }
}

#[test]
fn every_part_that_can_be_left_out_is_left_out_once() {
    let model = random("random-llama3");
    let heads = model.shape().blocks[0].attention.heads;
    let plan = model.plan(Some("0~h1,1,1m,(0a,1)")).expect("a plan");
    let report = left_out(&model, &plan);
    let (lens, parts) = (report.lens.as_ref().expect("a lens"), report.parts.as_deref());
    let parts = parts.expect("parts");
    let members: Vec<usize> = parts.members.iter().map(|part| part.member).collect();
    assert_eq!(members, (1..lens.members.len()).collect::<Vec<_>>());
    // Four attentions run; one head was off already.
    assert_eq!(parts.heads.len(), 4 * heads - 1);
    let off: Vec<_> = parts.heads.iter().filter(|part| part.head == Some(1)).collect();
    assert!(off.iter().all(|part| part.member != 1));
    let mut plans: Vec<&str> =
        parts.members.iter().chain(&parts.heads).map(|part| part.plan.as_str()).collect();
    let all = plans.len();
    plans.sort_unstable();
    plans.dedup();
    assert_eq!(plans.len(), all);
    assert!(parts.unrelated_kl.is_some_and(|kl| kl > 0.0));

    // A file of it is opened again, and one whose part is no member's is not.
    let text = serde_json::to_string(&report).expect("JSON");
    match Opened::read(text.as_bytes()) {
        Ok(Opened::Lens(again)) => assert_eq!(*again, report),
        other => panic!("{other:?}"),
    }
    let other = text.replacen("\"member\":1,", "\"member\":0,", 1);
    assert_ne!(text, other);
    assert!(Opened::read(other.as_bytes()).is_err());
}

/// Natural logarithms of the softmax.
fn log_softmax(logits: &[f32]) -> Vec<f64> {
    let sum: f64 = logits.iter().map(|&x| f64::from(x).exp()).sum();
    logits.iter().map(|&x| f64::from(x) - sum.ln()).collect()
}

/// Kullback-Leibler divergence from one answer to another, nats.
fn kl(from: &[f32], to: &[f32]) -> f64 {
    let (from, to) = (log_softmax(from), log_softmax(to));
    from.iter().zip(&to).map(|(p, q)| p.exp() * (p - q)).sum()
}
