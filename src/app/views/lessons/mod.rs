//! Lessons: the list of all, and one step at a time: asked first, run on the model, told afterwards.

mod class;
mod keys;
mod lacking;
mod numbers;
mod onward;
mod options;
mod picture;
mod pointed;
mod running;
mod sheet;
mod step;
mod syllabus;
mod told;

use leptos::prelude::*;

use crate::app::shell::lessons_are_seen;
use crate::app::state::{Address, OpenLesson, Studio};
use class::ClassTools;
use keys::{KeyShown, hear};
use sheet::Sheet;
use step::StepPage;
use syllabus::Syllabus;

#[component]
pub fn LessonsView() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let room = OpenLesson::start(studio);
    provide_context(room);
    lessons_are_seen();
    let number = Memo::new(move |_| studio.lessons.with(|lessons| lessons.lesson));
    let is_known = Memo::new(move |_| room.lesson.with(Option::is_some));
    let is_listed = Memo::new(move |_| room.list.with(|list| !list.is_empty()));
    let main = move || match (number.get(), is_listed.get()) {
        (_, false) => view! { <Awaited /> }.into_any(),
        (None, true) => view! { <Syllabus /> }.into_any(),
        (Some(number), true) if !is_known.get() => view! {
            <p class="problem">{format!("There is no lesson {number}: choose one of these.")}</p>
            <Syllabus />
        }
        .into_any(),
        (Some(number), true) => view! { <LessonPage number /> }.into_any(),
    };
    let pressed = move |event: web_sys::KeyboardEvent| hear(room, studio, &event);
    view! {
        <div class="lessons" on:keydown=pressed>
            {main}
            <KeyShown />
            {move || is_known.get().then(|| view! { <Sheet /> })}
        </div>
    }
}

/// Says that the lessons are on their way, or why they did not come.
#[component]
fn Awaited() -> impl IntoView {
    let room = expect_context::<OpenLesson>();
    let has_failed = Memo::new(move |_| room.missing.with(|missing| !missing.is_empty()));
    view! {
        <p class="hint" role="status">
            {move || {
                if has_failed.get() { room.missing.get() } else { "The lessons are being fetched.".to_owned() }
            }}
        </p>
        <Show when=move || has_failed.get()>
            <button type="button" on:click=move |_| room.fetch_list()>"Try again"</button>
        </Show>
    }
}

#[component]
fn LessonPage(number: usize) -> impl IntoView {
    let room = expect_context::<OpenLesson>();
    let studio = expect_context::<Studio>();
    // On the way to another lesson this page has no step any more.
    let is_here = move || studio.lessons.with(|lessons| lessons.lesson) == Some(number);
    let open = Memo::new(move |_| {
        let opened = room.place().filter(|_| is_here());
        opened.zip(room.step_index())
    });
    let title = move || room.lesson.get().map(|lesson| lesson.title.clone());
    let address = expect_context::<Address>();
    view! {
        <section class="lesson" aria-labelledby="lesson-title">
            <div class="lesson-head">
                <a
                    href=move || address.lesson(None, 0)
                    on:click=move |event| follow(&event, || studio.go_to_list())
                >
                    "All lessons"
                </a>
                <h2 id="lesson-title">{number} ". " {title}</h2>
                <Trail number />
            </div>
            {move || open.get().map(|(_, at)| view! { <StepPage number at /> })}
            <ClassTools />
        </section>
    }
}

/// Goes on within the page, unless the click asks for another tab or window: what is beside the place in the
/// address, such as the look of a wall, is in the link, too.
fn follow(event: &web_sys::MouseEvent, go: impl FnOnce()) {
    let is_elsewhere = event.ctrl_key() || event.meta_key() || event.shift_key() || event.alt_key();
    if !is_elsewhere {
        event.prevent_default();
        go();
    }
}

/// The lesson's steps: which is open, which are answered, in words too.
#[component]
fn Trail(number: usize) -> impl IntoView {
    let studio = expect_context::<Studio>();
    let address = expect_context::<Address>();
    let room = expect_context::<OpenLesson>();
    let steps = move || {
        let lesson = room.lesson.get()?;
        let here = room.step_index();
        let steps = lesson.steps.iter().enumerate().map(|(at, step)| {
            let is_answered = room.answer_to(step).is_answered();
            let said = if is_answered { ", answered" } else { "" };
            view! {
                <li class:answered=is_answered>
                    <a
                        href=move || address.lesson(Some(number), at)
                        aria-current=(here == Some(at)).then_some("step")
                        on:click=move |event| follow(&event, || studio.go_to_step(number, at))
                    >
                        <span class="unseen">"Step "</span>
                        {at + 1}
                        <span class="unseen">{said}</span>
                    </a>
                </li>
            }
        });
        Some(steps.collect_view())
    };
    view! { <ol class="trail" aria-label="Steps of this lesson">{steps}</ol> }
}
