//! Losses of the answer on the screen without each part of its plan: asked for by a button, drawn as two maps.

use std::sync::Arc;

use leptos::prelude::*;

use crate::app::protocol::Stage;
use crate::app::shell::Themes;
use crate::app::state::exchange::Work;
use crate::app::state::{Bench, Origin, Place, Shown, Studio};
use crate::app::widgets::{FigureView, ProblemLine, SaveReport, Terms, WorkBar};
use crate::chart::{NO_PARTS, number, part_figures, unnamed_heads};
use crate::study::report::Report;

/// The report of the parts of the draft's run, where they were left out.
pub fn left_out(studio: Studio) -> Option<Arc<Report>> {
    let draft = studio.draft.get();
    studio.parts.with(|shown| {
        let shown = shown.as_ref().filter(|shown| shown.answers(&draft))?;
        Some(Arc::clone(&shown.report))
    })
}

#[component]
pub fn LeaveOut() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let bench = expect_context::<Bench>();
    let themes = expect_context::<Themes>();
    let figures = Memo::new(move |_| {
        let theme = themes.theme.get();
        let report = left_out(studio)?;
        Some(part_figures(report.lens.as_ref()?, report.parts.as_deref()?, theme))
    });
    let figure = move |key: &'static str| {
        Signal::derive(move || {
            figures.with(|all| all.iter().flatten().find(|one| one.key == key).cloned())
        })
    };
    let has = move |key: &'static str| {
        Memo::new(move |_| figures.with(|all| all.iter().flatten().any(|one| one.key == key)))
    };
    let (has_members, has_heads) = (has("parts-members"), has("parts-heads"));
    let has_no_parts =
        Memo::new(move |_| figures.with(|all| all.as_ref().is_some_and(Vec::is_empty)));
    let source =
        Signal::derive(move || studio.parts.with(|s| s.as_ref().map(source).unwrap_or_default()));
    // A sweep of another view goes on beside this one.
    let work = Signal::derive(move || {
        let is_parts = |work: &Work| work.progress.is_none_or(|(stage, ..)| stage == Stage::Parts);
        studio.sweep.get().filter(is_parts)
    });
    let is_waiting = move || studio.sweep.with(Option::is_some) && work.with(Option::is_none);
    let switch = Callback::new(move |plan: String| {
        bench.set_plan(plan.clone());
        studio.say(format!("The plan is {plan} now."));
    });
    view! {
        <section class="pictures" aria-labelledby="parts-title">
            <h2 id="parts-title">"What the answer loses without each part"</h2>
            <p class="look">
                <Terms text="A vote is what a component or a head adds directly. Here each is left out once, and all else runs again: that \
                             shows what the answer loses without it." />
            </p>
            <p>
                <button type="button" id="leave-out-parts" disabled=is_waiting on:click=move |_| studio.leave_out_parts()>
                    {move || match (is_waiting(), work.with(Option::is_some)) {
                        (true, _) => "Leave out every part once, after the sweep",
                        (_, true) => "Start again",
                        (_, false) => "Leave out every part once",
                    }}
                </button>
            </p>
            <WorkBar of=work id="cancel-parts" on_cancel=Callback::new(move |()| studio.cancel_sweep()) />
            <ProblemLine place=Place::Sweep />
            <Show when=move || has_no_parts.get()>
                <p class="hint">{NO_PARTS}</p>
            </Show>
            <Show when=move || has_members.get()>
                <p class="provenance">{source}</p>
                <p class="keep"><SaveReport shown=studio.parts name="parts" /></p>
                <p class="look">"A click on a component opens its own page."</p>
                <FigureView figure=figure("parts-members") key="parts-members" group="parts" source wide=true />
            </Show>
            <Show when=move || has_heads.get()>
                <p class="look">"A click on a head switches it off."</p>
                <FigureView figure=figure("parts-heads") key="parts-heads" group="parts-heads" source on_plan=switch wide=true />
            </Show>
        </section>
    }
}

/// Where the maps come from, in one sentence.
fn source(shown: &Shown) -> String {
    let name = &shown.report.model.name;
    let counted = shown.report.parts.as_ref().map_or_else(String::new, |parts| {
        let (members, heads) = (parts.members.len(), parts.heads.len());
        let unnamed = unnamed_heads(&shown.report.model).map(|sentence| format!(" {sentence}"));
        format!(
            "{} and {} left out once each.{}",
            number::counted(members, "component"),
            number::counted(heads, "head"),
            unnamed.unwrap_or_default()
        )
    });
    match &shown.origin {
        Origin::Live { milliseconds, .. } => {
            let time = number::fixed(milliseconds / 1000.0, 1);
            format!("Computed here by {name} in {time} s: {counted}")
        }
        Origin::Opened { .. } | Origin::Baked => format!("From a report: {name}, {counted}"),
    }
}
