//! The picture as files: SVG, PNG, its numbers as CSV and JSON, the report; and as a link.

use std::time::Duration;

use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use super::menu::{Menu, MenuEntry};
use crate::app::embedding::Framing;
use crate::app::state::{Address, Shown, Studio};
use crate::app::{browser, embedding, handing};
use crate::chart::Figure;

/// Width of a saved drawing in CSS pixels.
const WIDTH: u32 = 960;

/// Everything that can be done with one figure, in one menu: it is saved in four forms, copied, linked to, framed, and
/// shared where the system has a way.
#[component]
pub fn FigureMenu(
    figure: Signal<Option<Figure>>,
    /// By which links and frames find it.
    key: String,
    source: Signal<String>,
    /// No other page can show it by itself, and no link leads to it.
    unframed: bool,
) -> impl IntoView {
    let studio = expect_context::<Studio>();
    let address = expect_context::<Address>();
    let is_framed = expect_context::<Framing>().is_allowed();
    let outcome = RwSignal::new(Ok::<&str, &str>(""));
    let settle = move |result: Result<(), JsValue>, done: &'static str, refused: &'static str| {
        let result = result.map(|()| done).map_err(|_| refused);
        let (Ok(words) | Err(words)) = result;
        if !words.is_empty() {
            studio.say(words);
        }
        outcome.set(result);
        if result.is_ok() {
            let clear = move || {
                outcome.try_update(|outcome| {
                    if outcome.is_ok() {
                        *outcome = Ok("");
                    }
                });
            };
            set_timeout(clear, SEEN_FOR);
        }
    };
    let id = format!("menu-{key}");
    let key = StoredValue::new(key);

    let save = move |form: &'static str| {
        let Some(figure) = figure.get_untracked() else {
            return;
        };
        let source = source.get_untracked();
        leptos::task::spawn_local(async move {
            let saved = save(form, &figure, &source).await;
            settle(saved, "", "The browser refused to make the file.");
        });
    };
    // With the address, so that whoever has the picture can have it live.
    let linked = move || {
        let figure = figure.get_untracked()?;
        let link = match unframed {
            true => address.here(),
            false => key.with_value(|key| address.figure(key)),
        };
        let svg = figure.svg(WIDTH, &[source.get_untracked(), link.clone()].join(" · "));
        Some((figure, svg, link))
    };
    let copy = move |()| {
        let Some((_, svg, _)) = linked() else { return };
        leptos::task::spawn_local(async move {
            let refused = "The browser does not let this page copy pictures: save it as PNG.";
            settle(handing::copy(svg).await, "Picture copied.", refused);
        });
    };
    let copy_link = move |()| {
        let Some((.., link)) = linked() else { return };
        leptos::task::spawn_local(async move {
            settle(browser::copy(&link).await, "Link copied.", NO_TEXT);
        });
    };
    // For other pages' sources: this one figure, live.
    let frame = move |()| {
        let Some(figure) = figure.get_untracked() else {
            return;
        };
        leptos::task::spawn_local(async move {
            let fragment = untrack(|| address.fragment(studio.view.get()));
            let frame = key.with_value(|key| {
                embedding::frame(&format!("#{fragment}"), Some(key), &figure.title)
            });
            let done = "The iframe is copied: put it into another page's source.";
            settle(browser::copy(&frame).await, done, NO_TEXT);
        });
    };
    let share = move |()| {
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
            let shared = shared.or_else(|error| if given_up(&error) { Ok(()) } else { Err(error) });
            settle(shared, "", "The system did not take the picture: save it as PNG.");
        });
    };

    let forms = {
        let id = id.clone();
        let forms = [("SVG", "svg"), ("PNG", "png"), ("CSV", "csv"), ("JSON", "json")];
        forms.map(|(name, form)| {
            view! { <MenuEntry menu=id.clone() name on_choose=move |()| save(form) /> }
        })
    };
    let framing = {
        let id = id.clone();
        move || {
            let is_offered = !unframed && is_framed.get();
            is_offered.then(|| {
                view! { <MenuEntry menu=id.clone() name="Copy iframe" class="copy-frame" on_choose=frame /> }
            })
        }
    };
    view! {
        <div class="keep">
            <Menu id=id.clone() label="Save or share">
                <div class="menu-forms" role="group" aria-label="Save as">
                    <span aria-hidden="true">"Save as"</span>
                    {forms}
                </div>
                <MenuEntry menu=id.clone() name="Copy picture" on_choose=copy />
                {(!unframed)
                    .then(|| view! { <MenuEntry menu=id.clone() name="Copy link" on_choose=copy_link /> })}
                {framing}
                {handing::can_share()
                    .then(|| view! { <MenuEntry menu=id.clone() name="Share" on_choose=share /> })}
            </Menu>
            <span class="outcome" class:empty=move || outcome.get().unwrap_or_default().is_empty()>
                {move || outcome.get().unwrap_or_default()}
            </span>
            <span class="problem" class:empty=move || outcome.get().is_ok()>
                {move || outcome.get().err()}
            </span>
        </div>
    }
}

/// Words about a copy that was made stand this long.
const SEEN_FOR: Duration = Duration::from_secs(3);

/// Said where the clipboard takes no text.
const NO_TEXT: &str = "The browser does not let this page copy text.";

async fn save(form: &str, figure: &Figure, source: &str) -> Result<(), JsValue> {
    let name = format!("atelier-{}.{form}", figure.key);
    let svg = || figure.svg(WIDTH, source);
    match form {
        "svg" => browser::save(&name, "image/svg+xml", &svg()),
        "png" => browser::save_url(&name, &browser::png(&svg()).await?),
        "json" => browser::save(&name, "application/json", &figure.json(source)),
        _ => browser::save(&name, "text/csv", &figure.table.csv()),
    }
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
            set_timeout(move || _ = words.try_set("Copy iframe"), SEEN_FOR);
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
            set_timeout(move || _ = words.try_set("Copy link"), SEEN_FOR);
        });
    };
    view! { <button type="button" on:click=copy>{words}</button> }
}
