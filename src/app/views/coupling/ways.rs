//! The ways of all tokens, one step at a time or at once; how straight the last one's is; and where the
//! linearised steps would have led it.

use std::time::Duration;

use leptos::leptos_dom::helpers::IntervalHandle;
use leptos::prelude::*;

use super::with_coupling;
use crate::app::browser;
use crate::app::state::Studio;
use crate::app::widgets::{FigureView, Pictures};

/// How long a frame stands.
const FRAME: Duration = Duration::from_millis(700);

#[component]
pub fn Ways(pictures: Pictures) -> impl IntoView {
    view! {
        <section class="pictures" aria-labelledby="ways-title">
            <h2 class="asked" id="ways-title">"How straight is a token's way through the depth?"</h2>
            <Film />
            <FigureView picture=pictures.one("coupling-paths") />
            {pictures.if_any("coupling-straightness", true)}
            <FigureView picture=pictures.one("coupling-linearised") folded=true />
        </section>
    }
}

/// Play, pause, step: none of it by itself, and nothing plays where motion is not wanted.
#[component]
fn Film() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let last = Memo::new(move |_| {
        let states = with_coupling(studio, |coupling| coupling.trajectories.states.len());
        states.unwrap_or_default().saturating_sub(1)
    });
    let frame = Memo::new(move |_| {
        let frame = studio.coupling.with(|s| s.frame);
        frame.map(|frame| frame.min(last.get()))
    });
    let playing = RwSignal::new(None::<IntervalHandle>);
    let pause = move || {
        if let Some(handle) = playing.try_update(Option::take).flatten() {
            handle.clear();
        }
    };
    on_cleanup(pause);
    let show = move |frame: Option<usize>| studio.set_coupling(|s| s.frame = frame);
    let advance = move || {
        // A view that was left has neither.
        let (Some(last), Some(frame)) = (last.try_get_untracked(), frame.try_get_untracked())
        else {
            return;
        };
        let next = frame.map_or(0, |frame| frame + 1);
        if next > last {
            pause();
        } else {
            show(Some(next));
        }
    };
    let play = move |_| {
        if playing.with_untracked(Option::is_some) {
            pause();
            return;
        }
        // From the beginning, where it had come to the end.
        if frame.get_untracked().is_none_or(|frame| frame >= last.get_untracked()) {
            show(Some(0));
        }
        playing.set(set_interval_with_handle(advance, FRAME).ok());
    };
    let step = move |forward: bool| {
        pause();
        let last = last.get_untracked();
        let now = frame.get_untracked();
        show(Some(match (now, forward) {
            (Some(now), true) => (now + 1).min(last),
            (Some(now), false) => now.saturating_sub(1),
            (None, true) => 0,
            (None, false) => last,
        }));
    };
    let slide = move |event: web_sys::Event| {
        pause();
        show(event_target_value(&event).parse().ok());
    };
    let all = move |_| {
        pause();
        show(None);
    };
    let still = browser::matches("(prefers-reduced-motion: reduce)");
    let words = move || match frame.get() {
        None => "whole ways".to_owned(),
        Some(0) => "before the first step".to_owned(),
        Some(frame) => format!("after {frame} of {} steps", last.get()),
    };
    view! {
        <div class="tools film" role="group" aria-label="The ways, step by step">
            {(!still)
                .then(|| view! {
                    <button type="button" id="film-play" on:click=play>
                        {move || if playing.with(Option::is_some) { "Pause" } else { "Play" }}
                    </button>
                })}
            <button type="button" id="film-back" aria-label="One step back" on:click=move |_| step(false)>"Back"</button>
            <button type="button" id="film-on" aria-label="One step on" on:click=move |_| step(true)>"On"</button>
            <label class="slide">
                "Steps "
                <input
                    type="range"
                    id="film-frame"
                    min="0"
                    max=move || last.get().to_string()
                    step="1"
                    prop:value=move || frame.get().unwrap_or(last.get()).to_string()
                    aria-valuetext=words
                    on:input=slide
                />
                <output for="film-frame">{words}</output>
            </label>
            <button type="button" id="film-all" aria-pressed=move || frame.get().is_none().to_string() on:click=all>"All at once"</button>
        </div>
    }
}
