//! A report the reader opens.

use std::sync::Arc;

use leptos::prelude::*;
use web_sys::File;

use super::{Origin, Place, Shown, Studio};
use crate::app::link::View;
use crate::app::opened;

impl Studio {
    pub(super) fn open_report(self, file: File) {
        leptos::task::spawn_local(async move {
            let text = wasm_bindgen_futures::JsFuture::from(file.text())
                .await
                .ok()
                .and_then(|text| text.as_string());
            match opened::read(&file.name(), &text.unwrap_or_default()) {
                Ok(report) => {
                    self.give_up(self.work);
                    self.problem.set(None);
                    if let Some(draft) = opened::draft_of(&report) {
                        self.draft.set(draft);
                    }
                    let shown = Shown {
                        report: Arc::new(report),
                        origin: Origin::Opened,
                    };
                    let parts = &shown.report;
                    if parts.lens.is_some() || parts.prompts.is_some() {
                        self.shown.set(Some(shown.clone()));
                        self.view.set(View::Lens);
                    }
                    if parts.lab.is_some() {
                        self.lab.set(Some(shown.clone()));
                        self.view.set(View::Orders);
                    }
                    if !parts.orders.is_empty() {
                        self.give_up(self.sweep);
                        self.swept.set(Some(shown));
                        self.view.set(View::Orders);
                    }
                }
                Err(sentence) => self.fail(Place::Model, sentence),
            }
        });
    }
}
