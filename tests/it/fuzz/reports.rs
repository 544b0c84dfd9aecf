//! Reports that were edited, cut or damaged: read or refused in a sentence, and never gone on with as
//! something else than they are.

use std::sync::LazyLock;

use atelier::study::coupling::{
    CouplingWish, Linearising, ModelsCoupling, ModelsCouplingReport, RowsLinearising, TaskCoupling,
    TokenWish,
};
use atelier::study::orders::{Extent, Order, Orders, Sweep, Sweeping};
use atelier::study::report::{Opened, Report};
use atelier::study::survey::SurveyReport;
use atelier::study::{LoadedModel, Running};
use atelier::task::item::Item;
use proptest::prelude::*;
use serde_json::Value;

use super::{cases, mutated, one_line};
use crate::charts::fuzz::{Edits, edited, edits};
use crate::common::{in_project, random};

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

/// Rows of ids.
fn items(count: u32) -> Vec<Item> {
    let item = |n: u32| Item::Ids {
        token_ids: vec![n, 2, 3],
        option_ids: vec![5, 6, 7],
        answer: n as usize % 3,
    };
    (0..count).map(item).collect()
}

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
        let items = items(3);
        let rows = |model: &LoadedModel| {
            let mut run = Self::start(model, &items);
            while run.rows_done() < 2 {
                run.advance().expect("a step");
            }
            run.report()
        };
        let llama = random("random-llama2");
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
        let models = ModelsCoupling::of(vec![task.clone(), rows(&random("random-gpt2"))]);
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
    fn read(&self, edits: &Edits) {
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
                assert_eq!(run.found().map_or(0, |now| now.rows), rows);
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
        let (model, items) = (random("random-llama2"), items(20));
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
    fn go_on(&self, edits: &Edits) {
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
