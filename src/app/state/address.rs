//! Keeps the address and the state in step, both ways.

use leptos::prelude::*;

use super::actions::PAUSE;
use super::{Folds, Studio, Surveys};
use crate::app::at_hand::public_query;
use crate::app::link::{Link, View};
use crate::app::{browser, examples};

#[derive(Clone, Copy)]
pub struct Address {
    studio: Studio,
    surveys: Surveys,
    /// The open view's.
    pub folds: Folds,
}

impl Address {
    pub fn keep(studio: Studio, surveys: Surveys) -> Self {
        let link = Link::parse(&browser::fragment());
        let folds = Folds::start(link.map(|link| (link.figure, link.unfolded)).unwrap_or_default());
        let address = Self { studio, surveys, folds };
        // What was typed and is not written yet.
        let unwritten = StoredValue::new(None::<String>);
        let edits = StoredValue::new(0);
        Effect::new(move |before: Option<String>| {
            let fragment = address.fragment(studio.view.get());
            let step = studio.state.step.get_value();
            studio.state.step.set_value(false);
            let edit = studio.state.edits.get_value();
            let is_typed = edits.get_value() != edit;
            edits.set_value(edit);
            // The first address is left as the reader wrote it.
            if before.is_none_or(|before| before == fragment) {
                return fragment;
            }
            let left = unwritten.get_value();
            unwritten.set_value(None);
            // So is one that was gone to.
            if browser::fragment().trim_start_matches('#') == fragment {
                return fragment;
            }

            // A burst of typing is one address: browsers limit how many are written, and remember each.
            if is_typed && !step {
                unwritten.set_value(Some(fragment.clone()));
                set_timeout(move || address.write_typed(unwritten, edit), PAUSE);
                return fragment;
            }

            // Going back from a step leads to what was typed before it.
            if let Some(left) = left.filter(|_| step) {
                browser::set_fragment(&left, false);
            }
            browser::set_fragment(&fragment, step);
            fragment
        });
        browser::hear(leptos::ev::hashchange, move |_| {
            // What is no link, such as the way to the picture, changes nothing.
            let fragment = browser::fragment();
            let link = match fragment.trim_start_matches('#') {
                "" => Some(studio.start_link()),
                _ => Link::parse(&fragment),
            };
            if let Some(link) = link {
                address.follow(link);
            }
        });
        address
    }

    /// Writes what was typed, unless more was typed since.
    fn write_typed(self, unwritten: StoredValue<Option<String>>, edit: u32) {
        if self.studio.state.edits.get_value() == edit
            && let Some(fragment) = unwritten.get_value()
        {
            unwritten.set_value(None);
            browser::set_fragment(&fragment, false);
        }
    }

    /// The part of the address that holds a view with its whole state.
    pub fn fragment(self, view: View) -> String {
        self.link(view).fragment()
    }

    /// The way to a member's own row in the run that is shown: every picture's marks and tables lead there
    /// by this.
    pub fn member(self, name: &str) -> String {
        let draft = self.studio.draft_for(View::Member);
        format!("#{}", Link::to_member(draft, Some(name)).fragment())
    }

    /// The way to a step of a lesson, counted from 0, or to the list of all, looked at as now.
    pub fn lesson(self, lesson: Option<usize>, step: usize) -> String {
        let mut link = self.link(View::Lessons);
        link.lessons.lesson = lesson;
        link.lessons.step = step;
        format!("#{}", link.fragment())
    }

    /// The way to a figure of the open view; untracked, as of a click.
    pub fn figure(self, key: &str) -> String {
        let mut link = untrack(|| self.link(self.studio.view.get()));
        (link.figure, link.unfolded) = (Some(key.to_owned()), Vec::new());
        browser::page_with(&public_query(&browser::search()), &link.fragment())
    }

    fn link(self, view: View) -> Link {
        let studio = self.studio;
        let draft = studio.draft_for(view);
        Link {
            view,
            sha256: studio.hash_of(draft.model.name()),
            draft: Some(draft),
            column: studio.column.get(),
            inside: studio.inside.get(),
            sweeping: studio.sweeping.get(),
            coupling: studio.coupling.get(),
            lessons: studio.lessons.get(),
            looking: self.surveys.looking.get(),
            figure: None,
            unfolded: if view == studio.view.get() { self.folds.open() } else { Vec::new() },
        }
    }

    /// The page's whole address, as others may have it: without the paths of this machine's own files.
    pub fn here(self) -> String {
        let fragment = untrack(|| self.fragment(self.studio.view.get()));
        browser::page_with(&public_query(&browser::search()), &fragment)
    }

    /// Makes the state that of a link.
    fn follow(self, link: Link) {
        let Self { studio, surveys, folds } = self;
        folds.follow((link.figure.clone(), link.unfolded.clone()));
        if let Some((name, sha256)) = link.hash() {
            studio.expect_hash(name, sha256);
        }
        if link.view.is_of_draft() {
            studio.column.set(link.column);
        }
        if link.view.is_inside() {
            studio.inside.update(|inside| *inside = link.inside);
        }
        if link.view == View::Coupling {
            studio.coupling.update(|coupling| *coupling = link.coupling);
        }
        if link.view == View::Lessons {
            studio.lessons.update(|lessons| *lessons = link.lessons);
        } else if link.view.has_wall() {
            studio.lessons.update(|lessons| lessons.is_projected = link.lessons.is_projected);
        }
        if link.view == View::Orders {
            studio.sweeping.update(|sweeping| *sweeping = link.sweeping);
        }
        if link.view.is_of_surveys() {
            surveys.looking.update(|looking| *looking = link.looking.keeping(link.view, looking));
        }
        let mut draft = link.draft;
        if link.view == View::Lessons {
            // Their address names a model unless it is the first one.
            let named = draft.get_or_insert_with(examples::first);
            // The reader's own prompt waits for the other views.
            let kept = untrack(|| studio.draft_for(View::Lessons));
            let model = std::mem::replace(named, kept).model;
            named.ask(model);
        }
        let draft = draft.filter(|new| studio.draft.with_untracked(|now| now != new));
        // The draft first: the view runs it once.
        match draft {
            Some(draft) if link.view.is_live() => {
                studio.state.view.set(link.view);
                studio.wake();
                studio.follow(draft);
            }
            Some(draft) => {
                studio.state.draft.set(draft);
                studio.show_view(link.view);
            }
            None => studio.show_view(link.view),
        }
        // (The surveys are woken where their view is shown.)
    }
}
