//! A button that deletes only when it was asked twice: what took an hour to come, or to write, is gone at once.

use leptos::prelude::*;

/// Draws the button, and beside it the one that asks again.
#[component]
pub fn SureButton(
    #[prop(optional)] id: Option<&'static str>,
    words: &'static str,
    /// For screen readers, where the words alone do not say what is deleted.
    #[prop(optional)]
    label: Option<String>,
    /// On the button that asks again.
    sure: &'static str,
    act: Callback<()>,
) -> impl IntoView {
    let is_asked = RwSignal::new(false);
    let confirm = move |_| {
        is_asked.set(false);
        act.run(());
    };
    view! {
        <button type="button" class="delete" id=id aria-label=label on:click=move |_| is_asked.update(|asked| *asked = !*asked)>
            {words}
        </button>
        <Show when=move || is_asked.get()>
            <button type="button" class="sure" on:click=confirm>{sure}</button>
        </Show>
    }
}
