//! Two answers to one question, side by side: shares among the options, and probability and rank beyond them.

use leptos::prelude::*;

use crate::chart::{number, option_name, share_and_rank};
use crate::study::report::{AnswerVocabulary, Lens};

/// One of the two.
pub struct Answered<'a> {
    pub heading: &'static str,
    /// Among the options. `[K]`
    pub shares: &'a [f64],
    /// `None` where the whole vocabulary was not read.
    pub vocabulary: Option<&'a AnswerVocabulary>,
}

impl<'a> Answered<'a> {
    pub fn of(heading: &'static str, lens: &'a Lens) -> Self {
        Self { heading, shares: &lens.probabilities, vocabulary: lens.vocabulary.as_ref() }
    }
}

/// The table of both answers to the question of `lens`; `first` is a row before the options', with a number of each
/// answer.
pub fn predictions(
    id: &'static str,
    caption: String,
    lens: &Lens,
    is_judged: bool,
    answers: [Answered<'_>; 2],
    first: Option<(&'static str, [f64; 2])>,
) -> AnyView {
    let [before, after] = answers.each_ref().map(|answer| answer.heading);
    let parts = || {
        view! {
            <th scope="col">"of these"</th>
            <th scope="col">"of all tokens"</th>
        }
    };
    let first = first.map(|(name, numbers)| {
        let [before, after] = numbers.map(number::signed);
        view! {
            <tr>
                <th scope="row">{name}</th>
                <td colspan="2">{before}</td>
                <td class="bars"></td>
                <td colspan="2">{after}</td>
            </tr>
        }
    });
    let rows = (0..lens.logits.len()).map(|k| {
        let is_right = is_judged && k == lens.answer;
        let [before, after] = answers.each_ref().map(|answer| cells(answer, k));
        let [lower, upper] = answers.each_ref().map(|answer| answer.shares[k]);
        view! {
            <tr class:right=is_right>
                <th scope="row">
                    <span class="check" aria-hidden="true">{if is_right { "✓" } else { "" }}</span>
                    {option_name(lens, k).trim_matches(['“', '”']).to_owned()}
                    <span class="unseen">{if is_right { " (the right answer)" } else { "" }}</span>
                </th>
                {before}
                <td class="bars">{bar("bar before", lower)} {bar("bar after", upper)}</td>
                {after}
            </tr>
        }
    });
    view! {
        <table class="predictions" id=id>
            <caption>{caption}</caption>
            <thead>
                <tr>
                    <th scope="col" rowspan="2">"Option"</th>
                    <th scope="colgroup" colspan="2">{before}</th>
                    <td class="bars" rowspan="2"></td>
                    <th scope="colgroup" colspan="2">{after}</th>
                </tr>
                <tr>{parts()} {parts()}</tr>
            </thead>
            <tbody>{first} {rows.collect_view()}</tbody>
        </table>
    }
    .into_any()
}

/// An option's share, and what it is of all tokens.
fn cells(answer: &Answered<'_>, k: usize) -> impl IntoView + use<> {
    // A line breaks between the two, and within neither.
    let beyond = answer.vocabulary.map(|vocabulary| {
        let [share, rank] = share_and_rank(vocabulary, k);
        view! {
            <span class="unbroken">{share} ","</span>
            " "
            <span class="unbroken">{rank}</span>
        }
    });
    view! {
        <td>{number::probability(answer.shares[k])}</td>
        <td class="of-all">{beyond.map_or_else(|| "not known".into_any(), IntoAny::into_any)}</td>
    }
}

fn bar(class: &'static str, share: f64) -> impl IntoView {
    view! {
        <span class=class aria-hidden="true">
            <span class="fill" style:width=format!("{:.2}%", 100.0 * share)></span>
        </span>
    }
}
