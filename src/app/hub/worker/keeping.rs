//! A model onto the shelf, and off it.

use super::{FetchStop, Fetcher, sink};
use crate::app::hub::shelf::{Shelf, record_name};
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
        self.received.set(0);
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

        // The commit that was here before answered until now.
        if let Some(shelf) = &shelf {
            shelf
                .remove_records(|other| other.name == model.name && other.commit != model.commit)
                .await;
            shelf.tidy().await;
        }
        Ok(files)
    }

    async fn keep_record(&self, shelf: &Shelf, model: &StoredModel) -> Result<(), FetchStop> {
        if shelf.record(&record_name(model)).await.as_ref() == Some(model) {
            return Ok(());
        }
        let text = serde_json::to_vec(model).unwrap_or_default();
        let written = sink::write_whole(shelf, &record_name(model), &text).await;
        written.map_err(|error| sink::unwritten(&error, &model.name, model.bytes()).into())
    }

    /// Removes a model at its commit: files that another one shares with it stay.
    pub(super) async fn remove(&self, model: &StoredModel) {
        if let Some(shelf) = Shelf::open().await {
            shelf.remove_records(|other| other.is_same(model)).await;
            shelf.tidy().await;
        }
    }
}
