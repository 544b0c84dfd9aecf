//! The prediction before and after, and what the new order did to the stream, in numbers.

use leptos::prelude::*;

use crate::app::state::Studio;
use crate::app::widgets::{Answered, Terms, open_again, predictions};
use crate::chart::{first_words, judged, not_known, number, small_mass, unlike_spaces};
use crate::measure::bits::bits;
use crate::measure::decomposition::{logit_difference, margin};
use crate::study::report::Lab;

#[component]
pub fn Answers() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let both = move || {
        studio.lab.with(|shown| {
            let report = &shown.as_ref()?.report;
            report.lab.as_ref().map(|lab| both(lab))
        })
    };
    view! { {both} }
}

fn both(lab: &Lab) -> AnyView {
    let lenses = [("Original order", &lab.original), ("This plan", &lab.arranged)];
    let warnings = lenses.iter().filter_map(|(order, lens)| {
        let warning = small_mass(lens)?;
        Some(view! { <p class="small-mass">{format!("{order}: {warning}")}</p> })
    });
    let spaces = unlike_spaces(&lab.original);
    let words = lenses.iter().map(|(order, lens)| {
        view! { <dd>{format!("{order}: {}.", first_words(lens))}</dd> }
    });
    let answers =
        [Answered::of("original order", &lab.original), Answered::of("this plan", &lab.arranged)];
    let caption = "The prediction before and after".to_owned();
    let table = predictions("both-answers", caption, &lab.original, true, answers, None);
    view! {
        <div class="answers">
            {warnings.collect_view()}
            {open_again(&lab.arranged)}
            {spaces.map(|warning| view! { <p class="small-mass">{warning}</p> })}
            {table}
            <dl class="facts">
                <div class="first-words">
                    <dt>"What the model says first"</dt>
                    {words.collect_view()}
                </div>
                {facts(lab)}
            </dl>
        </div>
    }
    .into_any()
}

/// Numbers and words of both orders, next to each other.
fn facts(lab: &Lab) -> impl IntoView + use<> {
    let lenses = [&lab.original, &lab.arranged];
    let fact = |name: &'static str, gloss: &'static str, [before, after]: [String; 2]| {
        view! {
            <div>
                <dt>{name}</dt>
                <dd>{before} <span class="arrow">" → "</span> {after}</dd>
                <dd class="gloss"><Terms text=gloss /></dd>
            </div>
        }
    };
    let answer = lenses
        .map(|lens| judged(lens.correct, lens.vocabulary.as_ref(), lens.answer, lens.logits.len()));
    let said = |x: Option<f64>| x.map_or_else(|| "none".to_owned(), number::short);
    let kl = lab.kl().map_or_else(|| not_known(&lab.arranged), |kl| number::short(bits(kl)));
    view! {
        {fact("Answer", "", answer)}
        {fact(
            "Logit difference",
            "The right answer's logit minus the mean of the other options'. All net votes add up to it.",
            lenses.map(|lens| number::signed(logit_difference(&lens.logits, lens.answer))),
        )}
        {fact(
            "Margin",
            "The right answer's logit minus the best other option's. Above 0 the answer is right.",
            lenses.map(|lens| number::signed(margin(&lens.logits, lens.answer))),
        )}
        <div>
            <dt>"KL (bits)"</dt>
            <dd>{kl}</dd>
            <dd class="gloss">"How far the new answer lies from the original one, over the whole vocabulary; 0 is the same."</dd>
        </div>
        {fact(
            "Line-shape score",
            "1 if the last token's trajectory is straight. The more it turns, the larger the score.",
            lab.geometry.each_ref().map(|path| said(path.line_shape_score)),
        )}
        {fact(
            "Expodistance",
            "0 if the stream grows by the same factor at every step. The more unevenly it grows, the larger the number.",
            lab.geometry.each_ref().map(|path| said(path.expodistance)),
        )}
    }
}
