//! Files that people edited, or that were damaged: refused in a sentence or drawn, never a panic.

use atelier::chart::{LIGHT, all_figures};
use atelier::study::coupling::ModelsCouplingReport;
use atelier::study::report::Opened;
use atelier::study::survey::SurveyReport;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use super::drawn::sound;
use super::reports;

/// An edit at a place of a file.
#[derive(Clone, Debug)]
enum Edit {
    Put(Value),
    Remove,
    Double,
}

fn edit() -> impl Strategy<Value = Edit> {
    let values = [
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(1),
        json!(7),
        json!(4096),
        json!(u64::MAX),
        json!(1e308),
        json!(-1e308),
        json!(1e39),
        json!(1e-320),
        json!(0.5),
        json!(""),
        json!("\u{0}\u{1b}<&>\"'"),
        json!("0-3,(4-7)x3"),
        json!([]),
        json!([[]]),
        json!({}),
    ];
    prop_oneof![
        4 => prop::sample::select(values.to_vec()).prop_map(Edit::Put),
        2 => Just(Edit::Remove),
        1 => Just(Edit::Double),
    ]
}

/// Goes down the file, at every turn to one of what is there, and edits where it ends.
fn apply(value: &mut Value, way: &[Index], edit: &Edit) {
    let (here, on) = match way.split_first() {
        Some(split) => split,
        None => {
            if let Edit::Put(new) = edit {
                *value = new.clone();
            }
            return;
        }
    };
    match value {
        Value::Array(all) if !all.is_empty() => {
            let i = here.index(all.len());
            match edit {
                Edit::Remove if on.is_empty() => drop(all.remove(i)),
                Edit::Double if on.is_empty() => all.push(all[i].clone()),
                _ => apply(&mut all[i], on, edit),
            }
        }
        Value::Object(all) if !all.is_empty() => {
            let key = all.keys().nth(here.index(all.len())).cloned().expect("a key");
            if on.is_empty() && matches!(edit, Edit::Remove) {
                all.remove(&key);
            } else {
                apply(&mut all[&key], on, edit);
            }
        }
        scalar => {
            if let Edit::Put(new) = edit {
                *scalar = new.clone();
            }
        }
    }
}

fn edits() -> impl Strategy<Value = Vec<(Vec<Index>, Edit)>> {
    let one = (prop::collection::vec(any::<Index>(), 1..9), edit());
    prop::collection::vec(one, 1..3)
}

fn opened(mut value: Value, edits: &[(Vec<Index>, Edit)]) {
    for (way, edit) in edits {
        apply(&mut value, way, edit);
    }
    match Opened::read(value.to_string().as_bytes()) {
        Ok(opened) => all_figures(&opened, &LIGHT).iter().for_each(sound),
        Err(error) => {
            let sentence = error.to_string();
            assert!(!sentence.is_empty() && !sentence.contains('\n'), "{sentence}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 160, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn edited_reports_are_refused_or_drawn(kind in 0..7usize, edits in edits()) {
        let report = &reports::all()[kind];
        opened(serde_json::to_value(report).expect("JSON"), &edits);
    }

    #[test]
    fn any_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        prop_assert!(Opened::read(&bytes).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn edited_surveys_are_refused_or_drawn(edits in edits()) {
        let report = SurveyReport::new(reports::survey());
        opened(serde_json::to_value(&report).expect("JSON"), &edits);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn edited_comparisons_of_models_are_refused_or_drawn(edits in edits()) {
        let report = ModelsCouplingReport::new(reports::coupled_models());
        opened(serde_json::to_value(&report).expect("JSON"), &edits);
    }
}

/// With no tokens, no head has a token that it attends to most.
#[test]
fn an_account_of_a_prompt_without_tokens_is_refused() {
    let all = reports::all().map(|report| serde_json::to_value(report).expect("JSON"));
    let is_of_member = |value: &&Value| value.get("member").is_some_and(Value::is_object);
    let mut value = all.iter().find(is_of_member).expect("one of them").clone();
    value["lens"]["token_ids"] = json!([]);
    for head in value["member"]["reads"].as_array_mut().expect("heads") {
        head["weights"] = json!([]);
        head["carried"] = json!([]);
    }
    let refused = Opened::read(value.to_string().as_bytes()).expect_err("no tokens");
    let said = refused.to_string();
    assert!(said.contains("does not fit the rest of the file"), "{said}");
}

#[test]
fn what_does_not_fit_is_named() {
    let [lens, prompts, lab, orders, .., coupling] =
        reports::all().map(|report| serde_json::to_value(report).expect("JSON"));
    let change = |value: &Value, pointer: &str, new: Value| {
        let mut value = value.clone();
        *value.pointer_mut(pointer).expect(pointer) = new;
        Opened::read(value.to_string().as_bytes()).expect_err(pointer).to_string()
    };
    for (value, pointer, new, says) in [
        (
            &lens,
            "/lens/answer",
            json!(9),
            "the lens does not fit the rest of the file (its right answer is 9 of",
        ),
        (&lens, "/lens/by_depth", json!([]), "by_depth has 0 entries"),
        (&lens, "/lens/logits/0", json!(1e39), "number out of range"),
        (&lens, "/lens/logit/member_bias", json!([1.0]), "logit.member_bias has 1 entries"),
        (
            &prompts,
            "/prompts/rows",
            json!([]),
            "the prompts does not fit the rest of the file (there are none)",
        ),
        (&prompts, "/prompts/averages/rows", json!(3), "rows has 4 entries for 3 averaged rows"),
        (
            &lab,
            "/lab/geometry/0/cosine_map/1",
            json!([1.0]),
            "a row of cosine_map has 1 entries for 4 states",
        ),
        (
            &lab,
            "/lab/geometry/1/trajectories/tokens/0",
            json!([]),
            "a token's trajectory has 0 entries for 3 states",
        ),
        (
            &orders,
            "/orders/0/points/0/variants",
            json!([999]),
            "the sweep on “sum” does not fit the rest of the file (point 0 is of variant 999",
        ),
        (&orders, "/orders/0/points/0/at", json!(u64::MAX), "point 0 counts to"),
        (
            &coupling,
            "/coupling/depth_wise/4/singular/1",
            json!([]),
            "the coupling does not fit the rest of the file (a row of singular has 0 entries for 4 steps)",
        ),
        (
            &coupling,
            "/task_coupling/0/relations/0/left_out",
            json!([]),
            "left_out has 0 entries for 11 points",
        ),
    ] {
        let sentence = change(value, pointer, new);
        assert!(sentence.contains(says), "{pointer}: {sentence}");
    }
    for (value, what) in [
        (&lens, "a report of one prompt"),
        (&prompts, "a report of many prompts"),
        (&lab, "a report of a rearranged model"),
        (&orders, "a report of a sweep over orders"),
        (&coupling, "a report of coupling"),
    ] {
        let opened = Opened::read(value.to_string().as_bytes()).expect("a report");
        assert_eq!(opened.what(), what);
        let refused = opened.survey().expect_err("no survey").to_string();
        assert!(
            refused.starts_with(&format!("it is {what}, without a survey in it: open it with")),
            "{refused}"
        );
    }
}
