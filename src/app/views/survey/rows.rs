//! Some rows of one model on one task, and the way of each into the lens.

use leptos::prelude::*;

use crate::app::link::{Choice, Draft, Link, View};
use crate::app::state::Surveys;
use crate::chart::number::{percent_tenths, short};
use crate::measure::bits::bits;
use crate::model::catalogue;
use crate::study::survey::{Found, Sample, Survey, SurveyedOutcome, counted};

#[component]
pub fn Rows() -> impl IntoView {
    let surveys = expect_context::<Surveys>();
    move || {
        let survey = surveys.shown.get()?;
        let (model, task) = (surveys.model()?, surveys.task()?);
        let cell = survey.cells.iter().find(|cell| cell.model == model && cell.task == task)?;
        match &cell.outcome {
            SurveyedOutcome::Found(found) => Some(list(&survey, model, task, found).into_any()),
            SurveyedOutcome::Failed(why) => {
                Some(view! { <p class="problem">{why.clone()}</p> }.into_any())
            }
        }
    }
}

fn list(survey: &Survey, model: usize, task: usize, found: &Found) -> impl IntoView + use<> {
    let (name, known) = (&survey.models[model].name, &survey.tasks[task]);
    let first = found.first_word.map_or_else(
        || "its first word is not known".to_owned(),
        |share| format!("the first word right in {}", percent_tenths(share)),
    );
    let headline = format!(
        "{name} on {}: {} {}, {first}; {} of {} rows are shown",
        known.name,
        percent_tenths(found.averages.accuracy),
        known.score.right(),
        found.samples.len(),
        found.averages.rows
    );
    // A model of another report may have been given its report's name; the catalogue's have none.
    let is_known = catalogue::find(name).is_some();
    let way = if found.facts.rivals || known.score != crate::task::score::Score::Option {
        let why = "These rows are scored by continuations, not by single tokens: the lens, which reads single tokens, cannot open them.";
        Some(why.to_owned())
    } else if !is_known {
        let why = "This model does not come with the page: open its folder in the lens first, then put the row's prompt and options there.";
        Some(why.to_owned())
    } else {
        None
    };
    let model = way.is_none().then_some(name);
    let samples = found.samples.iter();
    let rows = samples.map(|sample| row(sample, found, known.levels.as_deref(), model));
    let is_bare = found.samples.iter().all(|sample| sample.prompt.is_none());
    let bare = is_bare.then_some(
        "This report has no text of its rows. The line of a row's file leads to it where you have the data set.",
    );
    view! {
        <div class="rows">
            <h3>{headline}</h3>
            <p class="hint">{format!("{}. Rows are spread evenly over the task; ✓ marks the right option, the underlined one is the model's answer.", known.about.trim_end_matches('.'))}</p>
            {way.filter(|_| !is_bare).map(|way| view! { <p class="hint">{way}</p> })}
            {bare.map(|bare| view! { <p class="hint">{bare}</p> })}
            <ol class="samples">{rows.collect_view()}</ol>
        </div>
    }
}

fn row(
    sample: &Sample,
    found: &Found,
    several: Option<&str>,
    model: Option<&String>,
) -> impl IntoView + use<> {
    let prompt =
        sample.prompt.clone().map(|prompt| view! { <p class="sample-prompt">{prompt}</p> });
    let options = options(sample, found);
    let named = format!("row {}", sample.row);
    let level =
        sample.level.zip(several).map(|(level, several)| format!(", {}", counted(level, several)));
    let links = model.and_then(|model| draft_of(sample, model)).map(|draft| {
        let lens = Link { draft: Some(draft.clone()), ..Link::to(View::Lens) };
        let links = [lens, Link::to_member(draft, None)];
        let [lens, members] = links.map(|link| format!("#{}", link.fragment()));
        let [after, whose] = [format!(", {named}"), format!(" of {named}")];
        view! {
            <a href=lens>"Open in the lens"<span class="unseen">{after}</span></a>
            <a class="to-members" href=members>"Its components one by one"<span class="unseen">{whose}</span></a>
        }
    });
    let [mse, bias, diversity] = sample.probability.map(short);
    let log_likelihood = sample
        .log_likelihood
        .map(|x| view! { <span>{format!("surprise {} bits", short(bits(-x)))}</span> });
    view! {
        <li class="sample" class:wrong=!sample.correct>
            {prompt}
            <p class="sample-options">{options}</p>
            <p class="sample-numbers">
                <span class="quiet">{named} ", line " {sample.line} {level}</span>
                <span><span class="role mse">{mse}</span> " = " <span class="role bias">{bias}</span> " − " <span class="role diversity">{diversity}</span></span>
                {log_likelihood}
                {links}
            </p>
        </li>
    }
}

/// The row's own options with the right one and the answer marked; the task's, or ids, where there is no text.
fn options(sample: &Sample, found: &Found) -> AnyView {
    let texts: Vec<String> = if sample.choices.len() == sample.option_ids.len() {
        sample.choices.iter().map(|choice| choice.trim().to_owned()).collect()
    } else if sample.choices.is_empty()
        && found.choices.len() == sample.option_ids.len()
        && let Some(texts) = found
            .choices
            .iter()
            .map(|choice| choice.option.clone())
            .collect::<Option<Vec<String>>>()
    {
        texts.iter().map(|text| text.trim().to_owned()).collect()
    } else if sample.choices.is_empty() {
        sample.option_ids.iter().map(|id| format!("token {id}")).collect()
    } else {
        // Votes are among tokens of its own; only what is right is known of the choices.
        let right = sample.right.unwrap_or(0);
        let verdict = if sample.correct { "answered right" } else { "answered wrong" };
        let text = sample.choices.get(right).map(|text| text.trim().to_owned()).unwrap_or_default();
        return view! { <span class="sample-option">{format!("✓ {text} ({verdict})")}</span> }
            .into_any();
    };
    let marked = texts.into_iter().enumerate().map(|(i, text)| {
        let right = i == sample.answer;
        let answered = i == sample.answered;
        let said = match (right, answered) {
            (true, true) => " (right, answered)",
            (true, false) => " (right)",
            (false, true) => " (answered)",
            (false, false) => "",
        };
        view! {
            <span class="sample-option" class:answered=answered>
                {right.then_some("✓ ")}{text}<span class="unseen">{said}</span>
            </span>
        }
    });
    marked.collect_view().into_any()
}

/// The draft that asks this row, where its options are single tokens with text.
fn draft_of(sample: &Sample, model: &str) -> Option<Draft> {
    let prompt = sample.prompt.clone()?;
    if sample.choices.len() != sample.option_ids.len() {
        return None;
    }
    Some(Draft {
        model: Choice::Known(model.to_owned()),
        prompt,
        options: sample.choices.clone(),
        answer: Some(sample.answer),
        plan: String::new(),
    })
}
