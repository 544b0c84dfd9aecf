//! Terms that tell their meaning where they stand: a button in the text, which opens the term's definition.

use std::sync::atomic::{AtomicUsize, Ordering};

use leptos::html;
use leptos::prelude::*;

use super::Words;
use super::menu::Anchor;
use crate::app::glossary::{FirstUses, MarkedPiece, marked, terms};
use crate::app::link::View;

/// Texts drawn so far, by which they are told apart.
static DRAWN: AtomicUsize = AtomicUsize::new(0);

/// The page's definitions, and the texts of the open view that explain terms.
#[derive(Clone, Copy)]
pub struct Glossary {
    view: Signal<View>,
    uses: StoredValue<FirstUses>,
    /// Where the definition opens.
    anchor: Anchor,
}

impl Glossary {
    pub fn start(view: Signal<View>) -> Self {
        Self { view, uses: StoredValue::default(), anchor: Anchor::new() }
    }

    /// Returns whether a text explains a term, as long as the text is drawn.
    fn explainer(self) -> impl FnMut(&'static str) -> bool {
        let (view, text) = (self.view.get_untracked(), DRAWN.fetch_add(1, Ordering::Relaxed));
        on_cleanup(move || {
            self.uses.try_update_value(|uses| uses.release(text));
        });
        move |term| {
            self.uses.try_update_value(|uses| uses.claim(view, term, text)).unwrap_or_default()
        }
    }
}

/// A text whose terms tell their meaning, each where the view has it first.
#[component]
pub fn Terms(
    #[prop(into)] text: String,
    /// The text is unfolded by itself: it explains every term, whatever the view explained before.
    #[prop(optional)]
    aside: bool,
) -> impl IntoView {
    let glossary = expect_context::<Glossary>();
    // Drawn in the order in which the texts stand, and not in which their parts are made.
    move || {
        let mut explains = glossary.explainer();
        let pieces = marked(&text, |term| aside || explains(term));
        let piece = |(text, term): MarkedPiece| match term {
            Some(term) => view! { <Explained text term /> }.into_any(),
            None => view! { <Words text /> }.into_any(),
        };
        pieces.into_iter().map(piece).collect_view()
    }
}

/// A single term, which is explained here even if the view explained it before.
#[component]
pub fn Term(word: &'static str) -> impl IntoView {
    let mut explains = expect_context::<Glossary>().explainer();
    // What follows need not explain it again.
    explains(word);
    view! { <Explained text=word term=word /> }
}

#[component]
fn Explained(#[prop(into)] text: String, term: &'static str) -> impl IntoView {
    let glossary = expect_context::<Glossary>();
    let button = NodeRef::<html::Button>::new();
    view! {
        <button
            type="button"
            class="term-word"
            popovertarget=definition_id(term)
            aria-describedby=definition_id(term)
            node_ref=button
            on:click=move |_| glossary.anchor.measure(button)
        >
            <Words text />
        </button>
    }
}

/// The definitions that the terms open, once for the whole page: they stand in no text that is read or copied.
#[component]
pub fn Definitions() -> impl IntoView {
    let anchor = expect_context::<Glossary>().anchor;
    let definitions = terms().map(|(term, meaning)| {
        view! { <span class="menu definition" id=definition_id(term) popover="auto">{meaning}</span> }
    });
    view! {
        <div
            class="definitions"
            class:up=move || anchor.is_up.get()
            style=("--left", move || anchor.left())
            style=("--top", move || anchor.top())
        >
            {definitions.collect_view()}
        </div>
    }
}

/// The id of a term's definition.
fn definition_id(term: &str) -> String {
    format!("definition-{}", term.replace(' ', "-"))
}
