//! One view a file: the lens, and the lab of orders.

mod lens;
mod orders;

use leptos::prelude::*;

use super::bench::Bench;
use super::link::View;
use super::parts::{Foot, Head};
use super::quiz::Quiz;
use super::studio::Studio;
use super::sweeps::Sweeps;
use super::theme::Themes;

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
    let themes = Themes::start();
    provide_context(themes);
    let studio = Studio::open();
    provide_context(studio);
    provide_context(Bench::start(studio));
    provide_context(Sweeps::start(studio));
    provide_context(Quiz::start(studio));
    let view = Memo::new(move |_| studio.view.get());
    view! {
        <Head />
        {move || match view.get() {
            View::Lens => view! { <lens::LensPage /> }.into_any(),
            View::Orders => view! { <orders::OrdersPage /> }.into_any(),
        }}
        <Foot />
    }
}
