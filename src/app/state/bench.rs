//! The lab's bench: the row of tiles, the hand over it, and what was undone.
//!
//! The plan's line in the draft is the truth, and the row follows it; an edit of the row writes the
//! line. So typing, dragging, a strategy's button, a link and a click on a curve all meet in one
//! place.

use leptos::prelude::*;

use super::Studio;
use crate::app::arrangement::{
    Act, Arrangement, Edit, Hand, History, Key, Offer, edited, spot_name,
};
use crate::plan::Plan;

#[derive(Clone, Copy)]
pub struct Bench {
    studio: Studio,
    /// `None` until a model is there.
    pub row: RwSignal<Option<Arrangement>>,
    pub hand: RwSignal<Hand>,
    pub history: RwSignal<History>,
    /// Why the last edit was not made.
    pub refusal: RwSignal<Option<String>>,
    /// The numbers the strategies take.
    pub offer: RwSignal<Offer>,
}

impl Bench {
    pub fn start(studio: Studio) -> Self {
        let bench = Self {
            studio,
            row: RwSignal::new(None),
            hand: RwSignal::new(Hand::default()),
            history: RwSignal::new(History::default()),
            refusal: RwSignal::new(None),
            offer: RwSignal::new(Offer::for_model(12)),
        };
        bench.follow();
        bench
    }

    /// Keeps the row in step with line and model.
    fn follow(self) {
        // What was undone are orders of one model's blocks.
        Effect::new(move |before: Option<String>| {
            let name = self.studio.draft.with(|draft| draft.model.name().to_owned());
            if before.is_some_and(|before| before != name) {
                self.history.set(History::default());
            }
            name
        });
        Effect::new(move |_| {
            let order =
                self.studio.model.with(|model| model.as_ref().map(|model| model.order.clone()));
            // While another model loads, the row stays as it is.
            let Some(order) = order else { return };
            let line = self.studio.draft.with(|draft| draft.plan.trim().to_owned());
            let plan =
                if line.is_empty() { Plan::whole(&order) } else { Plan::parse(&line, &order) };
            let before = self.row.get_untracked();
            let plan = match plan {
                Ok(plan) => plan,
                // A line that is no plan says so itself, and the row stays; a first row, or another
                // model's, is the model's own.
                Err(_) if before.as_ref().is_some_and(|row| *row.order() == order) => return,
                Err(_) => match Plan::whole(&order) {
                    Ok(plan) => plan,
                    Err(_) => return,
                },
            };
            let row = match &before {
                Some(row) if *row.order() == order => row.following(&plan),
                _ => {
                    self.offer.set(Offer::for_model(order.len()));
                    self.hand.set(Hand::default());
                    Arrangement::of(&plan, &order)
                }
            };
            if before.as_ref() != Some(&row) {
                self.hand.update(|hand| *hand = hand.within(row.spots().len()));
                self.refusal.set(None);
                self.row.set(Some(row));
            }
        });
    }

    /// The row as it is seen: with what is held over the place it would be put down at.
    pub fn seen(self) -> Option<Arrangement> {
        let hand = self.hand.get();
        self.row.with(|row| {
            let row = row.as_ref()?;
            let moved = hand.held.and_then(|from| {
                let to = hand.at;
                row.edited(Edit::Move { from, to }).ok()
            });
            Some(moved.unwrap_or_else(|| row.clone()))
        })
    }

    /// Makes an edit, or says why not.
    pub fn edit(self, edit: Edit) {
        let Some(row) = self.row.get_untracked() else {
            return;
        };
        match row.edited(edit) {
            Ok(new) => {
                self.studio.say(edited(&row, &new, edit));
                self.refusal.set(None);
                let at = match edit {
                    Edit::Move { to, .. } => to,
                    Edit::SwitchOff { from, .. } => from,
                    Edit::Toggle { spot, .. }
                    | Edit::Dissolve { spot }
                    | Edit::Repeat { spot, .. } => spot,
                    Edit::Join { first, .. } | Edit::Remove { first, .. } => first,
                    Edit::Duplicate { last, .. } => last + 1,
                    Edit::Strategy(_) | Edit::Reset => 0,
                };
                self.hand.set(Hand::on(at).within(new.spots().len()));
                let line = new.line();
                self.row.set(Some(new));
                self.set_plan(line);
            }
            Err(refusal) => self.refuse(refusal.to_string()),
        }
    }

    /// Another line, as one step that can be undone.
    pub fn set_plan(self, line: String) {
        self.change(line, false);
    }

    /// A line as it is typed.
    pub fn type_plan(self, line: String) {
        self.change(line, true);
    }

    fn change(self, line: String, typed: bool) {
        let before = self.studio.draft.with_untracked(|draft| draft.plan.clone());
        if before != line {
            self.history.update(|history| history.changed(&before, typed));
            self.studio.edit(|draft| draft.plan = line);
        }
    }

    pub fn undo(self) {
        self.travel(History::undo, "Undone");
    }

    pub fn redo(self) {
        self.travel(History::redo, "Redone");
    }

    fn travel(self, step: fn(&mut History, &str) -> Option<String>, word: &str) {
        let now = self.studio.draft.with_untracked(|draft| draft.plan.clone());
        let line = self.history.try_update(|history| step(history, &now));
        if let Some(line) = line.flatten() {
            let named = if line.is_empty() { "the original order" } else { &line };
            self.studio.say(format!("{word}: {named}."));
            self.studio.edit(|draft| draft.plan = line);
        }
    }

    /// A key on the row; true if it meant something there.
    pub fn press(self, key: Key, wide: bool) -> bool {
        let spots = self.row.with_untracked(|row| row.as_ref().map_or(0, |row| row.spots().len()));
        let before = self.hand.get_untracked();
        if key == Key::Escape && before.held.is_none() && before.at == before.anchor {
            return false;
        }
        let (hand, act) = before.press(key, wide, spots);
        self.hand.set(hand);
        self.act(act);
        true
    }

    /// Does what a key or the end of a drag asks for.
    pub fn act(self, act: Act) {
        let hand = self.hand.get_untracked();
        let named = |at: usize| {
            self.row.with_untracked(|row| {
                let spot = row.as_ref().and_then(|row| row.spots().get(at));
                spot.map_or_else(String::new, spot_name)
            })
        };
        let of = self.row.with_untracked(|row| row.as_ref().map_or(0, |row| row.spots().len()));
        let said = match act {
            Act::Look => {
                let (first, last) = hand.chosen();
                if first == last {
                    return;
                }
                format!("{} tiles chosen, places {} to {}.", last + 1 - first, first + 1, last + 1)
            }
            Act::PickUp => format!(
                "Picked up {}. Arrow keys move it, Enter puts it down, Escape puts it back.",
                named(hand.at)
            ),
            Act::Carry => format!("Place {} of {of}.", hand.at + 1),
            Act::GiveUp => format!("Back at step {} of {of}.", hand.at + 1),
            Act::PutDown(edit) => return self.edit(edit),
        };
        self.studio.say(said);
    }

    pub fn refuse(self, sentence: String) {
        self.studio.say(sentence.clone());
        self.refusal.set(Some(sentence));
    }
}
