//! Points of scatter plots that can be taken away.

use leptos::prelude::*;

use crate::app::state::Studio;

/// Takes a point away, or puts it back.
pub fn take(studio: Studio, name: &str) {
    studio.set_coupling(|s| {
        if !s.out.remove(name) {
            s.out.insert(name.to_owned());
        }
    });
}

/// Each point, by its name, with the way to take it away; `back` is the id of the button that puts all
/// back.
#[component]
pub fn Points(#[prop(into)] names: Signal<Vec<String>>, back: &'static str) -> impl IntoView {
    let studio = expect_context::<Studio>();
    let points = move || {
        let button = |name: String| {
            let own = name.clone();
            let pressed = move || {
                let is_in = studio.coupling.with(|s| !s.out.contains(&own));
                is_in.to_string()
            };
            let label = format!("Point {name}");
            let click = {
                let name = name.clone();
                move |_| take(studio, &name)
            };
            view! { <button type="button" aria-label=label aria-pressed=pressed on:click=click>{name}</button> }
        };
        names.get().into_iter().map(button).collect_view()
    };
    let any = Memo::new(move |_| {
        studio.coupling.with(|s| names.with(|names| names.iter().any(|name| s.out.contains(name))))
    });
    let all_back = move |_| {
        let names = names.get_untracked();
        studio.set_coupling(|s| s.out.retain(|name| !names.contains(name)));
    };
    view! {
        <div class="points" role="group" aria-label="Points of the scatter plot; press one to take it away, again to put it back">
            <span class="look">"Points: "</span>
            {points}
            <Show when=move || any.get()>
                <button type="button" id=back on:click=all_back>"All back"</button>
            </Show>
        </div>
    }
}
