//! A model onto the shelf, and off it.

use super::{FetchStop, Fetcher, sink};
use crate::app::hub::shelf::{Shelf, part_name, record_name, state_name};
use crate::app::hub::talk::{HubTell, StoredModel};
use crate::model::hub::HubName;

impl Fetcher {
    /// Fetches what is missing; the files themselves where this browser keeps none.
    pub(super) async fn fetch(&self, model: &StoredModel) -> Result<js_sys::Array, FetchStop> {
        let name = HubName::parse(&model.name)?;
        let shelf = Shelf::open().await;
        if let Some(shelf) = &shelf {
            // First, so that what has come is found again.
            self.keep_record(shelf, model).await?;
        } else {
            let sentence = "This browser keeps no files for pages: the model stays in memory until the page is closed.".to_owned();
            self.tell(&HubTell::Notice { sentence });
        }
        let total = model.bytes();
        let mut before = 0;
        let files = js_sys::Array::new();
        for file in &model.files {
            let is_there = match &shelf {
                Some(shelf) => shelf.file(file.hash.hex()).await,
                None => None,
            };
            if is_there.is_none_or(|there| there.size() as u64 != file.size) {
                let mut told = |done| self.progress(&model.name, before + done, total);
                let kept =
                    self.receive(&name, &model.commit, file, shelf.as_ref(), &mut told).await?;
                if let Some(kept) = kept {
                    files.push(&kept);
                }
            }
            before += file.size;
            self.progress(&model.name, before, total);
        }
        Ok(files)
    }

    async fn keep_record(&self, shelf: &Shelf, model: &StoredModel) -> Result<(), FetchStop> {
        let text = serde_json::to_vec(model).unwrap_or_default();
        let written = sink::write_whole(shelf, &record_name(&model.name), &text).await;
        written.map_err(|error| sink::unwritten(&error, &model.name, model.bytes()).into())
    }

    /// A model's record goes first: without it, what is left is nobody's and is tidied up later.
    pub(super) async fn remove(&self, name: &str) {
        let Some(shelf) = Shelf::open().await else {
            return;
        };
        let all = shelf.models().await;
        let Some(own) = all.iter().find(|kept| kept.model.name == name) else {
            return;
        };
        shelf.remove(&record_name(name)).await;
        for file in &own.model.files {
            let others = all.iter().filter(|kept| kept.model.name != name);
            let is_shared =
                others.flat_map(|kept| &kept.model.files).any(|other| other.hash == file.hash);
            if !is_shared {
                for name in [file.hash.hex().to_owned(), part_name(file), state_name(file)] {
                    shelf.remove(&name).await;
                }
            }
        }
    }
}
