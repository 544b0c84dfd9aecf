//! Models of the hub that are one click away, and any other by its name.

use leptos::prelude::*;

use super::downloads::{Downloads, LookedUp};
use super::under_way::Fetching;
use crate::app::browser;
use crate::app::hub::budget::{DeviceWords, spell_fit};
use crate::model::catalogue::published::{Gate, PublishedModel, memory_of, published};
use crate::model::hub::{HubAddress, HubName, spell_bytes};

/// The id of the list's heading.
pub const HEADING: &str = "hub-head";

/// Key of the form that looks up any name.
const NAMED: &str = "named";

/// A model's size, and whether a run of it fits into this device's memory.
pub fn spell_size(bytes: u64) -> String {
    format!("{}; {}", spell_bytes(bytes), fit(memory_of(bytes)))
}

/// Says whether a run that takes so many megabytes fits into this device's memory.
fn fit(megabytes: u64) -> String {
    spell_fit(megabytes, DeviceWords::here().budget())
}

#[component]
pub fn OnTheHub() -> impl IntoView {
    let downloads = expect_context::<Downloads>();
    let host = browser::hub_host();
    let wanted = RwSignal::new(String::new());
    let look_up = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        downloads.press(NAMED);
        downloads.look_up(&wanted.get_untracked(), None);
    };
    let label = format!("Look up at {host}");
    view! {
        <section aria-labelledby=HEADING id="hub">
            <h3 id=HEADING>"One click away"</h3>
            <p class="hint">
                {format!(
                    "These lie at {host}. The page asks nothing there before you press a button that names it. The host learns which \
                     model you fetch, and never what you ask it. These models take your own prompts. Which tasks and lessons one of \
                     them can take is known when it is open: then the top of this list says it.",
                )}
            </p>
            <Messages at="" />
            <ul class="models">{published().iter().map(|model| view! { <PublishedLine model /> }).collect_view()}</ul>
            <form class="buttons" on:submit=look_up>
                <label for="hub-name">"Another model, as owner/name"</label>
                <input
                    type="text"
                    id="hub-name"
                    spellcheck="false"
                    autocomplete="off"
                    autocapitalize="off"
                    placeholder="owner/name@revision:file.gguf"
                    prop:value=move || wanted.get()
                    on:input=move |event| wanted.set(event_target_value(&event))
                />
                <button type="submit" id="look-up" disabled=move || downloads.is_asking.get()>{label}</button>
            </form>
            <Messages at=NAMED />
        </section>
    }
}

/// Progress and answer of the button that was pressed at the line with the key `at`.
#[component]
pub fn Messages(#[prop(into)] at: String) -> impl IntoView {
    let downloads = expect_context::<Downloads>();
    view! {
        <Show when=move || downloads.pressed.with(|pressed| *pressed == at)>
            <div class="messages">
                <Fetching />
                <Found />
            </div>
        </Show>
    }
}

/// The hub's answer on the model that was looked up.
#[component]
fn Found() -> impl IntoView {
    let downloads = expect_context::<Downloads>();
    let offer = move || downloads.found.get().map(|found| offer(downloads, found));
    view! { <div id="found">{offer}</div> }
}

fn offer(downloads: Downloads, found: LookedUp) -> AnyView {
    let LookedUp { model, is_gated, same } = found;
    let bytes = model.bytes();
    let host = browser::hub_host();
    let fit = fit(memory_of(bytes));
    let terms = model.licence.clone().unwrap_or_else(|| "no licence stated".to_owned());
    let about = format!(
        "{}: {}, {terms}, commit {}; {fit}.",
        model.name,
        spell_bytes(bytes),
        model.short_commit()
    );
    let newer = model.clone();
    let is_newer = move || downloads.has_other(&newer);
    let same = (!same.is_empty()).then(|| {
        view! {
            <p class="problem">
                {format!("The hub serves these very weights as {} too: it is no other step of the training.", same.join(" and "))}
            </p>
        }
    });
    let name = model.name.clone();
    let way = if is_gated {
        view! { <Gated name /> }.into_any()
    } else {
        let label = format!("Download {} from {host}", spell_bytes(bytes));
        let is_busy = move || downloads.under_way.with(Option::is_some);
        view! {
            <button type="button" id="download" disabled=is_busy on:click=move |_| downloads.fetch(model.clone())>
                {label}
            </button>
        }
        .into_any()
    };
    view! {
        <p>{about}</p>
        <Show when=is_newer>
            <p class="hint" id="newer">"Another commit of it is here. It stays until this one is whole, and goes then."</p>
        </Show>
        {same}
        {way}
    }
    .into_any()
}

/// How to come by a gated model's files.
#[component]
fn Gated(name: String) -> impl IntoView {
    let repo = HubName::parse(&name).map_or(name, |name| name.repo);
    let hub = HubAddress::parse(&browser::meta("atelier-hub"));
    let page = hub.map_or_else(|_| String::new(), |hub| hub.page(&repo));
    view! {
        <p class="gated">
            "Its owners ask you to agree to terms first, and a page cannot do that for you: open "
            <a href=page.clone() target="_blank" rel="noopener noreferrer">{page.clone()}</a>
            ", agree, and download its files there into one folder. Then open that from disk above, or give the command line \
             your token in " <code>"HF_TOKEN"</code> "."
        </p>
    }
}

#[component]
fn PublishedLine(model: &'static PublishedModel) -> impl IntoView {
    let downloads = expect_context::<Downloads>();
    let host = browser::hub_host();
    let step = RwSignal::new(String::new());
    let name = move || match step.get_untracked() {
        step if step.is_empty() => model.name(),
        step => model.name().at(&step),
    };
    let ending = model.ending.clone();
    let look_up = move |_| {
        downloads.press(&model.repo);
        downloads.look_up(&name().to_string(), ending.clone());
    };
    let fit = model.memory().map(fit);
    let facts = [Some(model.licence.clone()), Some(model.size()), fit].into_iter().flatten();
    let facts = facts.collect::<Vec<_>>().join("; ");
    let title = model.name().title();
    let steps = (!model.steps.is_empty()).then(|| {
        view! {
            <select aria-label=format!("Step of the training of {title}") on:change=move |event| step.set(event_target_value(&event))>
                <option value="">"fully trained"</option>
                {model
                    .steps
                    .iter()
                    .map(|&step| {
                        let branch = PublishedModel::branch(step);
                        view! { <option value=branch>{format!("after {step} steps")}</option> }
                    })
                    .collect_view()}
            </select>
        }
    });
    let way = if model.gate == Gate::Terms {
        view! { <Gated name=model.name().to_string() /> }.into_any()
    } else {
        let label = format!("Look up {title} at {host}");
        let is_asked = move || downloads.is_asking.get();
        view! {
            <button type="button" disabled=is_asked on:click=look_up>{label}</button>
        }
        .into_any()
    };
    view! {
        <li class="published" data-repo=model.repo.clone()>
            <strong>{title.clone()}</strong>
            <span>{model.good_for.clone()}</span>
            <span class="quiet">{facts}</span>
            <span class="buttons">{steps} {way}</span>
            <Messages at=model.repo.clone() />
        </li>
    }
}
