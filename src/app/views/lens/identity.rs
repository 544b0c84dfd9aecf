//! `MSE = bias − diversity` with whose error each number is, and beside it the errors of what the model answers.

use leptos::prelude::*;

use crate::app::state::Studio;
use crate::app::widgets::{Term, Terms};
use crate::chart::{AnswerErrors, Identity};

/// Says whose error the error of the shares is.
const SHARES: &str = "error of the model's own shares among the options";

/// Says whose surprise it is, and its unit.
const SURPRISE: &str = "the model's surprise in bits, −log₂\u{a0}P(right) of all tokens";

#[component]
pub fn IdentityLine() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let identity = Memo::new(move |_| {
        let column = studio.column.get();
        studio.with_run(|lens| (Identity::of(lens, column), AnswerErrors::of(lens)))
    });
    let line = move || {
        identity.get().map(|(sum, errors)| {
            let [equals, minus] = if sum.holds { ["=", "−"] } else { [",", ","] };
            let [mse, bias, diversity] = sum.meanings;
            view! {
                <div class="identity">
                    {term("mse", Some("MSE"), sum.mse, mse)} <span class="sign">{equals}</span>
                    {term("bias", Some("bias"), sum.bias, bias)} <span class="sign">{minus}</span>
                    {term("diversity", Some("diversity"), sum.diversity, diversity)}
                    {answer_errors(&errors)}
                </div>
                <p class="hint identity-note">{errors.note} " " {sum.note}</p>
            }
        })
    };
    view! { {line} }
}

/// A number, and below it its name, where it has one, and its meaning.
fn term(
    role: &'static str,
    name: Option<&'static str>,
    number: String,
    meaning: impl Into<String>,
) -> AnyView {
    let meaning = meaning.into();
    let words = match name {
        Some(word) => view! { <b><Term word /></b> ": " {meaning} }.into_any(),
        None => view! { <Terms text=meaning /> }.into_any(),
    };
    view! {
        <p class=format!("term {role}")>
            <span class="term-number">{number}</span>
            <span class="meaning">{words}</span>
        </p>
    }
    .into_any()
}

/// The errors of what the model answers, the one that says more first.
fn answer_errors(errors: &AnswerErrors) -> AnyView {
    let shares = term("answered", None, errors.shares.clone(), SHARES);
    let surprise = errors.surprise.clone().unwrap_or_else(|| "not known".to_owned());
    let surprise = term("answered", None, surprise, SURPRISE);
    match errors.surprise_leads {
        true => view! { {surprise} {shares} }.into_any(),
        false => view! { {shares} {surprise} }.into_any(),
    }
}
