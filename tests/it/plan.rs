//! Plans as a person writes them: the notation, its printer, the painters' strategies.

use atelier::plan::{
    BlockRun, Half, HeadsOff, MAX_REPEAT, Plan, PlanError, Step, Strategy as Painters,
};
use proptest::prelude::*;

use crate::common::in_project;

fn parse(line: &str) -> Plan {
    Plan::parse(line, &own_order(12)).unwrap_or_else(|error| panic!("{line}: {error}"))
}

fn own_order(blocks: usize) -> Vec<usize> {
    (0..blocks).collect()
}

fn half(index: usize, half: Half) -> BlockRun {
    BlockRun { half, ..BlockRun::whole(index) }
}

fn without(heads: &[usize], run: BlockRun) -> BlockRun {
    let off = heads.iter().try_fold(HeadsOff::NONE, |off, &head| off.and(head));
    BlockRun { heads_off: off.expect("heads that a plan can speak of"), ..run }
}

#[test]
fn the_notation_of_math_section_7() {
    let group = || Step::Parallel([4, 5, 6, 7].map(BlockRun::whole).to_vec());
    let mut steps: Vec<Step> = (0..4).map(Step::block).collect();
    steps.extend([group(), group(), group()]);
    steps.extend([9, 8, 10, 11].map(Step::block));
    let plan = parse("0-3,(4-7)x3,9,8,10-11");
    assert_eq!(plan.steps(), steps);
    assert_eq!(plan.to_string(), "0-3,(4-7)x3,9,8,10-11");
}

#[test]
fn every_piece_of_the_notation() {
    let whole = |indices: &[usize]| indices.iter().map(|&i| Step::block(i)).collect::<Vec<_>>();
    assert_eq!(parse("7-4").steps(), whole(&[7, 6, 5, 4]));
    assert_eq!(parse("3-3").steps(), whole(&[3]));
    assert_eq!(parse("5x3").steps(), whole(&[5, 5, 5]));
    assert_eq!(
        parse("5a,5m").steps(),
        [Step::Block(half(5, Half::Attention)), Step::Block(half(5, Half::Mlp))]
    );
    assert_eq!(parse("5ax2").steps(), vec![Step::Block(half(5, Half::Attention)); 2]);
    assert_eq!(parse("(4,6,9)").steps(), [Step::Parallel([4, 6, 9].map(BlockRun::whole).to_vec())]);
    assert_eq!(parse("(4)").steps(), [Step::Parallel(vec![BlockRun::whole(4)])]);
    assert_eq!(
        parse("(7-6,2m)").steps(),
        [Step::Parallel(vec![BlockRun::whole(7), BlockRun::whole(6), half(2, Half::Mlp)])]
    );
    assert_eq!(parse(" 0 - 3 , ( 4 , 5 ) x 2 ,\t11 "), parse("0-3,(4,5)x2,11"));
}

#[test]
fn heads_are_switched_off_behind_a_tilde() {
    let five = BlockRun::whole(5);
    for (line, run, printed) in [
        ("5~h3", without(&[3], five), "5~h3"),
        (" 5 ~ h 3 . 1 ", without(&[1, 3], five), "5~h1.3"),
        ("5~h1.1", without(&[1], five), "5~h1"),
        ("5~h127.64.0", without(&[0, 64, 127], five), "5~h0.64.127"),
        ("5a~h3", without(&[3], half(5, Half::Attention)), "5a~h3"),
    ] {
        let plan = parse(line);
        assert_eq!(plan.steps(), [Step::Block(run)], "{line}");
        assert_eq!(plan.to_string(), printed);
    }
    assert_eq!(parse("4,5~h0x2,(5~h1,6)x2,5").to_string(), "4,5~h0x2,(5~h1,6)x2,5");
    let lacking = parse("0-4,5~h3.8").check_heads(|_| 8);
    assert_eq!(
        lacking.expect_err("heads 0 to 7").to_string(),
        "the plan switches head 8 of block 5 off, which is not there: heads are 0 to 7"
    );
    assert_eq!(parse("0-4,5~h3.7").check_heads(|_| 8), Ok(()));
}

#[test]
fn one_canonical_line_for_each_plan() {
    for (written, printed) in [
        ("0,1,2,3", "0-3"),
        ("5,4,3", "5-3"),
        ("9,8", "9,8"),
        ("0,1", "0-1"),
        ("2,2", "2x2"),
        ("0,0,1,1,2,2", "0x2,1x2,2x2"),
        ("0,1,1,2", "0,1x2,2"),
        ("0,2,1,3,4,5", "0,2,1,3-5"),
        ("4x1", "4"),
        ("(1,1,2,2)", "(1,1,2,2)"),
        ("(3,2,1,0),(3-0)", "(3-0)x2"),
        ("(1)", "(1)"),
        ("1a,1a,1m", "1ax2,1m"),
        ("0x64,0x36", "0x64,0x36"),
        ("0x36,0x64", "0x64,0x36"),
    ] {
        assert_eq!(parse(written).to_string(), printed, "{written}");
    }
}

#[test]
fn a_plan_of_steps_is_checked_too() {
    assert_eq!(Plan::new(vec![], 3), Err(PlanError::Empty { blocks: 3 }));
    assert_eq!(Plan::new(vec![Step::Parallel(vec![])], 3), Err(PlanError::EmptyGroup { at: None }));
    let error = Plan::new(vec![Step::block(3)], 3).expect_err("block 3 of 3");
    assert_eq!(
        error.to_string(),
        "the plan runs block 3, which this model does not have: this model's blocks are 0 to 2"
    );
}

#[test]
fn block_runs_follow_the_order_of_members() {
    let runs: Vec<(usize, Half)> =
        parse("1,(4,2m)x2,0a").block_runs().map(|run| (run.index, run.half)).collect();
    use Half::{Attention, Both, Mlp};
    assert_eq!(runs, [(1, Both), (4, Both), (2, Mlp), (4, Both), (2, Mlp), (0, Attention)]);
}

#[test]
fn strategies_of_math_section_7() {
    for (name, line) in [
        ("skip:2", "0-2,10-11"),
        ("repeat:2", "0-2,6x7,10-11"),
        ("reverse:2", "0-2,9-3,10-11"),
        ("shuffle:2:0", "0-2,7,5-3,8,6,9-11"),
        ("parallel:2", "0-2,(3-9),10-11"),
        ("loop:2:3", "0-2,(3-9)x3,10-11"),
        ("drop:0", "1-11"),
        ("drop:11", "0-10"),
        ("swap:4", "0-3,5,4,6-11"),
        (" skip : 2 ", "0-2,10-11"),
    ] {
        assert_eq!(parse(name).to_string(), line, "{name}");
    }
}

#[test]
fn a_strategy_acts_on_the_models_own_order() {
    let shared = [0, 0, 1, 1, 2, 2, 3, 3];
    let line = |name: &str| Plan::parse(name, &shared).expect(name).to_string();
    assert_eq!(Plan::whole(&shared).expect("its own order").to_string(), "0x2,1x2,2x2,3x2");
    assert_eq!(line("skip:1"), "0x2,3");
    assert_eq!(line("reverse:0"), "0,3x2,2x2,1x2,0");
    assert_eq!(line("parallel:2"), "0x2,1,(1,2,2),3x2");
    assert_eq!(line("drop:1"), "0,1x2,2x2,3x2");
    assert_eq!(line("repeat:2"), "0x2,1,2x3,3x2");
    // The notation's numbers are stored blocks.
    assert_eq!(line("3-0"), "3-0");
    assert!(Plan::parse("4", &shared).is_err());
}

#[test]
fn what_leaves_nothing_to_run_or_moves_the_cursor_is_refused() {
    let alone = Plan::parse("drop:0", &[0]).expect_err("nothing is left");
    assert_eq!(
        alone.to_string(),
        "`drop:0` leaves nothing to run: the model has a single block run"
    );
    let control = Plan::parse("0\u{1}", &own_order(12)).expect_err("no letter");
    assert!(control.to_string().starts_with("the plan has `\\u{1}` at character 2 where `,`"));
}

/// The reference implementation's steps, for every named plan of every golden file.
#[test]
fn every_golden_plan() {
    let mut checked = 0;
    let folder = in_project("tests/golden");
    for entry in folder.read_dir().expect("tests/golden") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let golden: serde_json::Value =
            serde_json::from_slice(&std::fs::read(&path).expect("a golden")).expect("JSON");
        let plans = golden["plans"].as_array().expect("plans");
        // The golden models with plans run each block once: attention is every second member.
        let order =
            own_order((golden["baseline"]["members"].as_array().expect("members").len() - 1) / 2);
        for plan in plans {
            let name = plan["name"].as_str().expect("a name");
            let index = |value: &serde_json::Value| value.as_u64().expect("an index") as usize;
            let steps: Vec<Step> = plan["steps"]
                .as_array()
                .expect("steps")
                .iter()
                .map(|step| match step.as_array() {
                    Some(group) => {
                        Step::Parallel(group.iter().map(|i| BlockRun::whole(index(i))).collect())
                    }
                    None => Step::block(index(step)),
                })
                .collect();
            let strategy = Painters::parse(name).expect(name);
            assert_eq!(strategy.to_string(), name);
            assert_eq!(
                strategy.plan(&order).expect(name).steps(),
                steps,
                "{} {name}",
                path.display()
            );
            checked += 1;
        }
    }
    assert!(checked > 150, "{checked} plans in the goldens");
}

const BLOCKS: usize = 12;

fn any_run() -> impl Strategy<Value = BlockRun> {
    // Whole blocks more often, so that ranges appear.
    let halves =
        prop_oneof![6 => Just(Half::Both), 1 => Just(Half::Attention), 1 => Just(Half::Mlp)];
    let heads = prop::option::weighted(0.2, prop::collection::vec(0..HeadsOff::MOST, 1..4));
    (0..BLOCKS, halves, heads).prop_map(|(index, part, heads)| {
        let run = half(index, part);
        match heads {
            Some(heads) if part != Half::Mlp => without(&heads, run),
            _ => run,
        }
    })
}

fn any_steps() -> impl Strategy<Value = Vec<Step>> {
    let range = |first: usize, last: usize| -> Vec<usize> {
        if first <= last { (first..=last).collect() } else { (last..=first).rev().collect() }
    };
    let piece = prop_oneof![
        4 => (0..BLOCKS, 0..BLOCKS).prop_map(move |(a, b)| range(a, b).into_iter().map(Step::block).collect()),
        3 => (any_run(), 1..MAX_REPEAT + 9).prop_map(|(run, n)| vec![Step::Block(run); n]),
        3 => any_run().prop_map(|run| vec![Step::Block(run)]),
        3 => (proptest::collection::vec(any_run(), 1..6), 1..4usize)
            .prop_map(|(group, n)| vec![Step::Parallel(group); n]),
        1 => (0..BLOCKS, 0..BLOCKS)
            .prop_map(move |(a, b)| vec![Step::Parallel(range(a, b).into_iter().map(BlockRun::whole).collect())]),
    ];
    proptest::collection::vec(piece, 1..8).prop_map(|pieces: Vec<Vec<Step>>| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn printing_and_reading_give_the_same_plan(steps in any_steps()) {
        let plan = Plan::new(steps, BLOCKS).expect("valid steps");
        let line = plan.to_string();
        let read = Plan::parse(&line, &own_order(BLOCKS)).expect("its own line");
        prop_assert_eq!(&read, &plan, "{}", line);
        prop_assert_eq!(read.to_string(), line);
    }
}
