//! The model's own first words, beside the options: in a sentence, and on request as options or as a text.

use leptos::prelude::*;

use super::is_answered;
use super::options::OptionCount;
use crate::app::state::Studio;
use crate::app::widgets::open_again;
use crate::chart::{kl_from_original, says_first, small_mass, unlike_spaces};
use crate::study::report::Lens;

#[component]
pub fn Beyond() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let is_answered = is_answered(studio);
    let words = move || {
        let is_judged = studio.is_judged();
        let has_plan = studio.draft.with(|draft| draft.plan_line().is_some());
        studio.picture().with(|shown| {
            let shown = shown.as_ref()?;
            let lens = shown.lens()?;
            let order = &shown.report.model.order;
            let kl = has_plan.then(|| kl_from_original(lens, order)).flatten();
            Some(words(lens, is_judged, kl))
        })
    };
    view! {
        <div class="beyond">
            <OptionCount />
            <button type="button" class="says" on:click=move |_| studio.ask_what_it_says()>
                "What does it say by itself?"
            </button>
            <button type="button" class="says" id="go-on" on:click=move |_| studio.go_on()>
                "Go on"
            </button>
            <div class:stale=move || !is_answered.get()>{words}</div>
        </div>
        <p class="hint" id="offered">{move || studio.offered.get()}</p>
        <output class="written" aria-live="off">{move || studio.written.get()}</output>
    }
}

/// The model's first token of all, and warnings where the options say little about it.
fn words(lens: &Lens, is_judged: bool, kl: Option<String>) -> AnyView {
    let line = |words: String| view! { <p class="says-first">{words}</p> };
    view! {
        {small_mass(lens).map(|warning| view! { <p class="small-mass">{warning}</p> })}
        {unlike_spaces(lens).map(|warning| line(warning.to_owned()))}
        {line(says_first(lens, is_judged))}
        {open_again(lens)}
        {kl.map(line)}
    }
    .into_any()
}
