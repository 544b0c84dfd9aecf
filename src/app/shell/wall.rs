//! The look for a wall: large type and high contrast, in the views that a class is shown.

use leptos::prelude::*;

use crate::app::browser;
use crate::app::link::View;
use crate::app::state::Studio;
use crate::app::widgets::Tick;

/// The class of the document's root that the style of the wall hangs on.
const LOOK: &str = "projected";

/// Keeps the look in step with the view and the address.
pub(super) fn follow_look(studio: Studio) {
    Effect::new(move |_| {
        let is_wanted = studio.lessons.with(|lessons| lessons.is_projected);
        browser::set_root_class(LOOK, is_wanted && studio.view.get().has_wall());
    });
}

/// The tick that the address holds.
#[component]
pub fn WallTick(words: &'static str) -> impl IntoView {
    let studio = expect_context::<Studio>();
    let is_on = Memo::new(move |_| studio.lessons.with(|lessons| lessons.is_projected));
    let turn = move |is_on| studio.lessons.update(|lessons| lessons.is_projected = is_on);
    view! { <Tick words id="for-wall" is_on on_turn=turn /> }
}

/// The tick in the fold of the bar, where the view has no tools for a class of its own.
#[component]
pub fn WallSetting() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let is_here = Memo::new(move |_| {
        let view = studio.view.get();
        view.has_wall() && view != View::Lessons
    });
    view! {
        <Show when=move || is_here.get()>
            <WallTick words="For a wall: large type, high contrast" />
        </Show>
    }
}
