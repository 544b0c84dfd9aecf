//! Messages of the download worker, and their effects.

use leptos::prelude::*;
use web_sys::File;

use super::downloads::{Downloads, LookedUp};
use super::is_shown;
use super::line::STALE;
use crate::app::browser;
use crate::app::hub::talk::{HubTell, PROTOCOL, removed};
use crate::model::hub::spell_bytes;

impl Downloads {
    /// Takes what the worker tells; `files` are the model's in a browser that keeps none.
    pub fn hear(self, tell: HubTell, files: Vec<File>) {
        // A sign of life does not end a wait.
        if !matches!(tell, HubTell::Waiting(_) | HubTell::Alive)
            && self.waiting.with_untracked(|sentence| !sentence.is_empty())
        {
            self.waiting.set(String::new());
        }

        match tell {
            HubTell::Alive => {}
            HubTell::Ready { protocol: PROTOCOL } => self.line.with_value(|line| line.begin()),
            HubTell::Ready { .. } | HubTell::Unread => self.give_up_worker(STALE),
            HubTell::Found { model, is_gated, same } => {
                self.is_asking.set(false);
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
            HubTell::Waiting(sentence) => self.waiting.set(sentence),
            HubTell::Notice(sentence) => self.notice.set(sentence),
            HubTell::Fetched(name) => {
                self.under_way.set(None);
                self.found.set(None);
                if !files.is_empty() {
                    let line = self.line.get_value();
                    let mut in_memory = line.in_memory.borrow_mut();
                    // The commit that was here before answered until now.
                    in_memory.retain(|(other, _)| *other != name);
                    in_memory.push((name.clone(), files));
                }

                self.say(&format!("{name} is here, whole and checked."));
                // A reader who closed the list meanwhile is at something else.
                if is_shown() {
                    self.open(name);
                }
                self.refresh();
            }
            HubTell::Paused(name) => {
                self.under_way.set(None);
                self.say(&format!(
                    "{name} is stopped. What has come is kept: “Resume” continues it."
                ));
                self.refresh();
            }
            HubTell::Removed(model) => {
                let is_open = model.name == self.current.get_untracked();
                let is_last = !untrack(|| self.has_other(&model));
                // Its line goes; a download under way is shown elsewhere.
                self.pressed.set(String::new());
                self.say(&removed(&model.name, is_open && is_last));
                self.refresh();
            }
            HubTell::Stays(sentence) => self.fail(&sentence),
            HubTell::Failed(sentence) => {
                self.under_way.set(None);
                self.fail(&sentence);
                self.refresh();
            }
            HubTell::NotFound(sentence) => {
                self.is_asking.set(false);
                self.fail(&sentence);
            }
        }
    }
}
