//! The footer under a view in another page's frame: the work under way, problems, and the way to the page itself.

use leptos::prelude::*;

use crate::app::browser;
use crate::app::state::{Address, Place, Studio};
use crate::app::widgets::{ProblemLine, Provenance, WorkBar};

#[component]
pub fn Framed() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let address = expect_context::<Address>();
    let is_computed = move || studio.view.get().is_live() && studio.held.with(Option::is_some);
    let by = move || if is_computed() { "Computed here by " } else { "Shown by " };
    let way = move || browser::beside(&format!("./#{}", address.fragment(studio.view.get())));
    view! {
        <footer class="framed">
            <ProblemLine place=Place::Address />
            <ProblemLine place=Place::Model />
            <WorkBar of=studio.work id="cancel" on_cancel=Callback::new(move |()| studio.cancel_work()) />
            <Show when=move || studio.view.get().is_of_draft()>
                <Provenance />
            </Show>
            <p class="embed-way">
                {by} <a href=way target="_blank" rel="noopener">"atelier"</a> ", where it can be changed."
            </p>
        </footer>
    }
}
