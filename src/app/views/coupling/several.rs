//! Several models, or moments of one's training, from a report that compares them.

use leptos::prelude::*;

use crate::app::shell::Themes;
use crate::app::state::Studio;
use crate::app::widgets::FigureView;
use crate::chart::{Figure, metric_word, models_coupling_figures, nearest};
use crate::study::coupling::ModelsCoupling;

#[component]
pub fn OverModels() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let themes = expect_context::<Themes>();
    let there = Memo::new(move |_| studio.coupled_models.with(Option::is_some));
    let figures = Memo::new(move |_| {
        let (metric, k, out) = studio.coupling.with(|s| (s.metric, s.k, s.out.clone()));
        let theme = themes.theme.get();
        studio.coupled_models.with(|models| {
            let Some(models) = models else {
                return Vec::new();
            };
            // The metric and the number of vectors that the page shows.
            let k = nearest(models.relations.iter().map(|one| one.k), k);
            let relations = models.relations.iter();
            let shown = relations.filter(|one| one.metric == metric && Some(one.k) == k);
            let shown = ModelsCoupling {
                relations: shown.cloned().collect(),
                ..(**models).clone()
            };
            models_coupling_figures(&shown, &out, theme)
        })
    });
    let words = move || {
        let metric = studio.coupling.with(|s| s.metric);
        studio.coupled_models.with(|models| {
            let models = models.as_ref()?;
            let names = models
                .models
                .iter()
                .map(|model| model.report.model.name.as_str());
            let names = names.collect::<Vec<_>>().join(", ");
            Some(format!(
                "From a report: {names}; metric of {}.",
                metric_word(metric)
            ))
        })
    };
    let said = Signal::derive(move || words().unwrap_or_default());
    let all = move || {
        let count = figures.with(Vec::len);
        let one = move |n: usize| -> Signal<Option<Figure>> {
            Signal::derive(move || figures.with(|all| all.get(n).cloned()))
        };
        (0..count)
            .map(|n| view! { <FigureView figure=one(n) key="models" group="models" source=said /> })
            .collect_view()
    };
    view! {
        <Show when=move || there.get()>
            <section class="pictures" aria-labelledby="models-title">
                <h2 id="models-title">"Several models"</h2>
                <p class="provenance">{words}</p>
                {all}
            </section>
        </Show>
    }
}
