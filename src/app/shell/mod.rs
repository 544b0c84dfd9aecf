//! The page around its views: head, bar, drop target, foot. Worker and model live here and outlive
//! every change of view.

mod bar;
mod chooser;
mod doctor;
mod drop;
mod engine;
mod foot;
mod framed;
mod head;
mod offer;
mod plan_line;
mod theme;
mod theme_picker;
mod wall;
mod ways_on;

pub use offer::seen as lessons_are_seen;
pub use theme::Themes;
pub use wall::WallTick;

use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::browser;
use super::embedding::{Embedding, Framing};
use super::link::{Link, View};
use super::state::{Address, Bench, Place, Studio, Surveys};
use super::views::{
    AttentionView, CouplingView, LensView, LessonsView, LogitLensView, MemberView, OrdersView,
    StartView, SurveyView, TheoryView,
};
use super::widgets::{Definitions, Glossary, Pointing, ProblemLine};
use bar::Bar;
use chooser::{Chooser, ChooserDialog};
use doctor::{Doctor, DoctorDialog};
use foot::Foot;
use framed::Framed;
use head::{Intro, Masthead};

/// Draws the page into the document's `#app`, in place of the words that stand there before.
pub fn mount() {
    let Some(host) = document().get_element_by_id("app") else {
        return;
    };
    host.set_text_content(None);
    mount_to(host.unchecked_into(), Shell).forget();
}

/// Says on the page that a part of it failed, and on the console where.
pub fn tell_failure(info: &std::panic::PanicHookInfo<'_>) {
    console_error_panic_hook::hook(info);
    if let Some(news) = document().get_element_by_id("news") {
        news.set_text_content(Some("The page failed, and may not answer any more: reload it."));
    }
}

#[component]
fn Shell() -> impl IntoView {
    provide_context(Themes::start());
    provide_context(Pointing::start());
    provide_context(Framing::start());
    let link = Link::parse(&browser::fragment()).unwrap_or_else(Link::start);
    let studio = Studio::open(&link);
    let surveys = Surveys::start(link.looking);
    provide_context(studio);
    provide_context(Glossary::start(studio.view));
    provide_context(surveys);
    provide_context(Address::keep(studio, surveys));
    provide_context(Bench::start(studio));
    let embedding = Embedding::of_page();
    let is_embedded = embedding.is_some();
    match embedding {
        Some(embedding) => provide_context(embedding),
        // A frame has no dialog of models, and waits for none.
        None => provide_context(Chooser::start(studio, surveys)),
    }
    provide_context(Doctor::start());
    // Whoever only reads reports fetches no model, and whoever only asks a model no report.
    Effect::new(move |_| {
        if studio.awaits_reports() {
            return;
        }
        if studio.view.get().is_live() {
            studio.wake();
        } else if studio.view.get().is_of_surveys() {
            surveys.wake();
        }
    });
    wall::follow_look(studio);
    let opened = RwSignal::new(String::new());
    if !is_embedded {
        entitle(studio, opened);
    }
    studio.open_linked(surveys);
    drop::listen(studio, surveys);
    let skip = move |event: web_sys::MouseEvent| {
        // Not by the address, which holds the state.
        event.prevent_default();
        if let Some(main) = browser::element("main") {
            main.scroll_into_view();
            let _ = main.focus();
        }
    };
    let is_whole = move || !is_embedded;
    view! {
        <Show when=is_whole>
            <a class="skip" href="#main" on:click=skip>"Skip to the picture"</a>
        </Show>
        <header>
            <Show when=is_whole>
                <Masthead />
            </Show>
            <p class="unseen" role="status" aria-live="polite">{move || studio.said.get()}</p>
            <p class="unseen" role="status" aria-live="polite">{move || surveys.said.get()}</p>
            <p class="unseen" role="status" aria-live="polite" id="opened-view">{move || opened.get()}</p>
            <Intro />
        </header>
        <Show when=is_whole>
            <Bar />
            // Where no bar says it.
            <Show when=move || !studio.view.get().is_live()>
                <ProblemLine place=Place::Address />
                <ProblemLine place=Place::Model />
            </Show>
        </Show>
        {(!browser::is_secure())
            .then(|| {
                view! {
                    <p class="hint" id="plain-http">
                        "This page came over plain http, where browsers give it no GPU, no disk and no offline copy: models run on the \
                         CPU and stay in memory. Over https, or from the machine that serves it, all of that is there."
                    </p>
                }
            })}
        <main id="main" tabindex="-1">
            {move || match studio.view.get() {
                View::Lens => view! { <LensView /> }.into_any(),
                View::LogitLens => view! { <LogitLensView /> }.into_any(),
                View::Attention => view! { <AttentionView /> }.into_any(),
                View::Member => view! { <MemberView /> }.into_any(),
                View::Orders => view! { <OrdersView /> }.into_any(),
                View::Coupling => view! { <CouplingView /> }.into_any(),
                View::Survey => view! { <SurveyView /> }.into_any(),
                View::Theory => view! { <TheoryView /> }.into_any(),
                View::Lessons => view! { <LessonsView /> }.into_any(),
                View::Start => view! { <StartView /> }.into_any(),
            }}
            <Definitions />
        </main>
        <Show when=is_whole fallback=|| view! { <Framed /> }>
            <Foot />
            <ChooserDialog />
            <DoctorDialog />
        </Show>
    }
}

/// Gives each view a title of its own, for tabs, bookmarks and the history, and says to screen readers which one is
/// `opened`.
fn entitle(studio: Studio, opened: RwSignal<String>) {
    Effect::new(move |before: Option<View>| {
        let view = studio.view.get();
        let model = studio.draft.with(|draft| draft.model.name().to_owned());
        let about = if view.is_live() { format!("{model} · ") } else { String::new() };
        document().set_title(&format!("{} · {about}atelier", view.title()));
        if before.is_some_and(|before| before != view) {
            opened.set(format!("View: {}.", view.title()));
        }
        view
    });
}

/// A dialog of the page, by its id.
fn dialog(id: &str) -> Option<web_sys::HtmlDialogElement> {
    document().get_element_by_id(id)?.dyn_into().ok()
}
