//! `0.166 = 0.168 − 0.002`, each number under its name; beside it, what the model says and whose error
//! this is.

use leptos::prelude::*;

use crate::app::state::{Shown, Studio};
use crate::chart::{Column, Identity, number, option_name};
use crate::measure::decomposition::softmax;
use crate::study::report::Lens;

#[component]
pub fn IdentityLine() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let identity = Memo::new(move |_| {
        studio.shown.with(|shown| {
            let lens = shown.as_ref().and_then(Shown::lens)?;
            let column = studio.column.get();
            let both = (column == Column::Probability).then(|| Answers::of(lens));
            Some((Identity::of(lens, column), both))
        })
    });
    let line = move || {
        identity.get().map(|(sum, both)| {
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
                {both.map(view_answers)}
                <p class="hint identity-note">{sum.note}</p>
            }
        })
    };
    view! { {line} }
}

/// The two answers that one might take for each other.
#[derive(Clone, Debug, PartialEq)]
struct Answers {
    right: String,
    /// Of the sum of all votes: what the model says.
    sum: String,
    /// The mean of what every stroke would answer alone: what the error is of.
    mean: String,
    strokes: usize,
}

impl Answers {
    fn of(lens: &Lens) -> Self {
        let own = lens.member_logits.iter().map(|row| {
            let row: Vec<f64> = row.iter().map(|&u| f64::from(u)).collect();
            softmax(&row)[lens.answer]
        });
        let strokes = lens.member_logits.len();
        Self {
            right: option_name(lens, lens.answer),
            sum: number::probability(lens.probabilities[lens.answer]),
            mean: number::probability(own.sum::<f64>() / strokes.max(1) as f64),
            strokes,
        }
    }
}

fn view_answers(answers: Answers) -> impl IntoView {
    let Answers { right, sum, mean, strokes } = answers;
    view! {
        <dl class="two-answers">
            <div>
                <dt>"Sum of the votes: its share among these options"</dt>
                <dd>{right.clone()} " " <b>{sum}</b></dd>
            </div>
            <div>
                <dt>{format!("Mean of {strokes} separate answers: this error")}</dt>
                <dd>{right} " " <b>{mean}</b></dd>
            </div>
        </dl>
    }
}
