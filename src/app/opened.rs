//! A report as the page meets it: read from a file, or baked, and held against what was asked.

use super::link::{Choice, Draft};
use super::protocol::TokenAsk;
use crate::model::catalogue;
use crate::plan::Plan;
use crate::study::coupling::{Coupling, ModelsCoupling, TokenPositions};
use crate::study::report::{Lens, Opened, Report, ReportError};

/// Bytes of the largest report that the page reads. Its text is held twice while it is read, by the
/// browser and by this program, whose memory ends at 4 GB.
const MOST: f64 = 256.0 * MB;
const MB: f64 = 1e6;

/// The one run of a report of one prompt or of the lab.
pub fn run_of(report: &Report) -> Option<&Lens> {
    let arranged = report.lab.as_ref().map(|lab| &lab.arranged);
    report.lens.as_ref().or(arranged)
}

/// Was this report, of one prompt or of the lab, made from this draft?
pub fn asks_for(report: &Report, draft: &Draft) -> bool {
    let Some(lens) = run_of(report) else {
        return report.coupling.as_ref().is_some_and(|coupling| couples(report, coupling, draft));
    };
    let is_same = match &lens.prompt {
        Some(prompt) => *prompt == draft.prompt && lens.options.as_ref() == Some(&draft.options),
        None => token_ids(&draft.prompt, &draft.options).is_some_and(|(prompt, options)| {
            prompt == lens.token_ids && options == lens.option_token_ids
        }),
    };
    report.model.name == draft.model.name()
        && is_same
        && draft.answer.is_none_or(|answer| answer == lens.answer)
        && is_plan(&lens.plan, report, draft)
}

/// Does a link that may have been changed since still ask for this report? One that is of no draft it
/// always does; `tokens` is what the link compares between tokens, where it says so.
pub fn is_asked(report: &Report, draft: &Draft, tokens: TokenAsk) -> bool {
    if run_of(report).is_some() {
        return asks_for(report, draft);
    }
    report.coupling.as_ref().is_none_or(|coupling| {
        let is_same = tokens == TokenAsk::default() || tokens == compared(coupling);
        is_same && couples(report, coupling, draft)
    })
}

/// Is this the draft's plan, on the report's model?
fn is_plan(line: &str, report: &Report, draft: &Draft) -> bool {
    let (plan, order) = (draft.plan.trim(), &report.model.order);
    match Plan::parse(plan, order) {
        Ok(plan) => plan.to_string() == line,
        Err(_) => plan.is_empty() && Plan::whole(order).is_ok_and(|plan| plan.to_string() == line),
    }
}

/// Is this the coupling of the draft's prompt? Its options are nothing to it.
fn couples(report: &Report, coupling: &Coupling, draft: &Draft) -> bool {
    let is_same = match &coupling.prompt {
        Some(prompt) => *prompt == draft.prompt,
        None => token_ids(&draft.prompt, &[]).is_some_and(|(ids, _)| ids == coupling.token_ids),
    };
    report.model.name == draft.model.name() && is_same && is_plan(&coupling.plan, report, draft)
}

/// Returns the request that would give a coupling its maps between tokens.
pub fn compared(coupling: &Coupling) -> TokenAsk {
    let Some(tokens) = &coupling.token_wise else {
        return TokenAsk::default();
    };
    let first = tokens.maps().find_map(|map| map.pairs.first());
    let mut ask = TokenAsk {
        is_wanted: true,
        step: first.map(|pair| pair.steps[0]),
        t_in: None,
        t_out: None,
    };
    for map in tokens.maps() {
        match map.positions {
            TokenPositions::Same { .. } => {}
            TokenPositions::Input { t_in, .. } => ask.t_in = Some(t_in),
            TokenPositions::Output { t_out, .. } => ask.t_out = Some(t_out),
        }
    }
    ask
}

/// Is this the picture of the draft? One that was opened `beside` a draft and has none of its own, of many
/// prompts for example, stays until something else is asked.
pub fn answers(report: &Report, draft: &Draft, beside: Option<&Draft>) -> bool {
    asks_for(report, draft) || beside == Some(draft)
}

/// The prompt and the options as the token ids that stand in their places, `1, 5, 9`: so a model without a
/// tokenizer is asked. `None` for text.
pub fn token_ids(prompt: &str, options: &[String]) -> Option<(Vec<u32>, Vec<u32>)> {
    let words = prompt.split([',', ' ']).filter(|id| !id.is_empty());
    let prompt = words.map(|id| id.parse().ok()).collect::<Option<_>>()?;
    let options = options.iter().map(|id| id.trim().parse().ok());
    Some((prompt, options.collect::<Option<_>>()?))
}

/// One line for saved drawings: which model, prompt and plan they are of, or how many prompts.
pub fn about(report: &Report) -> String {
    let name = &report.model.name;
    match (run_of(report), &report.prompts) {
        (Some(lens), _) => {
            let prompt = lens.prompt.as_deref().unwrap_or("token ids").trim();
            format!("{name} · plan {} · {prompt} …", lens.plan)
        }
        (None, Some(prompts)) => format!("{name} · means of {} prompts", prompts.rows.len()),
        (None, None) => match &report.coupling {
            Some(coupling) => {
                let prompt = coupling.prompt.as_deref().unwrap_or("token ids").trim();
                format!("{name} · plan {} · {prompt}", coupling.plan)
            }
            None => String::new(),
        },
    }
}

/// The draft that would make this report again, where it came from text. Its model is the one that is
/// chosen `now` if that has its name; else one that comes with the page; else a folder of the
/// reader's.
///
/// That of a coupling has no options.
pub fn draft_of(report: &Report, now: &Choice) -> Option<Draft> {
    let (prompt, options, answer, plan) = match run_of(report) {
        Some(lens) => (&lens.prompt, lens.options.clone()?, Some(lens.answer), &lens.plan),
        None => {
            let coupling = report.coupling.as_ref()?;
            (&coupling.prompt, Vec::new(), None, &coupling.plan)
        }
    };
    let (model, plan) = (model_of(report, now), plan.clone());
    Some(Draft { model, prompt: prompt.clone()?, options, answer, plan })
}

/// The model of a report: the one that is chosen `now` if that has its name.
pub fn model_of(report: &Report, now: &Choice) -> Choice {
    match &report.model.name {
        name if now.name() == name => now.clone(),
        name if catalogue::find(name).is_some() => Choice::Known(name.clone()),
        name => Choice::Folder(name.clone()),
    }
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
        a.logits.iter().zip(&b.logits).map(|(a, b)| f64::from((a - b).abs())).fold(0.0, f64::max)
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

/// Checks a report's size before its text is read.
///
/// # Errors
/// One sentence for the reader that names the file.
pub fn check_size(name: &str, bytes: f64) -> Result<(), String> {
    if bytes <= MOST {
        return Ok(());
    }
    Err(format!(
        "{name} has {:.0} MB, and this page reads reports of up to {:.0} MB: draw it with `atelier figures`.",
        (bytes / MB).ceil(),
        MOST / MB
    ))
}

/// Whether this text is a report with a survey in it; `None` where it is no JSON, and may have been one.
pub fn holds_survey(text: &str) -> Option<bool> {
    #[derive(serde::Deserialize)]
    struct OpenedPart {
        survey: Option<serde::de::IgnoredAny>,
    }
    let part: OpenedPart = serde_json::from_slice(text.as_bytes()).ok()?;
    Some(part.survey.is_some())
}

/// A report that views of one model show, or a comparison of several models' couplings.
pub enum Showable {
    Report(Box<Report>),
    Models(Box<ModelsCoupling>),
}

/// Reads the text of the file `name`, which holds no survey.
///
/// # Errors
/// One sentence for the reader that names the file.
pub fn read_any(name: &str, text: &str) -> Result<Showable, String> {
    let opened = match Opened::read(text.as_bytes()) {
        Ok(Opened::CouplingModels(models)) => Ok(Showable::Models(models)),
        opened => opened.and_then(Opened::report).map(|report| Showable::Report(report.into())),
    };
    opened.map_err(|error| refusal(name, &error))
}

/// Reads the text of the report file `name`.
///
/// # Errors
/// One sentence for the reader that names the file: what it is instead, or what does not fit.
pub fn read(name: &str, text: &str) -> Result<Report, String> {
    Opened::read(text.as_bytes()).and_then(Opened::report).map_err(|error| refusal(name, &error))
}

/// One sentence for the reader, with one mark at its end.
pub fn refusal(name: &str, error: &ReportError) -> String {
    let end = if error.to_string().ends_with('?') { "" } else { "." };
    format!("{name} cannot be shown: {error}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::examples;
    use crate::study::lens::RunningAverages;
    use crate::study::report::Prompts;

    fn text(change: impl Fn(&mut serde_json::Value)) -> String {
        let baked = examples::first_report();
        let mut value = serde_json::to_value(baked).expect("JSON");
        change(&mut value);
        value.to_string()
    }

    #[test]
    fn a_report_comes_back_with_the_draft_that_makes_it() {
        let report = read("a.json", &text(|_| ())).expect("a sound report");
        let known = Choice::Known("scholar-2".into());
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
        let other = Draft { answer: Some(0), plan: "0".into(), ..draft };
        assert!(!asks_for(&report, &other));
    }

    #[test]
    fn a_run_by_token_ids_is_that_of_the_ids_in_the_draft() {
        let change = |value: &mut serde_json::Value| {
            let lens = value["lens"].as_object_mut().expect("a run");
            for text in ["prompt", "options", "tokens"] {
                lens.remove(text);
            }
        };
        let report = read("a.json", &text(change)).expect("a sound report");
        let known = Choice::Known(report.model.name.clone());
        assert_eq!(draft_of(&report, &known), None);
        let lens = report.lens.as_ref().expect("a run");
        let spelled = |id: &u32| id.to_string();
        let draft = Draft {
            model: known,
            prompt: lens.token_ids.iter().map(spelled).collect::<Vec<_>>().join(", "),
            options: lens.option_token_ids.iter().map(spelled).collect(),
            answer: Some(lens.answer),
            plan: lens.plan.clone(),
        };
        assert!(asks_for(&report, &draft));
        let other = Draft { prompt: "1, 2".into(), ..draft.clone() };
        assert!(!asks_for(&report, &other));
        let text = Draft { prompt: "one, two".into(), ..draft };
        assert!(!asks_for(&report, &text));
        assert!(about(&report).ends_with(" · token ids …"));
    }

    #[test]
    fn a_link_that_was_changed_asks_for_another_coupling() {
        let baked = include_str!("../../public/examples/coupling.atelier.json");
        let mut report = read("c.json", baked).expect("a sound report");
        let coupling = report.coupling.clone().expect("a coupling");
        let known = Choice::Known(report.model.name.clone());
        let draft = draft_of(&report, &known).expect("it came from text");
        let any = TokenAsk::default();
        let own = compared(&coupling);
        assert!(own.is_wanted && own != any);
        assert!(is_asked(&report, &draft, any) && is_asked(&report, &draft, own));
        let step = own.step.map(|step| step + 1);
        assert!(!is_asked(&report, &draft, TokenAsk { step, ..own }));
        let mut other = draft;
        other.prompt = "another".into();
        assert!(!is_asked(&report, &other, own));
        // Rows of a task are of no prompt.
        report.coupling = None;
        assert!(is_asked(&report, &other, own));
    }

    #[test]
    fn a_report_of_many_prompts_answers_until_something_else_is_asked() {
        let mut report = read("a.json", &text(|_| ())).expect("a sound report");
        assert!(about(&report).starts_with("scholar-12 · plan "));
        let row = report.lens.take().expect("a run");
        let mut averages = RunningAverages::default();
        averages.add(&row);
        averages.add(&row);
        report.prompts = Some(Prompts {
            rows: vec![row.clone(), row],
            averages: averages.finish().expect("two rows"),
        });
        assert_eq!(about(&report), "scholar-12 · means of 2 prompts");
        let mut draft = examples::first();
        assert!(!asks_for(&report, &draft));
        assert!(answers(&report, &draft, Some(&draft.clone())));
        let beside = draft.clone();
        draft.prompt = "another".into();
        assert!(!answers(&report, &draft, Some(&beside)));
        assert!(!answers(&report, &draft, None));
    }

    #[test]
    fn a_report_that_does_not_fit_is_refused_before_it_is_read() {
        assert_eq!(check_size("a.json", 1e6), Ok(()));
        let sentence = check_size("a.json", 300e6).expect_err("too large");
        assert!(sentence.starts_with("a.json has 300 MB, and"), "{sentence}");
    }

    #[test]
    fn a_file_is_told_by_what_is_in_it() {
        let survey = include_str!("../../public/examples/survey.atelier.json");
        assert_eq!(holds_survey(survey), Some(true));
        assert_eq!(holds_survey(&text(|_| ())), Some(false));
        assert_eq!(holds_survey("not JSON"), None);
        assert!(is_of_a_model("config.json") && is_of_a_model("model.safetensors.index.json"));
        assert!(!is_of_a_model("sweep.atelier.json"));
    }

    #[test]
    fn what_cannot_be_drawn_is_refused_in_a_sentence() {
        for (text, says) in [
            ("{}".to_string(), "is no atelier report"),
            (text(|v| v["atelier"] = 99.into()), "a newer atelier"),
            (text(|v| v["engine"] = 1.into()), "is no atelier report"),
            (text(|v| v["lens"]["answer"] = 7.into()), "its right answer is 7 of 4 options"),
            (
                text(|v| v["lens"]["member_logits"] = serde_json::json!([[1.0, 2.0]])),
                "member_logits has 1 entries for 25 members",
            ),
            (text(|v| v["lens"] = serde_json::Value::Null), "nothing in it"),
            (
                include_str!("../../public/examples/survey.atelier.json").to_string(),
                "it is a survey: open it with Survey",
            ),
        ] {
            let sentence = read("a.json", &text).expect_err(says);
            assert!(sentence.starts_with("a.json ") && sentence.contains(says), "{sentence}");
            assert!(!sentence.ends_with("?.") && sentence.ends_with(['.', '?']), "{sentence}");
        }
    }
}
