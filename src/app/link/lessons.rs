//! Settings of the view of lessons, as a link holds them: the lesson, the step, and a class's way to use it.

use super::{LinkPairs, changed};

/// Where a reader or a class stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LessonSettings {
    /// Its number, from 1; the list of all where there is none.
    pub lesson: Option<usize>,
    /// Counted from 0.
    pub step: usize,
    /// For a wall: large, in high contrast, with the keys that are pressed. Other views with such a look have it, too.
    pub is_projected: bool,
    /// Does what the run says wait until somebody asks for it?
    pub is_held: bool,
}

/// More than there ever will be: a longer number is a slip.
const MOST: usize = 99;

impl LessonSettings {
    pub(super) fn write(&self, pairs: &mut LinkPairs) {
        let step = changed(self.step, 0).filter(|_| self.lesson.is_some());
        pairs.known("lesson", self.lesson);
        pairs.known("step", step.map(|step| step + 1));
        self.write_look(pairs);
        pairs.known("hold", self.is_held.then_some(YES));
    }

    /// Writes the look for a wall, as every view with such a look has it.
    pub(super) fn write_look(&self, pairs: &mut LinkPairs) {
        pairs.known(PROJECTOR, self.is_projected.then_some(YES));
    }

    /// Reads the look for a wall; true if the key is its.
    pub(super) fn read_look(&mut self, key: &str, value: &str) -> bool {
        let is_look = key == PROJECTOR;
        if is_look {
            self.is_projected = is_yes(value);
        }
        is_look
    }

    /// True if the key is one of these. Teachers write `projector` and `hold` by hand, also without a value.
    pub(super) fn read(&mut self, key: &str, value: &str) -> bool {
        let number = || {
            let number = value.parse::<usize>().ok();
            number.filter(|n| (1..=MOST).contains(n))
        };
        match key {
            "lesson" => self.lesson = number(),
            "step" => self.step = number().map_or(0, |n| n - 1),
            "hold" => self.is_held = is_yes(value),
            _ => return self.read_look(key, value),
        }
        true
    }
}

const YES: &str = "yes";

/// The key of the look for a wall, which teachers write without a value.
pub(super) const PROJECTOR: &str = "projector";

/// Whoever writes `hold=1` wants it held: only a no is a no.
fn is_yes(value: &str) -> bool {
    !["no", "0", "false", "off"].contains(&value)
}
