//! Looks up a name: commit, terms, and the files that are the model.

use super::{FetchStop, Fetcher};
use crate::app::hub::talk::{HubTell, StoredModel};
use crate::model::hub::{HubError, HubName, MAX_SHORT, index_of, pick, shards};

impl Fetcher {
    /// Looks up a name, and which revisions `beside` it the hub serves with the same weights.
    pub(super) async fn look_up_beside(
        &self,
        name: &str,
        ending: Option<&str>,
        beside: Vec<String>,
    ) -> Result<HubTell, FetchStop> {
        let (model, is_gated) = self.look_up(name, ending).await?;
        let name = HubName::parse(name)?;
        let mut same = Vec::new();
        for other in beside {
            match self.look_up(&name.at(&other).to_string(), ending).await {
                Ok((found, _)) if found.weights() == model.weights() => same.push(other),
                Ok(_) => {}
                // A remark: what cannot be said of another step ends nothing.
                Err(FetchStop::Failed(error)) if error.is_absence() => {}
                Err(FetchStop::Failed(error)) => {
                    let sentence = format!(
                        "Whether it has the weights of another step is not known: {error}."
                    );
                    self.tell(&HubTell::Notice(sentence));
                    break;
                }
                Err(paused) => return Err(paused),
            }
        }
        Ok(HubTell::Found { model, is_gated, same })
    }

    /// Commit, terms, and the files that are the model.
    async fn look_up(
        &self,
        text: &str,
        ending: Option<&str>,
    ) -> Result<(StoredModel, bool), FetchStop> {
        let name = HubName::parse(text)?;
        let info = self.info(&name).await?;
        let listed = match self.list(&name, &info.commit).await {
            Err(FetchStop::Failed(HubError::NoRepo { repo, .. })) if info.is_gated => {
                let page = self.hub.page(&repo);
                return Err(HubError::Gated { repo, page }.into());
            }
            listed => listed?,
        };
        let mut files = pick(&name, ending, &listed)?;
        if let Some(index) = index_of(&files).cloned()
            && !info.is_gated
        {
            let url = self.hub.resolve(&name.repo, &info.commit, &index.path);
            let (bytes, _) = self.short(&name, &url, MAX_SHORT).await?;
            files.extend(shards(&name, &bytes, &listed)?);
        }
        let model = StoredModel {
            name: name.to_string(),
            commit: info.commit,
            licence: info.licence,
            files,
        };
        Ok((model, info.is_gated))
    }
}
