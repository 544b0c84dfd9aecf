//! `0.166 = 0.168 − 0.002`, each number under its name.

use leptos::prelude::*;

use crate::app::studio::{Shown, Studio};
use crate::chart::Identity;

#[component]
pub fn IdentityLine() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let identity = Memo::new(move |_| {
        studio.shown.with(|shown| {
            shown
                .as_ref()
                .and_then(Shown::lens)
                .map(|lens| Identity::of(lens, studio.column.get()))
        })
    });
    let line = move || {
        identity.get().map(|sum| {
            let (equals, minus) = if sum.holds { (" = ", " − ") } else { (" , ", " , ") };
            let term = |role: &'static str, name: &'static str, number: String| {
                view! {
                    <span class=format!("term {role}")>
                        <span class="term-number">{number}</span>
                        <span class="term-name">{name}</span>
                    </span>
                }
            };
            view! {
                <p class="identity">
                    {term("mse", "MSE", sum.mse)} <span class="sign">{equals}</span> {term("bias", "bias", sum.bias)}
                    <span class="sign">{minus}</span> {term("diversity", "diversity", sum.diversity)}
                </p>
                <p class="hint identity-note">{sum.note}</p>
            }
        })
    };
    view! { {line} }
}
