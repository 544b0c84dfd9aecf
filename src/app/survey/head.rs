//! The page's first lines: the same views as the lens's page has, and what this one is.

use leptos::prelude::*;

use super::address::View;
use super::desk::Desk;
use crate::app::parts::ThemePicker;

#[component]
pub fn Head() -> impl IntoView {
    let desk = expect_context::<Desk>();
    let here = move |view| move || (desk.view.get() == view).then_some("page");
    view! {
        <header>
            <div class="masthead">
                <p class="name">"atelier"</p>
                <nav aria-label="Views">
                    <a href="./">"Lens"</a>
                    <a href="./#view=orders">"Orders"</a>
                    <a href="#survey" aria-current=here(View::Survey)>"Survey"</a>
                    <a href="#theory" aria-current=here(View::Theory)>"Theory"</a>
                </nav>
                <ThemePicker />
            </div>
            {move || match desk.view.get() {
                View::Survey => survey().into_any(),
                View::Theory => theory().into_any(),
            }}
        </header>
    }
}

fn survey() -> impl IntoView {
    view! {
        <h1>"Does it hold on whole data sets?"</h1>
        <p class="lead">
            "One prompt is an anecdote. A survey runs every model on every task and keeps, row by row, how far the layers are \
             from the right answer (" <span class="role bias">"bias"</span> ") and how much they disagree ("
            <span class="role diversity">"diversity"</span> "): the tables and figures of "
            <cite>"Diversity of Transformer Layers"</cite> ", from your own models, down to the single row."
        </p>
    }
}

fn theory() -> impl IntoView {
    view! {
        <h1>"Eight theorems, and where they end"</h1>
        <p class="lead">
            "What the paper proves about layers, each as a picture computed here and now: from a model's rows where the theorem is \
             about them, from voters made up on the spot where it is about an assumption. Each has one control that breaks what it \
             rests on."
        </p>
    }
}
