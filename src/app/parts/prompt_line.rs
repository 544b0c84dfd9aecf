//! The prompt as its real tokens, ending in the gap that the model fills.

use leptos::prelude::*;

use crate::app::spacing::spaced;
use crate::app::studio::{Shown, Studio};
use crate::chart::{number, option_name};
use crate::measure::decomposition::argmax;
use crate::study::report::Lens;

#[component]
pub fn PromptLine() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let line = move || {
        studio
            .picture()
            .with(|shown| shown.as_ref().and_then(Shown::lens).map(tokens))
    };
    view! { <p class="tokens" lang="en">{line}</p> }
}

/// The options with the model's probability for each.
#[component]
pub fn Options() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let answers = move || {
        studio
            .shown
            .with(|shown| shown.as_ref().and_then(Shown::lens).map(options))
    };
    view! {
        <ol class="options" aria-label="Options, with the model's probability for each">{answers}</ol>
    }
}

/// Each token its own span; the last thing is the gap with the model's answer in it.
fn tokens(lens: &Lens) -> AnyView {
    let pieces = match (&lens.prompt, &lens.tokens) {
        (Some(prompt), Some(tokens)) => spaced(prompt, tokens),
        _ => lens
            .token_ids
            .iter()
            .map(|id| (" ", id.to_string()))
            .collect(),
    };
    let answer = option_name(lens, argmax(&lens.probabilities));
    let answer = answer.trim_matches(['“', '”']).to_owned();
    let verdict = if lens.correct { "right" } else { "wrong" };
    view! {
        {pieces
            .into_iter()
            .map(|(before, piece)| {
                let special = piece.starts_with('<') && piece.ends_with('>');
                // A line break is shown, not made: this is one line of tokens.
                view! {
                    {before}
                    <span class="token" class:special=special>{piece.replace('\n', "↵")}</span>
                }
            })
            .collect_view()}
        <span class="gap" class:wrong=!lens.correct>
            <span class="unseen">" The model fills the gap with: "</span>
            {answer}
            <span class="unseen">{format!(", which is {verdict}.")}</span>
        </span>
    }
    .into_any()
}

fn options(lens: &Lens) -> AnyView {
    let likeliest = argmax(&lens.probabilities);
    (0..lens.probabilities.len())
        .map(|k| {
            let p = lens.probabilities[k];
            let right = k == lens.answer;
            view! {
                <li class:right=right class:likeliest={k == likeliest}>
                    <span class="check" aria-hidden="true">{if right { "✓" } else { "" }}</span>
                    <span class="option">{option_name(lens, k).trim_matches(['“', '”']).to_owned()}</span>
                    <span class="bar" aria-hidden="true"><span class="fill" style:width=format!("{:.2}%", 100.0 * p)></span></span>
                    <span class="number">{number::probability(p)}</span>
                    <span class="unseen">{if right { " (the right answer)" } else { "" }}</span>
                </li>
            }
        })
        .collect_view()
        .into_any()
}
