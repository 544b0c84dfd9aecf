//! The way back to the whole vocabulary, where a run took the memory that reading it needs.

use leptos::prelude::*;

use crate::app::state::Studio;
use crate::study::report::Lens;

/// Says so beside the answer, with a button that opens the model again and repeats the run.
pub fn open_again(lens: &Lens) -> Option<AnyView> {
    let studio = expect_context::<Studio>();
    lens.vocabulary_ran_out.then(|| {
        view! {
            <p class="says-first">
                "A long run took the GPU memory that reading it needs. "
                <button type="button" class="open-again" on:click=move |_| studio.load()>"Open the model again"</button>
                " to read it on shorter prompts."
            </p>
        }
        .into_any()
    })
}
