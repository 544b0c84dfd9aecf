//! The one state of lens and orders: model, prompt, plan, what was computed of them.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use leptos::prelude::*;
use web_sys::File;

use super::exchange::{Exchange, Held, Work};
use super::shown::{Findings, Origin, Problem, Shown};
use super::texts::WrittenTexts;
use crate::app::at_hand::ModelAtHand;
use crate::app::client::Client;
use crate::app::link::{
    Choice, CouplingSettings, Draft, InsideSettings, LessonSettings, Link, SweepSettings, View,
};
use crate::app::protocol::{EngineWish, InsideAsk, Known, Tell, TokenAsk};
use crate::app::served::ServedFolder;
use crate::app::{examples, first_picture};
use crate::chart::Column;
use crate::plan::Plan;
use crate::study::coupling::ModelsCoupling;
use crate::study::lessons::{StepOutcome, StepPicture};
use crate::study::refusal::TaskRefusal;
use crate::study::report::{Lens, ModelFacts, Report};
use crate::task::english::EnglishPrompt;

/// Positions side by side in the logit lens: each is a column of words.
const POSITIONS: usize = 12;

/// Tokens of a head's matrix.
const LOOKED_AT: usize = 32;

#[derive(Clone, Copy)]
pub struct Studio {
    pub draft: Signal<Draft>,
    pub column: RwSignal<Column>,
    pub view: Signal<View>,
    /// Settings of the views of a run's inside; see [`Studio::set_inside`].
    pub inside: RwSignal<InsideSettings>,
    /// Settings of sweeps and of their pictures.
    pub sweeping: RwSignal<SweepSettings>,
    /// Settings of the pictures of couplings; see [`Studio::set_coupling`].
    pub coupling: RwSignal<CouplingSettings>,
    /// Which lesson is open, and how a class looks at it.
    pub lessons: RwSignal<LessonSettings>,
    pub shown: Signal<Option<Shown>>,
    /// The lab's picture.
    pub lab: Signal<Option<Shown>>,
    /// The sweep's, also while it fills in.
    pub swept: Signal<Option<Shown>>,
    /// The vote of every part, and the losses without it, over rows.
    pub needed: Signal<Option<Shown>>,
    /// Losses of one prompt's answer without each part.
    pub parts: Signal<Option<Shown>>,
    /// How alike the linearised steps of one prompt are.
    pub coupled: Signal<Option<Shown>>,
    /// Coupling over rows, also while it fills in.
    pub coupled_rows: Signal<Option<Shown>>,
    /// Coupling over models, from a report.
    pub coupled_models: Signal<Option<Arc<ModelsCoupling>>>,
    pub work: Signal<Option<Work>>,
    /// The sweep under way, beside which single prompts still run.
    pub sweep: Signal<Option<Work>>,
    /// The test of this machine under way, beside all of these.
    pub doctor: Signal<Option<Work>>,
    /// The findings of that test, so far or at its end.
    pub findings: Signal<Findings>,
    /// At most one a place.
    pub problems: Signal<Vec<Problem>>,
    /// The draft's model, while the worker holds it.
    pub model: Signal<Option<ModelFacts>>,
    /// Whether the draft asks for the first picture's model, and this machine has opened no file of it.
    pub is_absent: Signal<bool>,
    /// The model the worker holds, whatever the draft speaks of.
    pub held: Signal<Option<Held>>,
    /// Where the reader wants models to run.
    pub wish: Signal<EngineWish>,
    /// The engine that runs the model, in words, and a notice about it.
    pub engine: Signal<[String; 2]>,
    /// The name of the file or folder that the model held was read from, where its server says so.
    pub from: Signal<String>,
    /// Models of this machine that the page's own server offers.
    pub at_hand: Signal<Vec<ModelAtHand>>,
    /// English prompts that the model held reads.
    pub english: Signal<Vec<EnglishPrompt>>,
    /// Seconds that the last run of a prompt took for each block; `None` where the model held ran none.
    pub pace: Signal<Option<f64>>,
    /// Built-in tasks that the model held cannot be asked.
    pub refused: Signal<Vec<TaskRefusal>>,
    /// Said to screen readers, politely.
    pub said: Signal<String>,
    /// The model's text after the draft's prompt.
    pub written: Signal<String>,
    /// The draft's options, where they are the model's own likeliest words.
    pub offered: Signal<String>,
    /// The member that a reader looks for in the figures.
    pub member: RwSignal<Option<usize>>,
    pub(super) state: StudioState,
}

/// The signals themselves: only actions and events set them.
#[derive(Clone, Copy, Default)]
pub(super) struct StudioState {
    pub draft: RwSignal<Draft>,
    pub view: RwSignal<View>,
    /// Request for the inside of the run that is shown.
    pub asked: RwSignal<Option<InsideAsk>>,
    /// Request for the inside of the run under way.
    pub asking: StoredValue<Option<InsideAsk>>,
    /// Request for the maps between tokens in the coupling that is shown.
    pub compared: RwSignal<Option<TokenAsk>>,
    /// Were the couplings that come with the page fetched, or are they on their way?
    pub is_baked_coming: StoredValue<bool>,
    /// Request for the maps between tokens in the run under way.
    pub comparing: StoredValue<Option<TokenAsk>>,
    pub shown: RwSignal<Option<Shown>>,
    pub lab: RwSignal<Option<Shown>>,
    pub swept: RwSignal<Option<Shown>>,
    pub needed: RwSignal<Option<Shown>>,
    pub parts: RwSignal<Option<Shown>>,
    pub coupled: RwSignal<Option<Shown>>,
    pub coupled_rows: RwSignal<Option<Shown>>,
    pub coupled_models: RwSignal<Option<Arc<ModelsCoupling>>>,
    pub exchange: RwSignal<Exchange>,
    pub findings: RwSignal<Findings>,
    pub problems: RwSignal<Vec<Problem>>,
    pub wish: RwSignal<EngineWish>,
    pub engine: RwSignal<[String; 2]>,
    pub from: RwSignal<String>,
    pub at_hand: RwSignal<Vec<ModelAtHand>>,
    /// A served model's name and its SHA-256: of the one held, or of the one that a link asks for.
    pub hash: StoredValue<Option<(String, String)>>,
    /// Was the model under way chosen without a prompt? It then begins with an example that it reads.
    pub begins: StoredValue<bool>,
    pub english: RwSignal<Vec<EnglishPrompt>>,
    pub pace: RwSignal<Option<f64>>,
    pub refused: RwSignal<Vec<TaskRefusal>>,
    pub said: RwSignal<String>,
    /// The draft that the model wrote after, and its text.
    pub written: RwSignal<(Draft, String)>,
    /// The part of that text that was there when the model went on.
    pub before: StoredValue<String>,
    /// The draft whose options are the model's own likeliest words, and those options.
    pub offered: RwSignal<(Draft, String)>,
    /// Texts that the model wrote beside the lab's answers.
    pub texts: RwSignal<WrittenTexts>,
    /// Are reports on their way that the address names?
    pub is_coming: RwSignal<bool>,
    /// Has the worker been started?
    pub is_awake: RwSignal<bool>,
    /// Counts edits, so that a burst of typing is one address.
    pub edits: StoredValue<u32>,
    /// Counts edits and runs: only the last edit of a burst runs by itself, and only if nothing ran since.
    pub pauses: StoredValue<u32>,
    pub when_loaded: StoredValue<WhenLoaded>,
    /// The model and the plan that were run last.
    pub ran: StoredValue<Option<(Choice, String)>>,
    /// Was the change to come a step to another place, which going back undoes?
    pub step: StoredValue<bool>,
    pub hands: StoredValue<Rc<Hands>, LocalStorage>,
}

/// The request to send once the model under way is there.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum WhenLoaded {
    Nothing,
    /// The draft.
    #[default]
    Run,
    /// The model's likeliest words after the draft's prompt.
    Says,
    /// To go on with the draft's prompt.
    GoOn,
}

/// Handles that cannot leave the page's thread.
#[derive(Default)]
pub(super) struct Hands {
    pub client: RefCell<Option<Rc<Client>>>,
    /// Files that the reader opened in this visit, the latest first: a fresh worker needs them again.
    pub folders: RefCell<Vec<(String, Vec<File>)>>,
    /// The folder that the address names, with which the page begins.
    pub first: RefCell<Option<ServedFolder>>,
    /// Folders that the page's own server serves.
    pub served: RefCell<Vec<ServedFolder>>,
    /// Finds a model of a hub that this browser keeps, and opens it.
    pub fetcher: RefCell<Option<KeptFetcher>>,
    /// Called with the outcome of the lesson's step with this id.
    pub taught: RefCell<Option<(u32, Taught)>>,
    /// Called with the words of lessons, by the ids of their requests.
    pub readers: RefCell<Vec<(u32, Reader)>>,
}

impl Hands {
    /// The files that the reader opened under this name; none, where there are none.
    pub fn opened(&self, name: &str) -> Vec<File> {
        let folders = self.folders.borrow();
        let found = folders.iter().find(|(opened, _)| opened == name);
        found.map(|(_, files)| files.clone()).unwrap_or_default()
    }

    /// Keeps what was opened; its bytes stay on the disk.
    pub fn keep(&self, name: &str, files: Vec<File>) {
        let mut folders = self.folders.borrow_mut();
        folders.retain(|(other, _)| other != name);
        folders.insert(0, (name.to_owned(), files));
    }

    /// Where the page's own server serves a folder of this name.
    pub fn served(&self, name: &str) -> Option<String> {
        let served = self.served.borrow();
        let found = served.iter().find(|served| served.name == name);
        found.map(|served| served.url.clone())
    }

    /// Whether a folder of this name can be opened without the reader's help.
    pub fn can_open(&self, name: &str) -> bool {
        !self.opened(name).is_empty() || self.served(name).is_some()
    }
}

/// Called with the name of a model of a hub.
pub(super) type KeptFetcher = Box<dyn Fn(String)>;

/// Called when a step's run ends: with its outcome as JSON, or `None` where it was stopped.
pub(super) type Taught = Box<dyn FnOnce(Option<(StepOutcome, Vec<StepPicture>)>)>;

/// Called with the words that were asked for, or with a sentence.
pub(super) type Reader = Box<dyn FnOnce(Result<Tell, String>)>;

impl Studio {
    /// The state of a link, with the baked picture where it is that of the link.
    pub fn open(link: &Link) -> Self {
        let draft = link.draft.clone().unwrap_or_else(examples::first);
        let shown = (link.view == View::Lens).then(|| Shown::first_of(&draft)).flatten();
        let state = StudioState {
            draft: RwSignal::new(draft),
            view: RwSignal::new(link.view),
            shown: RwSignal::new(shown),
            wish: RwSignal::new(super::choosing::kept_wish()),
            hash: StoredValue::new(link.hash()),
            ..StudioState::default()
        };
        let exchange = state.exchange;
        let choice = Memo::new(move |_| state.draft.with(|draft| draft.model.clone()));
        let model = Memo::new(move |_| {
            let choice = choice.get();
            exchange.with(|exchange| {
                let held = exchange.held().filter(|held| held.choice == choice);
                held.map(|held| held.facts.clone())
            })
        });
        let is_absent = Memo::new(move |_| {
            state.at_hand.track();
            let hands = state.hands.get_value();
            choice.with(|choice| {
                let is_here = exchange.with(|x| x.holds(choice) || x.is_loading(choice));
                let name = first_picture::MODEL;
                *choice == Choice::Folder(name.to_owned()) && !is_here && !hands.can_open(name)
            })
        });
        // Progress of one request draws nothing anew that is about the other, or about the model.
        let work = Memo::new(move |_| exchange.with(|exchange| exchange.work().cloned()));
        let sweep = Memo::new(move |_| exchange.with(|exchange| exchange.sweep().cloned()));
        let doctor = Memo::new(move |_| exchange.with(|exchange| exchange.doctor().cloned()));
        let held = Memo::new(move |_| exchange.with(|exchange| exchange.held().cloned()));
        let view = Memo::new(move |_| state.view.get());
        let written = Memo::new(move |_| {
            let of =
                |draft: &Draft| (draft.model.clone(), draft.prompt.clone(), draft.plan.clone());
            let own = state.draft.with(of);
            state.written.with(|(draft, text)| match of(draft) == own {
                true => text.clone(),
                false => String::new(),
            })
        });
        let offered = Memo::new(move |_| {
            // Which option is right is no matter.
            let asked = |draft: &Draft| Draft { answer: None, ..draft.clone() };
            let own = state.draft.with(asked);
            state.offered.with(|(draft, words)| match asked(draft) == own {
                true => words.clone(),
                false => String::new(),
            })
        });
        Self {
            draft: state.draft.into(),
            column: RwSignal::new(link.column),
            view: view.into(),
            inside: RwSignal::new(link.inside.clone()),
            sweeping: RwSignal::new(link.sweeping.clone()),
            coupling: RwSignal::new(link.coupling.clone()),
            lessons: RwSignal::new(link.lessons.clone()),
            shown: of_model(state.shown, choice),
            lab: of_model(state.lab, choice),
            swept: state.swept.into(),
            needed: state.needed.into(),
            parts: state.parts.into(),
            coupled: of_model(state.coupled, choice),
            coupled_rows: state.coupled_rows.into(),
            coupled_models: state.coupled_models.into(),
            work: work.into(),
            sweep: sweep.into(),
            doctor: doctor.into(),
            findings: state.findings.into(),
            problems: state.problems.into(),
            model: model.into(),
            is_absent: is_absent.into(),
            held: held.into(),
            wish: state.wish.into(),
            engine: state.engine.into(),
            from: state.from.into(),
            at_hand: state.at_hand.into(),
            english: state.english.into(),
            pace: state.pace.into(),
            refused: state.refused.into(),
            said: state.said.into(),
            written: written.into(),
            offered: offered.into(),
            member: RwSignal::new(None),
            state,
        }
    }

    /// The SHA-256 by which a link names a served model, where it is known.
    pub(super) fn hash_of(self, name: &str) -> Option<String> {
        let hash = self.state.hash.get_value();
        hash.filter(|(own, _)| own == name).map(|(_, sha256)| sha256)
    }

    /// Says what is wrong with a plan's line, as far as the model held can tell.
    pub fn plan_error(self, line: &str) -> Option<String> {
        if line.trim().is_empty() {
            return None;
        }
        self.model.with(|model| {
            let model = model.as_ref()?;
            Plan::parse(line, &model.order).err().map(|error| sentence(&error.to_string()))
        })
    }

    /// Is the picture that of the draft?
    pub fn is_current(self) -> bool {
        let wanted = self.wanted_inside();
        if wanted.is_some() && self.state.asked.with(|asked| *asked != wanted) {
            return false;
        }
        let wanted = self.wanted_tokens();
        if wanted.is_some() && self.state.compared.with(|compared| *compared != wanted) {
            return false;
        }
        self.picture().with(|shown| {
            self.draft.with(|draft| shown.as_ref().is_some_and(|shown| shown.answers(draft)))
        })
    }

    /// Is the picture that of a report which has no draft of its own, beside the one it was opened beside?
    pub(super) fn is_beside_its_draft(self) -> bool {
        let draft = self.draft.get_untracked();
        let shown = untrack(|| self.picture().get_untracked());
        shown.is_some_and(|shown| shown.is_beside() && shown.answers(&draft))
    }

    /// Returns the request for a run's inside that the open view needs.
    pub(super) fn wanted_inside(self) -> Option<InsideAsk> {
        let view = self.view.get();
        self.inside.with(|inside| {
            let InsideSettings { is_held, follow, from, query, run, head, .. } = inside.clone();
            match view {
                View::LogitLens => {
                    Some(InsideAsk::Depths { follow, is_held, from, count: POSITIONS })
                }
                View::Attention => {
                    Some(InsideAsk::Attention { query, run, head, from, count: LOOKED_AT })
                }
                View::Member => Some(InsideAsk::Member { name: inside.member.clone() }),
                _ => None,
            }
        })
    }

    /// Returns the maps between tokens that the open view compares.
    pub(super) fn wanted_tokens(self) -> Option<TokenAsk> {
        let is_here = self.view.get() == View::Coupling;
        is_here.then(|| self.coupling.with(|coupling| coupling.tokens))
    }

    /// Is there no picture of the draft, and nothing under way that would draw it?
    pub fn is_stopped(self) -> bool {
        let is_awake = self.state.is_awake.get() && !self.is_absent.get();
        let waits = self
            .picture()
            .with(|shown| shown.as_ref().is_none_or(|shown| shown.origin == Origin::Baked));
        let plan = self.draft.with(|draft| draft.plan.clone());
        is_awake
            && self.view.get().is_of_draft()
            && self.work.with(Option::is_none)
            && (waits || !self.is_current())
            && self.plan_error(&plan).is_none()
    }

    /// Has the reader said which option is right? Only then is anything right or wrong.
    pub fn is_judged(self) -> bool {
        self.draft.with(|draft| draft.answer.is_some())
    }

    /// Whether a run was made with the option that the reader now says is right.
    pub fn is_judged_as(self, lens: &Lens) -> bool {
        self.draft.with(|draft| draft.answer == Some(lens.answer))
    }

    /// The picture of the view that is open.
    pub fn picture(self) -> Signal<Option<Shown>> {
        match self.view.get() {
            View::Orders => self.lab,
            View::Coupling => self.coupled,
            _ => self.shown,
        }
    }

    /// Reads something from the run that the lens shows, and the views of its inside.
    pub fn with_run<T>(self, read: impl FnOnce(&Lens) -> T) -> Option<T> {
        self.shown.with(|shown| shown.as_ref().and_then(Shown::lens).map(read))
    }

    /// Token ids that stand for words the tokenizer does not know, and how many words it knows;
    /// `None` for a tokenizer that can spell everything, and for a report of another model.
    pub fn known_words(self, report: &Report) -> Option<Known> {
        self.held.with(|held| {
            let held = held.as_ref()?;
            let is_own = held.facts == report.model;
            held.vocabulary.filter(|_| is_own)
        })
    }

    pub(super) fn hands(self) -> Rc<Hands> {
        self.state.hands.get_value()
    }
}

/// Returns a picture while it is one of the model that is asked: it never stands under another model's name.
fn of_model(slot: RwSignal<Option<Shown>>, asked: Memo<Choice>) -> Signal<Option<Shown>> {
    Signal::derive(move || {
        let shown = slot.get()?;
        let is_own = asked.with(|asked| shown.report.model.name == asked.name());
        (is_own || shown.is_beside()).then_some(shown)
    })
}

/// An error's text as a sentence of the page: capital first (unless it begins with a file's or a
/// tensor's name), full stop last.
pub(in crate::app) fn sentence(text: &str) -> String {
    let text = text.trim();
    let word = text.split_whitespace().next().unwrap_or_default();
    let mut out = if word.chars().all(char::is_alphabetic) {
        let mut chars = text.chars();
        let first: String = chars.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
        first + chars.as_str()
    } else {
        text.to_owned()
    };
    if !out.ends_with(['.', '!', '?']) {
        out.push('.');
    }
    out
}
