//! Several tasks' sweeps read together: what is kept of what each model has above chance.

use crate::measure::interval::{Mean, mean_of_independent, paired_rows, wilson};
use crate::study::orders::{Orders, Sweep, SweepPoint};

/// The tasks on which the model's own order is above chance.
pub struct Pool<'a> {
    pub tasks: Vec<&'a Orders>,
}

/// `[rows]` of one task.
type Shares = Vec<f64>;

impl<'a> Pool<'a> {
    pub fn of(orders: &'a [Orders]) -> Self {
        let tasks = orders
            .iter()
            .filter(|task| above(task) > 0.0 && !task.original.rows.correct.is_empty())
            .collect();
        Self { tasks }
    }

    /// Only these tasks.
    pub fn only(&self, names: &[&str]) -> Self {
        let tasks = self.tasks.iter().copied();
        Self { tasks: tasks.filter(|task| names.contains(&task.task.as_str())).collect() }
    }

    /// Returns the share that an order keeps of what the own order has above chance: 1 is all, 0 nothing.
    pub fn kept(&self, order: &PickedOrder) -> Option<Mean> {
        self.mean(|task| {
            let right = shares(task, order)?;
            let share = right.iter().sum::<f64>() / right.len() as f64;
            let chance = task.chance.max(task.majority);
            Some(wilson(share, right.len()).map(|x| x - chance))
        })
    }

    /// The share of rows whose right answer is the likeliest of all tokens under an order, mean over tasks; `None`
    /// where it was not read.
    pub fn first_word(&self, order: &PickedOrder) -> Option<Mean> {
        let each = self.tasks.iter().map(|task| match order {
            PickedOrder::Own => task.original.measures.first_word,
            PickedOrder::Drops(_) => {
                let shares = points(task, order).into_iter();
                let shares = shares.map(|point| Some(point.measures.first_word?.mean));
                let shares = shares.collect::<Option<Vec<f64>>>()?;
                // All drops are of the same rows: several do not narrow the interval.
                let mean = shares.iter().sum::<f64>() / shares.len() as f64;
                (!shares.is_empty()).then(|| wilson(mean, task.rows))
            }
            _ => points(task, order).first()?.measures.first_word,
        });
        mean_of_independent(&each.collect::<Option<Vec<Mean>>>()?)
    }

    /// How much more `a` keeps than `b`, row by row.
    pub fn more(&self, a: &PickedOrder, b: &PickedOrder) -> Option<Mean> {
        self.mean(|task| {
            let (a, b) = (shares(task, a)?, shares(task, b)?);
            let differences: Shares = a.iter().zip(&b).map(|(a, b)| a - b).collect();
            Some(paired_rows(&differences))
        })
    }

    /// The mean over tasks of `x`, each as a share of what its task's own order has above chance. `None`
    /// where a task lacks it.
    fn mean(&self, x: impl Fn(&Orders) -> Option<Mean>) -> Option<Mean> {
        let each: Option<Vec<Mean>> =
            self.tasks.iter().map(|task| Some(x(task)?.map(|x| x / above(task)))).collect();
        mean_of_independent(&each?)
    }
}

/// An order of a task's sweep.
pub enum PickedOrder {
    Own,
    At(Sweep, usize),
    Loop(usize, usize),
    /// The mean of several drops.
    Drops(Vec<usize>),
}

fn above(task: &Orders) -> f64 {
    task.original.measures.accuracy.mean - task.chance.max(task.majority)
}

/// The share of a pick's variants that is right. `[rows]`
fn shares(task: &Orders, pick: &PickedOrder) -> Option<Shares> {
    match pick {
        PickedOrder::Own => Some(
            task.original.rows.correct.iter().map(|&right| f64::from(u8::from(right))).collect(),
        ),
        _ => of(task, &points(task, pick)),
    }
}

/// The points of a pick; none of the model's own order.
fn points<'a>(task: &'a Orders, pick: &PickedOrder) -> Vec<&'a SweepPoint> {
    let is_picked = |point: &SweepPoint| match pick {
        PickedOrder::Own => false,
        PickedOrder::At(sweep, at) => point.sweep == *sweep && point.at == *at,
        PickedOrder::Loop(at, rounds) => {
            point.sweep == Sweep::Loop && point.at == *at && point.rounds == Some(*rounds)
        }
        PickedOrder::Drops(places) => point.sweep == Sweep::Drop && places.contains(&point.at),
    };
    task.points.iter().filter(|point| is_picked(point)).collect()
}

fn of(task: &Orders, points: &[&SweepPoint]) -> Option<Shares> {
    let variants: Vec<_> = points
        .iter()
        .flat_map(|point| &point.variants)
        .filter_map(|&i| task.variants.get(i))
        .collect();
    let rows = task.original.rows.correct.len();
    let whole = variants.iter().all(|v| v.rows.correct.len() == rows);
    if variants.is_empty() || !whole {
        return None;
    }
    let share = |row: usize| {
        let right = variants.iter().filter(|v| v.rows.correct[row]).count();
        right as f64 / variants.len() as f64
    };
    Some((0..rows).map(share).collect())
}
