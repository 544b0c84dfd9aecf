//! Light or dark.

use leptos::prelude::*;

use super::theme::{Themes, Wish};

#[component]
pub fn ThemePicker() -> impl IntoView {
    let themes = expect_context::<Themes>();
    let choose = move |event| {
        if let Some(wish) = Wish::parse(&event_target_value(&event)) {
            themes.wish.set(wish);
        }
    };
    let label = |wish| match wish {
        Wish::System => "system",
        Wish::Light => "light",
        Wish::Dark => "dark",
    };
    view! {
        <label class="theme">
            <span>"Colours "</span>
            <select on:change=choose prop:value=move || themes.wish.get().name()>
                {Wish::ALL
                    .map(|wish| {
                        let selected = move || themes.wish.get() == wish;
                        view! { <option value=wish.name() selected=selected>{label(wish)}</option> }
                    })
                    .collect_view()}
            </select>
        </label>
    }
}
