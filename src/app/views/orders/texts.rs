//! Texts that the model writes by itself, under its own order and under the reader's, side by side.

use leptos::prelude::*;

use crate::app::state::Studio;
use crate::app::state::texts::{Text, TextState, TextWish};
use crate::study::TextEnd;

/// Asks for the texts while the view is open, and shows them as they come.
#[component]
pub fn WrittenTexts() -> impl IntoView {
    let studio = expect_context::<Studio>();
    Effect::new(move |_| studio.keep_writing());
    on_cleanup(move || studio.stop_writing());
    let texts = move || {
        let all = studio.lab_texts();
        (!all.is_empty()).then(|| {
            view! {
                <dl class="written-texts" id="written-texts">
                    {all.into_iter().map(|(wish, text)| written(&wish, text)).collect_view()}
                </dl>
            }
        })
    };
    view! { {texts} }
}

fn written(wish: &TextWish, text: Option<Text>) -> impl IntoView + use<> {
    let order = if wish.is_original() { "original order" } else { "this plan" };
    let (end, hint) = match text.as_ref().map(|text| &text.state) {
        None | Some(TextState::Coming | TextState::Ended(TextEnd::Tokens)) => ("…", None),
        Some(TextState::Ended(TextEnd::Model)) => ("", Some("The model ends here.".to_owned())),
        Some(TextState::Ended(TextEnd::Context)) => {
            ("", Some("The model takes no more tokens.".to_owned()))
        }
        Some(TextState::Failed(why)) => ("", Some(why.clone())),
    };
    let is_coming = text.as_ref().is_none_or(|text| text.state == TextState::Coming);
    let words = text.map(|text| text.seen()).unwrap_or_default() + end;
    view! {
        <div>
            <dt>{format!("The model goes on, {order}:")}</dt>
            <dd class="text" class:coming=is_coming>{words}</dd>
            {hint.map(|hint| view! { <dd class="gloss">{hint}</dd> })}
        </div>
    }
}
