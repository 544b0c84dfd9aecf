//! The run in pictures, with what the step points at. They are drawn of what was run in this visit: a browser
//! keeps words and numbers, no run.

use leptos::prelude::*;

use crate::app::link::Choice;
use crate::app::shell::Themes;
use crate::app::state::OpenLesson;
use crate::app::widgets::{FigureView, Picture};
use crate::chart::{Column, marked_member, step_figure};
use crate::model::catalogue;
use crate::study::lessons::{LensShow, LessonMarks, StepAsk, StepPicture};

#[component]
pub fn StepPictures() -> impl IntoView {
    let room = expect_context::<OpenLesson>();
    let count = Memo::new(move |_| room.pictures().map(|all| all.len()));
    // Curves of no model's are drawn where one looks further.
    let is_drawn = Memo::new(move |_| {
        let step = room.step();
        step.is_some_and(|step| !matches!(step.action, StepAsk::Theory(_)))
    });
    let drawn = move || {
        let all = 0..count.get().unwrap_or_default();
        all.map(|n| view! { <RunPicture n /> }).collect_view()
    };
    // Another model's picture is no picture of this answer.
    let is_same_model = Memo::new(move |_| {
        let asked = room.answer().outcome.map(|outcome| outcome.model);
        asked.is_some() && asked == room.model()
    });
    let is_gone = Memo::new(move |_| {
        is_drawn.get() && count.get().is_none() && !room.is_busy() && is_same_model.get()
    });
    view! {
        <div class="step-pictures">
            {drawn}
            <Show when=move || is_gone.get()>
                <p class="onward">
                    <button type="button" id="draw-step" on:click=move |_| room.ask_model()>
                        "Run it again to see its picture"
                    </button>
                    <span class="hint">"What is kept of an earlier visit is words and numbers."</span>
                </p>
            </Show>
        </div>
    }
}

#[component]
fn RunPicture(n: usize) -> impl IntoView {
    let room = expect_context::<OpenLesson>();
    let themes = expect_context::<Themes>();
    let marks = Memo::new(move |_| room.taken().map(|step| step.marks).unwrap_or_default());
    let column = Memo::new(move |_| room.link().map_or(Column::default(), |link| link.column));
    let figure = Memo::new(move |_| {
        let (marks, column, theme) = (marks.get(), column.get(), themes.theme.get());
        room.pictures()?.get(n).and_then(|picture| step_figure(picture, &marks, column, theme))
    });
    // The member that is pointed at is shown as if the reader did.
    let point = Memo::new(move |_| {
        let marks = marks.get();
        room.pictures()?.get(n).and_then(|one| looked_at(one, &marks))
    });
    let source = Signal::derive(move || {
        let pictures = room.pictures();
        let picture = pictures.as_ref().and_then(|all| all.get(n));
        picture.map_or_else(String::new, |picture| picture.models().join(", "))
    });
    let picture = Picture { key: format!("step-{n}"), figure: figure.into(), source };
    // Its members' rows are those of the step's run, whatever prompt, model and order the reader has.
    let draft = Signal::derive(move || {
        let drawn = room.pictures()?.get(n)?.models().first()?.to_string();
        let mut own = room.link()?.draft?;
        if own.model.name() != drawn {
            // Another was chosen since; one of the reader's own is not known by its name alone.
            own.model = Choice::Known(catalogue::find(&drawn)?.name.to_owned());
        }
        Some(own)
    });
    view! {
        <FigureView picture point draft unframed=true />
    }
}

fn looked_at(picture: &StepPicture, marks: &LessonMarks) -> Option<usize> {
    match picture {
        StepPicture::Lens { show: LensShow::Votes, lens, .. } => marked_member(lens, marks),
        _ => None,
    }
}
