//! The page of surveys and theorems: a program of its own, so that none of it travels before the
//! lens's first picture. It runs no model; it reads reports.

mod address;
mod cells;
mod desk;
mod filters;
mod foot;
mod head;
mod open;
mod pictures;
mod reading;
mod rows;
mod theorem;
mod theory;

use leptos::prelude::*;

use super::theme::Themes;
use address::View;
use desk::Desk;

/// Draws the page into the document's `#app`, in place of the words that stand there before.
pub fn mount() {
    let Some(host) = document().get_element_by_id("app") else {
        return;
    };
    host.set_text_content(None);
    mount_to(wasm_bindgen::JsCast::unchecked_into(host), Page).forget();
}

#[component]
fn Page() -> impl IntoView {
    provide_context(Themes::start());
    let desk = Desk::start();
    provide_context(desk);
    let view = Memo::new(move |_| desk.view.get());
    let there = Memo::new(move |_| desk.shown.with(Option::is_some));
    view! {
        <head::Head />
        <main id="main">
            <p class="unseen" role="status" aria-live="polite">{move || desk.said.get()}</p>
            {move || match view.get() {
                View::Survey => {
                    view! {
                        <open::Open />
                        <Show when=move || there.get()>
                            <filters::Filters />
                            <cells::Cells />
                            <pictures::Pictures />
                        </Show>
                    }
                        .into_any()
                }
                View::Theory => view! { <theory::Theory /> }.into_any(),
            }}
        </main>
        <foot::Foot />
    }
}
