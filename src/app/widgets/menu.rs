//! A button with a small menu, which is the browser's own popover: Escape and a click elsewhere close it, the
//! Tab key goes through it, and the focus returns to the button.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{FocusEvent, Node};

use crate::app::browser;

/// Height of a menu with a handful of entries, in CSS pixels.
const HEIGHT: f64 = 280.0;

/// Where a popover opens: at its button, upwards where there is more room.
#[derive(Clone, Copy)]
pub(super) struct Anchor {
    pub is_up: RwSignal<bool>,
    corner: RwSignal<(f64, f64)>,
}

impl Anchor {
    pub fn new() -> Self {
        Self { is_up: RwSignal::new(false), corner: RwSignal::new((0.0, 0.0)) }
    }

    /// Looks where the button stands now, before its popover is shown.
    pub fn measure(self, button: NodeRef<html::Button>) {
        let Some(button) = button.get_untracked() else { return };
        let (edges, window) = (button.get_bounding_client_rect(), browser::window());
        let number = |value: Result<wasm_bindgen::JsValue, _>| {
            value.ok().and_then(|value| value.as_f64()).unwrap_or_default()
        };

        // Which side has room?
        let below = number(window.inner_height()) - edges.bottom();
        let opens_up = below < HEIGHT && edges.top() > below;
        self.is_up.set(opens_up);

        // In the document, with which it scrolls.
        let (x, y) = (window.scroll_x(), window.scroll_y());
        let edge = if opens_up { edges.top() } else { edges.bottom() };
        self.corner.set((edges.left() + x.unwrap_or_default(), edge + y.unwrap_or_default()));
    }

    pub fn left(self) -> String {
        format!("{}px", self.corner.get().0)
    }

    pub fn top(self) -> String {
        format!("{}px", self.corner.get().1)
    }
}

/// Opens at its button. `id` is the menu's, by which entries close it.
#[component]
pub fn Menu(id: String, label: &'static str, children: Children) -> impl IntoView {
    let (anchor, button) = (Anchor::new(), NodeRef::<html::Button>::new());
    // A browser leaves a popover open when the Tab key leaves it.
    let menu = NodeRef::<html::Div>::new();
    let left = move |event: FocusEvent| {
        let target = event.related_target().and_then(|target| target.dyn_into::<Node>().ok());
        let (Some(menu), Some(target)) = (menu.get_untracked(), target) else { return };
        let button = button.get_untracked();
        let is_button = button.is_some_and(|button| button.contains(Some(&target)));
        if !is_button && !menu.contains(Some(&target)) {
            // It may be closed already.
            _ = menu.hide_popover();
        }
    };
    view! {
        <button
            type="button"
            class="opens-menu"
            popovertarget=id.clone()
            node_ref=button
            on:click=move |_| anchor.measure(button)
        >
            {label}
        </button>
        <div
            class="menu"
            class:up=move || anchor.is_up.get()
            id=id
            popover="auto"
            role="group"
            aria-label=label
            node_ref=menu
            on:focusout=left
            style=("--left", move || anchor.left())
            style=("--top", move || anchor.top())
        >
            {children()}
        </div>
    }
}

/// An entry; choosing it closes the menu.
#[component]
pub fn MenuEntry(
    /// Id of the menu.
    menu: String,
    name: &'static str,
    #[prop(optional)] class: &'static str,
    #[prop(into)] on_choose: Callback<()>,
) -> impl IntoView {
    view! {
        <button type="button" class=class popovertarget=menu popovertargetaction="hide" on:click=move |_| on_choose.run(())>
            {name}
        </button>
    }
}
