//! What the page knows and does: the draft, the picture shown, the work under way.
//!
//! Parts read these signals and call these methods; only [`hearing`] talks to the worker.

mod asking;
mod hearing;
mod opening;
mod work;

pub use asking::{name_of, wish_of};
pub use work::{Origin, Place, Problem, Shown, Task, Work};

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use leptos::prelude::*;
use web_sys::File;

use super::client::Client;
use super::link::{Draft, Link, View};
use super::protocol::{Ask, EngineWish};
use super::{browser, examples, opened};
use crate::chart::{Column, Quantity};
use crate::plan::Plan;
use crate::study::report::ModelFacts;
use asking::kept_wish;

#[derive(Clone, Copy)]
pub struct Studio {
    pub draft: RwSignal<Draft>,
    pub column: RwSignal<Column>,
    pub view: RwSignal<View>,
    /// What a sweep's pictures plot.
    pub quantity: RwSignal<Quantity>,
    pub shown: RwSignal<Option<Shown>>,
    /// The lab's picture.
    pub lab: RwSignal<Option<Shown>>,
    /// The sweep's, also while it fills in.
    pub swept: RwSignal<Option<Shown>>,
    pub work: RwSignal<Option<Work>>,
    /// The sweep under way, beside which single prompts still run.
    pub sweep: RwSignal<Option<Work>>,
    /// The request of the last sweep that came to its end.
    pub finished: RwSignal<Option<u32>>,
    pub problem: RwSignal<Option<Problem>>,
    /// The model the worker holds.
    pub model: RwSignal<Option<ModelFacts>>,
    /// Where the reader wants models to run.
    pub wish: RwSignal<EngineWish>,
    /// What runs the model, in words, and what is to be known about it.
    pub engine: RwSignal<[String; 2]>,
    /// Said to screen readers, politely.
    pub said: RwSignal<String>,
    /// Counts edits, so that only the last of a burst runs.
    edits: StoredValue<u32>,
    /// A sweep that waits for its model.
    waiting: StoredValue<Option<Ask>>,
    desk: StoredValue<Rc<Desk>, LocalStorage>,
}

/// What cannot leave the page's thread.
struct Desk {
    client: RefCell<Option<Rc<Client>>>,
    /// The folder opened last: a fresh worker needs its files again.
    folder: RefCell<Vec<File>>,
}

impl Studio {
    /// Opens the page's link, or the first example with its baked picture, and starts the worker.
    pub fn open() -> Self {
        let first = examples::first();
        let baked = examples::baked();
        let link = Link::parse(&browser::fragment(), &first);
        let Link {
            draft,
            column,
            view,
            quantity,
        } = link.unwrap_or(Link {
            draft: first,
            column: Column::default(),
            view: View::default(),
            quantity: Quantity::default(),
        });
        let is_baked = baked
            .as_ref()
            .is_some_and(|report| opened::asks_for(report, &draft));
        let shown = baked.filter(|_| is_baked).map(|report| Shown {
            report: Arc::new(report),
            origin: Origin::Baked,
        });
        let studio = Self {
            draft: RwSignal::new(draft),
            column: RwSignal::new(column),
            view: RwSignal::new(view),
            quantity: RwSignal::new(quantity),
            shown: RwSignal::new(shown),
            lab: RwSignal::new(None),
            swept: RwSignal::new(None),
            work: RwSignal::new(None),
            sweep: RwSignal::new(None),
            finished: RwSignal::new(None),
            problem: RwSignal::new(None),
            model: RwSignal::new(None),
            wish: RwSignal::new(kept_wish()),
            engine: RwSignal::default(),
            said: RwSignal::new(String::new()),
            edits: StoredValue::new(0),
            waiting: StoredValue::new(None),
            desk: StoredValue::new_local(Rc::new(Desk {
                client: RefCell::new(None),
                folder: RefCell::default(),
            })),
        };
        // The first picture goes first: nothing of the worker is fetched until it is drawn.
        request_animation_frame(move || {
            let start = move || {
                studio
                    .desk()
                    .client
                    .replace(Some(Client::start(move |heard| studio.heard(heard))));
                studio.load();
            };
            set_timeout(start, Duration::ZERO);
        });
        studio.keep_link();
        studio
    }

    /// What is wrong with a plan's line, as far as the model held can tell.
    pub fn plan_error(self, line: &str) -> Option<String> {
        if line.trim().is_empty() {
            return None;
        }
        self.model.with(|model| {
            let model = model.as_ref()?;
            Plan::parse(line, &model.order)
                .err()
                .map(|error| sentence(&error.to_string()))
        })
    }

    /// Is the picture that of the draft?
    pub fn is_current(self) -> bool {
        self.picture().with(|shown| {
            self.draft.with(|draft| {
                shown
                    .as_ref()
                    .is_some_and(|shown| opened::asks_for(&shown.report, draft))
            })
        })
    }

    /// The picture of the view that is open.
    pub fn picture(self) -> RwSignal<Option<Shown>> {
        match self.view.get() {
            View::Lens => self.shown,
            View::Orders => self.lab,
        }
    }

    /// The page's address with its whole state.
    pub fn link(self) -> String {
        browser::beside(&format!("#{}", untrack(|| self.fragment(self.view.get()))))
    }

    /// The part of the address that holds the state, with this view open.
    pub fn fragment(self, view: View) -> String {
        let link = Link {
            draft: self.draft.get(),
            column: self.column.get(),
            view,
            quantity: self.quantity.get(),
        };
        link.fragment()
    }

    /// Keeps the address in step with draft and column.
    fn keep_link(self) {
        Effect::new(move |before: Option<String>| {
            let fragment = self.fragment(self.view.get());
            // The first address is left as the reader wrote it.
            if before.is_some_and(|before| before != fragment) {
                browser::set_fragment(&fragment);
            }
            fragment
        });
        let changed = window_event_listener(leptos::ev::hashchange, move |_| {
            if let Some(link) = Link::parse(&browser::fragment(), &examples::first()) {
                self.column.set(link.column);
                self.quantity.set(link.quantity);
                if self.view.get_untracked() != link.view {
                    self.view.set(link.view);
                    if self.draft.with_untracked(|draft| *draft == link.draft) {
                        self.open_view(link.view);
                    }
                }
                if self.draft.with_untracked(|draft| *draft != link.draft) {
                    self.take(link.draft);
                }
            }
        });
        on_cleanup(move || changed.remove());
    }

    fn desk(self) -> Rc<Desk> {
        self.desk.get_value()
    }
}

/// An error's text as a sentence of the page: capital first (unless it begins with a file's or a
/// tensor's name), full stop last.
pub(super) fn sentence(text: &str) -> String {
    let text = text.trim();
    let word = text.split_whitespace().next().unwrap_or_default();
    let mut out = if word.chars().all(char::is_alphabetic) {
        let mut chars = text.chars();
        let first: String = chars
            .next()
            .map(|c| c.to_uppercase().collect())
            .unwrap_or_default();
        first + chars.as_str()
    } else {
        text.to_owned()
    };
    if !out.ends_with(['.', '!', '?']) {
        out.push('.');
    }
    out
}
