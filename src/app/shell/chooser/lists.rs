//! Models that need no hub: those opened of late, those that come with the page, those on the disk.

use leptos::prelude::*;

use super::Chooser;
use super::downloads::Downloads;
use crate::app::files;
use crate::app::takes;
use crate::model::catalogue;
use crate::model::hub::HubName;
use crate::study::lessons::LessonFits;

#[component]
pub fn Recent() -> impl IntoView {
    let Chooser { downloads, from_disk, .. } = expect_context::<Chooser>();
    // Those that can be opened again.
    let names = move || {
        let kept = downloads.kept.get();
        let is_there = |name: &String| {
            catalogue::find(name).is_some() || kept.iter().any(|kept| kept.model.name == *name)
        };
        let mut names = downloads.recent.get();
        names.retain(is_there);
        names
    };
    let is_empty = move || names().is_empty() && from_disk.with(Vec::is_empty);
    view! {
        <Show when=move || !is_empty()>
            <section aria-labelledby="recent-head">
                <h3 id="recent-head">"Recent"</h3>
                <p class="buttons">
                    {move || {
                        from_disk
                            .get()
                            .into_iter()
                            .map(|name| {
                                let words = format!("{name} (from disk)");
                                view! { <button type="button" on:click=move |_| downloads.open_again(&name)>{words}</button> }
                            })
                            .collect_view()
                    }}
                    {move || {
                        names()
                            .into_iter()
                            .map(|name| {
                                let words = name.clone();
                                let open = move |_| {
                                    if HubName::is_one(&name) {
                                        downloads.open(name.clone());
                                    } else {
                                        downloads.open_shipped(&name);
                                    }
                                };
                                view! { <button type="button" on:click=open>{words}</button> }
                            })
                            .collect_view()
                    }}
                </p>
            </section>
        </Show>
    }
}

#[component]
pub fn Shipped() -> impl IntoView {
    let downloads = expect_context::<Downloads>();
    view! {
        <section aria-labelledby="shipped-head">
            <h3 id="shipped-head">"With this page"</h3>
            <p class="hint">
                "These models know a few hundred words. They can be asked the ten tasks of the scholars, and no task in plain English. "
                {takes::OTHERS}
            </p>
            <ul class="models shipped">
                {catalogue::KNOWN
                    .iter()
                    .map(|known| {
                        let pressed = move || (downloads.current.get() == known.name).to_string();
                        let size = format!("{} kB", known.bytes.div_ceil(1000));
                        view! {
                            <li>
                                <button type="button" aria-pressed=pressed on:click=move |_| downloads.open_shipped(known.name)>
                                    {known.name}
                                </button>
                                <span>{known.about} ". " <span class="takes">{fits(known.name)}</span></span>
                                <span class="quiet">{size}</span>
                            </li>
                        }
                    })
                    .collect_view()}
            </ul>
        </section>
    }
}

/// Which lessons a shipped model can take.
fn fits(name: &str) -> Option<String> {
    LessonFits::shipped(name).map(|fits| takes::lessons(&fits))
}

#[component]
pub fn FromDisk() -> impl IntoView {
    let downloads = expect_context::<Downloads>();
    let take = move |event: leptos::ev::Event| {
        if let Some(chosen) = files::chosen(&event) {
            downloads.open_files(chosen);
        }
    };
    view! {
        <section aria-labelledby="disk-head">
            <h3 id="disk-head">"From disk"</h3>
            <p class="hint">
                "A folder in Hugging Face layout (" <code>"config.json"</code> ", " <code>"tokenizer.json"</code> " or "
                <code>"tokenizer.model"</code> ", " <code>"*.safetensors"</code> " or "
                <code>"pytorch_model.bin"</code> "), its files, or one " <code>".gguf"</code>
                " file; a report that atelier wrote, too. What can be opened can also be dropped on the page. Nothing is \
                 uploaded, nothing is copied. How much memory a model takes is said while it is opened, and which tasks and lessons \
                 it can take stands at the top of this list afterwards."
            </p>
            <p class="buttons">
                <label class="button">
                    "Open a folder"
                    <input type="file" id="folder" class="unseen" prop:webkitdirectory=true on:change=take />
                </label>
                <label class="button">
                    "Open files"
                    <input type="file" id="files" class="unseen" multiple="" on:change=take />
                </label>
            </p>
        </section>
    }
}
