//! The hand over the row: which tiles are chosen, and the one that is picked up.
//!
//! Pointer and keyboard move the same hand, so a drag and a walk with the arrow keys end in the
//! same plan.

use super::Edit;

/// Where the hand is. A fresh one chooses the first tile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hand {
    /// The tile with the focus; while something is held, where it would be put down.
    pub at: usize,
    /// The other end of what is chosen.
    pub anchor: usize,
    /// Where the tile that is held was picked up.
    pub held: Option<usize>,
}

/// The meaning of a key here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Earlier,
    Later,
    First,
    Last,
    /// Space or Enter: pick up, put down.
    Take,
    Escape,
}

impl Key {
    /// A key by the browser's name for it.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "ArrowLeft" | "ArrowUp" => Self::Earlier,
            "ArrowRight" | "ArrowDown" => Self::Later,
            "Home" => Self::First,
            "End" => Self::Last,
            " " | "Enter" => Self::Take,
            "Escape" => Self::Escape,
            _ => return None,
        })
    }
}

/// The effect of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Nothing but the focus moved.
    Look,
    PickUp,
    /// The held tile is over another place.
    Carry,
    PutDown(Edit),
    /// Back where it was.
    GiveUp,
}

impl Hand {
    /// The chosen spots, first and last.
    pub fn chosen(self) -> (usize, usize) {
        (self.at.min(self.anchor), self.at.max(self.anchor))
    }

    /// A key on a row of `spots` tiles; `wide` stretches the choice instead of moving it.
    pub fn press(self, key: Key, wide: bool, spots: usize) -> (Self, Act) {
        let last = spots.saturating_sub(1);
        let to = match key {
            Key::Earlier => self.at.saturating_sub(1),
            Key::Later => (self.at + 1).min(last),
            Key::First => 0,
            Key::Last => last,
            Key::Take => {
                return match self.held {
                    Some(from) => self.put_down(from),
                    None => (self.pick_up(self.at), Act::PickUp),
                };
            }
            Key::Escape => {
                return match self.held {
                    Some(from) => (Self::on(from), Act::GiveUp),
                    None => (Self::on(self.at), Act::Look),
                };
            }
        };
        if self.held.is_some() {
            (self.carry(to), Act::Carry)
        } else if wide {
            (Self { at: to, ..self }, Act::Look)
        } else {
            (Self::on(to), Act::Look)
        }
    }

    /// Over one tile, nothing held.
    pub fn on(at: usize) -> Self {
        Self { at, anchor: at, held: None }
    }

    pub fn pick_up(self, at: usize) -> Self {
        Self { at, anchor: at, held: Some(at) }
    }

    /// Moves the held tile over place `to`.
    pub fn carry(self, to: usize) -> Self {
        Self { at: to, anchor: to, ..self }
    }

    /// Puts down what was picked up at `from`.
    pub fn put_down(self, from: usize) -> (Self, Act) {
        let act = if from == self.at {
            Act::GiveUp
        } else {
            Act::PutDown(Edit::Move { from, to: self.at })
        };
        (Self::on(self.at), act)
    }

    /// After an edit left `spots` tiles: still on one of them, and holding nothing.
    pub fn within(self, spots: usize) -> Self {
        let last = spots.saturating_sub(1);
        Self { at: self.at.min(last), anchor: self.anchor.min(last), held: None }
    }
}
