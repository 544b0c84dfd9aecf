//! Folded figures: which are open, which one a link leads to, and all of them while the page is printed.

use leptos::prelude::*;

use crate::app::browser;

/// The folds of the view that is open, by the keys of their figures.
#[derive(Clone, Copy)]
pub struct Folds {
    open: RwSignal<Vec<String>>,
    /// The figure that is to be scrolled to as soon as it is there.
    aim: RwSignal<Option<String>>,
    is_printing: RwSignal<bool>,
}

impl Folds {
    /// Opens a link's, and listens to the printer as long as the page is open.
    pub fn start(link: (Option<String>, Vec<String>)) -> Self {
        let folds = Self {
            open: RwSignal::default(),
            aim: RwSignal::default(),
            is_printing: RwSignal::new(false),
        };
        folds.follow(link);
        let turn = |is_printing| move |_| folds.is_printing.set(is_printing);
        browser::hear(leptos::ev::beforeprint, turn(true));
        browser::hear(leptos::ev::afterprint, turn(false));
        folds
    }

    /// Opens a link's: the figure that it leads to, and those that were open. In another page's frame nothing is
    /// scrolled to, as that would move that page.
    pub(super) fn follow(self, (figure, mut unfolded): (Option<String>, Vec<String>)) {
        unfolded.extend(figure.clone().filter(|key| !unfolded.contains(key)));
        self.open.set(unfolded);
        self.aim.set(figure.filter(|_| !browser::has_root_class("embed")));
    }

    /// Keys of those that are open, in the order in which they were opened.
    pub(super) fn open(self) -> Vec<String> {
        self.open.get()
    }

    pub fn is_open(self, key: &str) -> bool {
        self.is_printing.get() || self.open.with(|open| open.iter().any(|other| other == key))
    }

    /// Takes down that the fold was opened or closed: by the reader, unless the page is being printed.
    pub fn turned(self, key: &str, is_open: bool) {
        if self.is_printing.get_untracked() || untrack(|| self.is_open(key)) == is_open {
            return;
        }
        self.open.update(|open| match is_open {
            true => open.push(key.to_owned()),
            false => open.retain(|other| other != key),
        });
    }

    /// Whether a link leads to this figure.
    pub fn is_aimed_at(self, key: &str) -> bool {
        self.aim.with(|aim| aim.as_deref() == Some(key))
    }

    /// The figure that a link led to is in sight.
    pub fn arrive(self) {
        self.aim.set(None);
    }
}
