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
            <ThemePicker />
        </div>
    }
}

/// What the view is about: its question, and a few words that fold away where there is no room.
#[component]
pub fn Intro() -> impl IntoView {
    let studio = expect_context::<Studio>();
    move || {
        let view = studio.view.get();
        let is_first = view == View::Lens;
        let (title, lead) = match view {
            View::Lens => ("What does each layer add to an answer?", lens().into_any()),
            View::LogitLens => ("Where does the answer appear?", logit_lens().into_any()),
            View::Attention => ("Where do the heads look?", attention().into_any()),
            View::Member => ("What does one stroke do?", member().into_any()),
            View::Orders => ("What if the painters change places?", orders().into_any()),
            View::Coupling => ("Do the blocks pull the same way?", coupling().into_any()),
            View::Survey => ("Does it hold on whole data sets?", survey().into_any()),
            View::Theory => ("Eight theorems, and where they end", theory().into_any()),
            View::Lessons => ("What do you expect?", lessons().into_any()),
            View::Start => ("What would you like to see?", start().into_any()),
        };
        let open = RwSignal::new(false);
        let pressed = move || if open.get() { "true" } else { "false" };
        view! {
            <div class="intro" class:open=move || open.get()>
                <h1>{title}</h1>
                <button
                    type="button"
                    class="about"
                    aria-expanded=pressed
                    aria-controls="lead"
                    on:click=move |_| open.update(|open| *open = !*open)
                >
                    "What is this?"
                </button>
                {is_first.then(|| view! { <Offer /> })}
                <p class="lead" id="lead">{lead}</p>
            </div>
        }
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
