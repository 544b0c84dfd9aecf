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
use crate::fuzz::any_value;

/// Edits, each with the way to its place.
pub type Edits = Vec<(Vec<Index>, Edit)>;

/// An edit at a place of a file: another value, an entry or a field less, an entry of a list once more.
#[derive(Clone, Debug)]
pub enum Edit {
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
        2 => any_value().prop_map(Edit::Put),
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
                Edit::Remove if ends(&all[i], on) => drop(all.remove(i)),
                Edit::Double if ends(&all[i], on) => all.push(all[i].clone()),
                _ => apply(&mut all[i], on, edit),
            }
        }
        Value::Object(all) if !all.is_empty() => {
            let key = all.keys().nth(here.index(all.len())).cloned().expect("a key");
            if ends(&all[&key], on) && matches!(edit, Edit::Remove) {
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

/// Whether a way goes no further than a value.
fn ends(value: &Value, way: &[Index]) -> bool {
    let is_leaf = match value {
        Value::Array(all) => all.is_empty(),
        Value::Object(all) => all.is_empty(),
        _ => true,
    };
    way.is_empty() || is_leaf
}

pub fn edits() -> impl Strategy<Value = Edits> {
    let one = (prop::collection::vec(any::<Index>(), 1..16), edit());
    prop::collection::vec(one, 1..4)
}

pub fn edited(value: &Value, edits: &Edits) -> Value {
    let mut value = value.clone();
    for (way, edit) in edits {
        apply(&mut value, way, edit);
    }
    value
}

fn opened(value: &Value, edits: &Edits) {
    match Opened::read(edited(value, edits).to_string().as_bytes()) {
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
        opened(&serde_json::to_value(report).expect("JSON"), &edits);
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
        opened(&serde_json::to_value(&report).expect("JSON"), &edits);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn edited_comparisons_of_models_are_refused_or_drawn(edits in edits()) {
        let report = ModelsCouplingReport::new(reports::coupled_models());
        opened(&serde_json::to_value(&report).expect("JSON"), &edits);
    }
}

#[test]
fn a_report_of_another_kind_is_no_survey() {
    let [lens, prompts, lab, orders, .., coupling] =
        reports::all().map(|report| serde_json::to_value(report).expect("JSON"));
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
