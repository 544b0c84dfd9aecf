//! From step to step.

use leptos::prelude::*;

use crate::app::state::Studio;

/// To the step before and the next.
#[component]
pub fn Onward(number: usize, at: usize, of: usize) -> impl IntoView {
    let studio = expect_context::<Studio>();
    let is_last = at + 1 >= of;
    view! {
        <p class="onward">
            <button
                type="button"
                id="previous-step"
                disabled=at == 0
                on:click=move |_| studio.go_to_step(number, at.saturating_sub(1))
            >
                "Previous step"
            </button>
            <button
                type="button"
                id="next-step"
                disabled=is_last
                on:click=move |_| studio.go_to_step(number, at + 1)
            >
                "Next step"
            </button>
            <span class="hint">"Keys: n next, p previous"</span>
        </p>
    }
}
