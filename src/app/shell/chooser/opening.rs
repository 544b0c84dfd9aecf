//! The ways in which a model of the list becomes the page's.

use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::File;

use super::downloads::Downloads;
use super::{close, is_shown};
use crate::app::browser;
use crate::app::files::Chosen;
use crate::app::hub::shelf::Shelf;

/// Key of the models opened recently, newest first; one name per line.
const RECENT: &str = "atelier-recent-models";
const MAX_RECENT: usize = 5;

/// Reads the names of the models that were opened at earlier visits.
pub fn recent() -> Vec<String> {
    let stored = browser::kept(RECENT).unwrap_or_default();
    stored.lines().map(str::to_owned).collect()
}

impl Downloads {
    /// Opens a model that comes with the page.
    pub fn open_shipped(self, name: &str) {
        close();
        self.remember(name);
        self.studio.choose_known(name.to_owned());
    }

    /// Opens a model that the page's own server offers.
    pub fn open_at_hand(self, name: &str) {
        close();
        self.studio.choose_at_hand(name.to_owned());
    }

    /// Opens once more what was opened from disk in this visit.
    pub fn open_again(self, name: &str) {
        close();
        self.studio.choose_opened(name);
    }

    /// Opens what was chosen from the disk, or came from a hub.
    pub fn open_files(self, chosen: Chosen) {
        close();
        self.studio.open_files(self.surveys, chosen);
    }

    /// Opens a model of the hub that is here.
    pub fn open(self, name: String) {
        self.problem.set(String::new());
        spawn_local(async move {
            match self.files(&name).await {
                // The reader closed the list meanwhile, or chose another model.
                Some(_) if !is_shown() && !self.studio.lacks(&name) => {}
                Some(files) => {
                    self.remember(&name);
                    self.open_files(Chosen { name, files });
                }
                None => {
                    // Its own line goes, and takes along what stands there.
                    self.press("");
                    self.fail("Its files are not all there any more: fetch it again.");
                    self.refresh();
                }
            }
        });
    }

    /// Opens the model of a link, where this browser keeps it, and says so where it does not.
    pub fn open_if_there(self, name: String) {
        spawn_local(async move {
            let files = self.files(&name).await;
            // The reader may have chosen another one meanwhile.
            if !self.studio.lacks(&name) {
                return;
            }
            match files {
                Some(files) => self.studio.open_files(self.surveys, Chosen { name, files }),
                None => self
                    .studio
                    .refuse(&format!("{name} is not on this machine: press “Model” to fetch it.")),
            }
        });
    }

    async fn files(self, name: &str) -> Option<Vec<File>> {
        let line = self.line.get_value();
        let in_memory = line.in_memory.borrow().iter().find(|(other, _)| other == name).cloned();
        match in_memory {
            Some((_, files)) => Some(files),
            None => Shelf::open().await?.files(name).await,
        }
    }

    fn remember(self, name: &str) {
        self.recent.update(|recent| {
            recent.retain(|other| other != name);
            recent.insert(0, name.to_owned());
            recent.truncate(MAX_RECENT);
            browser::keep(RECENT, &recent.join("\n"));
        });
    }
}
