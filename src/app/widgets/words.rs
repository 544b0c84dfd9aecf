//! Words in the colours of what they name.

use leptos::prelude::*;

use crate::app::roles::runs;
use crate::chart::number::with_whole_per_cents;

/// A sentence with its roles coloured.
#[component]
pub fn Words(#[prop(into)] text: String) -> impl IntoView {
    runs(&with_whole_per_cents(&text))
        .into_iter()
        .map(|(role, run)| match role {
            Some(role) => view! { <span class=format!("role {role}")>{run}</span> }.into_any(),
            None => run.into_any(),
        })
        .collect_view()
}
