//! One step: set-up, question, what the reader expects; then the run, and what it says.

use leptos::prelude::*;

use super::lacking::{CannotShow, NoModel};
use super::onward::Onward;
use super::options::Expectations;
use super::pointed::Pointed;
use super::running::{Held, Running};
use super::syllabus::Unread;
use super::told::Told;
use crate::app::browser;
use crate::app::embedding::Embedding;
use crate::app::state::{OpenLesson, Place};
use crate::app::widgets::{ProblemLine, Terms};

#[component]
pub fn StepPage(number: usize, at: usize) -> impl IntoView {
    let room = expect_context::<OpenLesson>();
    let asked = Memo::new(move |_| room.asked());
    let is_told = Memo::new(move |_| room.is_told());
    let expected = Memo::new(move |_| room.answer().expected);
    let chosen = RwSignal::new(expected.get_untracked());
    let count = room.lesson.get_untracked().map_or(0, |lesson| lesson.steps.len());
    let cannot =
        Memo::new(move |_| asked.with(|asked| Some(asked.as_ref()?.lacking()?.to_owned())));
    let is_open = move || expected.get().is_none() && cannot.with(Option::is_none);
    let commit = move |event: web_sys::SubmitEvent| {
        event.prevent_default();
        let Some(option) = chosen.get_untracked().filter(|_| untrack(is_open)) else {
            return;
        };
        let words = asked.with_untracked(|asked| {
            let asked = asked.as_ref()?;
            asked.options.get(option).map(|option| option.text.clone())
        });
        room.commit(option, words.unwrap_or_default());
        // What was chosen by can no longer be: keys are heard from here meanwhile.
        request_animation_frame(|| focus("step-title", false));
    };
    // Whoever answers anew begins with nothing chosen.
    Effect::new(move |before: Option<Option<usize>>| {
        let now = expected.get();
        if now.is_none() && before.flatten().is_some() {
            chosen.set(None);
            request_animation_frame(|| focus("step-title", false));
        }
        now
    });
    // In another page's frame it gives the frame its title.
    if use_context::<Embedding>().is_some() {
        Effect::new(move |_| {
            if let Some(lesson) = room.lesson.get() {
                let (step, title) = (at + 1, &lesson.title);
                document().set_title(&format!("Lesson {number}, step {step}: {title}"));
            }
        });
    }
    // Who came from another step begins at the top of this one; who opened a link is not moved.
    Effect::new(move |_| request_animation_frame(|| focus("step-title", true)));
    // What is told is said, and read from its beginning.
    Effect::new(move |before: Option<bool>| {
        let now = is_told.get();
        if now && before == Some(false) {
            request_animation_frame(show_told);
        }
        now
    });
    let words = move || {
        asked.get().map(|asked| {
            let say = asked.say.clone();
            view! {
                <Pointed />
                {(!say.is_empty()).then(|| view! { <p class="say"><Terms text=say /></p> })}
                <p class="ask" id="question"><Terms text=asked.ask.clone() /></p>
                <Expectations asked chosen expected />
            }
        })
    };
    view! {
        <div class="step" class:told=move || is_told.get() data-at=format!("{number}.{}", at + 1)>
            <form class="question-of-step" on:submit=commit>
                <h3 class="hint" id="step-title" tabindex="-1">{format!("Step {} of {count}", at + 1)}</h3>
                {words}
                <Unread />
                <div class="commit">
                    <Show when=is_open>
                        <button
                            type="submit"
                            id="commit"
                            disabled=move || chosen.get().is_none() || asked.with(Option::is_none)
                        >
                            "Commit"
                        </button>
                        <p class="hint">"Say what you expect: arrow keys choose, Enter commits. Then the model runs."</p>
                    </Show>
                    <Show when=move || cannot.with(Option::is_some) && !is_told.get()>
                        <CannotShow reason=cannot />
                    </Show>
                </div>
                <Running />
                <ProblemLine place=Place::Sweep />
                <NoModel />
                <Held />
            </form>
            {move || is_told.get().then(|| view! { <Told number at of=count /> })}
            <Onward number at of=count />
        </div>
    }
}

/// Puts the focus on what is told, and scrolls to it where it stands below the question.
fn show_told() {
    let Some(told) = browser::element("told-title") else { return };
    let window = browser::window();
    let height = window.inner_height().ok().and_then(|height| height.as_f64()).unwrap_or_default();
    if told.get_bounding_client_rect().top() > height / 2.0 {
        told.scroll_into_view();
    }
    focus("told-title", true);
}

/// Puts the focus on an element of the page; only where nothing else has it, if the page is to stay where it is.
fn focus(id: &str, is_gentle: bool) {
    let Some(element) = browser::element(id) else { return };
    if is_gentle && browser::is_unfocused() {
        let options = web_sys::FocusOptions::new();
        options.set_prevent_scroll(true);
        let _ = element.focus_with_options(&options);
    } else {
        let _ = element.focus();
    }
}
