//! The page's first lines: what this is, and light or dark.

use leptos::prelude::*;

use crate::app::theme::{Themes, Wish};

#[component]
pub fn Head() -> impl IntoView {
    let themes = expect_context::<Themes>();
    let choose = move |event| {
        if let Some(wish) = Wish::parse(&event_target_value(&event)) {
            themes.wish.set(wish);
        }
    };
    let label = |wish| match wish {
        Wish::System => "as the system",
        Wish::Light => "light",
        Wish::Dark => "dark",
    };
    view! {
        <header>
            <div class="masthead">
                <p class="name">"atelier"</p>
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
            </div>
            <h1>"What does each layer add to an answer?"</h1>
            <p class="lead">
                "A small language model runs in this page. Its layers are painters at one canvas: each adds two strokes, one "
                <span class="role attention">"attention"</span> ", one " <span class="role mlp">"MLP"</span>
                ". See how far every stroke is from the right answer (" <span class="role bias">"bias"</span>
                "), how much they disagree (" <span class="role diversity">"diversity"</span>
                "), and why the sum is better than its strokes."
            </p>
        </header>
    }
}
