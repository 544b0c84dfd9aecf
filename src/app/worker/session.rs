//! What the worker holds between requests: one model.

use web_sys::File;

use super::{Desk, Stop, done, failed, fetch, prompt, read, sweep};
use crate::app::protocol::{Ask, Stage, Tell};
use crate::model::{Bytes, ModelFiles};
use crate::study::LoadedModel;

#[derive(Default)]
pub struct Session {
    model: Option<LoadedModel>,
}

impl Session {
    pub async fn answer(
        &mut self,
        desk: &Desk,
        id: u32,
        ask: Ask,
        files: Vec<File>,
    ) -> Result<Tell, Stop> {
        desk.listen(id).await?;
        match ask {
            Ask::LoadKnown { name } => {
                // The old model goes first: two at once may not fit.
                self.model = None;
                let files = fetch::model(desk, id, &name).await?;
                self.load(desk, id, &name, files).await
            }
            Ask::LoadFiles { name } => {
                self.model = None;
                let files = read::files(desk, id, files).await?;
                self.load(desk, id, &name, files).await
            }
            Ask::Orders {
                tasks,
                rows,
                sweeps,
                extent,
            } => {
                let wanted = sweep::Wanted {
                    tasks,
                    rows,
                    sweeps,
                    extent,
                };
                sweep::run(self.model()?, desk, id, &wanted).await.map(done)
            }
            Ask::Lens { .. } | Ask::Lab { .. } | Ask::Cancel { .. } => {
                prompt::answer(self.model()?, desk, id, ask).await
            }
        }
    }

    fn model(&self) -> Result<&LoadedModel, Stop> {
        self.model
            .as_ref()
            .ok_or_else(|| Stop::Failed("no model is loaded: choose one first".to_owned()))
    }

    async fn load(
        &mut self,
        desk: &Desk,
        id: u32,
        name: &str,
        files: Vec<(String, Bytes)>,
    ) -> Result<Tell, Stop> {
        desk.listen(id).await?;
        let files = ModelFiles::from_named(name, files).map_err(failed)?;
        let progress =
            &mut |done: usize, of: usize| desk.progress(id, Stage::Weights, done as f64, of as f64);
        let model = LoadedModel::from_files(&files, progress).map_err(failed)?;
        let facts = model.facts();
        self.model = Some(model);
        desk.listen(id).await?;
        Ok(Tell::Loaded { model: facts })
    }
}
