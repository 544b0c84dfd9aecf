//! Numbers that no model gave, so that a predicate that can never hold, or never fail, is found.

use std::collections::{BTreeMap, BTreeSet};

use atelier::study::lessons::{FieldName, FieldValue, Holding, LessonStep};
use rand_mt::Mt;

/// Draws of a step's fields.
const DRAWS: usize = 4000;

/// How the step's options stand to numbers drawn from what was `seen` and from what lies about it.
pub fn holdings(
    step: &LessonStep,
    seen: &BTreeMap<FieldName, Vec<FieldValue>>,
) -> Vec<Vec<Holding>> {
    let named = step.options.iter().flat_map(|option| option.holds.fields());
    let names: BTreeSet<FieldName> = named.collect();
    let mut random = Mt::new(1);
    let mut share = move || f64::from(random.next_u32()) / 4_294_967_296.0;
    // What fields of one step have come to: two that are compared may change places.
    let numbers: Vec<f64> = seen.values().flatten().filter_map(number).collect();
    let words: Vec<&FieldValue> = seen.values().flatten().filter(|v| number(v).is_none()).collect();
    let mut all = Vec::with_capacity(DRAWS);
    for _ in 0..DRAWS {
        let mut last = 0.0;
        let mut drawn: BTreeMap<&FieldName, FieldValue> = BTreeMap::new();
        for name in &names {
            let own = seen.get(name).and_then(|values| values.first());
            let value = match own {
                Some(FieldValue::Word(_)) => words[(share() * words.len() as f64) as usize].clone(),
                _ if numbers.is_empty() => FieldValue::exact(0.0),
                _ => {
                    let number = numbers[(share() * numbers.len() as f64) as usize];
                    let about = match (share() * 6.0) as usize {
                        0 => number,
                        1 => number * 2.0 * share(),
                        2 => -number,
                        3 => number + 50.0 * (share() - 0.5),
                        4 => 100.0 * share(),
                        // Two that are equal.
                        _ => last,
                    };
                    last = about.clamp(range(name)[0], range(name)[1]);
                    FieldValue::exact(last)
                }
            };
            drawn.insert(name, value);
        }
        let field = |name: &FieldName| drawn.get(name).cloned().ok_or(());
        all.push(step.judged(&field).expect("fields of its own predicates"));
    }
    all
}

/// No run can give a share beyond these, or less than nothing of what is counted or squared.
fn range(name: &FieldName) -> [f64; 2] {
    match name.parts[0].as_str() {
        "accuracy" | "percent" | "top_percent" | "alone_share" | "beaten_share" | "share"
        | "differ" | "majority" | "dearest_place" => [0.0, 100.0],
        "coupling" => [0.0, 1.0],
        "sum_error" | "mse" | "bias" | "diversity" | "doubt" | "most_doubt" | "last_doubt"
        | "reached" | "free" | "growing" | "error" | "line_share" => [0.0, f64::INFINITY],
        _ => [f64::NEG_INFINITY, f64::INFINITY],
    }
}

fn number(value: &FieldValue) -> Option<f64> {
    match value {
        FieldValue::Number { value, .. } => Some(*value),
        FieldValue::Word(_) | FieldValue::Largest { .. } => None,
    }
}
