//! Says that the open model is not in the pictures, and how its own are made.

use leptos::prelude::*;

use crate::app::state::Studio;

/// A sentence while a model is open that is none of those `shown`; `way` begins with a verb, and `command` makes
/// the pictures of the model's file. Of the model called `except` nothing is said.
#[component]
pub fn OpenModelNote(
    #[prop(into)] shown: Signal<Vec<String>>,
    way: &'static str,
    command: &'static str,
    #[prop(optional)] except: &'static str,
) -> impl IntoView {
    let studio = expect_context::<Studio>();
    let absent = Memo::new(move |_| {
        let open = studio.held.with(|held| held.as_ref().map(|held| held.facts.name.clone()))?;
        let is_absent = shown.with(|shown| !shown.is_empty() && !shown.contains(&open));
        (is_absent && open != except).then_some(open)
    });
    move || {
        absent.get().map(|open| {
            let names = shown.get();
            let shown = match names.as_slice() {
                [name] => format!("{name}'s"),
                all => format!("those of {} other models", all.len()),
            };
            view! {
                <p class="hint open-model">
                    {format!("These numbers are {shown}, and {open} is open. {way} ")}
                    <code>{command}</code>
                    ", where FILE is its file or folder."
                </p>
            }
        })
    }
}
