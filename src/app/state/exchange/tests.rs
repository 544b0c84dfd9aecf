//! Which answer belongs to which question, whatever happens in between.

use super::*;
use crate::app::protocol::{Asked, OrdersAsk};
use crate::study::orders::{Extent, Sweep};
use crate::task::built_in::BuiltInTask;
use crate::task::primer::GeneratedTask;

fn known(name: &str) -> Choice {
    Choice::Known(name.into())
}

fn facts(name: &str) -> ModelFacts {
    let baked = crate::app::examples::first_report();
    ModelFacts { name: name.into(), ..baked.model }
}

fn lens() -> Ask {
    Ask::Lens { asked: Asked::default(), inside: None }
}

fn compare() -> Ask {
    Ask::Compare(Asked::default())
}

fn sweep() -> Ask {
    Ask::Orders(OrdersAsk {
        tasks: vec![BuiltInTask::Generated(GeneratedTask::Sum)],
        rows: 1,
        sweeps: vec![Sweep::Drop],
        extent: Extent::default(),
        plans: Vec::new(),
    })
}

/// An exchange whose worker holds `name`.
fn holding(name: &str) -> Exchange {
    let mut exchange = Exchange::default();
    let load = exchange.load(&known(name), EngineWish::Cpu, 0.0);
    let id = load.last().expect("a load").id;
    exchange.loaded(id, facts(name), None, 0.0).expect("it is the load under way");
    exchange
}

#[test]
fn a_draft_of_another_model_is_not_run_on_the_one_held() {
    let exchange = holding("scholar-12");
    assert!(exchange.holds(&known("scholar-12")));
    // A report of another model was opened: the draft is that model's now.
    assert!(!exchange.holds(&known("scholar-2")));
    // A folder of the same name is another model, too.
    assert!(!exchange.holds(&Choice::Folder("scholar-12".into())));
}

#[test]
fn a_check_during_the_first_load_leaves_the_load_alone() {
    let mut exchange = Exchange::default();
    exchange.load(&known("a"), EngineWish::Auto, 0.0);
    assert!(exchange.compare(&known("a"), compare(), 1.0).is_empty());
    assert_eq!(exchange.work().map(|work| work.job), Some(Job::Load));
}

#[test]
fn a_sweep_whose_load_is_cancelled_never_starts_by_itself() {
    let mut exchange = Exchange::default();
    let load = exchange.load(&known("a"), EngineWish::Auto, 0.0);
    let (id, posts) = exchange.sweep_on(Some(&known("a")), sweep(), 0.0);
    assert!(posts.is_empty() && exchange.sweep_id() == Some(id));
    let (stopping, _) = exchange.cancel_work();
    assert_eq!(stopping, Stopping::Awaited(load[0].id));
    exchange.stopped(load[0].id).expect("it was under way");
    assert_eq!(exchange.sweep_id(), None);
    let again = exchange.load(&known("a"), EngineWish::Auto, 0.0);
    let begun = exchange.loaded(again[0].id, facts("a"), None, 0.0);
    assert_eq!(begun.expect("loaded").len(), 0);
    // One that is not cancelled begins, under the id it was given.
    let mut exchange = Exchange::default();
    let load = exchange.load(&known("a"), EngineWish::Auto, 0.0);
    let (id, _) = exchange.sweep_on(Some(&known("a")), sweep(), 0.0);
    let begun = exchange.loaded(load[0].id, facts("a"), None, 0.0);
    assert_eq!(begun.expect("loaded")[0].id, id);
    assert_eq!(exchange.sweep_id(), Some(id));
}

#[test]
fn a_sweep_that_waited_for_one_model_does_not_start_on_another() {
    let mut exchange = Exchange::default();
    exchange.load(&known("a"), EngineWish::Auto, 0.0);
    exchange.sweep_on(Some(&known("a")), sweep(), 0.0);
    let other = exchange.load(&known("b"), EngineWish::Auto, 0.0);
    let id = other.last().expect("a load").id;
    let begun = exchange.loaded(id, facts("b"), None, 0.0);
    assert_eq!(begun.expect("loaded").len(), 0);
}

#[test]
fn cancelling_a_check_behind_a_sweep_keeps_worker_model_and_sweep() {
    let mut exchange = holding("a");
    let (sweep, _) = exchange.sweep_on(Some(&known("a")), sweep(), 0.0);
    let check = exchange.compare(&known("a"), compare(), 0.0);
    let (stopping, posts) = exchange.cancel_work();
    // Nothing is waited for, so nothing can run out of patience and end the worker.
    assert_eq!(stopping, Stopping::Done);
    assert!(matches!(posts[0].ask, Ask::Cancel { id } if id == check[0].id));
    assert!(!exchange.unheard(check[0].id));
    assert!(exchange.holds(&known("a")) && exchange.sweep_id() == Some(sweep));
    // And the other way about: a sweep is stopped while a prompt runs.
    let run = exchange.run(lens(), 0.0);
    let (stopping, _) = exchange.cancel_sweep();
    assert_eq!(stopping, Stopping::Done);
    assert_eq!(exchange.work().map(|work| work.id), Some(run[0].id));
}

#[test]
fn a_worker_that_does_not_hear_is_ended_only_where_nothing_else_is_lost() {
    let mut exchange = holding("a");
    let run = exchange.run(lens(), 0.0)[0].id;
    assert_eq!(exchange.cancel_work().0, Stopping::Awaited(run));
    // Before the patience ends, a sweep is begun.
    let (sweep, _) = exchange.sweep_on(Some(&known("a")), sweep(), 0.0);
    assert!(!exchange.unheard(run));
    assert_eq!(exchange.sweep_id(), Some(sweep));
    assert!(exchange.work().is_none());
    assert_eq!(exchange.cancel_sweep().0, Stopping::Awaited(sweep));
    assert!(exchange.unheard(sweep));
    assert!(exchange.held().is_none());
}

#[test]
fn a_look_at_the_machine_stands_beside_everything_and_never_ends_the_worker() {
    let mut exchange = holding("a");
    let look = exchange.look(true, EngineWish::Auto, 0.0)[0].id;
    assert!(exchange.look(true, EngineWish::Auto, 0.0).is_empty(), "one at a time");
    let run = exchange.run(lens(), 0.0)[0].id;
    let (sweep, _) = exchange.sweep_on(Some(&known("a")), sweep(), 0.0);
    for id in [look, run, sweep] {
        assert_eq!(exchange.under_way(id).map(|work| work.id), Some(id));
    }
    exchange.ended(sweep);
    // A run that is given up does not take the look along, nor does a sweep.
    assert_eq!(exchange.cancel_work().0, Stopping::Done);
    assert!(!exchange.unheard(run) && exchange.doctor().is_some());
    exchange.load(&known("b"), EngineWish::Cpu, 0.0);
    assert!(exchange.doctor().is_some(), "another model is no matter to it");
    let post = exchange.cancel_look().expect("it is under way");
    assert!(matches!(post.ask, Ask::Cancel { id } if id == look));
    assert!(!exchange.unheard(look));
    exchange.ended(look).expect("it was under way");
    assert!(exchange.cancel_look().is_none());
    // A load that is stopped and does not hear goes with the worker, and so does the look.
    exchange.look(false, EngineWish::Auto, 0.0);
    let (stopping, _) = exchange.cancel_work();
    let Stopping::Awaited(load) = stopping else {
        panic!("{stopping:?}");
    };
    assert!(exchange.unheard(load) && exchange.doctor().is_none());
    assert_eq!(exchange.fall_back(), Some((known("a"), false)));
}

#[test]
fn what_is_likeliest_after_one_prompt_is_not_put_under_another() {
    let mut exchange = holding("a");
    let mut draft = crate::app::examples::first();
    draft.plan = " 0-3 ".into();
    let says = Ask::Says { prompt: draft.prompt.clone(), plan: draft.plan_line() };
    exchange.run(says, 0.0);
    assert!(exchange.is_asked(&draft));
    let written_on = Draft { prompt: draft.prompt.clone() + " more", ..draft.clone() };
    assert!(!exchange.is_asked(&written_on));
    let other_order = Draft { plan: String::new(), ..draft.clone() };
    assert!(!exchange.is_asked(&other_order));
    exchange.run(lens(), 0.0);
    assert!(!exchange.is_asked(&draft));
}

#[test]
fn a_load_that_fails_leaves_what_was_there_or_brings_it_back() {
    for is_kept in [true, false] {
        let mut exchange = holding("a");
        // One load in place of another: what is gone back to is what was held before both.
        exchange.load(&known("b"), EngineWish::Cpu, 0.0);
        let load = exchange.load(&known("c"), EngineWish::Cpu, 0.0);
        let id = load.last().expect("a load").id;
        assert!(exchange.fall_back().is_none(), "it is under way");
        if is_kept {
            exchange.kept(id - 1);
            assert!(!exchange.is_kept, "late news");
            exchange.kept(id);
        }
        exchange.stopped(id).expect("it was under way");
        assert_eq!(exchange.fall_back(), Some((known("a"), is_kept)));
        assert_eq!(exchange.holds(&known("a")), is_kept);
        assert_eq!(exchange.fall_back(), None, "once");
    }
    // A worker that dies over a load takes what was there with it; one that dies over a run had
    // nothing else.
    let mut exchange = holding("a");
    exchange.load(&known("b"), EngineWish::Cpu, 0.0);
    exchange.died();
    assert_eq!(exchange.fall_back(), Some((known("a"), false)));
    let mut exchange = holding("a");
    exchange.run(lens(), 0.0);
    exchange.died();
    assert_eq!(exchange.fall_back(), None);
    // The first load has nothing before it.
    let mut exchange = Exchange::default();
    let load = exchange.load(&known("a"), EngineWish::Cpu, 0.0);
    exchange.stopped(load[0].id).expect("it was under way");
    assert_eq!(exchange.fall_back(), None);
}

#[test]
fn what_waits_for_no_model_begins_at_once_and_ends_what_did() {
    let step = |is_own| Ask::LessonStep {
        lesson: "votes".into(),
        step: "sum".into(),
        phase: crate::study::lessons::StepPhase::Reveal,
        is_own,
    };
    // A link with a folder that is not here: nothing is held, and nothing is on its way.
    let mut exchange = Exchange::default();
    let folder = Choice::Folder("mine".into());
    let (own, posts) = exchange.sweep_on(Some(&folder), step(true), 0.0);
    assert!(posts.is_empty() && exchange.sweep().is_none());
    assert_eq!(exchange.sweep_id(), Some(own));
    let (lent, posts) = exchange.sweep_on(None, step(false), 0.0);
    assert!(matches!(
        posts.as_slice(),
        [Post { id, ask: Ask::LessonStep { is_own: false, .. } }] if *id == lent
    ));
    assert_eq!(exchange.sweep_id(), Some(lent));
    assert!(exchange.under_way(lent).is_some() && exchange.under_way(own).is_none());
    // Beside a model that is on its way it waits in the worker, and a model that comes does not end it.
    let load = exchange.load(&known("a"), EngineWish::Cpu, 0.0);
    let (lent, _) = exchange.sweep_on(None, step(false), 0.0);
    let id = load.last().expect("a load").id;
    let begun = exchange.loaded(id, facts("a"), None, 0.0);
    assert!(begun.is_some_and(|posts| posts.is_empty()));
    assert_eq!(exchange.sweep_id(), Some(lent));
}

#[test]
fn an_answer_to_a_stale_id_changes_nothing() {
    let mut exchange = holding("a");
    let first = exchange.run(lens(), 0.0)[0].id;
    let second = exchange.run(lens(), 0.0);
    assert!(matches!(second[0].ask, Ask::Cancel { id } if id == first));
    assert!(exchange.ended(first).is_none());
    exchange.progressed(first, (Stage::Run, 1.0, 2.0));
    assert_eq!(exchange.work().and_then(|work| work.progress), None);
    assert!(exchange.loaded(first, facts("b"), None, 0.0).is_none());
    assert!(exchange.holds(&known("a")));
}

fn write() -> Ask {
    Ask::GoOn { text: "a".into(), plan: None, tokens: 12 }
}

#[test]
fn a_newer_request_ends_the_text_and_no_other_work() {
    let mut exchange = holding("a");
    let (sweep, _) = exchange.sweep_on(Some(&known("a")), sweep(), 0.0);
    let text = exchange.write(write(), 0.0)[0].id;
    assert!(exchange.is_writing() && exchange.under_way(text).is_some());
    let posts = exchange.run(lens(), 0.0);
    assert!(matches!(posts[0].ask, Ask::Cancel { id } if id == text));
    assert!(!exchange.is_writing() && exchange.under_way(text).is_none());
    assert_eq!(exchange.sweep_id(), Some(sweep));
    // So does another model.
    let mut exchange = holding("a");
    let text = exchange.write(write(), 0.0)[0].id;
    let posts = exchange.load(&known("b"), EngineWish::Cpu, 0.0);
    assert!(matches!(posts[0].ask, Ask::Cancel { id } if id == text));
}

#[test]
fn a_sweep_that_is_stopped_beside_a_text_leaves_worker_and_text() {
    let mut exchange = holding("a");
    exchange.sweep_on(Some(&known("a")), sweep(), 0.0);
    exchange.write(write(), 0.0);
    assert_eq!(exchange.cancel_sweep().0, Stopping::Done);
    assert!(exchange.is_writing() && exchange.holds(&known("a")));
    // Nor is the worker ended for one that it was asked to stop before the text began.
    let (other, _) = exchange.sweep_on(Some(&known("a")), sweep(), 0.0);
    assert!(!exchange.unheard(other));
    assert!(exchange.holds(&known("a")));
}

#[test]
fn a_sweeps_pace_says_when_it_will_be_done() {
    let mut exchange = holding("a");
    let (id, _) = exchange.sweep_on(Some(&known("a")), sweep(), 1000.0);
    let left = |exchange: &Exchange, now: f64| exchange.sweep().and_then(|w| w.seconds_left(now));
    assert_eq!(left(&exchange, 9000.0), None);
    exchange.progressed(id, (Stage::Parts, 25.0, 100.0));
    assert_eq!(left(&exchange, 2000.0), None);
    assert_eq!(left(&exchange, 6000.0), Some(15.0));
    exchange.progressed(id, (Stage::Parts, 100.0, 100.0));
    assert_eq!(left(&exchange, 6000.0), None);
    // A run of a long prompt says so, too.
    let run = exchange.run(lens(), 1000.0).pop().expect("a run").id;
    exchange.progressed(run, (Stage::Run, 25.0, 100.0));
    assert_eq!(exchange.work().and_then(|work| work.seconds_left(6000.0)), Some(15.0));
}
