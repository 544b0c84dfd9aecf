//! Models on this machine: those that the page's own server offers, and those of the hub that this browser keeps, of
//! which whole ones are opened, others gone on with.

use leptos::prelude::*;

use super::downloads::Downloads;
use super::offers::{Messages, spell_size};
use crate::app::at_hand::ModelAtHand;
use crate::app::hub::shelf::KeptModel;
use crate::app::widgets::SureButton;
use crate::model::hub::spell_bytes;

#[component]
pub fn OnThisMachine() -> impl IntoView {
    let downloads = expect_context::<Downloads>();
    view! {
        <section aria-labelledby="here-head" id="here">
            <h3 id="here-head">"On this machine"</h3>
            <Show when=move || downloads.is_shelf_read.get() && downloads.kept.with(Vec::is_empty)>
                <p class="hint">"No model of the hub is here yet."</p>
            </Show>
            <ul class="models at-hand">
                {move || downloads.studio.at_hand.get().into_iter().map(|model| view! { <AtHandLine model /> }).collect_view()}
            </ul>
            <ul class="models">
                {move || downloads.kept.get().into_iter().map(|stored| view! { <KeptLine stored /> }).collect_view()}
            </ul>
            <p class="quiet" id="room">{move || downloads.room.get()}</p>
        </section>
    }
}

#[component]
fn AtHandLine(model: ModelAtHand) -> impl IntoView {
    let downloads = expect_context::<Downloads>();
    let size = spell_size(model.bytes as u64);
    let name = StoredValue::new(model.name.clone());
    let pressed = move || name.with_value(|name| *name == downloads.current.get()).to_string();
    let open = move |_| name.with_value(|name| downloads.open_at_hand(name));
    let label = format!("Open {}", model.name);
    view! {
        <li data-name=model.name.clone()>
            <button type="button" class="open" aria-pressed=pressed aria-label=label on:click=open>
                "Open"
            </button>
            <span><code>{model.name.clone()}</code> " " {model.about.clone()}</span>
            <span class="quiet">{size}</span>
        </li>
    }
}

#[component]
fn KeptLine(stored: KeptModel) -> impl IntoView {
    let downloads = expect_context::<Downloads>();
    let is_whole = stored.is_whole();
    let model = StoredValue::new(stored.model.clone());
    let key = StoredValue::new(format!("{} {}", stored.model.name, stored.model.commit));
    let press = move || key.with_value(|key| downloads.press(key));

    // What is whole is opened, and what is not is gone on with: one is fetched at a time.
    let (verb, class) = if is_whole { ("Open", "open") } else { ("Resume", "resume") };
    let act = move |_| {
        press();
        match is_whole {
            true => downloads.open(model.with_value(|model| model.name.clone())),
            false => downloads.fetch(model.get_value()),
        }
    };
    let is_disabled = move || !is_whole && downloads.under_way.with(Option::is_some);
    let is_current = move || model.with_value(|model| model.name == downloads.current.get());
    let pressed = move || is_whole.then(|| is_current().to_string());
    let delete_it = Callback::new(move |()| {
        press();
        downloads.remove(model.get_value());
    });

    let total = stored.model.bytes();
    let size = match is_whole {
        true => spell_size(total),
        false => format!("{} of {}", spell_bytes(stored.bytes), spell_bytes(total)),
    };
    let commit = format!("commit {}", stored.model.short_commit());
    let terms: Vec<String> = stored.model.licence.iter().cloned().chain([commit]).collect();
    let terms = terms.join(", ");
    let title = stored.model.title();
    let label = move |verb: &str| format!("{verb} {title}");
    view! {
        <li class="kept-model" data-name=stored.model.name.clone()>
            <button type="button" class=class disabled=is_disabled aria-pressed=pressed aria-label=label(verb) on:click=act>
                {verb}
            </button>
            <span><code>{stored.model.name.clone()}</code> " " {terms}</span>
            <span class="quiet">{size}</span>
            <SureButton words="Delete" label=label("Delete") sure="Yes, delete it" act=delete_it />
            <Messages at=key.get_value() />
        </li>
    }
}
