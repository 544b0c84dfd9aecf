//! Requests to the worker that are under way, and the model that it holds: pure, so that every order of clicks and
//! answers can be tried natively.
//!
//! An action changes the exchange and gives back what is to be sent; an event of a request that is
//! no longer under way changes nothing. Cancelling one request never ends another.

use crate::app::link::{Choice, Draft};
use crate::app::protocol::{Ask, EngineWish, Known, Stage};
use crate::study::report::ModelFacts;

/// Milliseconds of a sweep after which its pace says when it will be done.
const EARLY: f64 = 2000.0;

/// The purpose of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Job {
    Load,
    /// One prompt, for the lens or the lab.
    Run,
    /// The prompt on two engines.
    Compare,
    /// A text that the model writes after the lab's prompt, once the lab's answer is shown.
    Write,
    Sweep,
    /// A test of this machine.
    Doctor,
}

impl Job {
    /// Requests of one lane replace each other: a load, a run and a comparison do.
    fn lane(self) -> Self {
        match self {
            Self::Load | Self::Compare => Self::Run,
            other => other,
        }
    }
}

/// A request under way.
#[derive(Clone, Debug, PartialEq)]
pub struct Work {
    pub id: u32,
    pub job: Job,
    pub progress: Option<(Stage, f64, f64)>,
    /// Milliseconds since the page was opened, of this part of the work.
    pub since: f64,
    /// Milliseconds until a prompt's answer, which is still to be compared with the original order's.
    pub answered_after: Option<f64>,
}

impl Work {
    /// Seconds until a run or a sweep is done, at its pace so far; `None` while that is too early to say.
    pub fn seconds_left(&self, now: f64) -> Option<f64> {
        let is_steady = matches!(self.job, Job::Run | Job::Sweep);
        let (_, done, total) = self.progress.filter(|_| is_steady)?;
        let lasted = now - self.since;
        let is_known = lasted >= EARLY && done > 0.0 && total > done;
        is_known.then(|| lasted / done * (total - done) / 1000.0)
    }
}

/// The model the worker holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    /// The choice that loaded it: the draft may name another by now.
    pub choice: Choice,
    pub facts: ModelFacts,
    pub vocabulary: Option<Known>,
}

/// A message for the worker.
#[derive(Clone, Debug)]
pub struct Post {
    pub id: u32,
    pub ask: Ask,
}

/// The outcome of the reader's wish to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopping {
    /// It was not under way, or is forgotten: the worker drops it when it hears.
    Done,
    /// The worker is to say so; if it does not in time, [`Exchange::unheard`].
    Awaited(u32),
}

#[derive(Clone, Debug, Default)]
pub struct Exchange {
    /// The id given out last.
    last: u32,
    held: Option<Held>,
    /// The model that was held before the load under way.
    before: Option<Held>,
    /// Does the worker hold that still, though the load has failed?
    is_kept: bool,
    /// The choice that the load under way opens.
    loading: Option<Choice>,
    /// The requests under way, at most one of each lane.
    works: Vec<Work>,
    /// The request behind the load, run or comparison.
    asked: Option<Ask>,
    /// A sweep that waits for its model.
    waiting: Option<Post>,
}

impl Exchange {
    pub fn held(&self) -> Option<&Held> {
        self.held.as_ref()
    }

    /// Does the worker hold this model?
    pub fn holds(&self, choice: &Choice) -> bool {
        self.held.as_ref().is_some_and(|held| held.choice == *choice)
    }

    /// The load, run or comparison under way.
    pub fn work(&self) -> Option<&Work> {
        self.in_lane(Job::Run)
    }

    /// Was the model asked, last, what it says after this draft's prompt, in this draft's order?
    pub fn is_asked(&self, draft: &Draft) -> bool {
        matches!(&self.asked, Some(Ask::Says { prompt, plan })
            if *prompt == draft.prompt && *plan == draft.plan_line())
    }

    /// Is a text under way?
    pub fn is_writing(&self) -> bool {
        self.in_lane(Job::Write).is_some()
    }

    pub fn sweep(&self) -> Option<&Work> {
        self.in_lane(Job::Sweep)
    }

    pub fn doctor(&self) -> Option<&Work> {
        self.in_lane(Job::Doctor)
    }

    /// The sweep under way, or the one that waits for its model.
    pub fn sweep_id(&self) -> Option<u32> {
        let under_way = self.sweep().map(|work| work.id);
        under_way.or(self.waiting.as_ref().map(|waiting| waiting.id))
    }

    /// Loads a model in place of the one held.
    pub fn load(&mut self, choice: &Choice, engine: EngineWish, now: f64) -> Vec<Post> {
        let mut posts = self.give_up_work();
        posts.extend(self.give_up_sweep());
        self.before = self.held.take().or(self.before.take());
        self.is_kept = false;
        self.loading = Some(choice.clone());
        let name = choice.name().to_owned();
        let ask = match choice {
            Choice::Known(_) => Ask::LoadKnown { name, engine },
            Choice::Folder(_) => Ask::LoadFiles { name, engine },
        };
        posts.push(self.begin(Job::Load, ask, now));
        posts
    }

    /// Forgets the model and everything under way: what the reader chose cannot be loaded.
    pub fn unload(&mut self) -> Vec<Post> {
        let mut posts = self.give_up_work();
        posts.extend(self.give_up_sweep());
        (self.held, self.before) = (None, None);
        posts
    }

    /// The worker holds what it held before the load under way, which fails.
    pub fn kept(&mut self, id: u32) {
        self.is_kept = self.under_way(id).is_some_and(|work| work.job == Job::Load);
    }

    /// After a load that failed: what was held before it, and whether it is held again, or has to be
    /// loaded.
    pub fn fall_back(&mut self) -> Option<(Choice, bool)> {
        if self.loading.is_some() || self.work().is_some() {
            return None;
        }
        let before = self.before.take()?;
        let choice = before.choice.clone();
        let is_kept = std::mem::take(&mut self.is_kept);
        if is_kept {
            self.held = Some(before);
        }
        Some((choice, is_kept))
    }

    /// Is this model on its way?
    pub fn is_loading(&self, choice: &Choice) -> bool {
        self.loading.as_ref() == Some(choice)
    }

    /// Runs a prompt on the model held, in place of the prompt under way. Only where
    /// [`Self::holds`].
    pub fn run(&mut self, ask: Ask, now: f64) -> Vec<Post> {
        let mut posts = self.give_up_work();
        posts.push(self.begin(Job::Run, ask, now));
        posts
    }

    /// Begins a text. Only where [`Self::holds`], and while nothing else of the one prompt is under way.
    pub fn write(&mut self, ask: Ask, now: f64) -> Vec<Post> {
        let mut posts = self.give_up_writing();
        posts.push(self.begin(Job::Write, ask, now));
        posts
    }

    /// Compares two engines on a prompt; nothing, while the model is not there.
    pub fn compare(&mut self, choice: &Choice, ask: Ask, now: f64) -> Vec<Post> {
        if !self.holds(choice) {
            return Vec::new();
        }
        let mut posts = self.give_up_work();
        posts.push(self.begin(Job::Compare, ask, now));
        posts
    }

    /// Starts a sweep, or keeps it until its model is there, where it needs one; the one before is given up. The id is
    /// the sweep's, from now on.
    pub fn sweep_on(&mut self, choice: Option<&Choice>, ask: Ask, now: f64) -> (u32, Vec<Post>) {
        let mut posts = self.give_up_sweep();
        let id = self.fresh();
        if choice.is_none_or(|choice| self.holds(choice)) {
            posts.push(self.begin_as(id, Job::Sweep, ask, now));
        } else {
            self.waiting = Some(Post { id, ask });
        }
        (id, posts)
    }

    /// Asks for words, which no work waits for.
    pub fn read(&mut self, ask: Ask) -> Post {
        Post { id: self.fresh(), ask }
    }

    /// Begins to look at this machine, unless that is under way.
    pub fn look(&mut self, is_quick: bool, engine: EngineWish, now: f64) -> Vec<Post> {
        if self.doctor().is_some() {
            return Vec::new();
        }
        vec![self.begin(Job::Doctor, Ask::Doctor { is_quick, engine }, now)]
    }

    /// Asks the worker to end the test of this machine; the worker itself is never ended for it. Its answer brings
    /// the findings so far; where that takes too long, [`Self::ended`].
    pub fn cancel_look(&mut self) -> Option<Post> {
        let id = self.doctor()?.id;
        Some(self.cancel(id))
    }

    /// The reader wants the work to stop. A load takes the sweep with it that waits for it.
    pub fn cancel_work(&mut self) -> (Stopping, Vec<Post>) {
        if self.work().is_some_and(|work| work.job == Job::Load) {
            self.waiting = None;
        }
        self.cancel_in(Job::Run)
    }

    /// The reader wants the sweep to stop.
    pub fn cancel_sweep(&mut self) -> (Stopping, Vec<Post>) {
        self.waiting = None;
        self.cancel_in(Job::Sweep)
    }

    /// Stops the request in a lane. The worker may be ended for it only if it does nothing else.
    fn cancel_in(&mut self, lane: Job) -> (Stopping, Vec<Post>) {
        let Some(work) = self.in_lane(lane) else {
            return (Stopping::Done, Vec::new());
        };
        let (id, is_alone) = (work.id, self.is_alone(work));
        let cancel = self.cancel(id);
        if is_alone {
            return (Stopping::Awaited(id), vec![cancel]);
        }
        self.stopped(id);
        (Stopping::Done, vec![cancel])
    }

    /// The worker did not hear a `Cancel` in time: is it to be ended, because nothing else would be
    /// lost with it? Then everything it held is forgotten.
    pub fn unheard(&mut self, id: u32) -> bool {
        // The worker never ends for a text or a test of the machine.
        let can_end = |work: &&Work| matches!(work.job.lane(), Job::Run | Job::Sweep);
        let Some(work) = self.under_way(id).filter(can_end) else {
            return false;
        };
        let is_alone = self.is_alone(work);
        if is_alone {
            self.died();
        } else {
            self.stopped(id);
        }
        is_alone
    }

    /// Would nothing else be lost with the worker? A test of the machine counts for nothing while a model is on its
    /// way.
    fn is_alone(&self, work: &Work) -> bool {
        let is_load = work.job == Job::Load;
        let mut others = self.works.iter().filter(|other| other.id != work.id);
        others.all(|other| other.job == Job::Doctor && is_load)
    }

    /// The worker is gone, and all it held.
    pub fn died(&mut self) {
        let before = self.before.take().filter(|_| self.loading.is_some());
        *self = Self { last: self.last, before, ..Self::default() };
    }

    /// How far a request is; nothing for one that is not under way.
    pub fn progressed(&mut self, id: u32, progress: (Stage, f64, f64)) {
        if let Some(work) = self.works.iter_mut().find(|work| work.id == id) {
            work.progress = Some(progress);
        }
    }

    /// A prompt is answered; the run that its answer is compared with has a time of its own.
    pub fn answered(&mut self, id: u32, now: f64) {
        if let Some(work) = self.works.iter_mut().find(|work| work.id == id) {
            work.answered_after = Some(now - work.since);
            (work.since, work.progress) = (now, None);
        }
    }

    /// The request with this id, if it is under way.
    pub fn under_way(&self, id: u32) -> Option<&Work> {
        self.works.iter().find(|work| work.id == id)
    }

    /// The model is there; what waited for it begins. `None` for a load that was given up.
    pub fn loaded(
        &mut self,
        id: u32,
        facts: ModelFacts,
        vocabulary: Option<Known>,
        now: f64,
    ) -> Option<Vec<Post>> {
        let work = self.ended(id)?;
        let choice = self.loading.take().filter(|_| work.job == Job::Load)?;
        self.before = None;
        self.held = Some(Held { choice, facts, vocabulary });
        let waiting = self.waiting.take();
        let begun = waiting.map(|Post { id, ask }| self.begin_as(id, Job::Sweep, ask, now));
        Some(begun.into_iter().collect())
    }

    /// A request ended without its answer: failed, or cancelled. What waited for it does so in vain.
    pub fn stopped(&mut self, id: u32) -> Option<Work> {
        let work = self.ended(id)?;
        if work.job == Job::Load {
            self.loading = None;
            self.waiting = None;
        }
        Some(work)
    }

    /// A request ended.
    pub fn ended(&mut self, id: u32) -> Option<Work> {
        let index = self.works.iter().position(|work| work.id == id)?;
        Some(self.works.remove(index))
    }

    /// A newer request makes the one under way pointless.
    pub fn give_up_work(&mut self) -> Vec<Post> {
        self.loading = None;
        let mut posts = self.give_up_writing();
        posts.extend(self.give_up(Job::Run));
        posts
    }

    /// Nobody wants the text under way any more.
    pub fn give_up_writing(&mut self) -> Vec<Post> {
        self.give_up(Job::Write).into_iter().collect()
    }

    pub fn give_up_sweep(&mut self) -> Vec<Post> {
        self.waiting = None;
        self.give_up(Job::Sweep).into_iter().collect()
    }

    fn give_up(&mut self, lane: Job) -> Option<Post> {
        let id = self.in_lane(lane)?.id;
        self.ended(id);
        Some(self.cancel(id))
    }

    fn in_lane(&self, lane: Job) -> Option<&Work> {
        self.works.iter().find(|work| work.job.lane() == lane)
    }

    fn cancel(&mut self, id: u32) -> Post {
        Post { id: self.fresh(), ask: Ask::Cancel { id } }
    }

    fn begin(&mut self, job: Job, ask: Ask, now: f64) -> Post {
        let id = self.fresh();
        self.begin_as(id, job, ask, now)
    }

    fn begin_as(&mut self, id: u32, job: Job, ask: Ask, now: f64) -> Post {
        if job.lane() == Job::Run {
            self.asked = Some(ask.clone());
        }
        self.works.retain(|work| work.job.lane() != job.lane());
        self.works.push(Work { id, job, progress: None, since: now, answered_after: None });
        Post { id, ask }
    }

    fn fresh(&mut self) -> u32 {
        self.last += 1;
        self.last
    }
}

#[cfg(test)]
mod tests;
