//! A member's own row: its votes are the run's, its tokens are what reading the whole vocabulary plainly
//! gives, its cost is what the plan without it loses.

use std::ops::ControlFlow;

use crate::common::{question, random, run_to_end};
use atelier::engine::{MemberKind, member_names};
use atelier::measure::decomposition::softmax;
use atelier::model::Prompt;
use atelier::plan::Plan;
use atelier::study::member::{Accounting, LISTED, MemberAccount};
use atelier::study::report::{Opened, Report};
use atelier::study::{LoadedModel, Running, lens};

/// LayerNorm and biases, half-blocks side by side, RMS norm with grouped heads, a head of its own.
const MODELS: [&str; 5] =
    ["random-gpt2", "random-pythia", "random-llama3", "random-qwen3", "random-phi2"];

fn account(model: &LoadedModel, plan: &Plan, name: &str) -> Report {
    let question = question(model);
    let mut run = Accounting::start(model, &question, plan.clone(), name).expect("a member");
    run_to_end(|| run.advance().expect("a step"));
    run.report().expect("a report")
}

fn of(report: &Report) -> &MemberAccount {
    report.member.as_deref().expect("an account")
}

/// Every member's votes on every token, by asking for the whole vocabulary as options.
fn plain(model: &LoadedModel, plan: &Plan) -> Vec<Vec<f32>> {
    let ids = question(model).prompt.token_ids;
    let all = (0..model.shape().vocabulary as u32).collect();
    let prompt = Prompt::from_ids(model.shape(), ids, all).expect("a prompt");
    let traces = model
        .engine
        .run(&[prompt], std::slice::from_ref(plan), &mut |_, _| ControlFlow::Continue(()));
    let mut traces = traces.expect("a run").into_iter().flatten();
    traces.next().expect("one trace").member_logits
}

#[test]
fn a_member_votes_what_it_votes_in_the_lens() {
    for name in MODELS {
        let model = random(name);
        let plan = model.plan(None).expect("the model's own order");
        let question = question(&model);
        let trace = model.engine.run(
            std::slice::from_ref(&question.prompt),
            std::slice::from_ref(&plan),
            &mut |_, _| ControlFlow::Continue(()),
        );
        let trace = trace.expect("a run").remove(0).remove(0);
        let alone = lens::lens(&model, &question, &plan, trace);
        let report = account(&model, &plan, "1m");
        let lens = report.lens.as_ref().expect("the run");
        assert_eq!(lens.member_logits, alone.member_logits, "{name}");
        assert_eq!(member_names(&lens.members)[of(&report).index], "1m");
        // A file of it is opened again, and one whose member is another's is not.
        let text = serde_json::to_string(&report).expect("JSON");
        assert!(matches!(Opened::read(text.as_bytes()), Ok(Opened::Lens(_))));
        let other = text.replace("\"name\":\"1m\"", "\"name\":\"0m\"");
        assert_ne!(text, other);
        assert!(Opened::read(other.as_bytes()).is_err());
    }
}

#[test]
fn the_tokens_are_those_of_the_whole_vocabulary_read_plainly() {
    for name in MODELS {
        let model = random(name);
        let plan = model.plan(Some("0,1,1,0a")).expect("a plan");
        let plain = plain(&model, &plan);
        let names = member_names(&model.engine.members(&plan));
        assert!(names.contains(&"1m:2".to_owned()));
        for (index, member) in names.iter().enumerate() {
            let report = account(&model, &plan, member);
            let (found, row) = (of(&report), &plain[index]);
            assert_eq!((found.index, found.vocabulary), (index, row.len()));
            let near = |a: f64, b: f64| (a - b).abs() < 1e-4 * (1.0 + b.abs());
            let mean = row.iter().map(|&x| f64::from(x)).sum::<f64>() / row.len() as f64;
            assert!(near(found.mean_vote, mean), "{name} {member}");
            let mut sorted = row.clone();
            sorted.sort_by(f32::total_cmp);
            for (n, vote) in found.lowers.iter().enumerate() {
                assert!(near(vote.vote.into(), sorted[n].into()), "{name} {member}");
                assert!(near(vote.vote.into(), row[vote.id as usize].into()));
            }
            sorted.reverse();
            for (n, vote) in found.raises.iter().enumerate() {
                assert!(near(vote.vote.into(), sorted[n].into()), "{name} {member}");
                assert!(near(vote.vote.into(), row[vote.id as usize].into()));
            }
            assert_eq!([found.raises.len(), found.lowers.len()], [LISTED; 2]);
        }
    }
}

#[test]
fn the_cost_is_what_the_plan_without_it_loses() {
    for name in MODELS {
        let model = random(name);
        let plan = model.plan(Some("0,1,1")).expect("a plan");
        for (member, line) in [("0a", "0m,1,1"), ("1m", "0,1a,1"), ("1a:2", "0,1,1m")] {
            let report = account(&model, &plan, member);
            let (lens, found) = (report.lens.as_ref().expect("the run"), of(&report));
            let without = found.without.as_ref().expect("a plan without it");
            let line = model.plan(Some(line)).expect("a plan");
            assert_eq!(without.plan, line.to_string(), "{name}");
            let other = account(&model, &line, "emb");
            let other = other.lens.expect("the run");
            assert_eq!(without.logits, other.logits, "{name} {member}");
            let logits: Vec<f64> = without.logits.iter().map(|&x| f64::from(x)).collect();
            assert_eq!(without.probabilities, softmax(&logits));
            let lead = |x: &[f32]| f64::from(x[1]) - (f64::from(x[0]) + f64::from(x[2])) / 2.0;
            assert!((found.lead - lead(&lens.logits)).abs() < 1e-6);
            assert!((without.lead - lead(&without.logits)).abs() < 1e-6);
        }
        let emb = account(&model, &plan, "emb");
        assert_eq!(of(&emb).without, None, "{name}");
    }
}

#[test]
fn under_a_plan_the_answer_is_compared_with_the_original_order() {
    let model = random("random-llama3");
    let (plan, question) = (model.plan(Some("1,0")).expect("a plan"), question(&model));
    let mut run = Accounting::start(&model, &question, plan.clone(), "0m").expect("a member");
    while run.advance().expect("a step").is_some() {}
    let kl = |report: &Report| report.lens.as_ref()?.vocabulary.as_ref()?.kl;

    // The original order has not run yet.
    let mut original = run.original_after().expect("a run").expect("it is not known");
    let report = run.report().expect("a report");
    assert_eq!(kl(&report), None);
    while original.advance().expect("a step").is_some() {}
    let mut lens = report.lens.expect("the run");
    lens::compare(&mut lens, &original.finish().expect("a trace"));
    let found = lens.vocabulary.and_then(|vocabulary| vocabulary.kl).expect("compared");
    assert!(found > 1e-6, "{found}");

    // Now it is known, and is not run again.
    let again = kl(&account(&model, &plan, "0m")).expect("compared at once");
    assert!((again - found).abs() < 1e-6 * found.max(1.0), "{again} {found}");
    let original = model.plan(None).expect("the original order");
    assert_eq!(kl(&account(&model, &original, "0m")), None);
}

#[test]
fn attention_reads_the_prompt_and_nothing_else_does() {
    for name in MODELS {
        let model = random(name);
        let plan = model.plan(Some("0,1,1~h0")).expect("a plan");
        let members = model.engine.members(&plan);
        for (index, member) in member_names(&members).iter().enumerate() {
            let report = account(&model, &plan, member);
            let reads = &of(&report).reads;
            if members[index].kind != MemberKind::Attention {
                assert!(reads.is_empty(), "{name} {member}");
                continue;
            }
            let block = members[index].block.expect("a block's");
            assert_eq!(reads.len(), model.shape().blocks[block].attention.heads);
            for head in reads {
                let sum: f32 = head.weights.iter().sum();
                assert!((sum - 1.0).abs() < 1e-4, "{name} {member}: {sum}");
                let is_off = member == "1a:2" && head.head == 0;
                assert_eq!(head.is_off, is_off);
                let carries = head.carried.iter().any(|&length| length > 0.0);
                assert_eq!(carries, !is_off, "{name} {member}");
            }
        }
    }
}

#[test]
fn a_member_that_did_not_run_is_refused_by_name() {
    let model = random("random-llama3");
    let plan = model.plan(Some("0,1a")).expect("a plan");
    let refused = Accounting::start(&model, &question(&model), plan, "1m");
    let why = refused.err().expect("no such member").to_string();
    assert!(why.contains("no member 1m") && why.contains("0,1a"), "{why}");
}
