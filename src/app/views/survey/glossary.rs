//! The words of these figures that are not everybody's, in a line each.

use leptos::prelude::*;

const WORDS: [(&str, &str); 7] = [
    (
        "Bias, diversity, MSE",
        "How far the components are from the right answer, how far they are from their own mean, and the error of that mean: \
         MSE = bias − diversity. They are means over a model's components. A deeper model has more components, and most \
         say little. So compare sizes among models of one depth, and accuracy among any.",
    ),
    (
        "Mutual information",
        "How many bits the components' votes tell about the right answer: 0 if they tell nothing.",
    ),
    (
        "Miller-Madow",
        "A correction of entropies that are counted. On few rows they come out too small: by about the number of cells seen, \
         less one, over twice the rows.",
    ),
    (
        "Copula",
        "The dependence of several numbers that is left when each is replaced by its rank, whatever their own scales. \
         The Gaussian copula is the simplest that fits their correlations.",
    ),
    (
        "Ω (Omega)",
        "The term that bias and diversity have in common. It raises both alike, so MSE stays. \
         The offset is part of it.",
    ),
    (
        "Centred logits, offset",
        "A component's logits less their mean over the options, and that mean. The offset lifts all options alike. It moves no \
         probability, but it may be most of the diversity of whole logits.",
    ),
    ("Uniform", "The error of a guess that gives all options the same probability."),
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
