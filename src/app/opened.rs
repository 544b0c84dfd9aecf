//! A report as the page meets it: read from a file, or baked, and held against what was asked.

use super::link::{Choice, Draft};
use crate::model::catalogue;
use crate::plan::Plan;
use crate::study::orders::Orders;
use crate::study::report::Lab;
use crate::study::report::{Lens, Report, VERSION};

/// Was this report, of one prompt or of the lab, made from this draft?
pub fn asks_for(report: &Report, draft: &Draft) -> bool {
    let own = report.lab.as_ref().map(|lab| &lab.arranged);
    let Some(lens) = report.lens.as_ref().or(own) else {
        return false;
    };
    let plan = draft.plan.trim();
    report.model.name == draft.model.name()
        && lens.prompt.as_ref() == Some(&draft.prompt)
        && lens.options.as_ref() == Some(&draft.options)
        && draft.answer.is_none_or(|answer| answer == lens.answer)
        && match Plan::parse(plan, &report.model.order) {
            Ok(plan) => plan.to_string() == lens.plan,
            Err(_) => {
                plan.is_empty()
                    && Plan::whole(&report.model.order)
                        .is_ok_and(|plan| plan.to_string() == lens.plan)
            }
        }
}

/// The draft that would make this report again, where it came from text. Its model is the one that is
/// chosen `now` if that has its name; else one that comes with the page; else a folder of the
/// reader's.
pub fn draft_of(report: &Report, now: &Choice) -> Option<Draft> {
    let arranged = report.lab.as_ref().map(|lab| &lab.arranged);
    let lens = report.lens.as_ref().or(arranged)?;
    Some(Draft {
        model: match &report.model.name {
            name if now.name() == name => now.clone(),
            name if catalogue::find(name).is_some() => Choice::Known(name.clone()),
            name => Choice::Folder(name.clone()),
        },
        prompt: lens.prompt.clone()?,
        options: lens.options.clone()?,
        answer: Some(lens.answer),
        plan: lens.plan.clone(),
    })
}

/// The largest difference between two runs' logits, where both ask the same.
pub fn difference(baked: &Report, live: &Report) -> Option<f64> {
    let (a, b) = (baked.lens.as_ref()?, live.lens.as_ref()?);
    let same = baked.model.name == live.model.name
        && a.token_ids == b.token_ids
        && a.option_token_ids == b.option_token_ids
        && a.members == b.members
        && a.plan == b.plan;
    same.then(|| {
        a.logits
            .iter()
            .zip(&b.logits)
            .map(|(a, b)| f64::from((a - b).abs()))
            .fold(0.0, f64::max)
    })
}

/// Is a file of this name part of a model's folder, and so no report?
pub fn is_of_a_model(name: &str) -> bool {
    name.ends_with(".index.json")
        || [
            "config.json",
            "generation_config.json",
            "tokenizer.json",
            "tokenizer_config.json",
            "special_tokens_map.json",
            "added_tokens.json",
            "vocab.json",
        ]
        .contains(&name)
}

/// Is this text a report with a survey in it?
pub fn holds_survey(text: &str) -> bool {
    #[derive(serde::Deserialize)]
    struct Part {
        survey: Option<serde::de::IgnoredAny>,
    }
    serde_json::from_str::<Part>(text).is_ok_and(|part| part.survey.is_some())
}

/// Reads the text of the report file `name` and checks that it can be drawn.
///
/// # Errors
/// One sentence for the reader: not a report, a newer version's, or parts that do not fit.
pub fn read(name: &str, text: &str) -> Result<Report, String> {
    #[derive(serde::Deserialize)]
    struct Version {
        atelier: u32,
    }
    let version = serde_json::from_str::<Version>(text).map_err(|_| {
        format!("{name} is not a report of atelier: open a file that `atelier lens --out` wrote.")
    })?;
    if version.atelier > VERSION {
        return Err(format!(
            "{name} has version {} and this page reads up to {VERSION}: open it with a newer atelier.",
            version.atelier
        ));
    }
    let report: Report = serde_json::from_str(text)
        .map_err(|error| format!("{name} is damaged ({error}): write it again."))?;
    let parts = [
        report.lens.as_ref().map(is_sound),
        report.lab.as_ref().map(|lab| is_sound_lab(lab)),
        (!report.orders.is_empty()).then(|| report.orders.iter().all(is_sound_sweep)),
    ];
    let mut parts = parts.into_iter().flatten().peekable();
    if parts.peek().is_some() && parts.all(|sound| sound) {
        Ok(report)
    } else {
        Err(format!(
            "{name} holds no picture of one prompt and no sweep over orders, or one whose parts do not fit."
        ))
    }
}

/// Do a report's arrays have the lengths that drawing relies on?
fn is_sound(lens: &Lens) -> bool {
    let (m, k) = (lens.members.len(), lens.logits.len());
    let d = &lens.decomposition;
    m > 0
        && lens.answer < k
        && lens.probabilities.len() == k
        && lens.option_token_ids.len() == k
        && lens
            .options
            .as_ref()
            .is_none_or(|options| options.len() == k)
        && lens.member_logits.len() == m
        && lens.member_logits.iter().all(|row| row.len() == k)
        && d.by_depth.len() == m
        && [&d.probability, &d.logit]
            .iter()
            .all(|c| c.member_bias.len() == m && c.member_diversity.len() == m)
}

fn is_sound_lab(lab: &Lab) -> bool {
    is_sound(&lab.original)
        && is_sound(&lab.arranged)
        && lab.original.logits.len() == lab.arranged.logits.len()
        && lab.geometry.iter().all(|geometry| {
            let states = geometry.cosine_map.len();
            states > 0
                && geometry.cosine_map.iter().all(|row| row.len() == states)
                && geometry
                    .trajectories
                    .tokens
                    .iter()
                    .all(|path| path.len() == states)
        })
}

fn is_sound_sweep(orders: &Orders) -> bool {
    orders
        .points
        .iter()
        .flat_map(|point| &point.variants)
        .all(|&i| i < orders.variants.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::examples;

    fn text(change: impl Fn(&mut serde_json::Value)) -> String {
        let baked = examples::baked().expect("the baked example is a report");
        let mut value = serde_json::to_value(baked).expect("JSON");
        change(&mut value);
        value.to_string()
    }

    #[test]
    fn a_report_comes_back_with_the_draft_that_makes_it() {
        let report = read("a.json", &text(|_| ())).expect("a sound report");
        let known = Choice::Known("apprentice-2".into());
        let draft = draft_of(&report, &known).expect("it came from text");
        assert!(asks_for(&report, &draft));
        assert_eq!(draft.model, Choice::Known(report.model.name.clone()));
        assert_eq!(difference(&report, &report), Some(0.0));
        // The same name, opened as a folder, is what answers now.
        let folder = Choice::Folder(report.model.name.clone());
        let again = draft_of(&report, &folder).expect("it came from text");
        assert_eq!(again.model, folder);
        // A name that nobody knows is a folder of whoever made the report.
        let mut strange = report.clone();
        strange.model.name = "my-model".into();
        let strange = draft_of(&strange, &known).expect("it came from text");
        assert_eq!(strange.model, Choice::Folder("my-model".into()));
        let other = Draft {
            answer: Some(0),
            plan: "0".into(),
            ..draft
        };
        assert!(!asks_for(&report, &other));
    }

    #[test]
    fn a_file_is_told_by_what_is_in_it() {
        let survey = include_str!("../../public/examples/survey.atelier.json");
        assert!(holds_survey(survey));
        assert!(!holds_survey(&text(|_| ())));
        assert!(!holds_survey("not JSON"));
        assert!(is_of_a_model("config.json") && is_of_a_model("model.safetensors.index.json"));
        assert!(!is_of_a_model("sweep.atelier.json"));
    }

    #[test]
    fn what_cannot_be_drawn_is_refused_in_a_sentence() {
        for (text, says) in [
            ("{}".to_string(), "is not a report of atelier"),
            (text(|v| v["atelier"] = 99.into()), "has version 99"),
            (text(|v| v["engine"] = 1.into()), "is damaged"),
            (text(|v| v["lens"]["answer"] = 7.into()), "parts do not fit"),
            (
                text(|v| v["lens"]["member_logits"] = serde_json::json!([[1.0, 2.0]])),
                "parts do not fit",
            ),
            (
                text(|v| v["lens"] = serde_json::Value::Null),
                "no picture of one prompt",
            ),
        ] {
            let sentence = read("a.json", &text).expect_err(says);
            assert!(
                sentence.starts_with("a.json ") && sentence.contains(says),
                "{sentence}"
            );
        }
    }
}
