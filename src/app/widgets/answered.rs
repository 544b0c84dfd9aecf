//! The prompt and the answer above a view of a run's inside.

use leptos::prelude::*;

use super::{Options, PromptEditor, PromptLine, Provenance};

/// Where the pictures are `there`, also what computed them.
#[component]
pub fn PromptAndAnswer(there: Memo<bool>) -> impl IntoView {
    view! {
        <section class="first" aria-label="The prompt and the answer">
            <div class="prompt"><PromptLine /></div>
            <div class="verdict"><Options /></div>
            <div class="painters"><Show when=move || there.get()><Provenance /></Show></div>
            <PromptEditor />
        </section>
    }
}
