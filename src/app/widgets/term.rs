//! Terms that tell their meaning where they stand: a button in the text, whose popover has the definition.

use std::sync::atomic::{AtomicUsize, Ordering};

use leptos::prelude::*;

use super::Words;
use super::menu::Anchor;
use crate::app::glossary::{marked, meaning};

/// Terms drawn so far, for ids.
static DRAWN: AtomicUsize = AtomicUsize::new(0);

/// A sentence whose terms tell their meaning, each where it stands first.
#[component]
pub fn Terms(#[prop(into)] text: String) -> impl IntoView {
    let piece = |(text, meaning): (String, Option<String>)| match meaning {
        Some(meaning) => view! { <Definition text meaning /> }.into_any(),
        None => view! { <Words text /> }.into_any(),
    };
    marked(&text).into_iter().map(piece).collect_view()
}

/// A single term; plain text where the list of words has none of this name.
#[component]
pub fn Term(word: &'static str) -> impl IntoView {
    match meaning(word) {
        Some(meaning) => view! { <Definition text=word.to_owned() meaning /> }.into_any(),
        None => word.into_any(),
    }
}

#[component]
fn Definition(text: String, meaning: String) -> impl IntoView {
    let anchor = Anchor::new();
    let id = format!("term-{}", DRAWN.fetch_add(1, Ordering::Relaxed));
    view! {
        <button
            type="button"
            class="term-word"
            popovertarget=id.clone()
            aria-describedby=id.clone()
            node_ref=anchor.button
            on:click=move |_| anchor.measure()
        >
            <Words text />
        </button>
        <span
            class="menu definition"
            class:up=move || anchor.is_up.get()
            id=id
            popover="auto"
            style=("--left", move || anchor.left())
            style=("--top", move || anchor.top())
        >
            {meaning}
        </span>
    }
}
