//! The question that a picture waits for: which option is right?

use leptos::prelude::*;

use crate::app::state::Studio;

/// Asks as long as `when` says so.
#[component]
pub fn WhichIsRight(#[prop(into)] when: Signal<bool>) -> impl IntoView {
    let studio = expect_context::<Studio>();
    let options = move || {
        let options = studio.draft.with(|draft| draft.options.clone());
        options
            .into_iter()
            .enumerate()
            .map(|(k, option)| {
                let name = match option.trim() {
                    "" => format!("option {}", k + 1),
                    text => text.to_owned(),
                };
                view! { <button type="button" on:click=move |_| studio.judge(k)>{name}</button> }
            })
            .collect_view()
    };
    view! {
        <Show when=move || when.get()>
            <div class="judging" role="group" aria-label="Which option is right?">
                <p>"Which option is right? Bias, diversity and error are measured from it."</p>
                <div class="buttons">{options}</div>
            </div>
        </Show>
    }
}
