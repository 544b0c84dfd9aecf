//! Keeps the address and the state in step, both ways.

use leptos::prelude::*;

use super::{Studio, Surveys};
use crate::app::browser;
use crate::app::link::{Link, View};

#[derive(Clone, Copy)]
pub struct Address {
    studio: Studio,
    surveys: Surveys,
}

impl Address {
    pub fn keep(studio: Studio, surveys: Surveys) -> Self {
        let address = Self { studio, surveys };
        Effect::new(move |before: Option<String>| {
            let fragment = address.fragment(studio.view.get());
            let step = studio.state.step.get_value();
            studio.state.step.set_value(false);
            // The first address is left as the reader wrote it, and so is one that was gone to.
            let is_there = browser::fragment().trim_start_matches('#') == fragment;
            if before.is_some_and(|before| before != fragment) && !is_there {
                browser::set_fragment(&fragment, step);
            }
            fragment
        });
        let changed = window_event_listener(leptos::ev::hashchange, move |_| {
            // What is no link, such as the way to the picture, changes nothing.
            let fragment = browser::fragment();
            let link = match fragment.trim_start_matches('#') {
                "" => Some(Link::start_on(studio.served_choice())),
                _ => Link::parse(&fragment),
            };
            if let Some(link) = link {
                address.follow(link);
            }
        });
        on_cleanup(move || changed.remove());
        address
    }

    /// The part of the address that holds a view with its whole state.
    pub fn fragment(self, view: View) -> String {
        let studio = self.studio;
        let link = Link {
            view,
            draft: Some(studio.draft_for(view)),
            column: studio.column.get(),
            inside: studio.inside.get(),
            sweeping: studio.sweeping.get(),
            coupling: studio.coupling.get(),
            looking: self.surveys.looking.get(),
        };
        link.fragment()
    }

    /// The page's whole address.
    pub fn here(self) -> String {
        untrack(|| browser::beside(&format!("#{}", self.fragment(self.studio.view.get()))))
    }

    /// Makes the state that of a link.
    fn follow(self, link: Link) {
        let Self { studio, surveys } = self;
        if link.view.is_live() {
            studio.choose_column(link.column);
        }
        if link.view.is_inside() {
            studio.aim_inside(|inside| *inside = link.inside);
        }
        if link.view == View::Coupling {
            studio.aim_coupling(|coupling| *coupling = link.coupling);
        }
        if link.view == View::Orders {
            studio.set_sweeping(|sweeping| *sweeping = link.sweeping);
        }
        if !link.view.is_live() {
            surveys.look(|looking| *looking = link.looking.keeping(link.view, looking));
        }
        let draft = link
            .draft
            .filter(|new| studio.draft.with_untracked(|now| now != new));
        // The draft first: the view runs it once.
        match draft {
            Some(draft) if link.view.is_live() => {
                studio.set_view(link.view);
                studio.wake();
                studio.follow(draft);
            }
            Some(draft) => {
                studio.keep(draft);
                studio.show_view(link.view);
            }
            None => studio.show_view(link.view),
        }
        // (The surveys are woken where their view is shown.)
    }
}
