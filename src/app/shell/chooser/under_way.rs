//! The download under way, and what went wrong with one.

use leptos::prelude::*;

use super::downloads::Downloads;
use crate::app::hub::talk::spell_progress;
use crate::app::widgets::SureButton;

/// The download under way, and any problem.
#[component]
pub fn Fetching() -> impl IntoView {
    let downloads = expect_context::<Downloads>();
    let way = move || downloads.under_way.get();
    let total = move || way().map_or(0, |way| way.model.bytes());
    let share = move || way().map_or(0.0, |way| way.done as f64 / total().max(1) as f64);
    let words = move || {
        way().map(|way| {
            let progress = spell_progress(way.done, total(), way.rate.bytes_a_second);
            format!("{}: {progress}", way.model.name)
        })
    };
    let cancel = Callback::new(move |()| {
        if let Some(way) = downloads.under_way.get_untracked() {
            downloads.remove(way.model);
        }
    });
    view! {
        <Show when=move || downloads.is_asking.get()>
            <p class="buttons">
                <span class="status-line">"Looking it up …"</span>
                <button type="button" id="give-up" on:click=move |_| downloads.give_up()>"Cancel"</button>
            </p>
        </Show>
        <Show when=move || way().is_some()>
            <div class="fetching" id="fetching">
                <p>{words}</p>
                <progress max="1" prop:value=share aria-label="Download"></progress>
                <p class="buttons">
                    <button type="button" id="pause" on:click=move |_| downloads.pause()>"Pause"</button>
                    <SureButton words="Cancel and delete" sure="Yes, delete what has come" act=cancel />
                </p>
            </div>
        </Show>
        <p class="hint" id="waiting" role="status">{move || downloads.waiting.get()}</p>
        <p class="problem" role="alert">{move || downloads.problem.get()}</p>
        <p class="hint" id="notice" role="status">{move || downloads.notice.get()}</p>
    }
}
