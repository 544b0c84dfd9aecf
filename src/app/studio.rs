//! What the page knows and does: the draft, the picture shown, the work under way.
//!
//! Parts read these signals and call these methods; only this file talks to the worker.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use leptos::prelude::*;
use web_sys::File;

use super::client::{Client, Heard};
use super::link::{Choice, Draft, Link, View};
use super::protocol::{Ask, Event, Stage, Tell};
use super::{browser, examples, opened};
use crate::chart::{Column, Quantity};
use crate::plan::Plan;
use crate::study::report::{Lens, ModelFacts, Report};

/// Typing is over when nothing was typed for this long.
const PAUSE: Duration = Duration::from_millis(350);
/// How long a worker may take to hear a `Cancel` before it is ended.
const PATIENCE: Duration = Duration::from_millis(500);

/// Where a picture came from.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// Computed when the page was built, by the same engine.
    Baked,
    /// Computed here, in so many milliseconds. `agrees` is the largest difference to the baked
    /// example's logits, where this is the baked example run again.
    Live {
        milliseconds: f64,
        agrees: Option<f64>,
    },
    /// A report the reader opened.
    Opened,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    pub report: Arc<Report>,
    pub origin: Origin,
}

impl Shown {
    /// One prompt's run: the lens's, or the reader's order in the lab.
    pub fn lens(&self) -> Option<&Lens> {
        let arranged = self.report.lab.as_ref().map(|lab| &lab.arranged);
        self.report.lens.as_ref().or(arranged)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    Load,
    Run,
    Sweep,
}

/// The request under way.
#[derive(Clone, Debug, PartialEq)]
pub struct Work {
    pub id: u32,
    pub task: Task,
    pub progress: Option<(Stage, f64, f64)>,
    pub since: f64,
}

/// The part of the page an error belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Model,
    Prompt,
    Sweep,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub place: Place,
    pub sentence: String,
}

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

    /// Changes the draft and runs it when typing has stopped.
    pub fn edit(self, change: impl FnOnce(&mut Draft)) {
        self.draft.update(change);
        let edit = self.edits.with_value(|n| n.wrapping_add(1));
        self.edits.set_value(edit);
        set_timeout(
            move || {
                if self.edits.get_value() == edit {
                    self.run();
                }
            },
            PAUSE,
        );
    }

    /// Changes the draft and runs it now.
    pub fn take(self, draft: Draft) {
        let same_model = self.draft.with_untracked(|now| now.model == draft.model);
        self.draft.set(draft);
        if same_model { self.run() } else { self.load() }
    }

    pub fn choose_known(self, name: String) {
        let blocks_change = self.draft.with_untracked(|now| now.model.name() != name);
        self.draft.update(|draft| {
            draft.model = Choice::Known(name);
            if blocks_change {
                // A plan speaks of one model's blocks.
                draft.plan.clear();
            }
        });
        self.load();
    }

    /// Opens a folder of the reader's: a model, or a report that some run wrote.
    pub fn choose_files(self, name: String, files: Vec<File>) {
        if let [file] = files.as_slice()
            && file.name().ends_with(".json")
            && file.name() != "config.json"
            && file.name() != "tokenizer.json"
        {
            self.open_report(file.clone());
            return;
        }
        self.desk().folder.replace(files);
        self.draft.update(|draft| {
            draft.model = Choice::Folder(if name.is_empty() {
                "your files".to_owned()
            } else {
                name
            });
            draft.plan.clear();
        });
        self.load();
    }

    /// Stops what is under way: asked first, ended if it does not hear.
    pub fn cancel(self, slot: RwSignal<Option<Work>>) {
        let Some(work) = slot.get_untracked() else {
            return;
        };
        let desk = self.desk();
        let Some(client) = desk.client.borrow().clone() else {
            return;
        };
        client.ask(Ask::Cancel { id: work.id }, &[]);
        set_timeout(
            move || {
                if slot.with_untracked(|now| now.as_ref().is_some_and(|now| now.id == work.id)) {
                    client.restart();
                    self.model.set(None);
                    self.sweep.set(None);
                    self.work.set(None);
                    self.stopped();
                }
            },
            PATIENCE,
        );
    }

    /// Runs the draft on the model held; loads the model first where none is.
    pub fn run(self) {
        if self.model.with_untracked(Option::is_none) {
            if !self
                .work
                .with_untracked(|work| work.as_ref().is_some_and(|work| work.task == Task::Load))
            {
                self.load();
            }
            return;
        }
        self.give_up(self.work);
        let draft = self.draft.get_untracked();
        if let Some(sentence) = self.plan_error(&draft.plan) {
            // The plan's own line shows the error as long as it stands there.
            self.said.set(sentence);
            return;
        }
        let plan = Some(draft.plan.trim().to_owned()).filter(|line| !line.is_empty());
        let Draft {
            prompt,
            options,
            answer,
            ..
        } = draft;
        let ask = match self.view.get_untracked() {
            View::Lens => Ask::Lens {
                prompt,
                options,
                answer,
                plan,
            },
            View::Orders => Ask::Lab {
                prompt,
                options,
                answer,
                plan: plan.unwrap_or_default(),
            },
        };
        self.begin(Task::Run, ask, &[]);
    }

    /// Opens a view, and runs the draft for it where its picture is another's.
    pub fn open_view(self, view: View) {
        self.view.set(view);
        if !self.is_current() {
            self.run();
        }
    }

    /// Starts a sweep; one that is under way is given up.
    pub fn start_sweep(self, ask: Ask) {
        if self.model.with_untracked(Option::is_none) {
            self.waiting.set_value(Some(ask));
            self.run();
            return;
        }
        self.give_up(self.sweep);
        self.begin(Task::Sweep, ask, &[]);
    }

    /// Loads the draft's model, then runs the draft.
    pub fn load(self) {
        self.give_up(self.work);
        self.give_up(self.sweep);
        self.model.set(None);
        let desk = self.desk();
        match self.draft.with_untracked(|draft| draft.model.clone()) {
            Choice::Known(name) => self.begin(Task::Load, Ask::LoadKnown { name }, &[]),
            Choice::Folder(name) => {
                let files = desk.folder.borrow().clone();
                if files.is_empty() {
                    self.fail(
                        Place::Model,
                        format!(
                            "This link was made with the folder “{name}”, which stays on the machine that opened it: open \
                             the folder here, or choose an apprentice."
                        ),
                    );
                } else {
                    self.begin(Task::Load, Ask::LoadFiles { name }, &files);
                }
            }
        }
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

    /// Says why something the reader offered cannot be opened.
    pub fn refuse(self, sentence: &str) {
        self.fail(Place::Model, sentence.to_owned());
    }

    fn begin(self, task: Task, ask: Ask, files: &[File]) {
        let desk = self.desk();
        let Some(client) = desk.client.borrow().clone() else {
            return;
        };
        let id = client.ask(ask, files);
        self.problem.set(None);
        let slot = if task == Task::Sweep {
            self.sweep
        } else {
            self.work
        };
        slot.set(Some(Work {
            id,
            task,
            progress: None,
            since: browser::now(),
        }));
    }

    /// A newer request makes the one under way pointless.
    fn give_up(self, slot: RwSignal<Option<Work>>) {
        if let Some(work) = slot.get_untracked() {
            if let Some(client) = &*self.desk().client.borrow() {
                client.ask(Ask::Cancel { id: work.id }, &[]);
            }
            slot.set(None);
        }
    }

    fn heard(self, heard: Heard) {
        match heard {
            Heard::Event(event) => self.event(event),
            Heard::Died(sentence) => {
                self.work.set(None);
                self.sweep.set(None);
                self.model.set(None);
                self.fail(Place::Model, sentence);
            }
        }
    }

    fn event(self, Event { id, tell }: Event) {
        // Events of a request that was given up are late news.
        let under_way = [self.work, self.sweep].into_iter().find_map(|slot| {
            let work = slot.get_untracked().filter(|work| work.id == id)?;
            Some((slot, work))
        });
        let Some((slot, work)) = under_way else {
            return;
        };
        match tell {
            Tell::Ready { .. } => {}
            Tell::Partial { report } => self.show_sweep(*report, browser::now() - work.since),
            Tell::Progress { stage, done, total } => {
                slot.set(Some(Work {
                    progress: Some((stage, done, total)),
                    ..work
                }));
            }
            Tell::Loaded { model } => {
                self.work.set(None);
                self.model.set(Some(model));
                self.run();
                if let Some(ask) = self.waiting.try_update_value(Option::take).flatten() {
                    self.start_sweep(ask);
                }
            }
            Tell::Done { report } => {
                slot.set(None);
                self.problem.set(None);
                let time = browser::now() - work.since;
                if work.task == Task::Sweep {
                    self.show_sweep(*report, time);
                    self.finished.set(Some(id));
                    self.said.set("The sweep is done.".to_owned());
                } else {
                    self.show_live(*report, time);
                }
            }
            Tell::Failed { reason } => {
                slot.set(None);
                self.waiting.set_value(None);
                let place = match work.task {
                    Task::Load => Place::Model,
                    Task::Run => Place::Prompt,
                    Task::Sweep => Place::Sweep,
                };
                self.fail(place, sentence(&reason));
            }
            Tell::Cancelled => {
                slot.set(None);
                self.stopped();
            }
        }
    }

    fn show_live(self, report: Report, milliseconds: f64) {
        let agrees = examples::baked().and_then(|baked| opened::difference(&baked, &report));
        let slot = if report.lab.is_some() {
            self.lab
        } else {
            self.shown
        };
        let arranged = report.lab.as_ref().map(|lab| &lab.arranged);
        let said = report.lens.as_ref().or(arranged).map(|lens| {
            let verdict = if lens.correct { "right" } else { "wrong" };
            let option = crate::chart::option_name(
                lens,
                crate::measure::decomposition::argmax(&lens.probabilities),
            );
            format!("The picture is new: the model answers {option}, which is {verdict}.")
        });
        slot.set(Some(Shown {
            report: Arc::new(report),
            origin: Origin::Live {
                milliseconds,
                agrees,
            },
        }));
        self.said.set(said.unwrap_or_default());
    }

    fn show_sweep(self, report: Report, milliseconds: f64) {
        self.swept.set(Some(Shown {
            report: Arc::new(report),
            origin: Origin::Live {
                milliseconds,
                agrees: None,
            },
        }));
    }

    fn open_report(self, file: File) {
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
                    if parts.lens.is_some() {
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

    fn fail(self, place: Place, sentence: String) {
        self.said.set(sentence.clone());
        self.problem.set(Some(Problem { place, sentence }));
    }

    fn stopped(self) {
        self.said.set("Stopped.".to_owned());
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
