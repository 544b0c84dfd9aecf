//! Models on this machine: those that the page's own server offers, and those of the hub that this browser keeps, of
//! which whole ones are opened, others gone on with.

use leptos::prelude::*;

use super::downloads::Downloads;
use super::offers::Messages;
use super::page::PageLine;
use super::sure::SureButton;
use crate::app::at_hand::ModelAtHand;
use crate::app::hub::budget::spell_fit;
use crate::app::hub::shelf::KeptModel;
use crate::model::catalogue::published::memory_of;
use crate::model::hub::spell_bytes;

#[component]
pub fn OnThisMachine() -> impl IntoView {
    let downloads = expect_context::<Downloads>();
    let line = expect_context::<PageLine>();
    view! {
        <section aria-labelledby="here-head" id="here">
            <h2 id="here-head">"On this machine"</h2>
            <Show when=move || downloads.kept.with(Vec::is_empty)>
                <p class="hint">"No model of the hub is here yet."</p>
            </Show>
            <ul class="models at-hand">
                {move || line.at_hand.get().into_iter().map(|model| view! { <AtHandLine model /> }).collect_view()}
            </ul>
            <ul class="models">
                {move || downloads.kept.get().into_iter().map(|kept| view! { <KeptLine kept /> }).collect_view()}
            </ul>
            <p class="quiet" id="room">{move || downloads.room.get()}</p>
        </section>
    }
}

#[component]
fn AtHandLine(model: ModelAtHand) -> impl IntoView {
    let downloads = expect_context::<Downloads>();
    let line = expect_context::<PageLine>();
    let bytes = model.bytes as u64;
    let fit = spell_fit(memory_of(bytes), downloads.budget.get_value());
    let size = format!("{}; {fit}", spell_bytes(bytes));
    let name = StoredValue::new(model.name.clone());
    let pressed = move || name.with_value(|name| *name == line.current.get()).to_string();
    let open = move |_| name.with_value(|name| line.open_at_hand(name));
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
fn KeptLine(kept: KeptModel) -> impl IntoView {
    let downloads = expect_context::<Downloads>();
    let line = expect_context::<PageLine>();
    let total = kept.model.bytes();
    let is_whole = kept.is_whole();
    let name = StoredValue::new(kept.model.name.clone());
    let model = StoredValue::new(kept.model.clone());
    // One is fetched at a time.
    let is_busy = move || downloads.under_way.with(Option::is_some);
    let pressed = move || name.with_value(|name| *name == line.current.get()).to_string();
    let size = if is_whole {
        let fit = spell_fit(memory_of(total), downloads.budget.get_value());
        format!("{}; {fit}", spell_bytes(total))
    } else {
        format!("{} of {}", spell_bytes(kept.bytes), spell_bytes(total))
    };
    let commit = format!("commit {}", kept.model.short_commit());
    let terms: Vec<String> = kept.model.licence.iter().cloned().chain([commit]).collect();
    let terms = terms.join(", ");
    let key = StoredValue::new(format!("{} {}", kept.model.name, kept.model.commit));
    let press = move || key.with_value(|key| downloads.press(key));
    let delete_it = Callback::new(move |()| {
        press();
        downloads.remove(model.get_value());
    });
    let title = kept.model.title();
    let label = move |verb: &str| format!("{verb} {title}");
    let (open, go_on, delete) = (label("Open"), label("Resume"), label("Delete"));
    view! {
        <li class="kept" data-name=kept.model.name.clone()>
            <Show
                when=move || is_whole
                fallback=move || {
                    view! {
                        <button
                            type="button"
                            class="resume"
                            disabled=is_busy
                            aria-label=go_on.clone()
                            on:click=move |_| {
                                press();
                                downloads.fetch(model.get_value());
                            }
                        >
                            "Resume"
                        </button>
                    }
                }
            >
                <button
                    type="button"
                    class="open"
                    aria-pressed=pressed
                    aria-label=open.clone()
                    on:click=move |_| {
                        press();
                        downloads.open(name.get_value());
                    }
                >
                    "Open"
                </button>
            </Show>
            <span><code>{kept.model.name.clone()}</code> " " {terms}</span>
            <span class="quiet">{size}</span>
            <SureButton words="Delete" label=delete sure="Yes, delete it" act=delete_it />
            <Messages at=key.get_value() />
        </li>
    }
}
