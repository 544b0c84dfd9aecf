//! The prompt as its real tokens, ending in the gap that the model fills.

use leptos::prelude::*;

use super::open_again;
use crate::app::protocol::Known;
use crate::app::spacing::spaced;
use crate::app::state::{Shown, Studio};
use crate::chart::{
    kl_from_original, number, option_beyond, option_name, says_first, small_mass, unlike_spaces,
    verdict,
};
use crate::measure::decomposition::argmax;
use crate::study::report::Lens;

#[component]
pub fn PromptLine() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let with = move |of: fn(&Lens, bool, Option<Known>) -> AnyView| {
        let judged = studio.is_judged();
        studio.picture().with(|shown| {
            let shown = shown.as_ref()?;
            let known = studio.known_words(&shown.report);
            Some(of(shown.lens()?, judged, known))
        })
    };
    view! {
        <p class="tokens" lang="en">{move || with(tokens)}</p>
        {move || with(strangers)}
    }
}

/// The options: each one's share among them, and its probability and rank in the whole vocabulary; below
/// them what the model says first by itself.
#[component]
pub fn Options() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let with_lens = move |draw: fn(&Lens, bool) -> AnyView| {
        let judged = studio.is_judged();
        studio.shown.with(|shown| {
            let lens = shown.as_ref().and_then(Shown::lens)?;
            Some(draw(lens, judged))
        })
    };
    let kl = move || {
        studio.shown.with(|shown| {
            let shown = shown.as_ref()?;
            let kl = kl_from_original(shown.lens()?, &shown.report.model.order)?;
            Some(view! { <p class="says-first">{kl}</p> })
        })
    };
    view! {
        <ol class="options" aria-label="Options: share among them, probability and rank in the whole vocabulary">
            {move || with_lens(options)}
        </ol>
        {move || with_lens(beyond)}
        {kl}
    }
}

/// Each token its own span; the last thing is the gap with the model's answer in it.
fn tokens(lens: &Lens, judged: bool, known: Option<Known>) -> AnyView {
    let pieces = match (&lens.prompt, &lens.tokens) {
        (Some(prompt), Some(tokens)) => spaced(prompt, tokens),
        _ => lens.token_ids.iter().map(|id| (" ", id.to_string())).collect(),
    };
    let answer = option_name(lens, argmax(&lens.probabilities));
    let answer = answer.trim_matches(['“', '”']).to_owned();
    let verdict = match judged {
        false => ".".to_owned(),
        true => format!(", {}.", verdict(lens)),
    };
    view! {
        {pieces
            .into_iter()
            .zip(&lens.token_ids)
            .map(|((before, piece), id)| {
                let special = piece.starts_with('<') && piece.ends_with('>');
                let stranger = !special && known.is_some_and(|known| known.unknown == *id);
                // A line break is shown, not made: this is one line of tokens.
                view! {
                    {before}
                    <span class="token" class:special=special class:stranger=stranger>{piece.replace('\n', "↵")}</span>
                }
            })
            .collect_view()}
        <span class="gap" class:wrong={judged && !lens.correct}>
            <span class="unseen">" Of the options, the model answers: "</span>
            {answer}
            <span class="unseen">{verdict}</span>
        </span>
    }
    .into_any()
}

/// Names the words that the tokenizer does not know: the model sees the same sign for each of them.
fn strangers(lens: &Lens, _: bool, known: Option<Known>) -> AnyView {
    let Some((known, tokens)) = known.zip(lens.tokens.as_ref()) else {
        return ().into_any();
    };
    let mut words: Vec<String> = Vec::new();
    for (token, id) in tokens.iter().zip(&lens.token_ids) {
        let word = format!("“{}”", token.trim());
        if *id == known.unknown && !words.contains(&word) {
            words.push(word);
        }
    }
    if words.is_empty() {
        return ().into_any();
    }
    view! {
        <p class="hint strangers">
            {format!(
                "The model does not know {}: it sees one and the same sign for every word that is not among the {} it learned.",
                words.join(", "),
                known.words,
            )}
        </p>
    }
    .into_any()
}

fn options(lens: &Lens, judged: bool) -> AnyView {
    let likeliest = argmax(&lens.probabilities);
    let head = view! {
        <li class="heads" aria-hidden="true">
            <span></span>
            <span></span>
            <span></span>
            <span class="number">"of these"</span>
            <span class="of-all">"of all tokens"</span>
        </li>
    };
    let rows = (0..lens.probabilities.len())
        .map(|k| {
            let p = lens.probabilities[k];
            let right = judged && k == lens.answer;
            let of_all = lens.vocabulary.as_ref().map(|vocabulary| option_beyond(vocabulary, k));
            view! {
                <li class:right=right class:likeliest={k == likeliest}>
                    <span class="check" aria-hidden="true">{if right { "✓" } else { "" }}</span>
                    <span class="option">{option_name(lens, k).trim_matches(['“', '”']).to_owned()}</span>
                    <span class="bar-of" aria-hidden="true"><span class="fill" style:width=format!("{:.2}%", 100.0 * p)></span></span>
                    <span class="number">{number::probability(p)}</span>
                    <span class="unseen">" of these"</span>
                    <span class="of-all">{of_all}</span>
                    <span class="unseen">{if right { " (the right answer)" } else { "" }}</span>
                </li>
            }
        })
        .collect_view();
    view! {
        {head}
        {rows}
    }
    .into_any()
}

/// What the model says first of all its tokens, and a warning where the options are hardly any of that.
fn beyond(lens: &Lens, judged: bool) -> AnyView {
    view! {
        {small_mass(lens).map(|warning| view! { <p class="small-mass">{warning}</p> })}
        {unlike_spaces(lens).map(|warning| view! { <p class="says-first unlike-spaces">{warning}</p> })}
        <p class="says-first">{says_first(lens, judged)}</p>
        {open_again(lens)}
    }
    .into_any()
}
