//! The couplings that come with the page.

use std::sync::Arc;

use leptos::prelude::*;

use super::shown::{Origin, Place, Shown};
use super::{Studio, reading};
use crate::app::protocol::TokenAsk;
use crate::app::{browser, opened};
use crate::study::report::Report;

/// Beside the page.
const COUPLING: &str = "examples/coupling.atelier.json";

impl Studio {
    /// Fetches the couplings that come with the page, and shows what of them nothing else has taken the
    /// place of.
    pub fn show_baked_coupling(self) {
        if self.state.is_baked_coming.get_value() {
            return;
        }
        self.state.is_baked_coming.set_value(true);
        let url = browser::beside(&format!("{COUPLING}?v={}", browser::build()));
        leptos::task::spawn_local(async move {
            let name = "coupling.atelier.json";
            let text = reading::fetched_text(name, &url).await;
            let report = text.and_then(|text| opened::read(name, &text));
            match report {
                Ok(report) => self.take_baked_coupling(report),
                Err(sentence) => self.fail(Place::Prompt, sentence),
            }
        });
    }

    fn take_baked_coupling(self, report: Report) {
        let shown = Shown { report: Arc::new(report), origin: Origin::Baked };
        let is_empty = self.state.coupled.with_untracked(Option::is_none);
        let is_own = self.draft.with_untracked(|draft| shown.answers(draft));
        let tokens = self.coupling.with_untracked(|settings| settings.tokens);
        if is_empty && is_own && tokens == TokenAsk::default() {
            self.state.compared.set(Some(tokens));
            self.state.coupled.set(Some(shown.clone()));
        }
        let has_rows = !shown.report.task_coupling.is_empty();
        if has_rows && self.state.coupled_rows.with_untracked(Option::is_none) {
            self.state.coupled_rows.set(Some(shown));
        }
    }
}
