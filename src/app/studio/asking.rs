//! What the reader asks for: edits, models, runs, sweeps, views.

use std::time::Duration;

use leptos::prelude::*;
use web_sys::File;

use super::{Place, Studio, Task};
use crate::app::browser;
use crate::app::link::{Choice, Draft, View};
use crate::app::protocol::{Ask, EngineWish};

/// Typing is over when nothing was typed for this long.
const PAUSE: Duration = Duration::from_millis(350);

/// Where the wish for an engine is kept.
const WISH: &str = "atelier-engine";

/// The wish as it is kept, and as a choice's value.
pub fn name_of(wish: EngineWish) -> &'static str {
    match wish {
        EngineWish::Auto => "auto",
        EngineWish::Gpu => "gpu",
        EngineWish::Cpu => "cpu",
    }
}

pub fn wish_of(name: &str) -> EngineWish {
    match name {
        "gpu" => EngineWish::Gpu,
        "cpu" => EngineWish::Cpu,
        _ => EngineWish::Auto,
    }
}

/// The wish of an earlier visit.
pub fn kept_wish() -> EngineWish {
    wish_of(&browser::kept(WISH).unwrap_or_default())
}

impl Studio {
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

    /// Runs the model elsewhere, now and at later visits.
    pub fn choose_engine(self, wish: EngineWish) {
        browser::keep(WISH, name_of(wish));
        self.wish.set(wish);
        self.load();
    }

    /// Compares the engine with the processor's on the draft.
    pub fn compare(self) {
        self.give_up(self.work);
        let Draft {
            prompt,
            options,
            answer,
            plan,
            ..
        } = self.draft.get_untracked();
        let plan = Some(plan).filter(|line| !line.trim().is_empty());
        let ask = Ask::Compare {
            prompt,
            options,
            answer,
            plan,
        };
        self.begin(Task::Run, ask, &[]);
    }

    /// Loads the draft's model, then runs the draft.
    pub fn load(self) {
        self.give_up(self.work);
        self.give_up(self.sweep);
        self.model.set(None);
        let desk = self.desk();
        let engine = self.wish.get_untracked();
        match self.draft.with_untracked(|draft| draft.model.clone()) {
            Choice::Known(name) => self.begin(Task::Load, Ask::LoadKnown { name, engine }, &[]),
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
                    self.begin(Task::Load, Ask::LoadFiles { name, engine }, &files);
                }
            }
        }
    }
}
