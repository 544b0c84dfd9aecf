//! The panel: every model that can be chosen, and what becomes of a download.

mod device;
mod downloads;
mod hands;
mod hearing;
mod here;
mod lists;
mod offers;
mod page;
mod sure;
mod under_way;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;

use crate::app::browser;
use downloads::Downloads;
use page::PageLine;

/// Where the page keeps the reader's colours.
const THEME: &str = "atelier-theme";

/// Draws the panel into its document.
pub fn mount() {
    let Some(host) = document().get_element_by_id("app") else {
        return;
    };
    host.set_text_content(None);
    mount_to(host.unchecked_into(), Panel).forget();
}

#[component]
fn Panel() -> impl IntoView {
    let line = PageLine::start();
    let downloads = Downloads::start(line);
    provide_context(line);
    provide_context(downloads);
    listen(line, downloads);
    close_on_escape(line);
    dress();
    line.tell("ready", &[]);
    view! {
        <header class="panel-head">
            <h1 id="models" tabindex="-1">"Models"</h1>
            <button type="button" class="close" on:click=move |_| line.tell("close", &[])>"Close"</button>
        </header>
        <p class="now">"Now: " <strong>{move || line.current.get()}</strong></p>
        <Show when=move || line.takes.with(|takes| !takes.is_empty())>
            <p class="hint" id="takes">{move || line.takes.get()}</p>
        </Show>
        <p class="status-line" role="status" aria-live="polite">{move || downloads.said.get()}</p>
        <lists::Recent />
        <lists::Shipped />
        <lists::FromDisk />
        <here::OnThisMachine />
        <offers::OnTheHub />
    }
}

/// Hears the page's messages: the panel is shown, the page's server offers models, a name is to be looked up, a
/// model is wanted.
fn listen(line: PageLine, downloads: Downloads) {
    let heard =
        Closure::<dyn FnMut(web_sys::MessageEvent)>::new(move |event: web_sys::MessageEvent| {
            if event.origin() != browser::window().location().origin().unwrap_or_default() {
                return;
            }
            let message: js_sys::Array = event.data().unchecked_into();
            let text = |at| message.get(at).as_string().unwrap_or_default();
            match &*text(0) {
                "shown" => {
                    line.current.set(text(1));
                    line.from_disk.set((2..message.length()).map(text).collect());
                    dress();
                    downloads.refresh();
                    browser::focus("models");
                }
                "takes" => line.takes.set(text(1)),
                "at hand" => line.at_hand.set(serde_json::from_str(&text(1)).unwrap_or_default()),
                "look up" => {
                    downloads.press("");
                    downloads.look_up(&text(1), None);
                    browser::show_soon("hub-head");
                }
                "want" => downloads.open_if_there(text(1)),
                _ => {}
            }
        });
    // The panel listens as long as it is there.
    browser::window().set_onmessage(Some(heard.into_js_value().unchecked_ref()));
}

fn close_on_escape(line: PageLine) {
    let keyed = move |event: web_sys::KeyboardEvent| {
        if event.key() == "Escape" {
            line.tell("close", &[]);
        }
    };
    window_event_listener(leptos::ev::keydown, keyed);
}

/// In the page's colours.
fn dress() {
    let theme = match browser::kept(THEME).as_deref() {
        Some("dark") => "dark",
        Some("light") => "light",
        _ if browser::matches("(prefers-color-scheme: dark)") => "dark",
        _ => "light",
    };
    if let Some(root) = document().document_element() {
        let _ = root.set_attribute("data-theme", theme);
    }
}
