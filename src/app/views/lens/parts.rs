//! Losses of the answer on the screen without each part of its plan: asked for by a button, drawn as two maps.

use std::sync::Arc;

use leptos::prelude::*;

use crate::app::protocol::Stage;
use crate::app::shell::Themes;
use crate::app::state::exchange::Work;
use crate::app::state::{Bench, Place, Shown, Studio};
use crate::app::widgets::{FigureView, Pictures, ProblemLine, SaveReport, Terms, WorkBar};
use crate::chart::{NO_PARTS, number, part_figures};
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
    let source =
        Signal::derive(move || studio.parts.with(|s| s.as_ref().map(source).unwrap_or_default()));
    let pictures = Pictures::with_source(source, move || {
        let theme = themes.theme.get();
        let report = left_out(studio)?;
        Some(part_figures(report.lens.as_ref()?, report.parts.as_deref()?, theme))
    });
    let (has_members, has_heads) = (pictures.has("parts-members"), pictures.has("parts-heads"));
    let has_no_parts =
        Memo::new(move |_| left_out(studio).is_some() && pictures.figures.with(Vec::is_empty));
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
                <FigureView picture=pictures.one("parts-members") group="parts" wide=true />
            </Show>
            <Show when=move || has_heads.get()>
                <p class="look">"A click on a head switches it off."</p>
                <FigureView picture=pictures.one("parts-heads") on_plan=switch wide=true />
            </Show>
        </section>
    }
}

/// Where the maps come from, in one sentence.
fn source(shown: &Shown) -> String {
    let Some(parts) = &shown.report.parts else {
        return String::new();
    };
    let members = number::counted(parts.members.len(), "component");
    let heads = number::counted(parts.heads.len(), "head");
    shown.provenance(&format!("{members} and {heads} left out once each")) + &shown.unnamed_heads()
}
