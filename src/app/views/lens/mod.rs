//! The lens: one prompt, every component.

mod identity;
mod parts;
mod votes;

use leptos::prelude::*;

use crate::app::shell::Themes;
use crate::app::state::Studio;
use crate::app::widgets::{Columns, FigureView, Pictures, Question, SaveRun, WhichIsRight};
use crate::chart::{Identity, figures, prompt_figures, with_losses};
use identity::IdentityLine;
use parts::{LeaveOut, left_out};
use votes::Votes;

#[component]
pub fn LensView() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let themes = expect_context::<Themes>();
    let pictures = Pictures::of_run(studio.shown, move || {
        studio.shown.with(|shown| {
            let shown = shown.as_ref()?;
            let (column, theme) = (studio.column.get(), themes.theme.get());
            let drawn = match (shown.lens(), &shown.report.prompts) {
                (Some(lens), _) => {
                    let own = figures(lens, column, theme);
                    // The picture may still be that of the run before.
                    let is_current = studio.draft.with(|draft| shown.answers(draft));
                    let left_out = is_current.then(|| left_out(studio)).flatten();
                    match left_out.as_ref().and_then(|report| report.parts.as_deref()) {
                        Some(parts) => with_losses(own, lens, parts),
                        None => own,
                    }
                }
                (None, Some(prompts)) => prompt_figures(prompts, column, theme),
                (None, None) => return None,
            };
            Some(drawn.into())
        })
    });
    let there = Memo::new(move |_| pictures.figures.with(|all| !all.is_empty()));
    // What is measured from the right answer waits until the reader has said which it is.
    // A report of many prompts says it of each.
    let many = Memo::new(move |_| {
        studio.shown.with(|shown| {
            let shown = shown.as_ref()?;
            let prompts = shown.report.prompts.as_ref()?;
            shown.lens().is_none().then_some(prompts.rows.len())
        })
    });
    // A first choice waits for its run; another one leaves the pictures of the run before where they are.
    let judged = Memo::new(move |was: Option<&bool>| {
        let is_of_choice = || studio.with_run(|lens| studio.is_judged_as(lens)) == Some(true);
        let is_kept = was == Some(&true) && studio.is_judged();
        there.get() && (many.get().is_some() || is_kept || is_of_choice())
    });
    let asks = Memo::new(move |_| there.get() && !judged.get());
    let heading = move || match many.get() {
        Some(rows) => format!("Bias, diversity, error: means of {rows} prompts"),
        None => {
            let heading = studio.with_run(|lens| Identity::of(lens, studio.column.get()).heading);
            heading.unwrap_or_default()
        }
    };
    // Whoever comes back looks for no member.
    on_cleanup(move || studio.member.set(None));
    view! {
        <Question />
        <WhichIsRight when=asks />
        <Show when=move || judged.get()>
            <Votes picture=pictures.one("votes") />
            <section class="pictures along" aria-labelledby="pictures-title">
                <h2 id="pictures-title" class="sentence">{heading}</h2>
                <IdentityLine />
                <Columns />
                <FigureView picture=pictures.one("spread") group="lens" />
                <FigureView picture=pictures.one("running") group="lens" />
            </section>
        </Show>
        <Show when=move || judged.get() && many.get().is_none() && !studio.is_absent.get()>
            <LeaveOut />
        </Show>
        <Show when=move || there.get()>
            <SaveRun />
        </Show>
    }
}
