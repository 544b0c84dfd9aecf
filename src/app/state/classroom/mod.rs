//! The lesson that is open: its words, what the reader expects, what the model says to it, and what is kept.
//!
//! It lives as long as the view of lessons is open. What outlives it stands in the address and in what this
//! browser keeps.

mod keeping;
mod model;
mod running;

use std::collections::BTreeMap;
use std::sync::Arc;

use leptos::prelude::*;

use super::Studio;
use super::teaching::OTHER_WORDS;
use crate::app::answers::{AnswerBook, StepAnswer};
use crate::app::asked::veiled;
use crate::app::protocol::{Ask, Tell};
use crate::study::lessons::{
    Lesson, LessonFit, LessonPrompt, LessonStep, StepOutcome, StepPhase, StepPicture,
};

/// A step, by the ids of its lesson and its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StepPlace {
    pub lesson: String,
    pub step: String,
}

/// A phase of a step on its way. The same may be asked twice, so that it has a number.
#[derive(Clone, Debug, PartialEq, Eq)]
struct StepRun {
    number: u32,
    place: StepPlace,
    phase: StepPhase,
}

#[derive(Clone, Copy)]
pub struct OpenLesson {
    studio: Studio,
    /// All lessons; none before they are here.
    pub list: RwSignal<Vec<Arc<Lesson>>>,
    /// How many steps of each lesson the open model can be asked, and its name; none before that is known.
    pub fits: RwSignal<Option<(String, Vec<LessonFit>)>>,
    /// The lesson that the address names.
    pub lesson: Memo<Option<Arc<Lesson>>>,
    /// Why there are no lessons.
    pub missing: RwSignal<String>,
    pub book: RwSignal<AnswerBook>,
    /// Why what was kept cannot be read.
    pub unread: RwSignal<String>,
    /// Does this browser keep what is answered?
    pub is_kept: RwSignal<bool>,
    /// The text that this window read or stored last: another text is another window's.
    written: StoredValue<Option<String>>,
    /// The open step's set-up, where it names what a run found.
    set_up: RwSignal<Option<StepOutcome>>,
    /// The run under way.
    under_way: RwSignal<Option<StepRun>>,
    /// How many runs were begun: the number of the next.
    runs: StoredValue<u32>,
    /// Pictures of the runs that answered questions in this visit, by step.
    pictures: RwSignal<BTreeMap<StepPlace, Arc<Vec<StepPicture>>>>,
    /// Has a teacher asked for what is held?
    pub is_let_go: RwSignal<bool>,
    /// Is every step being run, for a sheet?
    pub is_preparing: RwSignal<bool>,
    /// Does a model that comes with the page answer where the reader's own cannot?
    is_lent: RwSignal<bool>,
}

impl OpenLesson {
    /// Fetches the list, and follows the address.
    pub fn start(studio: Studio) -> Self {
        let (book, unread) = keeping::kept();
        let list = RwSignal::new(Vec::<Arc<Lesson>>::new());
        let lesson = Memo::new(move |_| {
            let number = studio.lessons.with(|lessons| lessons.lesson)?;
            list.with(|list| list.get(number.checked_sub(1)?).cloned())
        });
        let room = Self {
            studio,
            list,
            fits: RwSignal::new(None),
            lesson,
            missing: RwSignal::new(String::new()),
            book: RwSignal::new(book),
            unread: RwSignal::new(unread),
            is_kept: RwSignal::new(true),
            written: StoredValue::new(None),
            set_up: RwSignal::new(None),
            under_way: RwSignal::new(None),
            runs: StoredValue::new(0),
            pictures: RwSignal::new(BTreeMap::new()),
            is_let_go: RwSignal::new(false),
            is_preparing: RwSignal::new(false),
            is_lent: RwSignal::new(false),
        };
        // The worker reads the lessons' files.
        Effect::new(move |_| {
            if studio.state.is_awake.get() && room.list.with_untracked(Vec::is_empty) {
                room.fetch_list();
            }
        });
        // Of another model than the lessons are written for, what it can be asked is said before one starts.
        let is_open = Memo::new(move |_| room.is_other_open());
        Effect::new(move |_| {
            room.fits.set(None);
            if is_open.get().is_some() {
                room.ask_fits();
            }
        });
        // Another step, or another model, is asked anew; a scholar is lent for one step.
        let model = Memo::new(move |_| studio.draft.with(|draft| draft.model.name().to_owned()));
        Effect::new(move |before: Option<(Option<StepPlace>, String)>| {
            let now = (room.place(), model.get());
            if before.as_ref() != Some(&now) {
                room.is_lent.set(false);
                room.begin_step();
            }
            now
        });
        on_cleanup(move || room.stop());
        room.follow_others();
        room
    }

    /// Fetches all lessons.
    pub fn fetch_list(self) {
        self.studio.read(Ask::Lessons, move |found| match found {
            _ if self.is_left() => {}
            Ok(Tell::Lessons { lessons }) => {
                self.missing.set(String::new());
                self.list.set(lessons.into_iter().map(Arc::new).collect());
            }
            Ok(_) => self.missing.set(OTHER_WORDS.to_owned()),
            Err(sentence) => self.missing.set(sentence),
        });
    }

    fn ask_fits(self) {
        self.studio.ask_fits(move |found| {
            // Where it failed nothing is said: a step says itself what its model lacks.
            if let Ok(fits) = found
                && !self.is_left()
            {
                self.fits.set(Some(fits));
            }
        });
    }

    /// Is the view gone, and all of this with it? What was asked may be answered later.
    fn is_left(self) -> bool {
        self.under_way.try_get_untracked().is_none()
    }

    /// The step that is open; the last, where the address names one behind it.
    pub fn step(self) -> Option<LessonStep> {
        self.lesson.get()?.steps.get(self.step_index()?).cloned()
    }

    /// Returns the open step as the model took it whose words are seen: with its plans, its tasks and its prompt.
    pub fn taken(self) -> Option<LessonStep> {
        Some(self.step()?.as_asked(self.asked().as_ref()))
    }

    /// The prompt that the open step's question is about, where that is one prompt.
    pub fn prompt(self) -> Option<LessonPrompt> {
        let (step, lesson) = (self.taken()?, self.lesson.get()?);
        step.prompt(lesson.prompt.as_ref()).cloned()
    }

    /// Its place in the lesson, counted from 0.
    pub fn step_index(self) -> Option<usize> {
        let at = self.studio.lessons.with(|lessons| lessons.step);
        let last = self.lesson.get()?.steps.len().checked_sub(1)?;
        Some(at.min(last))
    }

    /// The open step's.
    pub fn place(self) -> Option<StepPlace> {
        Some(StepPlace { lesson: self.lesson.get()?.id.clone(), step: self.step()?.id })
    }

    /// Returns the stored answer to the open step.
    pub fn answer(self) -> StepAnswer {
        self.step().map(|step| self.answer_to(&step)).unwrap_or_default()
    }

    /// Returns the stored answer to a step of the open lesson.
    pub fn answer_to(self, step: &LessonStep) -> StepAnswer {
        let answer = self
            .lesson
            .get()
            .and_then(|lesson| self.book.with(|book| book.of(&lesson.id, &step.id).cloned()));
        answer.unwrap_or_default()
    }

    /// Is what the model says to be seen?
    pub fn is_told(self) -> bool {
        let is_held = self.studio.lessons.with(|lessons| lessons.is_held);
        let answer = self.answer();
        // That a model cannot show a step gives nothing away.
        let is_free = !is_held || self.is_let_go.get() || !answer.is_answered();
        answer.is_told() && is_free
    }

    /// Has the model answered, and is it kept from the class?
    pub fn is_held(self) -> bool {
        self.answer().is_answered() && !self.is_told()
    }

    /// Set-up, question and options with their fields filled in; `None` while they are not known. What the
    /// model said is in it only where it is to be seen.
    pub fn asked(self) -> Option<StepOutcome> {
        let step = self.step()?;
        if let Some(run) = self.run_outcome() {
            return Some(match self.is_told() {
                true => run,
                false => veiled(run),
            });
        }
        let place = self.place()?;
        let is_own =
            |set_up: &StepOutcome| set_up.lesson == place.lesson && set_up.step == place.step;
        let set_up = self.set_up.get().filter(is_own);
        let as_written = || StepOutcome::asked(&place.lesson, &step);
        set_up.or_else(|| step.before.is_none().then(as_written))
    }

    /// Returns the outcome of the open step's run. One that was run for a sheet alone counts as long as the same
    /// model would answer now.
    fn run_outcome(self) -> Option<StepOutcome> {
        let answer = self.answer();
        let is_run = answer.is_run();
        let outcome = answer.outcome.filter(|_| is_run)?;
        let is_own = answer.expected.is_some() || Some(&outcome.model) == self.model().as_ref();
        is_own.then_some(outcome)
    }

    /// Returns the pictures of the open step's run; `None` where it was run in an earlier visit.
    pub fn pictures(self) -> Option<Arc<Vec<StepPicture>>> {
        let place = self.place()?;
        self.pictures.with(|all| all.get(&place).cloned())
    }

    /// Is this phase of the open step being run?
    pub fn is_running(self, phase: StepPhase) -> bool {
        let place = self.place();
        self.under_way.with(|under_way| {
            let is_it = |run: &StepRun| run.phase == phase && Some(&run.place) == place.as_ref();
            under_way.as_ref().is_some_and(is_it)
        })
    }

    /// Is anything being run?
    pub fn is_busy(self) -> bool {
        self.under_way.with(Option::is_some)
    }
}
