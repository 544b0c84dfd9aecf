//! The lens: one prompt, every component.

mod identity;
mod parts;
mod votes;

use leptos::prelude::*;

use crate::app::shell::Themes;
use crate::app::state::{Shown, Studio};
use crate::app::widgets::{Columns, FigureView, Question, SaveRun, WhichIsRight, source};
use crate::chart::{Identity, figures, prompt_figures, with_losses};
use identity::IdentityLine;
use parts::{LeaveOut, left_out};
use votes::Votes;

#[component]
pub fn LensView() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let themes = expect_context::<Themes>();
    let figures = Memo::new(move |_| {
        studio.shown.with(|shown| {
            let shown = shown.as_ref()?;
            let (column, theme) = (studio.column.get(), themes.theme.get());
            match (shown.lens(), &shown.report.prompts) {
                (Some(lens), _) => {
                    let own = figures(lens, column, theme);
                    // The picture may still be that of the run before.
                    let is_current = studio.draft.with(|draft| shown.answers(draft));
                    let left_out = is_current.then(|| left_out(studio)).flatten();
                    Some(match left_out.as_ref().and_then(|report| report.parts.as_deref()) {
                        Some(parts) => with_losses(own, lens, parts),
                        None => own,
                    })
                }
                (None, Some(prompts)) => Some(prompt_figures(prompts, column, theme)),
                (None, None) => None,
            }
        })
    });
    let figure = move |index: usize| {
        Signal::derive(move || figures.with(|all| all.as_ref().map(|all| all[index].clone())))
    };
    let said = Signal::derive(move || {
        studio.shown.with(|shown| shown.as_ref().map(source).unwrap_or_default())
    });
    let there = Memo::new(move |_| figures.with(Option::is_some));
    // What is measured from the right answer waits until the reader has said which it is.
    // A report of many prompts says it of each.
    let many = Memo::new(move |_| {
        studio.shown.with(|shown| {
            let shown = shown.as_ref()?;
            let prompts = shown.report.prompts.as_ref()?;
            shown.lens().is_none().then_some(prompts.rows.len())
        })
    });
    let judged = Memo::new(move |_| there.get() && (many.get().is_some() || studio.is_judged()));
    let asks = Memo::new(move |_| there.get() && !judged.get());
    let heading = move || match many.get() {
        Some(rows) => format!("Bias, diversity, error: means of {rows} prompts"),
        None => studio.shown.with(|shown| {
            let lens = shown.as_ref().and_then(Shown::lens);
            lens.map(|lens| Identity::of(lens, studio.column.get()).heading).unwrap_or_default()
        }),
    };
    // Whoever comes back looks for no member.
    on_cleanup(move || studio.look_at(None));
    view! {
        <Question />
        <WhichIsRight when=asks />
        <Show when=move || judged.get()>
            <Votes figure=figure(0) source=said />
            <section class="pictures along" aria-labelledby="pictures-title">
                <h2 id="pictures-title" class="sentence">{heading}</h2>
                <IdentityLine />
                <Columns />
                <FigureView figure=figure(1) key="spread" group="lens" source=said />
                <FigureView figure=figure(2) key="running" group="lens" source=said />
            </section>
        </Show>
        <Show when=move || judged.get() && many.get().is_none()>
            <LeaveOut />
        </Show>
        <Show when=move || there.get()>
            <SaveRun />
        </Show>
    }
}
