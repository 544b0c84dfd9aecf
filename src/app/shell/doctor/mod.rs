//! The dialog that measures this machine: the button that opens it, and the place of its content.

mod panel;

use leptos::prelude::*;

use super::dialog;
use crate::app::state::Studio;

/// The dialog's id.
const DIALOG: &str = "doctor";

#[derive(Clone, Copy)]
pub struct Doctor {
    /// Has the reader asked for it? Then its content is drawn, and stays.
    is_wanted: RwSignal<bool>,
}

impl Doctor {
    pub fn start() -> Self {
        Self { is_wanted: RwSignal::new(false) }
    }

    fn show(self) {
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
    let Doctor { is_wanted } = expect_context::<Doctor>();
    view! {
        <dialog id=DIALOG aria-label="What this machine can do">
            {move || is_wanted.get().then(|| view! { <panel::Panel /> })}
        </dialog>
    }
}
