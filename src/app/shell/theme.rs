//! Light or dark: the reader's choice, else the system's.

use leptos::prelude::*;

use crate::app::browser::{self, keep, kept, window};
use crate::chart::{DARK, LIGHT, Theme};

const KEY: &str = "atelier-theme";
const QUERY: &str = "(prefers-color-scheme: dark)";

/// The theme that the reader asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    System,
    Light,
    Dark,
}

impl Wish {
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    pub fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|wish| wish.name() == name)
    }
}

/// The wish and the theme that follows from it, kept in step with the system and the document.
#[derive(Clone, Copy)]
pub struct Themes {
    pub wish: RwSignal<Wish>,
    pub theme: Memo<&'static Theme>,
}

impl Themes {
    pub fn start() -> Self {
        let kept = kept(KEY);
        let wish = RwSignal::new(kept.and_then(|name| Wish::parse(&name)).unwrap_or(Wish::System));
        let system_dark = browser::matching(QUERY);
        let theme = Memo::new(move |_| {
            let dark = match wish.get() {
                Wish::System => system_dark.get(),
                Wish::Light => false,
                Wish::Dark => true,
            };
            if dark { &DARK } else { &LIGHT }
        });
        Effect::new(move |_| {
            let root = window().document().and_then(|document| document.document_element());
            if let Some(root) = root {
                let _ = root.set_attribute("data-theme", theme.get().name);
            }
        });
        Effect::new(move |before: Option<Wish>| {
            let now = wish.get();
            if before.is_some_and(|before| before != now) {
                keep(KEY, now.name());
            }
            now
        });
        Self { wish, theme }
    }
}
