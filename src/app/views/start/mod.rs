//! Ways into the page: one line and one picture each.
//!
//! The pictures are files beside the page, drawn when it was built ([`doors::pictures_from`]): nothing of a model is
//! fetched for them.

use leptos::prelude::*;

use crate::app::link::View;
use crate::app::shell::Themes;
use crate::app::state::Address;
use crate::app::{browser, doors};

#[component]
pub fn StartView() -> impl IntoView {
    let address = expect_context::<Address>();
    let themes = expect_context::<Themes>();
    let cards = doors::ALL.map(|door| {
        let link = move || format!("#{}", address.fragment(door.view));
        let picture = move || {
            let file = door.file(themes.theme.get().name);
            browser::beside(&format!("{file}?v={}", browser::build()))
        };
        view! {
            <li class="door" id=format!("door-{}", door.key)>
                <a href=link>
                    <h2>{door.word}</h2>
                    <p>{door.line}</p>
                    <img src=picture alt="" loading="lazy" width=doors::WIDTH.to_string() />
                </a>
            </li>
        }
    });
    view! {
        <ul class="doors" aria-label="Ways in">{cards.into_iter().collect_view()}</ul>
        <p class="hint">
            "Every picture leads to its numbers; every bar, dot and row of a component leads to "
            <a href=move || format!("#{}", address.fragment(View::Member))>"that component's page"</a> "."
        </p>
    }
}
