//! Two steps at a time, between the prompt's tokens.

use leptos::prelude::*;

use super::with_coupling;
use crate::app::protocol::TokenAsk;
use crate::app::state::Studio;
use crate::app::widgets::{Choice, Pictures, Terms};
use crate::chart::step_names;

const KEYS: [&str; 3] = ["coupling-self", "coupling-input", "coupling-output"];

#[component]
pub fn BetweenTokens(pictures: Pictures) -> impl IntoView {
    let studio = expect_context::<Studio>();
    let there = Memo::new(move |_| {
        with_coupling(studio, |coupling| coupling.token_wise.is_some()).unwrap_or_default()
    });
    let ask = move |_| studio.set_coupling(|s| s.tokens.is_wanted = true);
    view! {
        <section class="pictures" aria-labelledby="tokens-title">
            <h2 class="asked" id="tokens-title">"Do blocks share directions between tokens?"</h2>
            <Show
                when=move || there.get()
                fallback=move || view! {
                    <p class="look">
                        <Terms text="The report compares no tokens yet: in a wide model each of their Jacobians takes hundreds of products. " />
                        <button type="button" id="compare-tokens" on:click=ask>"Compare tokens"</button>
                    </p>
                }
            >
                <Choices />
                {KEYS.map(|key| pictures.if_any(key, key != KEYS[0])).collect_view()}
            </Show>
        </section>
    }
}

/// Which step, and which token the others are held against.
#[component]
fn Choices() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let steps = Memo::new(move |_| {
        with_coupling(studio, |coupling| step_names(&coupling.steps)).unwrap_or_default()
    });
    let tokens = Memo::new(move |_| {
        with_coupling(studio, |coupling| {
            let ids = coupling.token_ids.iter().enumerate();
            let name = |(t, id): (usize, &u32)| {
                let text = coupling.tokens.as_ref().and_then(|tokens| tokens.get(t));
                format!(
                    "{t} {}",
                    text.map_or_else(|| id.to_string(), |text| text.trim().to_owned())
                )
            };
            ids.map(name).collect::<Vec<String>>()
        })
        .unwrap_or_default()
    });
    // What the pictures show, whatever was asked.
    let shown =
        Memo::new(move |_| with_coupling(studio, crate::app::opened::compared).unwrap_or_default());
    let choice = move |id: &'static str,
                       label: &'static str,
                       names: Memo<Vec<String>>,
                       of: fn(&mut TokenAsk) -> &mut Option<usize>| {
        let chosen = Signal::derive(move || *of(&mut shown.get()));
        let choose = move |n: usize| studio.set_coupling(|s| *of(&mut s.tokens) = Some(n));
        view! { <Choice label id names chosen on_choose=choose /> }
    };
    view! {
        <div class="tools">
            {choice("token-step", "Step, with itself and with the next ", steps, |ask| &mut ask.step)}
            {choice("token-in", "From token ", tokens, |ask| &mut ask.t_in)}
            {choice("token-out", "To token ", tokens, |ask| &mut ask.t_out)}
        </div>
    }
}
