//! Which model answers: an apprentice, or a folder on the reader's machine.

use leptos::prelude::*;
use web_sys::{DragEvent, HtmlInputElement};

use super::problem::ProblemLine;
use crate::app::files;
use crate::app::link::Choice;
use crate::app::studio::{Place, Studio};
use crate::model::catalogue;

#[component]
pub fn ModelPicker() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let over = RwSignal::new(false);
    let chosen = move || studio.draft.with(|draft| draft.model.clone());
    let choose = move |event| studio.choose_known(event_target_value(&event));
    let take_files = move |event: leptos::ev::Event| {
        let input: HtmlInputElement = event_target(&event);
        if let Some(list) = input.files().filter(|list| list.length() > 0) {
            let chosen = files::from_list(&list);
            studio.choose_files(chosen.name, chosen.files);
        }
        // The same folder can be chosen again.
        input.set_value("");
    };
    let drop = move |event: DragEvent| {
        event.prevent_default();
        over.set(false);
        let entries = event
            .data_transfer()
            .map(|transfer| files::dropped(&transfer))
            .unwrap_or_default();
        if entries.is_empty() {
            studio.refuse(
                "There were no files in what was dropped: drop a model's folder, or its files.",
            );
            return;
        }
        leptos::task::spawn_local(async move {
            match files::from_entries(entries).await {
                Ok(chosen) => studio.choose_files(chosen.name, chosen.files),
                Err(_) => studio.refuse("The browser could not read what was dropped: choose the folder with the button."),
            }
        });
    };
    view! {
        <div
            class="models"
            class:over=move || over.get()
            on:dragover=move |event: DragEvent| {
                event.prevent_default();
                over.set(true);
            }
            on:dragleave=move |_| over.set(false)
            on:drop=drop
        >
            <label class="field" for="model">"Model"</label>
            <select id="model" on:change=choose prop:value=move || chosen().name().to_owned()>
                {catalogue::KNOWN
                    .iter()
                    .map(|known| {
                        let selected = move || chosen() == Choice::Known(known.name.to_owned());
                        view! { <option value=known.name selected=selected>{format!("{}: {}", known.name, known.about)}</option> }
                    })
                    .collect_view()}
                <Show when=move || matches!(chosen(), Choice::Folder(_))>
                    <option value=move || chosen().name().to_owned() selected=true disabled=true>
                        {move || format!("{} (opened here)", chosen().name())}
                    </option>
                </Show>
            </select>
            <span class="openers">
                <label class="button">
                    "Open a model folder"
                    <input type="file" id="folder" class="unseen" prop:webkitdirectory=true on:change=take_files />
                </label>
                <label class="button">
                    "or files"
                    <input type="file" id="files" class="unseen" multiple="" on:change=take_files />
                </label>
            </span>
            <p class="hint">
                "A folder in Hugging Face layout: " <code>"config.json"</code> ", " <code>"tokenizer.json"</code> ", "
                <code>"*.safetensors"</code> ". Drop it here or choose it; nothing is uploaded."
            </p>
            <ProblemLine place=Place::Model />
        </div>
    }
}
