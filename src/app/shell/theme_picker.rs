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
    view! {
        <label class="theme">
            <span>"Colours "</span>
            <select on:change=choose prop:value=move || themes.wish.get().name()>
                {Wish::ALL
                    .map(|wish| {
                        let selected = move || themes.wish.get() == wish;
                        view! { <option value=wish.name() selected=selected>{wish.name()}</option> }
                    })
                    .collect_view()}
            </select>
        </label>
    }
}
