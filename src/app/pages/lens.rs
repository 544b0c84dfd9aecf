//! The lens: one prompt, every stroke.

use leptos::prelude::*;

use crate::app::parts::{
    Columns, EngineLine, FigureView, IdentityLine, ModelPicker, Options, Painters, PlanLine,
    PromptEditor, PromptLine, Provenance, Status, source,
};
use crate::app::studio::{Shown, Studio};
use crate::app::theme::Themes;
use crate::chart::{figures, prompt_figures};

#[component]
pub fn LensPage() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let themes = expect_context::<Themes>();
    let figures = Memo::new(move |_| {
        studio.shown.with(|shown| {
            let shown = shown.as_ref()?;
            let (column, theme) = (studio.column.get(), themes.theme.get());
            match (shown.lens(), &shown.report.prompts) {
                (Some(lens), _) => Some(figures(lens, column, theme)),
                (None, Some(prompts)) => Some(prompt_figures(prompts, column, theme)),
                (None, None) => None,
            }
        })
    });
    let figure = move |index: usize| {
        Signal::derive(move || figures.with(|all| all.as_ref().map(|all| all[index].clone())))
    };
    let said = Signal::derive(move || {
        studio
            .shown
            .with(|shown| shown.as_ref().map(source).unwrap_or_default())
    });
    let picture = move || figures.with(Option::is_some);
    let lens = Signal::derive(move || {
        studio
            .shown
            .with(|shown| shown.as_ref().and_then(Shown::lens).cloned())
    });
    view! {
        <main id="main">
            <section class="prompt" aria-labelledby="prompt-title">
                <h2 id="prompt-title">"The prompt"</h2>
                <PromptLine />
                <Options />
                <PromptEditor />
            </section>
            <section class="painters" aria-labelledby="painters-title">
                <h2 id="painters-title">"The painters"</h2>
                <div class="controls">
                    <ModelPicker />
                    <PlanLine />
                    <EngineLine />
                </div>
                <Status />
                <Show when=picture>
                    <Provenance />
                    <Painters lens=lens />
                </Show>
            </section>
            <Show when=picture>
                <section class="pictures" aria-labelledby="pictures-title">
                    <h2 id="pictures-title">"Bias, diversity, error"</h2>
                    <IdentityLine />
                    <Columns />
                    {["votes", "spread", "running"]
                        .into_iter()
                        .enumerate()
                        .map(|(index, key)| {
                            view! { <FigureView figure=figure(index) key group="lens" source=said /> }
                        })
                        .collect_view()}
                </section>
            </Show>
        </main>
    }
}
