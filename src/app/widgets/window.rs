//! Earlier and later positions of a long prompt.

use leptos::prelude::*;

use crate::app::state::Studio;

/// The positions that are shown, and how many there are; nothing where all are.
#[component]
pub fn Window(#[prop(into)] positions: Signal<Option<(Vec<usize>, usize)>>) -> impl IntoView {
    let studio = expect_context::<Studio>();
    let step = move |forward: bool| {
        let Some((shown, _)) = positions.get_untracked() else {
            return;
        };
        let (Some(&first), count) = (shown.first(), shown.len()) else {
            return;
        };
        let from = if forward { first + count } else { first.saturating_sub(count) };
        studio.set_inside(|s| s.from = Some(from));
    };
    move || {
        let (shown, all) = positions.get()?;
        let (&first, &last) = (shown.first()?, shown.last()?);
        (shown.len() < all).then(|| {
            view! {
                <span class="window">
                    <button type="button" disabled={first == 0} on:click=move |_| step(false)>"Earlier"</button>
                    {format!("tokens {first} to {last} of 0 to {}", all - 1)}
                    <button type="button" disabled={last + 1 >= all} on:click=move |_| step(true)>"Later"</button>
                </span>
            }
        })
    }
}
