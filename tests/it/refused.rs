//! Plans, configs and reports that are refused: in each snapshot a line is what is asked, and the line below it what is
//! said of it.

use atelier::model::ModelShape;
use atelier::plan::Plan;
use atelier::study::report::Opened;
use serde_json::Value;

use crate::common::in_project;
use crate::snapshot::check_answers;

/// Plans for a model of twelve blocks, in quotes; `\u{1}` stands for a character that nothing prints.
#[test]
fn plans() {
    let order: Vec<usize> = (0..12).collect();
    check_answers("refusals/plans.txt", |line| {
        let plan = line.trim_matches('\'').replace(r"\u{1}", "\u{1}");
        Some(Plan::parse(&plan, &order).expect_err(line).to_string())
    });
}

#[test]
fn configs() {
    check_answers("refusals/configs.txt", |line| {
        let config = edited(line, |model| format!("tests/models/{model}/config.json"));
        Some(ModelShape::from_json(&config).expect_err(line).to_string())
    });
}

#[test]
fn reports() {
    check_answers("refusals/reports.txt", |line| {
        let report = edited(line, |name| format!("tests/golden/reports/{name}.atelier.json"));
        let Err(error) = Opened::read(report.as_bytes()) else { panic!("{line} is read") };
        Some(error.to_string())
    });
}

/// A file of JSON with edits: `NAME POINTER VALUE`, and further ones behind an ampersand. The pointer `.` is the whole file.
/// As a value, `-` removes the field, and `pop` and `double` take the list's last entry away or add its first once more.
fn edited(line: &str, path: impl Fn(&str) -> String) -> String {
    let (name, edits) = line.split_once(' ').expect("a name and edits");
    let text = std::fs::read_to_string(in_project(&path(name))).expect(name);
    let mut file: Value = serde_json::from_str(&text).expect("JSON");
    for edit in edits.split(" & ") {
        let (pointer, value) = edit.split_once(' ').expect("a place and its value");
        if pointer == "." {
            file = serde_json::from_str(value).expect(value);
            continue;
        }
        let (parent, key) = pointer.rsplit_once('/').expect("a place");
        let parent = file.pointer_mut(parent).expect(pointer);
        if value == "-" {
            parent.as_object_mut().expect(pointer).remove(key);
            continue;
        }
        let place = match parent {
            Value::Array(list) => &mut list[key.parse::<usize>().expect("an index")],
            parent => &mut parent[key],
        };
        match value {
            "pop" => drop(place.as_array_mut().expect(pointer).pop()),
            "double" => {
                let first = place[0].clone();
                place.as_array_mut().expect(pointer).push(first);
            }
            value => *place = serde_json::from_str(value).expect(value),
        }
    }
    file.to_string()
}
