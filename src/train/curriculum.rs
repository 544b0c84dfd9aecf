//! The order in which tasks are trained: one after another. Each needs something found in its story, and
//! models that met all tasks at once found none of it in ten times the tokens.

use crate::task::primer::{self, AskKind, CountedText, Dice, GeneratedTask};

use GeneratedTask::{Fact, Follows, Last, Mood, Often, Quiz, Same, Sense, Sum, Topic};

/// A stretch of the training in which most rows are of the tasks that are new in it.
struct Phase {
    /// Share of the training, from 0 to 1.
    share: f64,
    tasks: &'static [GeneratedTask],
    /// Whether claims are met, or their words told.
    kind: AskKind,
}

const fn phase(share: f64, tasks: &'static [GeneratedTask]) -> Phase {
    Phase { share, tasks, kind: AskKind::Told }
}

const fn claims(share: f64, tasks: &'static [GeneratedTask]) -> Phase {
    Phase { kind: AskKind::Claimed, ..phase(share, tasks) }
}

/// After these, tasks come in [`TURNS`]. The last four phases come back to what not every seed and depth has
/// found when it was new: a model that knows the other tasks finds it in half a million tokens.
const PHASES: [Phase; 15] = [
    phase(0.03, &[Fact]),
    phase(0.02, &[Last]),
    phase(0.03, &[Follows]),
    phase(0.03, &[Quiz]),
    claims(0.06, &[Fact, Fact, Follows]),
    phase(0.075, &[Sum]),
    phase(0.02, &[Mood]),
    phase(0.045, &[Sense]),
    phase(0.02, &[Often]),
    phase(0.04, &[Same]),
    phase(0.008, &[Topic]),
    phase(0.025, &[Quiz]),
    claims(0.035, &[Follows]),
    phase(0.035, &[Same]),
    claims(0.035, &[Fact]),
];

/// How many rows in so many of each task then follow, by chance: few of what its phase taught in full.
const TURNS: [(usize, GeneratedTask); 10] = [
    (8, Sum),
    (8, Fact),
    (6, Sense),
    (5, Quiz),
    (5, Follows),
    (4, Same),
    (3, Mood),
    (3, Often),
    (1, Last),
    (1, Topic),
];

/// Percent of a phase's rows that are of its own tasks.
const NEW: usize = 80;
/// One in this many of a phase's other rows is a sum, once sums were met.
const SUMS: usize = 3;
/// Levels of a task are let in one after another, one this often; those of sums more slowly.
const LEVEL: f64 = 0.00625;
const LEVEL_OF_SUMS: f64 = 0.01;
/// Percent of the rows that still leave the claim open ([`AskKind::Told`]) once claims were met: while claims
/// are new, and later.
const TOLD: [usize; 2] = [25, 35];

/// Draws `count` texts for batch number `step`; `progress` runs from 0 to 1 over the training.
pub fn draw(seed: u64, step: u64, progress: f64, count: usize) -> Vec<CountedText> {
    let mut dice = Dice::new(seed, step);
    (0..count).map(|_| draw_one(progress, &mut dice)).collect()
}

fn draw_one(progress: f64, dice: &mut Dice) -> CountedText {
    let now = PHASES.len().min(current(progress));
    let met: Vec<GeneratedTask> = PHASES[..now]
        .iter()
        .filter(|phase| phase.kind == AskKind::Told)
        .flat_map(|phase| phase.tasks)
        .copied()
        .collect();
    let claims = PHASES.iter().position(|phase| phase.kind == AskKind::Claimed);
    let task = match PHASES.get(now) {
        Some(phase) if met.is_empty() || dice.below(100) < NEW => dice.pick(phase.tasks),
        Some(_) if met.contains(&Sum) && dice.one_in(SUMS) => Sum,
        Some(_) => dice.pick(&met),
        None => turn(dice),
    };
    let told = match claims {
        Some(claims) if claims <= now => dice.below(100) < TOLD[usize::from(claims < now)],
        _ => true,
    };
    let kind = if told { AskKind::Told } else { AskKind::Claimed };
    let each = if task == Sum { LEVEL_OF_SUMS } else { LEVEL };
    let open = 1 + ((progress - begins(task)).max(0.0) / each) as usize;
    let level = dice.below(open.min(primer::levels(task)));
    primer::lesson(task, level, kind, dice).counted_text()
}

/// One of [`TURNS`].
fn turn(dice: &mut Dice) -> GeneratedTask {
    let mut left = dice.below(TURNS.iter().map(|(count, _)| count).sum());
    let drawn = TURNS.iter().find(|(count, _)| {
        let here = left < *count;
        left = left.saturating_sub(*count);
        here
    });
    drawn.map_or(Sum, |(_, task)| *task)
}

/// Index of the phase at `progress`; past the last one, their number.
fn current(progress: f64) -> usize {
    let mut end = 0.0;
    let ended = PHASES.iter().take_while(|phase| {
        end += phase.share;
        end <= progress
    });
    ended.count()
}

/// The progress at which a task is met first.
fn begins(task: GeneratedTask) -> f64 {
    let before = PHASES.iter().take_while(|phase| !phase.tasks.contains(&task));
    before.map(|phase| phase.share).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_is_met_and_then_every_task_has_its_turn() {
        for task in GeneratedTask::ALL {
            assert!(PHASES.iter().any(|phase| phase.tasks.contains(&task)));
            assert!(TURNS.iter().any(|(count, of)| *of == task && *count > 0));
        }
        assert_eq!(current(1.0), PHASES.len());
        let whole: f64 = PHASES.iter().map(|phase| phase.share).sum();
        assert!((0.3..0.7).contains(&whole), "{whole}");
    }

    #[test]
    fn a_batch_is_the_same_however_training_got_there() {
        for progress in [0.0, 0.08, 0.3, 0.45, 0.9] {
            assert_eq!(draw(1, 7, progress, 20), draw(1, 7, progress, 20));
            assert_ne!(draw(1, 7, progress, 20), draw(2, 7, progress, 20));
        }
    }
}
