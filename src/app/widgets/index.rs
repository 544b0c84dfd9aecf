//! An index that stays in sight: the parts of a long view, the one that is read marked.

use leptos::html;
use leptos::prelude::*;

use crate::app::browser;

/// A part of the view: its element's id, and what it is called here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    pub id: String,
    pub name: String,
}

impl IndexEntry {
    pub fn new(id: impl Into<String>, name: impl Into<String>) -> Self {
        Self { id: id.into(), name: name.into() }
    }
}

#[component]
pub fn Index(#[prop(into)] places: Signal<Vec<IndexEntry>>) -> impl IntoView {
    let seen = RwSignal::new(String::new());
    let line = NodeRef::<html::Ol>::new();
    let look = move || {
        let window = browser::window();
        let height =
            window.inner_height().ok().and_then(|height| height.as_f64()).unwrap_or_default();
        // The last part that begins in the upper third.
        let now = places.with_untracked(|places| {
            let mut above = places.iter().rev().filter(|place| {
                browser::element(&place.id)
                    .is_some_and(|part| part.get_bounding_client_rect().top() < height / 3.0)
            });
            above.next().map(|place| place.id.clone())
        });
        let now = now.unwrap_or_default();
        if seen.with_untracked(|seen| *seen != now) {
            seen.set(now);
            request_animation_frame(move || show_entry(line));
        }
    };
    browser::hear(leptos::ev::scroll, move |_| look());
    let entry = move |place: IndexEntry| {
        let (id, own) = (place.id.clone(), place.id.clone());
        let go = move |event: web_sys::MouseEvent| {
            // Not by the address, which holds the state.
            event.prevent_default();
            if let Some(part) = browser::element(&id) {
                unfold_around(&part);
                part.scroll_into_view();
                if !part.has_attribute("tabindex") {
                    let _ = part.set_attribute("tabindex", "-1");
                }
                let options = web_sys::FocusOptions::new();
                options.set_prevent_scroll(true);
                let _ = part.focus_with_options(&options);
            }
        };
        let here = move || seen.with(|seen| *seen == own).then_some("true");
        view! { <li><a href=format!("#{}", place.id) aria-current=here on:click=go>{place.name}</a></li> }
    };
    view! {
        <nav class="index" aria-label="On this page">
            <ol node_ref=line>{move || places.get().into_iter().map(entry).collect_view()}</ol>
        </nav>
    }
}

/// Scrolls the line of entries, where it is longer than the window is wide, to the one that is marked.
fn show_entry(line: NodeRef<html::Ol>) {
    let Some(line) = line.try_get_untracked().flatten() else { return };
    let entry = line.query_selector("[aria-current]").ok().flatten();
    if let Some(entry) = entry {
        let (line_box, entry_box) =
            (line.get_bounding_client_rect(), entry.get_bounding_client_rect());
        line.set_scroll_left(line.scroll_left() + (entry_box.left() - line_box.left()) as i32);
    }
}

/// Opens every fold that holds the part.
fn unfold_around(part: &web_sys::Element) {
    let mut around = part.closest("details").ok().flatten();
    while let Some(fold) = around {
        // A fold is an element like others: nothing forbids the attribute.
        let _ = fold.set_attribute("open", "");
        around = fold.parent_element().and_then(|outer| outer.closest("details").ok().flatten());
    }
}
