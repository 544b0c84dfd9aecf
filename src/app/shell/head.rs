//! The page's first lines: the views, light or dark, and what the view that is open is about.

use leptos::prelude::*;

use super::offer::Offer;
use super::theme_picker::ThemePicker;
use crate::app::link::View;
use crate::app::state::{Address, Studio};

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

/// What the view is about: its question, one line, and more words behind a button.
#[component]
pub fn Intro() -> impl IntoView {
    let studio = expect_context::<Studio>();
    move || {
        let view = studio.view.get();
        let ViewWords { title, lead } = words(view);
        let open = RwSignal::new(false);
        let expanded = move || if open.get() { "true" } else { "false" };
        view! {
            <div class="intro" class:open=move || open.get()>
                <h1>{title}</h1>
                <p class="lead">{lead}</p>
                <button
                    type="button"
                    class="about"
                    aria-expanded=expanded
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
struct ViewWords {
    title: &'static str,
    lead: &'static str,
}

fn words(view: View) -> ViewWords {
    let (title, lead) = match view {
        View::Lens => (
            "What does each layer add to an answer?",
            "A language model runs in this page. Each block adds two vectors to a running sum: one from attention, one from the MLP.",
        ),
        View::LogitLens => (
            "Where does the answer appear?",
            "Read the running sum after every block, at every token, as if the model stopped there: which next word leads?",
        ),
        View::Attention => (
            "Where do the heads look?",
            "Each block looks back over the prompt with a few heads. See where each head looks, then switch it off.",
        ),
        View::Member => (
            "What does one component do?",
            "See what it reads, which words it raises and lowers, its vote on the options, and what the answer loses without it.",
        ),
        View::Orders => (
            "What if the blocks change places?",
            "Every block adds to the same sum, so blocks can be moved, left out, repeated or run side by side.",
        ),
        View::Coupling => (
            "Do the blocks pull the same way?",
            "Each block stretches some directions most. See whether two blocks stretch the same ones, beyond chance.",
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
    };
    ViewWords { title, lead }
}

fn about(view: View) -> AnyView {
    match view {
        View::Lens => lens().into_any(),
        View::LogitLens => logit_lens().into_any(),
        View::Attention => attention().into_any(),
        View::Member => member().into_any(),
        View::Orders => orders().into_any(),
        View::Coupling => coupling().into_any(),
        View::Survey => survey().into_any(),
        View::Theory => theory().into_any(),
        View::Lessons => lessons().into_any(),
        View::Start => start().into_any(),
    }
}

fn lens() -> impl IntoView {
    view! {
        "A small language model runs in this page. Its blocks are painters at one canvas: each adds two strokes, one "
        <span class="role attention">"attention"</span> ", one " <span class="role mlp">"MLP"</span>
        ". See how far every stroke is from the right answer (" <span class="role bias">"bias"</span>
        "), how much they disagree (" <span class="role diversity">"diversity"</span>
        "), and why together they are better than the average stroke."
    }
}

fn logit_lens() -> impl IntoView {
    "Read the canvas after every block, at every token, as if the run stopped there: which next word leads, how sure it \
     is, and how far that is from the answer. Sure is not knowing, and an early canvas was never meant to be read."
}

fn attention() -> impl IntoView {
    "Every block looks back over the prompt with a few heads, and carries what it finds to the token it paints. See where \
     each head looks and how much it carries, then switch it off: only the answer without it tells what it was for."
}

fn member() -> impl IntoView {
    "One stroke by itself: what it reads, which of all words it writes for and against, what it votes on the options, and \
     what the answer loses without it. A loud stroke may cost nothing, and a silent one much."
}

fn start() -> impl IntoView {
    "A small language model runs in this page, and every layer of it can be looked at, taught with, moved, measured and \
     read about. Each picture here was drawn when the page was built, from runs of the models that come with it."
}

fn orders() -> impl IntoView {
    view! {
        "Every block adds its strokes to the same canvas, so blocks can be moved, left out, repeated or set to work side by \
         side. Try it on one prompt, see what becomes of the answer, of "
        <span class="role bias">"bias"</span> " and of " <span class="role diversity">"diversity"</span>
        ", then sweep over many orders and rows."
    }
}

fn coupling() -> impl IntoView {
    view! {
        "Linearise every block where the run has it: its Jacobian stretches some directions most. See whether two blocks \
         stretch the same ones, along the depth and between tokens, how straight the stream's way is, and how much of that is \
         more than chance: the pictures of "
        <cite>"Transformer Block Coupling"</cite> ", with the lines that tell a finding from nothing."
    }
}

fn survey() -> impl IntoView {
    view! {
        "One prompt is an anecdote. A survey runs every model on every task and keeps, row by row, how far the strokes are \
         from the right answer (" <span class="role bias">"bias"</span> ") and how much they disagree ("
        <span class="role diversity">"diversity"</span> "): the tables and figures of "
        <cite>"Diversity of Transformer Layers"</cite> ", from your own models, down to the single row."
    }
}

fn lessons() -> impl IntoView {
    "Lessons in small steps. Say first what you expect; then models run on this page, or a survey of them is read, and their own numbers answer. \
     Nothing is scored, and what you answer stays in this browser."
}

fn theory() -> impl IntoView {
    view! {
        "What the paper proves about layers, each as a picture computed here and now: from a model's rows where the theorem is \
         about them, from voters made up on the spot where it is about an assumption. Each has one control that breaks what it \
         rests on."
    }
}
