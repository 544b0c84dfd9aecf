//! Messages of the download worker, and their effects.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::File;

use super::device::is_shown;
use super::downloads::{Downloads, LookedUp};
use super::hands::send;
use crate::app::browser;
use crate::app::hub::talk::{HubTell, removed};
use crate::model::hub::spell_bytes;

impl Downloads {
    pub fn hear(self, tell: HubTell, message: &js_sys::Array) {
        let hands = self.hands();
        hands.unanswered.set(0);
        if !matches!(tell, HubTell::Alive | HubTell::Waiting { .. })
            && self.waiting.with_untracked(|sentence| !sentence.is_empty())
        {
            self.waiting.set(String::new());
        }
        match tell {
            HubTell::Alive => {}
            HubTell::Ready => {
                hands.is_ready.set(true);
                if let Some(worker) = &*hands.worker.borrow() {
                    for ask in hands.waiting.take() {
                        send(worker, &ask);
                    }
                }
            }
            HubTell::Found { model, is_gated, same } => {
                self.asked.set(None);
                self.say(&format!("{}: {}.", model.title(), spell_bytes(model.bytes())));
                self.found.set(Some(LookedUp { model, is_gated, same }));
            }
            HubTell::Progress { name, done, received } => {
                self.under_way.update(|way| {
                    if let Some(way) = way.as_mut().filter(|way| way.model.name == name) {
                        way.done = done;
                        way.rate.hear(browser::now(), received);
                    }
                });
            }
            HubTell::Waiting { sentence } => self.waiting.set(sentence),
            HubTell::Notice { sentence } => self.notice.set(sentence),
            HubTell::Fetched { name } => {
                self.under_way.set(None);
                self.found.set(None);
                let files: Vec<File> = message.iter().skip(1).map(JsCast::unchecked_into).collect();
                if !files.is_empty() {
                    let mut in_memory = hands.in_memory.borrow_mut();
                    // The commit that was here before answered until now.
                    in_memory.retain(|(other, _)| *other != name);
                    in_memory.push((name.clone(), files));
                }
                self.say(&format!("{name} is here, whole and checked."));
                // Who closed the panel meanwhile is at something else.
                if is_shown() {
                    self.open(name);
                }
                self.refresh();
            }
            HubTell::Paused { name } => {
                self.under_way.set(None);
                self.say(&format!(
                    "{name} is stopped. What has come is kept: “Resume” continues it."
                ));
                self.refresh();
            }
            HubTell::Removed { model } => {
                let is_open = model.name == self.line.current.get_untracked();
                let is_last = !untrack(|| self.has_other(&model));
                // Its line goes; a download under way is shown elsewhere.
                self.pressed.set(String::new());
                self.say(&removed(&model.name, is_open && is_last));
                self.refresh();
            }
            HubTell::Stays { name, sentence } => self.fail(name, &sentence),
            HubTell::Failed { name, sentence } => {
                self.under_way.set(None);
                self.fail(name, &sentence);
                self.refresh();
            }
            HubTell::NotFound { name, sentence } => {
                self.asked.set(None);
                self.fail(name, &sentence);
            }
        }
    }
}
