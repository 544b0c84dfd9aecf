//! A view's figures, found by their keys, and the run that they are of.

use leptos::prelude::*;

use super::figure::FigureView;
use crate::app::opened;
use crate::app::state::Shown;
use crate::chart::Figure;

/// A figure of a view, where it is there.
pub struct Picture {
    /// The figure's, and no other's in the view.
    pub key: String,
    pub figure: Signal<Option<Figure>>,
    /// One line under a saved drawing's title.
    pub source: Signal<String>,
}

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

    /// The figure of a key.
    pub fn one(self, key: &'static str) -> Picture {
        let find = move |all: &Vec<Figure>| all.iter().find(|one| one.key == key).cloned();
        let figure = Signal::derive(move || self.figures.with(find));
        Picture { key: key.to_owned(), figure, source: self.source }
    }

    /// Draws the figure of a key while there is one.
    pub fn if_any(self, key: &'static str, folded: bool) -> impl IntoView {
        let has = self.has(key);
        view! {
            <Show when=move || has.get()>
                <FigureView picture=self.one(key) folded />
            </Show>
        }
    }

    pub fn has(self, key: &'static str) -> Memo<bool> {
        Memo::new(move |_| self.figures.with(|all| all.iter().any(|one| one.key == key)))
    }
}
