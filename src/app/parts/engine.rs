//! What runs the model: the reader's choice, what came of it, and a check of the GPU's numbers.

use leptos::prelude::*;

use crate::app::protocol::EngineWish;
use crate::app::studio::{Studio, name_of, wish_of};

#[component]
pub fn EngineLine() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let word = move |n: usize| move || studio.engine.with(|words| words[n].clone());
    let choose = move |event| studio.choose_engine(wish_of(&event_target_value(&event)));
    let option = move |wish: EngineWish, words: &'static str| {
        let selected = move || studio.wish.get() == wish;
        view! { <option value=name_of(wish) selected=selected>{words}</option> }
    };
    view! {
        <div class="engine">
            <label class="field" for="engine">"Runs on"</label>
            <select id="engine" on:change=choose>
                {option(EngineWish::Auto, "the GPU, if it computes right")}
                {option(EngineWish::Gpu, "any WebGPU adapter")}
                {option(EngineWish::Cpu, "the processor")}
            </select>
            <button type="button" id="compare" on:click=move |_| studio.compare()>"Check against the processor"</button>
            <p class="hint" id="engine-line">{word(0)}</p>
            <p class="hint notice" id="engine-notice">{word(1)}</p>
        </div>
    }
}
