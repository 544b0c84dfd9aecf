//! The words of these figures that are not everybody's, in a line each.

use leptos::prelude::*;

const WORDS: [(&str, &str); 7] = [
    (
        "Bias, diversity, MSE",
        "How far the strokes are from the right answer, how far they are from their own mean, and the error of that mean: \
         MSE = bias − diversity. They are means over a model's strokes, and a deeper model has more of them, most of which say \
         little: compare sizes among models of one depth, and accuracy among any.",
    ),
    (
        "Mutual information",
        "How many bits the strokes' votes tell of the right answer: 0 where they tell nothing.",
    ),
    (
        "Miller-Madow",
        "A correction of entropies that are counted: on few rows they come out too small, by about the number of cells seen, \
         less one, over twice the rows.",
    ),
    (
        "Copula",
        "What is left of several numbers when each is replaced by its rank: how they hang together, whatever their own scales. \
         The Gaussian copula is the simplest that fits their correlations.",
    ),
    (
        "Ω (Omega)",
        "What bias and diversity have in common: what raises diversity through it raises bias as much, so that MSE stays. \
         It holds the offset, too.",
    ),
    (
        "Centred logits, offset",
        "A stroke's logits less their mean over the options, and that mean. The offset lifts all options alike: it moves no \
         probability, and yet it may be most of the diversity of whole logits.",
    ),
    (
        "Uniform",
        "What somebody who finds all options alike would score: the error of knowing nothing.",
    ),
];

#[component]
pub fn Glossary() -> impl IntoView {
    let entries = WORDS.map(|(word, gloss)| {
        view! {
            <div>
                <dt>{word}</dt>
                <dd>{gloss}</dd>
            </div>
        }
    });
    view! {
        <section class="words" aria-labelledby="words-title">
            <h2 id="words-title">"Words"</h2>
            <dl>{entries}</dl>
        </section>
    }
}
