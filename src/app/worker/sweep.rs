//! Sweeps over orders on built-in tasks, told as they fill in; a crew helps where that pays.

use web_sys::Blob;

use super::crew::{Crew, FIRST, most_workers};
use super::job::Job;
use super::{Desk, Stop};
use crate::app::protocol::{OrdersAsk, Stage};
use crate::app::sharing::{RowShare, Sharing};
use crate::model::ModelFiles;
use crate::study::orders::{OrderRows, Orders, PartedSweep, Sweeping, medians};
use crate::study::report::Report;
use crate::study::{LoadedModel, Running, StudyError};

/// Milliseconds after which the rest of a sweep is foretold from what was done.
const FORETELL_AFTER: f64 = 500.0;

/// Milliseconds that the rest of a sweep must take one worker for others to be called. A helper costs the
/// start of a worker and the reading of up to 64 MB: tenths of a second, and the first worker's time with
/// them where there are few cores. Two workers save half of the rest.
const WORTH: f64 = 3_000.0;

/// The model that a sweep runs on, and the workers that may run it.
pub struct Runners<'a> {
    pub model: &'a LoadedModel,
    /// Files from which other workers open the model.
    pub files: &'a ModelFiles<Blob>,
    pub crew: &'a mut Crew,
    /// Hears, as [`Crew::words`], who runs it.
    pub named: &'a dyn Fn(&str),
}

pub async fn run(by: Runners<'_>, job: Job<'_>, wanted: &OrdersAsk) -> Result<Report, Stop> {
    let mut sweep = SharedSweep::begin(by, job.desk, wanted)?;
    job.drive(Stage::Run, &mut sweep).await?;
    Ok(sweep.report())
}

/// A sweep under way.
struct SharedSweep<'a> {
    by: Runners<'a>,
    desk: &'a Desk,
    wanted: &'a OrdersAsk,
    tasks: Vec<PartedSweep<'a>>,
    /// Results of the tasks that are whole.
    found: Vec<Option<Orders>>,
    sharing: Sharing,
    /// The first worker's share, while it runs one.
    part: Option<(RowShare, Sweeping<'a>)>,
    /// Workers that may share it, once that was asked.
    most: Option<usize>,
    /// Block runs: of all rows, of those that are there, of the first worker's among these, and of the
    /// share that it runs.
    total: usize,
    there: usize,
    by_first: usize,
    done: usize,
    /// Work that the page was told of: less is never told again.
    shown: usize,
    since: f64,
}

impl<'a> SharedSweep<'a> {
    fn begin(by: Runners<'a>, desk: &'a Desk, wanted: &'a OrdersAsk) -> Result<Self, Stop> {
        let model = by.model;
        let tasks: Vec<PartedSweep> = (0..wanted.tasks.len())
            .map(|task| wanted.sweep(model, task))
            .collect::<Result<_, _>>()?;
        let rows: Vec<usize> = tasks.iter().map(PartedSweep::rows).collect();
        by.crew.begin();
        Ok(Self {
            by,
            desk,
            wanted,
            found: vec![None; tasks.len()],
            sharing: Sharing::of(&rows),
            part: None,
            most: None,
            total: tasks.iter().map(|task| task.work(0..task.rows())).sum(),
            tasks,
            there: 0,
            by_first: 0,
            done: 0,
            shown: 0,
            since: js_sys::Date::now(),
        })
    }

    /// Calls as many helpers as there are shares for, once the rest is known to be worth it.
    fn call_crew(&mut self) {
        let lasted = js_sys::Date::now() - self.since;
        let by_first = self.by_first + self.done;
        let waiting = self.sharing.waiting();
        if waiting == 0 || by_first == 0 || lasted < FORETELL_AFTER {
            return;
        }
        let rest = self.total.saturating_sub(self.there + self.done);
        if lasted * rest as f64 / by_first as f64 >= WORTH {
            let model = self.by.model;
            let most = *self.most.get_or_insert_with(|| most_workers(&self.desk.scope, model));
            self.by.crew.call(waiting.min(most - 1));
        }
    }

    fn hear_crew(&mut self) {
        let Self { by, tasks, sharing, there, wanted, .. } = self;
        let mut take_in = |share: &RowShare, rows: Vec<OrderRows>| {
            let task = &mut tasks[share.task];
            let taken = task.take_in(share.rows.clone(), rows);
            taken.map_err(|error| error.to_string())?;
            *there += task.work(share.rows.clone());
            Ok(())
        };
        let before = by.crew.words();
        by.crew.hear(sharing, by.files, &mut take_in);
        by.crew.hand_out(sharing, wanted);
        let words = by.crew.words();
        if words != before {
            (by.named)(&words);
        }
    }

    /// Takes in the rows of a share that the first worker ran.
    fn take_in(&mut self, share: &RowShare, rows: Vec<OrderRows>) -> Result<(), StudyError> {
        let task = &mut self.tasks[share.task];
        let work = task.work(share.rows.clone());
        task.take_in(share.rows.clone(), rows)?;
        self.there += work;
        (self.done, self.by_first) = (0, self.by_first + work);
        self.sharing.came_back(FIRST, share);
        Ok(())
    }

    /// A task's intervals are computed once it is whole, and not again.
    fn keep_whole(&mut self) {
        for (task, found) in self.tasks.iter().zip(&mut self.found) {
            if found.is_none() && task.is_whole() {
                *found = task.orders();
            }
        }
    }

    fn report(mut self) -> Report {
        self.keep_whole();
        let mut report = Report::of(self.by.model);
        report.orders = self.found.into_iter().flatten().collect();
        report.medians = medians(&report.orders);
        report
    }
}

impl Running for SharedSweep<'_> {
    fn advance(&mut self) -> Result<Option<(usize, usize)>, StudyError> {
        if self.part.is_none() {
            let share = self.sharing.take(FIRST);
            self.part = share.map(|share| {
                let part = self.tasks[share.task].part(share.rows.clone());
                (share, part)
            });
        }
        match self.part.take() {
            Some((share, mut part)) => match part.advance()? {
                Some((done, _)) => {
                    self.done = done;
                    self.part = Some((share, part));
                }
                None => self.take_in(&share, part.into_rows())?,
            },
            None if self.sharing.is_over() => return Ok(None),
            // The rest is on its way; who does not send it is given up, and it is run here.
            None => {}
        }
        self.call_crew();
        self.hear_crew();
        let sum = self.there + self.done + self.by.crew.under_way();
        self.shown = self.shown.max(sum.min(self.total));
        Ok(Some((self.shown, self.total)))
    }

    fn is_waiting(&self) -> bool {
        self.part.as_ref().is_some_and(|(_, part)| part.is_waiting())
    }

    fn is_resting(&self) -> bool {
        self.part.is_none() && self.sharing.waiting() == 0 && !self.sharing.is_over()
    }

    fn rows_done(&self) -> usize {
        self.tasks.iter().map(PartedSweep::rows_done).sum()
    }

    fn interim(&mut self) -> Option<Report> {
        self.keep_whole();
        let mut report = Report::of(self.by.model);
        for (task, found) in self.tasks.iter().zip(&self.found) {
            let orders = found.clone().or_else(|| task.orders());
            report.orders.extend(orders.map(without_rows));
        }
        Some(report)
    }
}

fn without_rows(mut orders: Orders) -> Orders {
    for variant in std::iter::once(&mut orders.original).chain(&mut orders.variants) {
        variant.rows = OrderRows::default();
    }
    orders
}
