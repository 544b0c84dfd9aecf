//! The engine that runs the model: the reader's choice, its outcome, a check of the GPU's numbers, and a test of
//! this machine.

use leptos::prelude::*;

use super::doctor::DoctorButton;
use crate::app::protocol::EngineWish;
use crate::app::state::{Studio, name_of, wish_of};

#[component]
pub fn EngineChoice() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let choose = move |event| studio.choose_engine(wish_of(&event_target_value(&event)));
    let option = move |wish: EngineWish, words: &'static str| {
        let selected = move || studio.wish.get() == wish;
        view! { <option value=name_of(wish) selected=selected>{words}</option> }
    };
    view! {
        <label class="in-bar">
            <span class="field">"Runs on"</span>
            <select id="engine" on:change=choose>
                {option(EngineWish::Auto, "Auto")}
                {option(EngineWish::Gpu, "Any GPU")}
                {option(EngineWish::Cpu, "CPU")}
            </select>
        </label>
    }
}

#[component]
pub fn EngineWords() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let word = move |n: usize| move || studio.engine.with(|words| words[n].clone());
    // While the model is on its way there is nothing to check.
    let absent = move || studio.model.with(Option::is_none);
    view! {
        <div class="engine">
            <p class="hint">
                "Auto runs on the GPU if it passes the self-test, else on the CPU. Any GPU takes every WebGPU adapter, a software one too."
            </p>
            <p class="hint" id="engine-line">{word(0)}</p>
            <p class="hint notice" id="engine-notice">{word(1)}</p>
            <button type="button" id="compare" disabled=absent on:click=move |_| studio.compare()>
                "Check against the CPU"
            </button>
            " "
            <DoctorButton />
        </div>
    }
}
