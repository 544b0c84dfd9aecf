//! Which model answers: an apprentice, or a folder on the reader's machine.

use leptos::prelude::*;
use web_sys::HtmlInputElement;

use crate::app::files;
use crate::app::link::Choice;
use crate::app::state::{Studio, Surveys};
use crate::model::catalogue;

#[component]
pub fn ModelChoice() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let chosen = move || studio.draft.with(|draft| draft.model.clone());
    let choose = move |event| studio.choose_known(event_target_value(&event));
    view! {
        <label class="in-bar models">
            <span class="field">"Model"</span>
            <select id="model" on:change=choose prop:value=move || chosen().name().to_owned()>
                {catalogue::KNOWN
                    .iter()
                    .map(|known| {
                        let selected = move || chosen() == Choice::Known(known.name.to_owned());
                        view! { <option value=known.name selected=selected>{format!("{}: {}", known.name, known.about)}</option> }
                    })
                    .collect_view()}
                <Show when=move || studio.is_folder()>
                    <option value=move || chosen().name().to_owned() selected=true disabled=true>
                        {move || format!("{} (opened here)", chosen().name())}
                    </option>
                </Show>
            </select>
        </label>
    }
}

#[component]
pub fn Openers() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let surveys = expect_context::<Surveys>();
    let take = move |event: leptos::ev::Event| {
        let input: HtmlInputElement = event_target(&event);
        if let Some(list) = input.files().filter(|list| list.length() > 0) {
            studio.open_files(surveys, files::from_list(&list));
        }
        // The same folder can be chosen again.
        input.set_value("");
    };
    view! {
        <span class="openers">
            <label class="button">
                "Open a folder"
                <input type="file" id="folder" class="unseen" prop:webkitdirectory=true on:change=take />
            </label>
            <label class="button">
                "or files"
                <input type="file" id="files" class="unseen" multiple="" on:change=take />
            </label>
        </span>
    }
}
