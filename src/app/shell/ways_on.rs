//! The ways on where the first picture's model is not on this machine.

use leptos::prelude::*;

use super::chooser::Chooser;
use crate::app::browser;
use crate::app::examples;
use crate::app::files;
use crate::app::first_picture::{HUB_MEGABYTES, HUB_MODEL};
use crate::app::state::{Studio, Surveys};
use crate::model::catalogue::KNOWN;

/// Three ways to a model that runs, as long as the first picture's own does not.
#[component]
pub fn WaysOn() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let surveys = expect_context::<Surveys>();
    let chooser = expect_context::<Chooser>();
    let take = move |event: leptos::ev::Event| {
        if let Some(chosen) = files::chosen(&event) {
            studio.open_files(surveys, chosen);
        }
    };
    let try_live = format!(
        "Try live with a small teaching model ({} MB)",
        (KNOWN[0].bytes + 500_000) / 1_000_000
    );
    let hub = format!(
        "SmolLM2-135M from {} (base model, {HUB_MEGABYTES} MB; its numbers differ)",
        hub_in_words()
    );

    // These ways go when one of them was taken: whoever had the focus on it has it on the model's name.
    let is_focused = StoredValue::new(false);
    let left = move |_: leptos::ev::FocusEvent| {
        if studio.is_absent.get_untracked() {
            is_focused.set_value(false);
        }
    };
    Effect::new(move |was: Option<bool>| {
        let is_absent = studio.is_absent.get();
        if was == Some(true) && !is_absent && is_focused.get_value() {
            is_focused.set_value(false);
            request_animation_frame(|| {
                if browser::is_unfocused() {
                    browser::focus("model");
                }
            });
        }
        is_absent
    });
    view! {
        <Show when=move || studio.is_absent.get()>
            <div
                class="ways-on"
                role="group"
                aria-label="Ways to run a model here"
                on:focusin=move |_| is_focused.set_value(true)
                on:focusout=left
            >
                <label class="button">
                    "Open the file you have"
                    <input type="file" id="own-file" class="unseen" multiple="" on:change=take />
                </label>
                <button type="button" id="from-hub" on:click=move |_| chooser.look_up(HUB_MODEL)>{hub.clone()}</button>
                <button type="button" id="try-live" on:click=move |_| studio.choose_known(examples::MODEL.to_owned())>
                    {try_live.clone()}
                </button>
            </div>
        </Show>
    }
}

/// The hub by its host's name.
fn hub_in_words() -> String {
    match browser::hub_host() {
        host if host.is_empty() => "the hub".to_owned(),
        host => host,
    }
}
