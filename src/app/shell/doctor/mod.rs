//! What this machine can do, in a dialog: the button that opens it, and the place of its content, whose
//! program comes behind the first picture.

mod panel;

use leptos::prelude::*;

use super::{Coming, dialog};
use crate::app::later::Later;
use crate::app::state::Studio;

/// The dialog's id.
const DIALOG: &str = "doctor";

#[derive(Clone, Copy)]
pub struct Doctor {
    later: Later,
    /// Has the reader asked for it? Then its content is drawn, and stays.
    is_wanted: RwSignal<bool>,
}

impl Doctor {
    pub fn start(later: Later) -> Self {
        Self { later, is_wanted: RwSignal::new(false) }
    }

    fn show(self) {
        self.later.fetch();
        self.is_wanted.set(true);
        if let Some(dialog) = dialog(DIALOG) {
            let _ = dialog.show_modal();
        }
    }
}

#[component]
pub fn DoctorButton() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let doctor = expect_context::<Doctor>();
    let words = move || {
        if studio.doctor.with(Option::is_some) {
            "This machine is being measured"
        } else {
            "What can this machine do?"
        }
    };
    view! {
        <button type="button" id="doctor-open" aria-haspopup="dialog" on:click=move |_| doctor.show()>
            {words}
        </button>
    }
}

#[component]
pub fn DoctorDialog() -> impl IntoView {
    let Doctor { later, is_wanted } = expect_context::<Doctor>();
    // By way of a pointer that the compiler knows nothing of: what is drawn into the dialog stays a function
    // of its own, which the build can move out of the first picture's way.
    let content = std::hint::black_box(panel::panel as fn() -> AnyView);
    view! {
        <dialog id=DIALOG aria-label="What this machine can do">
            {move || match (is_wanted.get(), later.is_there()) {
                (false, _) => ().into_any(),
                (true, false) => view! { <Coming later /> }.into_any(),
                (true, true) => content(),
            }}
        </dialog>
    }
}
