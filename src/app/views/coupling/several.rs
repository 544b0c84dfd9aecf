//! Several models, or moments of one's training, from a report that compares them.

use leptos::prelude::*;

use super::points::{Points, take};
use super::relations_at;
use crate::app::shell::Themes;
use crate::app::state::Studio;
use crate::app::widgets::{FigureView, Picture};
use crate::chart::{Figure, distinct, metric_word, models_coupling_figure, relation_figure};
use crate::study::coupling::Relation;

#[component]
pub fn OverModels() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let themes = expect_context::<Themes>();
    let shape = Memo::new(move |_| {
        let theme = themes.theme.get();
        studio.coupled_models.with(|models| models_coupling_figure(models.as_deref()?, theme))
    });
    let has_shape = Memo::new(move |_| shape.with(Option::is_some));
    // In the metric and at the number of vectors that the page shows.
    let relations = Memo::new(move |_| {
        let (metric, k) = studio.coupling.with(|s| (s.metric, s.k));
        studio.coupled_models.with(|models| {
            let all = models.as_deref().map_or(&[][..], |all| &all.relations);
            let shown = relations_at(all, metric, k);
            shown.cloned().collect::<Vec<Relation>>()
        })
    });
    let scatters = Memo::new(move |_| {
        let (out, theme) = (studio.coupling.with(|s| s.out.clone()), themes.theme.get());
        relations.with(|relations| {
            let drawn = relations.iter().map(|relation| relation_figure(relation, &out, theme));
            drawn.collect::<Vec<Figure>>()
        })
    });
    let count = Memo::new(move |_| relations.with(Vec::len));
    // A model is taken away from all plots at once.
    let names = Signal::derive(move || {
        relations.with(|relations| {
            let points = relations.iter().flat_map(|relation| &relation.points);
            distinct(points.map(|point| point.name.clone()))
        })
    });
    let words = move || {
        let metric = studio.coupling.with(|s| s.metric);
        studio.coupled_models.with(|models| {
            let models = models.as_ref()?;
            let names = models.models.iter().map(|model| model.report.model.name.as_str());
            let names = names.collect::<Vec<_>>().join(", ");
            Some(format!("From a report: {names}; metric of {}.", metric_word(metric)))
        })
    };
    let said = Signal::derive(move || words().unwrap_or_default());
    let straightness = move || Picture {
        key: "models-straightness".to_owned(),
        figure: shape.into(),
        source: said,
    };
    let toggle = Callback::new(move |name: String| take(studio, &name));
    let all = move || {
        let figure = |n: usize| {
            let figure = Signal::derive(move || scatters.with(|all| all.get(n).cloned()));
            let picture = Picture { key: format!("models-{n}"), figure, source: said };
            let folded = n > 0 || has_shape.get_untracked();
            view! { <FigureView picture on_pick=toggle folded /> }
        };
        (0..count.get()).map(figure).collect_view()
    };
    view! {
        <Show when=move || studio.coupled_models.with(Option::is_some)>
            <section class="pictures" aria-labelledby="models-title">
                <h2 class="asked" id="models-title">"How do several models compare?"</h2>
                <p class="provenance">{words}</p>
                <Show when=move || has_shape.get()>
                    <FigureView picture=straightness() />
                </Show>
                <Show
                    when=move || count.get() != 0
                    fallback=|| view! {
                        <p class="hint">"There is nothing to hold these models' couplings against: in all that is known of them they are alike."</p>
                    }
                >
                    <Points names back="models-back" />
                    {all}
                </Show>
            </section>
        </Show>
    }
}
