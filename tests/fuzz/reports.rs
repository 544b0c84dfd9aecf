//! Reports that were edited, cut or damaged: read or refused in a sentence, and never gone on with as
//! something else than they are.

use std::path::Path;
use std::sync::LazyLock;

use atelier::model::ModelFiles;
use atelier::study::LoadedModel;
use atelier::study::orders::{Extent, Order, Orders, Sweep, Sweeping};
use atelier::study::survey::SurveyReport;
use atelier::task::item::Item;
use proptest::prelude::*;
use serde_json::Value;

use super::{any_value, cases, mutated, one_line};

fn in_project(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The shipped survey, without most of its cells: small enough to be read thousands of times.
static SURVEY: LazyLock<Value> = LazyLock::new(|| {
    let text = std::fs::read_to_string(in_project("public/examples/survey.atelier.json"));
    let mut report: Value = serde_json::from_str(&text.expect("the example")).expect("JSON");
    let survey = &mut report["survey"];
    let cells = survey["cells"].as_array_mut().expect("cells");
    cells.retain(|cell| cell["model"] == 0 && cell["task"].as_u64() < Some(2));
    SurveyReport::read(&report.to_string()).expect("a survey");
    report
});

/// A few rows of a small model under a few orders, and what is needed to go on with it.
struct Stopped {
    model: LoadedModel,
    items: Vec<Item>,
    orders: Vec<Order>,
    found: Value,
}

impl Stopped {
    fn new() -> Self {
        let folder = in_project("tests/models/random-llama2");
        let files = ModelFiles::open(&folder).expect("a model");
        let model = LoadedModel::from_files(&files, &mut |_, _| {}).expect("a model");
        let items: Vec<Item> = (0..20)
            .map(|n| Item::Ids {
                token_ids: vec![n, 2, 3],
                option_ids: vec![5, 6, 7],
                answer: n as usize % 3,
            })
            .collect();
        let order = &model.shape().order;
        let orders = Order::all(&[Sweep::Skip], Extent::default(), order).expect("orders");
        let start = Sweeping::start(&model, "ids", &items, orders.clone(), 0);
        let mut sweeping = start.expect("a sweep");
        while sweeping.rows_done() < 16 {
            sweeping.advance().expect("a step");
        }
        let found = sweeping.orders().expect("rows");
        drop(sweeping);
        let found = serde_json::to_value(found).expect("JSON");
        Self {
            model,
            items,
            orders,
            found,
        }
    }

    /// Goes on from what was edited, if that is still a sweep.
    fn go_on(&self, edits: &[(prop::sample::Index, Edit)]) {
        let Ok(stopped) = serde_json::from_value::<Orders>(edited(&self.found, edits)) else {
            return;
        };
        let start = Sweeping::start(&self.model, "ids", &self.items, self.orders.clone(), 0);
        let mut sweeping = start.expect("a sweep");
        match sweeping.resume(&stopped) {
            Ok(()) => {
                let rows = sweeping.rows_done();
                assert_eq!(sweeping.orders().map_or(0, |now| now.rows), rows);
            }
            Err(error) => one_line("a sweep", &error.to_string()),
        }
    }
}

thread_local! {
    // An engine belongs to its thread.
    static STOPPED: Stopped = Stopped::new();
}

/// Every place in a value, as JSON pointers.
fn places(value: &Value) -> Vec<String> {
    fn walk(value: &Value, at: &str, all: &mut Vec<String>) {
        all.push(at.to_string());
        match value {
            Value::Array(list) => {
                for (index, inner) in list.iter().enumerate() {
                    walk(inner, &format!("{at}/{index}"), all);
                }
            }
            Value::Object(fields) => {
                for (name, inner) in fields {
                    walk(inner, &format!("{at}/{name}"), all);
                }
            }
            _ => {}
        }
    }
    let mut all = Vec::new();
    walk(value, "", &mut all);
    all
}

#[derive(Clone, Debug)]
enum Edit {
    Put(Value),
    /// Takes an entry out of a list, or a field out of an object.
    Remove(prop::sample::Index),
    /// Puts an entry of a list there once more.
    Double(prop::sample::Index),
}

fn edits() -> impl Strategy<Value = Vec<(prop::sample::Index, Edit)>> {
    let edit = prop_oneof![
        any_value().prop_map(Edit::Put),
        any::<prop::sample::Index>().prop_map(Edit::Remove),
        any::<prop::sample::Index>().prop_map(Edit::Double),
    ];
    prop::collection::vec((any::<prop::sample::Index>(), edit), 1..4)
}

fn edited(value: &Value, edits: &[(prop::sample::Index, Edit)]) -> Value {
    let mut value = value.clone();
    for (place, edit) in edits {
        let all = places(&value);
        let at = &all[place.index(all.len())];
        let Some(found) = value.pointer_mut(at) else {
            continue;
        };
        match (edit, found) {
            (Edit::Put(other), found) => *found = other.clone(),
            (Edit::Remove(which), Value::Array(list)) if !list.is_empty() => {
                list.remove(which.index(list.len()));
            }
            (Edit::Remove(which), Value::Object(fields)) if !fields.is_empty() => {
                let name = fields.keys().nth(which.index(fields.len())).cloned();
                fields.remove(&name.expect("one of them"));
            }
            (Edit::Double(which), Value::Array(list)) if !list.is_empty() => {
                let one = list[which.index(list.len())].clone();
                list.push(one);
            }
            _ => {}
        }
    }
    value
}

fn read_survey(text: &str) {
    match SurveyReport::read(text) {
        Ok(report) => {
            let written = report.json().expect("JSON");
            let again = SurveyReport::read(&written).expect("what was written");
            assert_eq!(again.json().expect("JSON"), written);
        }
        Err(error) => one_line("a survey", &error.to_string()),
    }
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn a_survey_with_other_values(edits in edits()) {
        read_survey(&edited(&SURVEY, &edits).to_string());
    }

    #[test]
    fn a_survey_mistyped(text in mutated(&[SURVEY.to_string()], "{}[]\",:0123456789-.enul\u{0} ")) {
        read_survey(&text);
    }

    #[test]
    fn a_survey_of_any_characters(text in any::<String>()) {
        read_survey(&text);
    }

    #[test]
    fn a_sweep_with_other_values_is_gone_on_with_or_refused(edits in edits()) {
        STOPPED.with(|stopped| stopped.go_on(&edits));
    }
}
