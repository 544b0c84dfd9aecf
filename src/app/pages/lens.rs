//! The lens: one prompt, every stroke.

use leptos::prelude::*;

use crate::app::parts::{
    Columns, FigureView, IdentityLine, ModelPicker, Painters, PlanLine, PromptEditor, PromptLine,
    Provenance, Status,
};
use crate::app::studio::Studio;
use crate::app::theme::Themes;
use crate::chart::figures;

#[component]
pub fn LensPage() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let themes = expect_context::<Themes>();
    let figures = Memo::new(move |_| {
        studio.shown.with(|shown| {
            let lens = shown.as_ref()?.lens()?;
            Some(figures(lens, studio.column.get(), themes.theme.get()))
        })
    });
    let picture = move || figures.with(Option::is_some);
    view! {
        <main id="main">
            <section class="prompt" aria-labelledby="prompt-title">
                <h2 id="prompt-title">"The prompt"</h2>
                <PromptLine />
                <PromptEditor />
            </section>
            <section class="painters" aria-labelledby="painters-title">
                <h2 id="painters-title">"The painters"</h2>
                <div class="controls">
                    <ModelPicker />
                    <PlanLine />
                </div>
                <Status />
                <Show when=picture>
                    <Provenance />
                    <Painters />
                </Show>
            </section>
            <Show when=picture>
                <section class="pictures" aria-labelledby="pictures-title">
                    <h2 id="pictures-title">"Bias, diversity, error"</h2>
                    <IdentityLine />
                    <Columns />
                    {(0..3).map(|index| view! { <FigureView figures index /> }).collect_view()}
                </section>
            </Show>
        </main>
    }
}
