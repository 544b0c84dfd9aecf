//! The first picture: one run of SmolLM2 that comes with the page, without what its component logits decompose into.
//!
//! `UPDATE=1 cargo test --test it baked::the_first_picture` writes the file anew.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::examples;
use super::link::{Choice, Draft};
use crate::engine::Member;
use crate::measure::decomposition::decompose;

use crate::study::report::Report;

/// The name of its model, as its file has it: `server::smollm2::FILE`.
pub const MODEL: &str = "SmolLM2-135M-Instruct.Q4_1";

/// The model on a hub that is most like it: the base model, whose numbers differ.
pub const HUB_MODEL: &str = "HuggingFaceTB/SmolLM2-135M";

/// Its size, about.
pub const HUB_MEGABYTES: u64 = 269;

const SHIPPED: &[u8] = include_bytes!("../../public/examples/smollm2.json");

/// Returns the draft that the picture answers.
pub fn draft() -> Draft {
    examples::PLAIN.draft(Choice::Folder(MODEL.to_owned()))
}

/// Returns the run as a whole report.
pub fn report() -> Option<Report> {
    let mut report: Value = serde_json::from_slice(SHIPPED).ok()?;
    let lens = report.get_mut("lens")?;
    let numbers = decomposition(lens)?;
    lens.as_object_mut()?.extend(numbers);
    serde_json::from_value(report).ok()
}

/// Leaves out of a report of one prompt what [`report`] puts back.
pub fn shorten(report: &mut Value) -> Option<()> {
    let lens = report.get_mut("lens")?;
    let numbers = decomposition(lens)?;
    lens.as_object_mut()?.retain(|key, _| !numbers.contains_key(key));
    Some(())
}

/// Returns the numbers of a run that follow from its component logits.
fn decomposition(lens: &Value) -> Option<Map<String, Value>> {
    #[derive(Deserialize)]
    struct PicturedRun {
        members: Vec<Member>,
        member_logits: Vec<Vec<f32>>,
        logits: Vec<f32>,
        answer: usize,
    }
    let PicturedRun { members, member_logits, logits, answer } =
        PicturedRun::deserialize(lens).ok()?;
    match serde_json::to_value(decompose(&members, &member_logits, &logits, answer)) {
        Ok(Value::Object(numbers)) => Some(numbers),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::opened;
    use crate::model::catalogue::published::published;

    #[test]
    fn the_picture_answers_the_draft_that_the_page_opens_with() {
        let report = report().expect("the shipped run is a report");
        assert!(opened::asks_for(&report, &draft()));
        let text = serde_json::to_string(&report).expect("JSON");
        assert_eq!(opened::read("first", &text), Ok(report));
    }

    #[test]
    fn the_hubs_model_is_one_of_the_list() {
        let model = published().iter().find(|model| model.repo == HUB_MODEL);
        assert_eq!(model.and_then(|model| model.megabytes), Some(HUB_MEGABYTES));
    }

    #[test]
    fn what_is_left_out_is_put_back() {
        let whole = serde_json::to_value(report().expect("a report")).expect("JSON");
        let mut short = whole.clone();
        shorten(&mut short).expect("a run of one prompt");
        let shipped: Value = serde_json::from_slice(SHIPPED).expect("JSON");
        let [whole, short, shipped] = [whole, short, shipped].map(|report| match &report["lens"] {
            Value::Object(lens) => lens.keys().cloned().collect::<Vec<_>>(),
            _ => Vec::new(),
        });
        assert_eq!(short, shipped);
        assert!(short.len() + 8 == whole.len() && whole.contains(&"by_depth".to_owned()));
    }
}
