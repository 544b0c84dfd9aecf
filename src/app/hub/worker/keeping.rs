//! A model onto the shelf, and off it.

use super::lock::ModelLock;
use super::{FetchStop, Fetcher, sink};
use crate::app::hub::shelf::{Shelf, record_name};
use crate::app::hub::talk::{HubTell, StoredModel};
use crate::model::hub::{HubError, HubName};

/// Milliseconds that a tab which is being closed may still hold a model.
const CLOSING: u32 = 3000;

impl Fetcher {
    /// Fetches what is missing; the files themselves where this browser keeps none.
    pub(super) async fn fetch(&self, model: &StoredModel) -> Result<js_sys::Array, FetchStop> {
        let Some(shelf) = Shelf::open().await else {
            let sentence = "This browser keeps no files for pages: the model stays in memory until the page is closed.".to_owned();
            self.tell(&HubTell::Notice(sentence));
            return self.fetch_files(model, None).await;
        };
        let lock = take(&model.name, Some(CLOSING)).await?;
        self.held.replace(Some(model.name.clone()));
        let ended = self.fetch_onto(&shelf, model).await;
        self.held.take();
        lock.release().await;
        ended
    }

    async fn fetch_onto(
        &self,
        shelf: &Shelf,
        model: &StoredModel,
    ) -> Result<js_sys::Array, FetchStop> {
        // First, so that what has come is found again.
        self.keep_record(shelf, model).await?;
        let files = self.fetch_files(model, Some(shelf)).await?;
        // Once more: in a browser without locks another tab may have removed it.
        self.keep_record(shelf, model).await?;
        // The commit that was here before answered until now.
        let is_older =
            |other: &StoredModel| other.name == model.name && other.commit != model.commit;
        shelf.remove_records(is_older).await;
        shelf.tidy().await;
        Ok(files)
    }

    async fn fetch_files(
        &self,
        model: &StoredModel,
        shelf: Option<&Shelf>,
    ) -> Result<js_sys::Array, FetchStop> {
        let name = HubName::parse(&model.name)?;
        self.received.set(0);
        let total = model.bytes();
        let mut before: u64 = 0;
        let files = js_sys::Array::new();
        for file in &model.files {
            let is_there = match shelf {
                Some(shelf) => shelf.file(file.hash.hex()).await,
                None => None,
            };
            if is_there.is_none_or(|there| there.size() as u64 != file.size) {
                let mut say = |done| self.progress(&model.name, before.saturating_add(done), total);
                let received = self.receive(&name, &model.commit, file, shelf, &mut say).await?;
                if let Some(received) = received {
                    files.push(&received);
                }
            }
            before = before.saturating_add(file.size);
            self.progress(&model.name, before, total);
        }
        Ok(files)
    }

    async fn keep_record(&self, shelf: &Shelf, model: &StoredModel) -> Result<(), FetchStop> {
        if shelf.record(&record_name(model)).await.as_ref() == Some(model) {
            return Ok(());
        }
        let text = serde_json::to_vec(model).map_err(|error| HubError::Write {
            path: record_name(model),
            reason: error.to_string(),
        })?;
        let written = sink::write_record(shelf, &record_name(model), &text).await;
        written.map_err(|error| sink::unwritten(&error, &model.name, model.bytes()).into())
    }

    /// Removes a model at its commit: files that another one shares with it stay.
    ///
    /// # Errors
    /// Another tab is fetching it.
    pub(super) async fn remove(&self, model: &StoredModel) -> Result<(), HubError> {
        let Some(shelf) = Shelf::open().await else {
            return Ok(());
        };
        let is_held = self.held.borrow().as_ref() == Some(&model.name);
        let lock = if is_held { None } else { Some(take(&model.name, None).await?) };
        shelf.remove_records(|other| other.is_same(model)).await;
        shelf.tidy().await;
        if let Some(lock) = lock {
            lock.release().await;
        }
        Ok(())
    }
}

/// Keeps other tabs from a model.
async fn take(name: &str, patience: Option<u32>) -> Result<ModelLock, HubError> {
    let lock = ModelLock::take(&format!("atelier {name}"), patience).await;
    lock.ok_or_else(|| HubError::OtherTab { name: name.to_owned() })
}
