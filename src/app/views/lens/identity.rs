//! `0.166 = 0.168 − 0.002`, each number under its name; below it the errors of what the model answers.

use leptos::prelude::*;

use crate::app::state::{Shown, Studio};
use crate::chart::{AnswerErrors, Identity};

#[component]
pub fn IdentityLine() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let identity = Memo::new(move |_| {
        studio.shown.with(|shown| {
            let lens = shown.as_ref().and_then(Shown::lens)?;
            let column = studio.column.get();
            Some((Identity::of(lens, column), AnswerErrors::of(lens)))
        })
    });
    let line = move || {
        identity.get().map(|(sum, errors)| {
            let (equals, minus) = if sum.holds { (" = ", " − ") } else { (" , ", " , ") };
            view! {
                <p class="identity">
                    {term("mse", "MSE", sum.mse)} <span class="sign">{equals}</span>
                    {term("bias", "bias", sum.bias)} <span class="sign">{minus}</span>
                    {term("diversity", "diversity", sum.diversity)}
                </p>
                {answer_errors(&errors)}
                <p class="hint identity-note">{errors.note} " " {sum.note}</p>
            }
        })
    };
    view! { {line} }
}

fn term(role: &'static str, name: &'static str, number: String) -> AnyView {
    view! {
        <span class=format!("term {role}")>
            <span class="term-number">{number}</span>
            <span class="term-name">{name}</span>
        </span>
    }
    .into_any()
}

/// The errors of what the model answers, the one that says more first.
fn answer_errors(errors: &AnswerErrors) -> AnyView {
    let shares = || term("own", "error of the shares", errors.shares.clone());
    let surprise = || {
        let surprise = errors.surprise.clone()?;
        Some(term("own", "surprise, nats", surprise))
    };
    let terms = match errors.surprise_leads {
        true => view! { {surprise()} {shares()} }.into_any(),
        false => view! { {shares()} {surprise()} }.into_any(),
    };
    view! { <p class="identity own-errors">{terms}</p> }.into_any()
}
