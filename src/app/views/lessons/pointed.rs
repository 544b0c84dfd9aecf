//! The things that a question is about: the prompt that the model reads, and the blocks that are meant.

use leptos::prelude::*;

use crate::app::state::OpenLesson;

#[component]
pub fn Pointed() -> impl IntoView {
    let room = expect_context::<OpenLesson>();
    let prompt = Memo::new(move |_| room.prompt());
    let marks = Memo::new(move |_| room.taken().map(|step| step.marks).unwrap_or_default());
    let read = move || {
        let prompt = prompt.get()?;
        let marks = marks.get();
        let words = marks.in_prompt(&prompt.text).into_iter().enumerate();
        let words = words.map(|(at, (word, is_marked))| {
            let space = if at > 0 { " " } else { "" };
            let word = word.to_owned();
            match is_marked {
                true => view! { {space}<mark>{word}</mark> }.into_any(),
                false => view! { {space}{word} }.into_any(),
            }
        });
        let words = words.collect_view();
        let options: Vec<&str> = prompt.options.iter().map(|option| option.trim()).collect();
        let options = options.join(" or ");
        Some(
            view! { <p class="read-by-model">"The model reads " <q>{words}</q> " and says: " {options} "."</p> },
        )
    };
    view! {
        {read}
        <Blocks />
    }
}

/// The model's blocks in a row, those that are meant filled: where a member stands is seen, whether or not it runs.
#[component]
fn Blocks() -> impl IntoView {
    let room = expect_context::<OpenLesson>();
    let marked = Memo::new(move |_| {
        let step = room.taken();
        step.map(|step| step.marks.all_blocks()).unwrap_or_default()
    });
    let count = Memo::new(move |_| room.blocks());
    let row = move || {
        let (count, marked) = (count.get()?, marked.get());
        // Plans for twelve blocks mean nothing in a model of four.
        if marked.is_empty() || marked.iter().any(|block| *block >= count) {
            return None;
        }
        let names: Vec<String> = marked.iter().map(usize::to_string).collect();
        let last = count.checked_sub(1)?;
        let said = format!("Blocks 0 to {last}; meant: {}", names.join(", "));
        let boxes = (0..count).map(|block| {
            view! { <li class:meant=marked.contains(&block)>{block}</li> }
        });
        let boxes = boxes.collect_view();
        Some(view! {
            <div class="meant-blocks" role="img" aria-label=said>
                <ol aria-hidden="true">{boxes}</ol>
            </div>
        })
    };
    view! { {row} }
}
