//! A view's figures, found by their keys, and the run that they are of.

use leptos::prelude::*;

use crate::app::opened;
use crate::app::state::Shown;
use crate::chart::Figure;

#[derive(Clone, Copy)]
pub struct Pictures {
    pub figures: Memo<Vec<Figure>>,
    /// One line under a saved drawing's title.
    pub source: Signal<String>,
}

impl Pictures {
    /// Draws figures of the run that is shown.
    pub fn of_run(
        shown: Signal<Option<Shown>>,
        figures: impl Fn() -> Option<Vec<Figure>> + Send + Sync + 'static,
    ) -> Self {
        let about = move || {
            shown.with(|shown| {
                shown.as_ref().map(|shown| opened::about(&shown.report)).unwrap_or_default()
            })
        };
        Self::with_source(Signal::derive(about), figures)
    }

    /// Draws figures that say by `source` what they are of.
    pub fn with_source(
        source: Signal<String>,
        figures: impl Fn() -> Option<Vec<Figure>> + Send + Sync + 'static,
    ) -> Self {
        Self { figures: Memo::new(move |_| figures().unwrap_or_default()), source }
    }

    /// The figure of a key, where there is one.
    pub fn one(self, key: &'static str) -> Signal<Option<Figure>> {
        let figures = self.figures;
        Signal::derive(move || figures.with(|all| all.iter().find(|one| one.key == key).cloned()))
    }

    pub fn has(self, key: &'static str) -> Memo<bool> {
        Memo::new(move |_| self.figures.with(|all| all.iter().any(|one| one.key == key)))
    }
}
