//! A button with a small menu, which is the browser's own popover: Escape and a click elsewhere close it, the
//! Tab key goes through it, and the focus returns to the button.

use leptos::html;
use leptos::prelude::*;

use crate::app::browser;

/// Height of a menu with a handful of entries, in CSS pixels.
const HEIGHT: f64 = 280.0;

/// Opens at its button, upwards where there is more room. `id` is the menu's, by which entries close it.
#[component]
pub fn Menu(id: String, label: &'static str, children: Children) -> impl IntoView {
    let button = NodeRef::<html::Button>::new();
    let corner = RwSignal::new((0.0, 0.0));
    let is_up = RwSignal::new(false);
    let meet_button = move |_| {
        let Some(button) = button.get_untracked() else { return };
        let (edges, window) = (button.get_bounding_client_rect(), browser::window());
        let number = |value: Result<wasm_bindgen::JsValue, _>| {
            value.ok().and_then(|value| value.as_f64()).unwrap_or_default()
        };

        // Which side has room?
        let below = number(window.inner_height()) - edges.bottom();
        let opens_up = below < HEIGHT && edges.top() > below;
        is_up.set(opens_up);

        // In the document, with which it scrolls.
        let (x, y) = (window.scroll_x(), window.scroll_y());
        let edge = if opens_up { edges.top() } else { edges.bottom() };
        corner.set((edges.left() + x.unwrap_or_default(), edge + y.unwrap_or_default()));
    };
    view! {
        <button type="button" class="opens-menu" popovertarget=id.clone() node_ref=button on:click=meet_button>{label}</button>
        <div
            class="menu"
            class:up=move || is_up.get()
            id=id
            popover="auto"
            role="group"
            aria-label=label
            style=("--left", move || format!("{}px", corner.get().0))
            style=("--top", move || format!("{}px", corner.get().1))
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
