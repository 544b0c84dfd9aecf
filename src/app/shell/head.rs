//! The page's first lines: the views, light or dark, and what the view that is open is about.

use leptos::prelude::*;

use super::offer::Offer;
use super::theme_picker::ThemePicker;
use crate::app::link::View;
use crate::app::state::{Address, Studio};
use crate::app::widgets::Terms;

#[component]
pub fn Masthead() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let address = expect_context::<Address>();
    let at_start = move || (studio.view.get() == View::Start).then_some("page");
    view! {
        <div class="masthead">
            <p class="name">
                <a href="#start" aria-label="atelier: start" aria-current=at_start>"atelier"</a>
            </p>
            <nav aria-label="Views">
                {View::ALL
                    .into_iter()
                    // Every picture leads to a member, and the name to the start.
                    .filter(|view| !matches!(view, View::Member | View::Start))
                    .map(|view| {
                        let here = move || (studio.view.get() == view).then_some("page");
                        // From within a lesson its name leads back to the list of all.
                        let there = move || match (view, studio.view.get()) {
                            (View::Lessons, View::Lessons) => address.lesson(None, 0),
                            _ => format!("#{}", address.fragment(view)),
                        };
                        view! { <a href=there aria-current=here>{view.title()}</a> }
                    })
                    .collect_view()}
            </nav>
            <Offer />
            <ThemePicker />
        </div>
    }
}

/// The view's question, one line on it, and more words behind a button.
#[component]
pub fn Intro() -> impl IntoView {
    let studio = expect_context::<Studio>();
    move || {
        let view = studio.view.get();
        let (title, lead) = words(view);
        let open = RwSignal::new(false);
        view! {
            <div class="intro" class:open=move || open.get()>
                <h1>{title}</h1>
                <p class="lead">
                    <Terms text=lead />
                </p>
                <button
                    type="button"
                    class="about"
                    aria-expanded=move || open.get().to_string()
                    aria-controls="about"
                    on:click=move |_| open.update(|open| *open = !*open)
                >
                    "What is this?"
                </button>
                <p class="about-words" id="about">{about(view)}</p>
            </div>
        }
    }
}

/// A view's title, and its lead in one line.
fn words(view: View) -> (&'static str, &'static str) {
    match view {
        View::Lens => (
            "What does each layer add to an answer?",
            "Each block of a language model adds two vectors to its residual stream: one from attention, one from the MLP.",
        ),
        View::LogitLens => (
            "Where does the answer appear?",
            "Decode the residual stream after every block, at every token, as if the model stopped there: which next word leads?",
        ),
        View::Attention => (
            "Where do the heads look?",
            "Attention heads copy information from earlier tokens. See which tokens a head attends to, then switch it off.",
        ),
        View::Member => (
            "What does one component do?",
            "See what a component reads, which words it raises and lowers, how it votes, and what the answer loses without it.",
        ),
        View::Orders => (
            "What if the blocks change places?",
            "Every block adds to the same residual stream, so blocks can be moved, left out, repeated or run in parallel.",
        ),
        View::Coupling => (
            "Do the blocks pull the same way?",
            "Each block stretches some directions most. Coupling says whether two blocks stretch the same ones, beyond chance.",
        ),
        View::Survey => (
            "Does it hold on whole data sets?",
            "One prompt is an anecdote. A survey measures bias and diversity of every model on many rows of every task.",
        ),
        View::Theory => (
            "Eight theorems, and where they end",
            "Each theorem of the paper is a picture computed here, with one control that breaks what it rests on.",
        ),
        View::Lessons => (
            "What do you expect?",
            "Say first what you expect. Then a model runs in this page, and its numbers answer.",
        ),
        View::Start => (
            "What would you like to see?",
            "A small language model runs in this page, and every layer of it can be looked at, moved and measured.",
        ),
    }
}

fn about(view: View) -> AnyView {
    let explained = |text: &'static str| view! { <Terms text aside=true /> }.into_any();
    let cited = |text: &'static str, paper: &'static str, rest: &'static str| {
        view! { <Terms text aside=true /> <cite>{paper}</cite> {rest} }.into_any()
    };
    match view {
        View::Lens => explained(
            "The model's logits are the sum of what its components add: the embedding, and the attention and the MLP of each \
             block. Bias says how far each component's own answer is from the right one. Diversity says how much these answers \
             differ. Bias minus diversity is the error of their mean.",
        ),
        View::LogitLens => explained(
            "Each cell has the likeliest next token, its probability, and how far that is from the answer. A high probability \
             may stand at a wrong token. The model itself decodes only the last row's stream.",
        ),
        View::Attention => explained(
            "An attention head moves information from the tokens it attends to into the token where it stands. Its weights say \
             where it looks, not what it is for. Switch it off to see what the answer loses.",
        ),
        View::Member => explained(
            "A component with a large vote may cost nothing when it is left out, and one with a small vote may cost much.",
        ),
        View::Orders => explained(
            "Try a plan on one prompt, and see what becomes of the answer, of bias and of diversity. Then run a sweep over many \
             plans and rows.",
        ),
        View::Coupling => cited(
            "A block is linearised at this prompt: its Jacobian stretches some directions most. See whether two blocks stretch \
             the same ones, along the depth and between tokens, and how straight a token's trajectory is. These are the \
             pictures of ",
            "Transformer Block Coupling",
            ", each beside what chance gives.",
        ),
        View::Survey => cited(
            "For every row a survey stores how far the components are from the right answer (bias) and how much they differ \
             (diversity). It draws the tables and figures of ",
            "Diversity of Transformer Layers",
            " for your own models.",
        ),
        View::Theory => explained(
            "A theorem about models is drawn from a model's rows. A theorem about an assumption is drawn from voters that are \
             made up on the spot.",
        ),
        View::Lessons => "Some questions are answered by a survey that comes with the page. Nothing is scored, and what you answer \
                          stays in this browser."
            .into_any(),
        View::Start => {
            "Each picture here was drawn when the page was built, from runs of the models that come with it.".into_any()
        }
    }
}
