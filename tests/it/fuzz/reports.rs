//! Reports that were edited, cut or damaged: read or refused in a sentence, and never gone on with as
//! something else than they are.

use std::sync::LazyLock;

use atelier::model::ModelFiles;
use atelier::study::LoadedModel;
use atelier::study::coupling::{
    CouplingWish, Linearising, ModelsCoupling, ModelsCouplingReport, RowsLinearising, TaskCoupling,
    TokenWish,
};
use atelier::study::orders::{Extent, Order, Orders, Sweep, Sweeping};
use atelier::study::report::{Opened, Report};
use atelier::study::survey::SurveyReport;
use atelier::task::item::Item;
use proptest::prelude::*;
use serde_json::Value;

use super::{any_value, cases, mutated, one_line};
use crate::common::in_project;

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

/// One prompt with every kind of map, rows of a task, and two models beside one another, of small models.
struct Coupled {
    model: LoadedModel,
    items: Vec<Item>,
    one: Value,
    task: Value,
    models: Value,
}

impl Coupled {
    fn new() -> Self {
        let model = |name: &str| {
            let folder = in_project("tests/models").join(name);
            let files = ModelFiles::open(&folder).expect("a model");
            LoadedModel::from_files(&files, &mut |_, _| {}).expect("a model")
        };
        let items: Vec<Item> = (0..3)
            .map(|n| Item::Ids {
                token_ids: vec![n, 2, 3],
                option_ids: vec![5, 6, 7],
                answer: n as usize % 3,
            })
            .collect();
        let rows = |model: &LoadedModel| {
            let mut run = Self::start(model, &items);
            while run.rows_done() < 2 {
                run.advance().expect("a step");
            }
            Report { task_coupling: run.found(None).into_iter().collect(), ..Report::of(model) }
        };
        let llama = model("random-llama2");
        let tokens = TokenWish {
            same: vec![0, 2],
            input: Some((1, vec![1, 2])),
            output: Some((2, vec![0, 1])),
            ..TokenWish::default()
        };
        let wish = CouplingWish { tokens, ..Self::wish(&llama) };
        let mut run = Linearising::start(&llama, &[5, 6, 7], wish).expect("a run");
        while run.advance().expect("a step").is_some() {}
        let one = Report {
            coupling: Some(Box::new(run.coupling(None).expect("a coupling"))),
            ..Report::of(&llama)
        };
        let task = rows(&llama);
        let models = ModelsCoupling::of(vec![task.clone(), rows(&model("random-gpt2"))]);
        let json = |report: &Report| serde_json::to_value(report).expect("JSON");
        Self {
            one: json(&one),
            task: json(&task),
            models: serde_json::to_value(ModelsCouplingReport::new(models)).expect("JSON"),
            items,
            model: llama,
        }
    }

    fn wish(model: &LoadedModel) -> CouplingWish {
        CouplingWish::of(model.plan(None).expect("its own order"), vec![2])
    }

    fn start<'a>(model: &'a LoadedModel, items: &[Item]) -> RowsLinearising<'a> {
        RowsLinearising::start(model, "ids", items, Self::wish(model), 0).expect("rows")
    }

    /// Reads each that was edited, writes it again, and goes on from the rows.
    fn read(&self, edits: &[(prop::sample::Index, Edit)]) {
        for whole in [&self.one, &self.task, &self.models] {
            let text = edited(whole, edits).to_string();
            let again = match Opened::read(text.as_bytes()) {
                Ok(Opened::CouplingModels(models)) => {
                    serde_json::to_string(&ModelsCouplingReport::new(*models))
                }
                Ok(opened) => match opened.report() {
                    Ok(report) => serde_json::to_string(&report),
                    Err(_) => continue,
                },
                Err(error) => {
                    one_line("a coupling", &error.to_string());
                    continue;
                }
            };
            Opened::read(again.expect("JSON").as_bytes()).expect("what was written");
        }
        let stopped = edited(&self.task["task_coupling"][0], edits);
        let Ok(stopped) = serde_json::from_value::<TaskCoupling>(stopped) else { return };
        let mut run = Self::start(&self.model, &self.items);
        match run.resume(&stopped) {
            Ok(()) => {
                let rows = run.rows_done();
                assert_eq!(run.found(None).map_or(0, |now| now.rows), rows);
            }
            Err(error) => one_line("a coupling", &error.to_string()),
        }
    }
}

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
        Self { model, items, orders, found }
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
    static COUPLED: Coupled = Coupled::new();
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
        let Some(found) = value.pointer_mut(at) else { continue };
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
    fn a_coupling_with_other_values_is_read_or_refused(edits in edits()) {
        COUPLED.with(|coupled| coupled.read(&edits));
    }

    #[test]
    fn a_sweep_with_other_values_is_gone_on_with_or_refused(edits in edits()) {
        STOPPED.with(|stopped| stopped.go_on(&edits));
    }
}
