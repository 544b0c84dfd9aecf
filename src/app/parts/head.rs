//! The page's first lines: what this is, and light or dark.

use leptos::prelude::*;

use super::theme_picker::ThemePicker;
use crate::app::link::View;
use crate::app::studio::Studio;

#[component]
pub fn Head() -> impl IntoView {
    let studio = expect_context::<Studio>();
    view! {
        <header>
            <div class="masthead">
                <p class="name">"atelier"</p>
                <nav aria-label="Views">
                    {View::ALL
                        .map(|view| {
                            let here = move || (studio.view.get() == view).then_some("page");
                            let there = move || format!("#{}", studio.fragment(view));
                            let name = match view {
                                View::Lens => "Lens",
                                View::Orders => "Orders",
                            };
                            view! { <a href=there aria-current=here>{name}</a> }
                        })
                        .collect_view()}
                    // A page of its own.
                    <a href="survey.html">"Survey"</a>
                    <a href="survey.html#theory">"Theory"</a>
                </nav>
                <ThemePicker />
            </div>
            {move || match studio.view.get() {
                View::Lens => lens().into_any(),
                View::Orders => orders().into_any(),
            }}
        </header>
    }
}

fn lens() -> impl IntoView {
    view! {
        <h1>"What does each layer add to an answer?"</h1>
        <p class="lead">
            "A small language model runs in this page. Its layers are painters at one canvas: each adds two strokes, one "
            <span class="role attention">"attention"</span> ", one " <span class="role mlp">"MLP"</span>
            ". See how far every stroke is from the right answer (" <span class="role bias">"bias"</span>
            "), how much they disagree (" <span class="role diversity">"diversity"</span>
            "), and why the sum is better than its strokes."
        </p>
    }
}

fn orders() -> impl IntoView {
    view! {
        <h1>"What if the painters change places?"</h1>
        <p class="lead">
            "Every layer adds its strokes to the same canvas, so layers can be moved, left out, repeated or set to work side by \
             side. Try it on one prompt, see what becomes of the answer, of "
            <span class="role bias">"bias"</span> " and of " <span class="role diversity">"diversity"</span>
            ", then sweep over many orders and rows."
        </p>
    }
}
