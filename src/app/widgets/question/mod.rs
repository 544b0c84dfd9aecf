//! The question at the top of every view: the prompt, the options with what the model says of each,
//! and examples. Everything is edited where it stands.

mod beyond;
mod examples;
mod options;
mod prompt;
mod text;

use leptos::prelude::*;

use super::problem::ProblemLine;
use crate::app::opened;
use crate::app::state::{Place, Shown, Studio};
use crate::study::report::Lens;
use beyond::Beyond;
use examples::Examples;
use options::Options;
use prompt::Prompt;

/// The prompt, the options, what the model says by itself, and examples.
#[component]
pub fn Question(
    /// Leaves the options out, where nothing in the view depends on them.
    #[prop(optional)]
    without_options: bool,
) -> impl IntoView {
    let studio = expect_context::<Studio>();
    let spaces = RwSignal::new(false);
    view! {
        <section class="question" aria-label="The question">
            <form on:submit=move |event| {
                event.prevent_default();
                studio.run();
            }>
                <Prompt spaces />
                <ProblemLine place=Place::Prompt />
                {(!without_options).then(|| view! { <Options spaces /> })}
            </form>
            {(!without_options).then(|| view! { <Beyond /> })}
            <Examples spaces />
        </section>
    }
}

/// Whether the view's picture is of the prompt, options, model and plan that stand there now. Which option is
/// right changes none of the model's numbers.
fn is_answered(studio: Studio) -> Memo<bool> {
    Memo::new(move |_| {
        studio.picture().with(|shown| {
            let Some(shown) = shown else { return false };
            let mut draft = studio.draft.get();
            draft.answer = None;
            opened::asks_for(&shown.report, &draft)
        })
    })
}

/// Reads something from the run whose picture the view shows, where it shows one.
fn with_lens<T>(studio: Studio, read: impl FnOnce(&Lens) -> T) -> Option<T> {
    studio.picture().with(|shown| Some(read(shown.as_ref().and_then(Shown::lens)?)))
}
