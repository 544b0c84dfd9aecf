//! The prompt, edited where it stands: a text field, and below it a layer of the same text that marks the tokens and
//! ends in what the model answers.

use leptos::prelude::*;
use web_sys::KeyboardEvent;

use super::text::seen_text;
use super::{is_answered, with_lens};
use crate::app::marks::{PromptPiece, prompt_pieces};
use crate::app::protocol::Known;
use crate::app::state::{Shown, Studio};
use crate::chart::{distinct, option_name, verdict};
use crate::measure::decomposition::argmax;
use crate::study::report::Lens;

/// Makes the layer as high as the field where the text ends in a line break: a line of its own.
const END: &str = "\u{200b}";

/// The tokens of the prompt that stands there now, as a run read them.
#[derive(Clone, Debug, Default, PartialEq)]
struct PromptTokens {
    texts: Vec<String>,
    /// Whether a token stands for a word that the tokenizer does not know.
    strangers: Vec<bool>,
    known: Option<Known>,
}

#[component]
pub fn Prompt(spaces: RwSignal<bool>) -> impl IntoView {
    let studio = expect_context::<Studio>();
    let is_answered = is_answered(studio);
    let prompt = Memo::new(move |_| studio.draft.with(|draft| draft.prompt.clone()));
    let tokens = Memo::new(move |_| tokens(studio).unwrap_or_default());
    let keyed = move |event: KeyboardEvent| {
        // Enter runs, Shift and Enter break the line; a word that is being composed is not done.
        if event.key() == "Enter" && !event.shift_key() && !event.is_composing() {
            event.prevent_default();
            studio.run();
        }
    };
    let marks = move || {
        let are_spaces_shown = spaces.get();
        prompt.with(|prompt| tokens.with(|tokens| marks(prompt, tokens, are_spaces_shown)))
    };
    view! {
        <label class="unseen" for="prompt">"Your prompt"</label>
        <div class="prompt" lang="">
            <p class="tokens"><span aria-hidden="true">{marks} {END}</span> <Gap is_answered /></p>
            <textarea
                id="prompt"
                rows="1"
                spellcheck="false"
                autocomplete="off"
                placeholder="Your prompt"
                aria-describedby="prompt-hint"
                prop:value=move || prompt.get()
                on:input=move |event| studio.edit(|draft| draft.prompt = event_target_value(&event))
                on:keydown=keyed
            ></textarea>
        </div>
        {move || tokens.with(strangers)}
        {move || token_ids(studio).filter(|_| !is_answered.get())}
    }
}

/// Returns the tokens of the prompt that stands there now: none while the picture is that of another prompt or model.
fn tokens(studio: Studio) -> Option<PromptTokens> {
    studio.picture().with(|shown| {
        let report = &shown.as_ref()?.report;
        let lens = shown.as_ref().and_then(Shown::lens);
        let coupling = report.coupling.as_ref();
        let (prompt, texts, ids) = match (lens, coupling) {
            (Some(lens), _) => (&lens.prompt, &lens.tokens, &lens.token_ids),
            (None, Some(coupling)) => (&coupling.prompt, &coupling.tokens, &coupling.token_ids),
            (None, None) => return None,
        };
        let is_same = studio.draft.with(|draft| {
            prompt.as_deref() == Some(draft.prompt.as_str())
                && report.model.name == draft.model.name()
        });
        if !is_same {
            return None;
        }
        let known = studio.known_words(report);
        let strangers = ids.iter().map(|&id| known.is_some_and(|known| known.unknown == id));
        Some(PromptTokens { texts: texts.clone()?, strangers: strangers.collect(), known })
    })
}

/// Draws the prompt with its tokens marked.
fn marks(prompt: &str, tokens: &PromptTokens, are_spaces_shown: bool) -> AnyView {
    let mark = |piece: PromptPiece<'_>| {
        let text = seen_text(piece.text, are_spaces_shown);
        let Some(token) = piece.token else {
            return text;
        };
        let is_stranger = tokens.strangers.get(token) == Some(&true);
        view! { <span class="token" class:stranger=is_stranger>{text}</span> }.into_any()
    };
    prompt_pieces(prompt, &tokens.texts).into_iter().map(mark).collect_view().into_any()
}

/// The place after the prompt, with the option that the model answers.
#[component]
fn Gap(is_answered: Memo<bool>) -> impl IntoView {
    let studio = expect_context::<Studio>();
    let gap = move || with_lens(studio, |lens| gap(lens, studio.is_judged_as(lens)));
    view! { <span class:stale=move || !is_answered.get()>{gap}</span> }
}

fn gap(lens: &Lens, is_judged: bool) -> AnyView {
    let answer = option_name(lens, argmax(&lens.probabilities));
    let answer = answer.trim_matches(['“', '”']).to_owned();
    let verdict = match is_judged {
        false => ".".to_owned(),
        true => format!(", {}.", verdict(lens)),
    };
    view! {
        <span class="gap" class:wrong={is_judged && !lens.correct}>
            <span class="unseen">" Of the options, the model answers: "</span>
            {answer}
            <span class="unseen">{verdict}</span>
        </span>
    }
    .into_any()
}

/// Names the words that the tokenizer does not know: the model sees the same sign for each of them.
fn strangers(tokens: &PromptTokens) -> Option<AnyView> {
    let known = tokens.known?;
    let all = tokens.texts.iter().zip(&tokens.strangers);
    let unknown = all.filter(|(_, is_stranger)| **is_stranger);
    let words = distinct(unknown.map(|(text, _)| format!("“{}”", text.trim())));
    if words.is_empty() {
        return None;
    }

    let sentence = format!(
        "The model does not know {}. It sees the same sign for every word outside the {} that it learned.",
        words.join(", "),
        known.words,
    );
    Some(view! { <p class="hint strangers">{sentence}</p> }.into_any())
}

/// Shows the token ids of a report that was made of ids alone: no text of it can stand in the field.
fn token_ids(studio: Studio) -> Option<AnyView> {
    let ids = with_lens(studio, |lens| {
        lens.prompt.is_none().then(|| lens.token_ids.iter().map(u32::to_string).collect::<Vec<_>>())
    });
    let sentence = format!("The picture is of these token ids: {}.", ids.flatten()?.join(" "));
    Some(view! { <p class="hint">{sentence}</p> }.into_any())
}
