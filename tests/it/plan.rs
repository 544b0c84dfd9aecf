//! Plans as a person writes them: the notation, its printer, the painters' strategies.

use atelier::plan::{
    BlockRun, Half, HeadsOff, MAX_REPEAT, Plan, PlanError, Step, Strategy as Painters,
};
use proptest::prelude::*;

use crate::common::in_project;

fn parse(line: &str) -> Plan {
    Plan::parse(line, &own_order(12)).unwrap_or_else(|error| panic!("{line}: {error}"))
}

fn refusal(line: &str) -> String {
    match Plan::parse(line, &own_order(12)) {
        Ok(plan) => panic!("`{line}` was read as {plan}"),
        Err(error) => error.to_string(),
    }
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
    for (line, says) in [
        ("0-3~h1", "heads of the range `0-3`"),
        ("(4-6~h1)", "heads of the range `4-6`"),
        ("5m~h1", "block 5's MLP"),
        ("5~h128", "head 128 of block 5 off: a plan speaks of heads 0 to 127"),
        ("5~h99999999999999999999", "heads 0 to 127"),
        ("5~", "ends where `h` and a head's number should stand"),
        ("5~x", "`x` at character 3 where `h`"),
        ("5~h", "ends where a head's number should stand"),
        ("5~h1.", "ends where a head's number should stand"),
        ("5~h1-2", "where `,` or the end should stand"),
    ] {
        let sentence = refusal(line);
        assert!(sentence.contains(says), "{line}: {sentence}");
    }
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
fn a_refusal_names_the_place_and_the_piece() {
    for (line, sentence) in [
        (
            "",
            "the plan is empty: name the blocks to run, in order, such as `0-11` (this model's blocks are 0 to 11)",
        ),
        (
            "  ",
            "the plan is empty: name the blocks to run, in order, such as `0-11` (this model's blocks are 0 to 11)",
        ),
        (
            "0-3,12",
            "the plan runs block 12 at character 5, which this model does not have: this model's blocks are 0 to 11",
        ),
        (
            "0-15",
            "the plan runs block 15 at character 3, which this model does not have: this model's blocks are 0 to 11",
        ),
        (
            "99999999999999999999999999",
            "the plan runs block 999999999999999999999999… at character 1, which this model does not have: \
             this model's blocks are 0 to 11",
        ),
        (
            "0,,1",
            "the plan has `,` at character 3 where a block's number or `(` should stand (this model's blocks are 0 to 11)",
        ),
        (
            "0,",
            "the plan ends where a block's number or `(` should stand (this model's blocks are 0 to 11)",
        ),
        (
            "0 1",
            "the plan has `1` at character 3 where `,` or the end should stand (this model's blocks are 0 to 11)",
        ),
        (
            "0-",
            "the plan ends where the range's last block should stand (this model's blocks are 0 to 11)",
        ),
        (
            "3-5a",
            "the plan has `a` at character 4 where `,` or the end should stand (this model's blocks are 0 to 11)",
        ),
        ("(1,2", "the plan's group that opens at character 1 is not closed: end it with `)`"),
        ("(1,", "the plan's group that opens at character 1 is not closed: end it with `)`"),
        (
            "0,()",
            "the plan's group at character 3 is empty: name the blocks to run in parallel, such as `(1,2)`",
        ),
        (
            "((1),2)",
            "the plan has `(` at character 2 where a block's number should stand (this model's blocks are 0 to 11)",
        ),
        (
            "(1x2)",
            "the plan has `x2` at character 3 where `,` or `)` should stand (this model's blocks are 0 to 11)",
        ),
        ("1x0", "the plan has a repeat of x0 at character 3: write x1 to x64"),
        ("(1-2)x65", "the plan has a repeat of x65 at character 7: write x1 to x64"),
        (
            "1x",
            "the plan ends where the number of repeats should stand (this model's blocks are 0 to 11)",
        ),
        (
            "0-3x2",
            "the plan repeats the range `0-3` at character 1, which could mean two plans. Write the range again, \
             repeat each block (`0x2,…,3x2`), or run the range in parallel (`(0-3)x2`)",
        ),
        (
            "0\u{1}",
            "the plan has `\\u{1}` at character 2 where `,` or the end should stand (this model's blocks are 0 to 11)",
        ),
        (
            "(0-11)x64,(0-11)x64,(0-11)x64,(0-11)x64,(0-11)x64,(0-11)x64",
            "the plan asks for 4608 block runs: at most 4096 are run in one plan",
        ),
    ] {
        assert_eq!(refusal(line), sentence, "{line}");
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
fn a_strategy_that_does_not_fit_is_refused() {
    for (line, sentence) in [
        (
            "skip:6",
            "`skip:6` keeps 13 of the model's 12 block runs at its ends and leaves none between: s is at most 5 here",
        ),
        (
            "loop:18446744073709551615:2",
            "`loop:18446744073709551615:2` keeps 18446744073709551615 of the model's 12 block runs at its ends and \
             leaves none between: s is at most 5 here",
        ),
        ("loop:2:0", "`loop:2:0` runs its group too few or too many times: R is from 1 to 64"),
        ("loop:2:65", "`loop:2:65` runs its group too few or too many times: R is from 1 to 64"),
        ("drop:12", "`drop:12` speaks of block run 12, but the model runs 12, counted from 0"),
        ("swap:11", "`swap:11` speaks of block run 12, but the model runs 12, counted from 0"),
        ("shuffle:2", "`shuffle:2` is not written as `shuffle:s:seed` with whole numbers"),
        ("reverse:-1", "`reverse:-1` is not written as `reverse:s` with whole numbers"),
        (
            "sort:1",
            "`sort:1` is not a plan: name one of `skip:s`, `repeat:s`, `reverse:s`, `shuffle:s:seed`, `parallel:s`, \
             `loop:s:R`, `drop:i`, `swap:i`, `head:i:h` or write the blocks to run, such as `0-3,5,4`",
        ),
    ] {
        assert_eq!(refusal(line), sentence, "{line}");
    }
    let alone = Plan::parse("drop:0", &[0]).expect_err("nothing is left");
    assert_eq!(
        alone.to_string(),
        "`drop:0` leaves nothing to run: the model has a single block run"
    );
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
