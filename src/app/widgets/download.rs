//! The picture as files: SVG, PNG, CSV, the report; and as a link.

use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use crate::app::embedding::Framing;
use crate::app::state::{Address, Shown, Studio};
use crate::app::{browser, embedding, handing, opened};
use crate::chart::Figure;

/// Width of a saved drawing in CSS pixels.
const WIDTH: u32 = 960;

/// Saves one figure in the three forms, copies it, and shares it where the system has a way.
#[component]
pub fn SaveFigure(
    figure: Signal<Option<Figure>>,
    source: Signal<String>,
    /// No other page can show it by itself.
    unframed: bool,
) -> impl IntoView {
    let studio = expect_context::<Studio>();
    let address = expect_context::<Address>();
    let is_framed = expect_context::<Framing>().is_allowed();
    let failed = RwSignal::new("");
    let save = move |form: &'static str| {
        let Some(figure) = figure.get_untracked() else {
            return;
        };
        let source = source.get_untracked();
        leptos::task::spawn_local(async move {
            let saved = save(form, &figure, &source).await;
            failed.set(saved.map_or(" The browser refused to make the file.", |()| ""));
        });
    };
    // With the address, so that whoever has the picture can have it live.
    let linked = move || {
        let (figure, link) = (figure.get_untracked()?, address.here());
        let source = source.get_untracked();
        let svg = figure.svg(WIDTH, &[source, link.clone()].join(" · "));
        Some((figure, svg, link))
    };
    let copy = move |_| {
        let Some((_, svg, _)) = linked() else { return };
        leptos::task::spawn_local(async move {
            let copied = handing::copy(svg).await;
            if copied.is_ok() {
                studio.say("Picture copied.");
            }
            failed.set(copied.map_or(
                " The browser does not let this page copy pictures: save it as PNG.",
                |()| "",
            ));
        });
    };
    // For other pages' sources: this one figure, live.
    let frame = move |_| {
        let Some(figure) = figure.get_untracked() else {
            return;
        };
        leptos::task::spawn_local(async move {
            let fragment = untrack(|| address.fragment(studio.view.get()));
            let frame = embedding::frame(&format!("#{fragment}"), Some(figure.key), &figure.title);
            let copied = browser::copy(&frame).await;
            if copied.is_ok() {
                studio.say("The iframe is copied: put it into another page's source.");
            }
            failed.set(copied.map_or(" The browser does not let this page copy text.", |()| ""));
        });
    };
    let share = move |_| {
        let Some((figure, svg, link)) = linked() else {
            return;
        };
        leptos::task::spawn_local(async move {
            let name = format!("atelier-{}.png", figure.key);
            let shared = handing::share(&name, &svg, &figure.title, &link).await;
            // Whoever thinks better of it is told nothing.
            let given_up = |error: &JsValue| {
                let name = js_sys::Reflect::get(error, &JsValue::from_str("name"));
                name.is_ok_and(|name| name == "AbortError")
            };
            failed.set(match shared {
                Err(error) if !given_up(&error) => {
                    " The system did not take the picture: save it as PNG."
                }
                _ => "",
            });
        });
    };
    view! {
        <p class="keep">
            <span>"Save as "</span>
            <button type="button" on:click=move |_| save("svg")>"SVG"</button>
            <button type="button" on:click=move |_| save("png")>"PNG"</button>
            <button type="button" on:click=move |_| save("csv")>"CSV"</button>
            <button type="button" on:click=copy>"Copy picture"</button>
            <Show when=move || !unframed && is_framed.get()>
                <button type="button" class="copy-frame" on:click=frame>"Copy iframe"</button>
            </Show>
            {handing::can_share().then(|| view! { <button type="button" on:click=share>"Share"</button> })}
            <span class="problem" class:empty=move || failed.get().is_empty()>{failed}</span>
        </p>
    }
}

async fn save(form: &str, figure: &Figure, source: &str) -> Result<(), JsValue> {
    let name = format!("atelier-{}.{form}", figure.key);
    let svg = || figure.svg(WIDTH, source);
    match form {
        "svg" => browser::save(&name, "image/svg+xml", &svg()),
        "png" => browser::save_url(&name, &browser::png(&svg()).await?),
        _ => browser::save(&name, "text/csv", &figure.table.csv()),
    }
}

/// One line under a saved drawing's title: what it is of.
pub fn source(shown: &Shown) -> String {
    opened::about(&shown.report)
}

/// Saves a report as `name.atelier.json`, which this page and the command line can read.
#[component]
pub fn SaveReport(#[prop(into)] shown: Signal<Option<Shown>>, name: &'static str) -> impl IntoView {
    let studio = expect_context::<Studio>();
    let save = move |_| {
        let text = shown.with_untracked(|shown| {
            shown.as_ref().and_then(|shown| serde_json::to_string_pretty(&*shown.report).ok())
        });
        let file = format!("{name}.atelier.json");
        let saved =
            text.is_some_and(|text| browser::save(&file, "application/json", &text).is_ok());
        studio.say(if saved { "Report saved." } else { "The browser refused to make the file." });
    };
    view! { <button type="button" on:click=save>"Save the report (JSON)"</button> }
}

/// Puts a frame with the whole view on the clipboard, for other pages' sources; offered where the site lets
/// others frame it.
#[component]
pub fn CopyFrame() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let address = expect_context::<Address>();
    let is_framed = expect_context::<Framing>().is_allowed();
    let words = RwSignal::new("Copy iframe");
    let copy = move |_| {
        leptos::task::spawn_local(async move {
            let view = studio.view.get_untracked();
            let fragment = untrack(|| address.fragment(view));
            let title = format!("atelier: {}", view.name());
            let frame = embedding::frame(&format!("#{fragment}"), None, &title);
            words.set(match browser::copy(&frame).await {
                Ok(()) => "Iframe copied",
                Err(_) => "The browser does not let this page copy",
            });
            studio.say(words.get_untracked());
        });
    };
    view! {
        <Show when=move || is_framed.get()>
            <button type="button" on:click=copy>{words}</button>
        </Show>
    }
}

/// Puts the page's address, which holds its whole state, on the clipboard.
#[component]
pub fn CopyLink() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let address = expect_context::<Address>();
    let words = RwSignal::new("Copy link");
    let copy = move |_| {
        leptos::task::spawn_local(async move {
            let copied = browser::copy(&address.here()).await.is_ok();
            words.set(if copied { "Link copied" } else { "Copy it from the address bar" });
            studio.say(words.get_untracked());
            set_timeout(move || words.set("Copy link"), std::time::Duration::from_secs(3));
        });
    };
    view! { <button type="button" on:click=copy>{words}</button> }
}
