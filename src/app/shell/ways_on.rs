//! The ways on where the first picture's model is not on this machine.

use leptos::prelude::*;
use web_sys::HtmlInputElement;

use super::chooser::Chooser;
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
        let input: HtmlInputElement = event_target(&event);
        if let Some(list) = input.files().filter(|list| list.length() > 0) {
            studio.open_files(surveys, files::from_list(&list));
        }
        // The same file can be chosen again.
        input.set_value("");
    };
    let try_live = format!(
        "Try live with a small teaching model ({} MB)",
        (KNOWN[0].bytes + 500_000) / 1_000_000
    );
    let hub =
        format!("SmolLM2-135M from the hub (base model, {HUB_MEGABYTES} MB; its numbers differ)");
    view! {
        <Show when=move || studio.is_absent.get()>
            <div class="ways-on" role="group" aria-label="Ways to run a model here">
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
