//! Undo and redo over plan lines.

/// Lines before and after the one that stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    past: Vec<String>,
    future: Vec<String>,
    /// Was the last change typed? Then the next letter belongs to it.
    typing: bool,
}

/// More steps back than anyone goes.
const MOST: usize = 200;

impl History {
    /// The line was `before`, and has been changed. A burst of typing is one change.
    pub fn changed(&mut self, before: &str, typed: bool) {
        if !(typed && self.typing) {
            self.past.push(before.to_owned());
            if self.past.len() > MOST {
                self.past.remove(0);
            }
        }
        self.typing = typed;
        self.future.clear();
    }

    /// The line before `now`.
    pub fn undo(&mut self, now: &str) -> Option<String> {
        let line = self.past.pop()?;
        self.future.push(now.to_owned());
        self.typing = false;
        Some(line)
    }

    /// The line that was undone last.
    pub fn redo(&mut self, now: &str) -> Option<String> {
        let line = self.future.pop()?;
        self.past.push(now.to_owned());
        self.typing = false;
        Some(line)
    }

    pub fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    pub fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }
}
