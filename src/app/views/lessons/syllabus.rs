//! The list of lessons: title, minutes, what many believe before and, once all is answered, what to keep; how
//! far this reader is, and what is kept of answers.

use std::sync::Arc;

use leptos::prelude::*;

use super::class::ForClass;
use super::follow;
use crate::app::state::{Address, OpenLesson, Studio};
use crate::app::widgets::{SureButton, Terms};
use crate::study::lessons::Lesson;

#[component]
pub fn Syllabus() -> impl IntoView {
    let room = expect_context::<OpenLesson>();
    let entries = move || {
        let numbered = (1..).zip(room.list.get());
        numbered.map(|(number, lesson)| view! { <Entry number lesson /> }).collect_view()
    };
    view! {
        <section aria-labelledby="syllabus-title">
            <h2 id="syllabus-title">"Lessons"</h2>
            <ol class="syllabus">{entries}</ol>
        </section>
        <KeptAnswers />
        <ForClass />
    }
}

#[component]
fn Entry(number: usize, lesson: Arc<Lesson>) -> impl IntoView {
    let studio = expect_context::<Studio>();
    let room = expect_context::<OpenLesson>();
    let steps = lesson.steps.len();
    let id = lesson.id.clone();
    let progress = move || {
        let answered = room.book.with(|book| book.answered(Some(&id)));
        match answered {
            0 => format!("{steps} steps"),
            n if n >= steps => format!("All {steps} steps answered"),
            n => format!("{n} of {steps} steps answered"),
        }
    };
    // What to keep would answer the questions.
    let own = lesson.id.clone();
    let is_done = Memo::new(move |_| {
        let is_held = studio.lessons.with(|lessons| lessons.is_held);
        !is_held && room.book.with(|book| book.answered(Some(&own)) >= steps)
    });
    let (belief, takeaway) = (lesson.belief.clone(), lesson.takeaway.clone());
    let words = move || match is_done.get() {
        true => format!("To keep: {takeaway}"),
        false => format!("Many think: {belief}"),
    };
    let places = room.list.with_untracked(|list| {
        let index = |id: &String| list.iter().position(|other| other.id == *id);
        let places: Vec<String> =
            lesson.needs.iter().filter_map(index).map(|index| (index + 1).to_string()).collect();
        places.join(", ")
    });
    let after = match places.is_empty() {
        true => String::new(),
        false => format!("after {places} · "),
    };
    let id = lesson.id.clone();
    let fit = move || {
        room.fits.with(|fits| {
            let (model, fits) = fits.as_ref()?;
            let own = fits.iter().find(|fit| fit.lesson == id)?;
            Some(view! { <p class="hint fit">{own.sentence(model)}</p> })
        })
    };
    let address = expect_context::<Address>();
    let href = move || address.lesson(Some(number), 0);
    let go = move |event: web_sys::MouseEvent| follow(&event, || studio.go_to_step(number, 0));
    view! {
        <li>
            <h3><a href=href on:click=go>{number} ". " {lesson.title.clone()}</a></h3>
            <p>{move || view! { <Terms text=words() /> }}</p>
            <p class="hint">{format!("{} minutes · {after}", lesson.minutes)} {progress}</p>
            {fit}
        </li>
    }
}

/// Says that the text which this browser keeps cannot be read.
#[component]
pub fn Unread() -> impl IntoView {
    let room = expect_context::<OpenLesson>();
    view! {
        <Show when=move || room.unread.with(|unread| !unread.is_empty())>
            <p class="problem of-answers">{move || room.unread.get()}</p>
        </Show>
    }
}

/// The answers that this browser stores: saves them as a file, and forgets them.
#[component]
fn KeptAnswers() -> impl IntoView {
    let room = expect_context::<OpenLesson>();
    let count = Memo::new(move |_| room.book.with(|book| book.answered(None)));
    let is_any = Memo::new(move |_| {
        let is_empty = room.book.with(|book| book.answers.is_empty());
        !is_empty || room.unread.with(|unread| !unread.is_empty())
    });
    let said = move || {
        match count.get() {
        _ if !room.is_kept.get() => {
            "This browser keeps nothing: your answers last until this page is closed. Save them as a file.".to_owned()
        }
        0 => "No answers are kept in this browser.".to_owned(),
        1 => "1 answer is kept in this browser, and nowhere else.".to_owned(),
        n => format!("{n} answers are kept in this browser, and nowhere else."),
    }
    };
    let forget = Callback::new(move |()| room.forget());
    view! {
        <section class="kept" aria-labelledby="kept-title">
            <h2 id="kept-title">"Your answers"</h2>
            <p role="status">{said}</p>
            <Unread />
            <Show when=move || is_any.get()>
                <div class="buttons">
                    <button type="button" id="keep-answers" on:click=move |_| room.save()>"Keep my answers (a file)"</button>
                    <SureButton id="forget-answers" words="Forget my answers" sure="Yes, forget them" act=forget />
                </div>
            </Show>
        </section>
    }
}
