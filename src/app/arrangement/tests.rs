use super::*;
use crate::plan::{MAX_RUNS, Strategy};

fn order() -> Vec<usize> {
    (0..12).collect()
}

fn row(line: &str) -> Arrangement {
    Arrangement::of(&Plan::parse(line, &order()).expect(line), &order())
}

fn line(row: &Arrangement) -> String {
    row.plan().expect("a plan").to_string()
}

fn after(from: &str, edit: Edit) -> String {
    line(&row(from).edited(edit).expect("an edit that is made"))
}

fn refused(from: &str, edit: Edit) -> String {
    row(from).edited(edit).expect_err("refused").to_string()
}

#[test]
fn plans_come_back_as_they_were() {
    for plan in [
        "0-11",
        "3",
        "0-3,7-4,8-11",
        "0-3,(4-7)x3,9,8,10-11",
        "5a,5m,5x64,5",
        "(0a,3,3)x2,11m",
        "0-3,(4,5~h2)x2,6a~h1.3,7~h0x2,8",
        "shuffle:2:0",
        "loop:0:64",
        "repeat:1",
    ] {
        let parsed = Plan::parse(plan, &order()).expect(plan);
        assert_eq!(row(plan).plan().expect(plan), parsed, "{plan}");
    }
    // 64 and more equal steps are two spots, and still one plan.
    assert_eq!(row("5x64,5x64,5").spots().len(), 3);
    assert_eq!(line(&row("5x64,5x64,5")), "5x64,5x64,5");
    // A group of one counts its strokes once, as the block alone does.
    assert_eq!(line(&row("0,(4),5")), "0,4-5");
    assert_eq!(row("0-11").line(), "");
    assert_eq!(row("skip:2").line(), "0-2,10-11");
    let shared = [0, 0, 1, 1];
    let original = Arrangement::of(&Plan::whole(&shared).expect("blocks"), &shared);
    assert_eq!((original.spots().len(), original.runs()), (2, 4));
    assert_eq!(original.line(), "");
}

#[test]
fn every_edit_is_the_plan_it_looks_like() {
    let whole = "0-3";
    assert_eq!(after(whole, Edit::Move { from: 0, to: 3 }), "1-3,0");
    assert_eq!(after(whole, Edit::Move { from: 3, to: 1 }), "0,3,1-2");
    // A block keeps its heads' switches wherever it goes.
    assert_eq!(after("0~h2,1-3", Edit::Move { from: 0, to: 2 }), "1-2,0~h2,3");
    let off = |half| Edit::Toggle { spot: 1, painter: 0, half };
    assert_eq!(after(whole, off(Half::Attention)), "0,1m,2-3");
    assert_eq!(after(whole, off(Half::Mlp)), "0,1a,2-3");
    assert_eq!(after("0,1m,2", off(Half::Attention)), "0-2");
    let off_from = |from, half| Edit::SwitchOff { from, half };
    assert_eq!(after(whole, off_from(2, Half::Attention)), "0-1,2m,3m");
    assert_eq!(after("0,(1-2)x3,3~h1", off_from(1, Half::Mlp)), "0,(1a,2a)x3,3a~h1");
    // A block without its only half is left out.
    assert_eq!(after("0,1m,2", off_from(1, Half::Mlp)), "0,2a");
    assert_eq!(after(whole, Edit::Join { first: 1, last: 2 }), "0,(1-2),3");
    assert_eq!(after("0,(1-2),3", Edit::Join { first: 1, last: 2 }), "0,(1-3)");
    assert_eq!(after("0,(1-2)x3,3", Edit::Dissolve { spot: 1 }), "0-3");
    assert_eq!(after(whole, Edit::Repeat { spot: 2, times: 64 }), "0-1,2x64,3");
    assert_eq!(after(whole, Edit::Duplicate { first: 1, last: 2 }), "0-2,1-3");
    assert_eq!(after(whole, Edit::Remove { first: 0, last: 2 }), "3");
    assert_eq!(after("3", Edit::Strategy(Strategy::Reverse { s: 2 })), "0-2,9-3,10-11");
    assert_eq!(after("3", Edit::Reset), "0-11");
}

#[test]
fn what_cannot_be_run_is_refused_in_a_sentence() {
    let last_stroke = Edit::Toggle { spot: 0, painter: 0, half: Half::Mlp };
    for (from, edit, says) in [
        ("0-1", Edit::Remove { first: 0, last: 1 }, "The last block stays"),
        ("4m", last_stroke, "Block 4 has only this component left"),
        ("4m", Edit::SwitchOff { from: 0, half: Half::Mlp }, "The last block stays"),
        ("0-3", Edit::Join { first: 1, last: 1 }, "A group needs two blocks"),
        ("0-3", Edit::Dissolve { spot: 1 }, "A group needs two blocks"),
        ("0,5x3,2", Edit::Join { first: 0, last: 1 }, "Block 5 is repeated"),
        ("0-3", Edit::Repeat { spot: 0, times: 0 }, "A block cannot run 0 times: choose 1 to 64"),
        ("0-3", Edit::Repeat { spot: 0, times: 65 }, "A block cannot run 65 times"),
        ("0-3", Edit::Move { from: 0, to: 4 }, "no tile there"),
        (
            "0-3",
            Edit::Strategy(Strategy::Skip { s: 6 }),
            "That order does not exist on this model: `skip:6` keeps",
        ),
    ] {
        let sentence = refused(from, edit);
        assert!(sentence.contains(says) && sentence.ends_with('.'), "{sentence}");
    }
    let long: Vec<String> = (0..64).map(|i| format!("{}x64", i % 2)).collect();
    let sentence = refused(&long.join(","), Edit::Duplicate { first: 0, last: 0 });
    assert!(sentence.contains(&format!("{}", MAX_RUNS + 64)), "{sentence}");
}

#[test]
fn tiles_keep_their_names_through_edits_and_typing() {
    let before = row("0-5");
    let ids: Vec<u32> = before.spots().iter().map(|spot| spot.id).collect();
    let follow = |line: &str| -> Vec<u32> {
        let plan = Plan::parse(line, &order()).expect(line);
        let after = before.following(&plan);
        let ids: Vec<u32> = after.spots().iter().map(|spot| spot.id).collect();
        let mut unique = ids.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), ids.len(), "{line}: {ids:?}");
        ids
    };
    assert_eq!(follow("5-0"), ids.iter().rev().copied().collect::<Vec<_>>());
    assert_eq!(follow("0,2x3,1m")[..], [ids[0], ids[2], ids[1]]);
    assert_eq!(follow("0-5,0")[..6], ids[..]);
    // A copy beside its original can be taken away from it: it stays a tile of its own.
    let copied = before.edited(Edit::Duplicate { first: 1, last: 1 }).expect("a copy");
    assert_eq!(copied.following(&copied.plan().expect("a plan")).spots().len(), 7);
}

#[test]
fn strokes_are_numbered_as_the_engine_records_them() {
    let row = row("0,5m,(2,3a)x2,1x2");
    let members = crate::engine::members(&row.plan().expect("a plan"), false);
    let strokes = row.strokes();
    assert!(strokes[1][0].attention.is_empty() && strokes[2][1].mlp.is_empty());
    let mut seen = vec![0];
    for (spot, strokes) in row.spots().iter().zip(&strokes) {
        for (painter, strokes) in spot.painters.iter().zip(strokes) {
            for (list, kind) in [
                (&strokes.attention, crate::engine::MemberKind::Attention),
                (&strokes.mlp, crate::engine::MemberKind::Mlp),
            ] {
                for &i in list {
                    assert_eq!(members[i].block, Some(painter.index));
                    assert_eq!(members[i].kind, kind);
                    seen.push(i);
                }
            }
        }
    }
    seen.sort_unstable();
    assert_eq!(seen, (0..members.len()).collect::<Vec<_>>());
}

#[test]
fn the_hand_picks_up_carries_and_puts_down() {
    let mut hand = Hand::on(2);
    let mut acts = Vec::new();
    for key in [Key::Take, Key::Later, Key::Later, Key::Take] {
        let (next, act) = hand.press(key, false, 6);
        hand = next;
        acts.push(act);
    }
    assert_eq!(
        acts,
        [Act::PickUp, Act::Carry, Act::Carry, Act::PutDown(Edit::Move { from: 2, to: 4 })]
    );
    assert_eq!(hand, Hand::on(4));
    // Escape puts it back, and so does putting it down where it was.
    let held = Hand::on(1).pick_up(1).carry(5);
    assert_eq!(held.press(Key::Escape, false, 6), (Hand::on(1), Act::GiveUp));
    assert_eq!(held.carry(1).press(Key::Take, false, 6).1, Act::GiveUp);
    // The ends hold, and shift stretches the choice.
    assert_eq!(Hand::on(5).press(Key::Later, false, 6).0, Hand::on(5));
    let wide = Hand::on(2).press(Key::Later, true, 6).0;
    assert_eq!(wide.chosen(), (2, 3));
    assert_eq!(wide.press(Key::First, true, 6).0.chosen(), (0, 2));
    assert_eq!(Hand::on(9).within(3), Hand::on(2));
}

#[test]
fn undo_goes_back_and_redo_forth() {
    let mut history = History::default();
    history.changed("", false);
    history.changed("0-2", true);
    // A burst of typing is one step.
    history.changed("0-2,", true);
    history.changed("0-2,5", false);
    assert_eq!(history.undo("9").as_deref(), Some("0-2,5"));
    assert_eq!(history.undo("0-2,5").as_deref(), Some("0-2"));
    assert_eq!(history.redo("0-2").as_deref(), Some("0-2,5"));
    assert_eq!(history.undo("0-2,5").as_deref(), Some("0-2"));
    assert_eq!(history.undo("0-2").as_deref(), Some(""));
    assert_eq!((history.undo(""), history.can_undo()), (None, false));
    history.changed("", false);
    assert!(!history.can_redo());
}

#[test]
fn every_strategy_is_offered_with_numbers_the_model_has() {
    for runs in 1..14 {
        let order: Vec<usize> = (0..runs).collect();
        let offer = Offer::for_model(runs);
        for named in offer.all(&order) {
            let exists = runs >= 2;
            assert_eq!(named.problem.is_none(), exists, "{runs} {named:?}");
        }
        let far = Offer { s: 99, seed: 1, rounds: 0, position: 99 }.within(runs);
        assert!(far.all(&order).iter().all(|named| runs < 2 || named.problem.is_none()));
    }
}

#[test]
fn edits_are_said_in_words() {
    let before = row("0-3");
    for (edit, says) in [
        (Edit::Move { from: 0, to: 2 }, "Block 0 is step 3 of 4 now."),
        (Edit::Toggle { spot: 1, painter: 0, half: Half::Mlp }, "Block 1's MLP is off."),
        (Edit::SwitchOff { from: 2, half: Half::Attention }, "Attention is off from block 2 on."),
        (Edit::Join { first: 1, last: 3 }, "Blocks 1, 2 and 3 in parallel now."),
        (Edit::Repeat { spot: 2, times: 3 }, "Block 2, 3 times."),
        (Edit::Remove { first: 3, last: 3 }, "Block 3 is left out."),
        (Edit::Reset, "The original order."),
    ] {
        let after = before.edited(edit).expect("made");
        assert_eq!(edited(&before, &after, edit), says);
    }
}
