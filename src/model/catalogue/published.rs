//! Published models worth a look, on a hub: what they teach, under which terms, how large they are.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::model::hub::{HubName, MEGABYTE};

/// Megabytes that a run takes beside the weights: the members, the logits, the engine's own buffers,
/// for prompts of at most 512 tokens.
const BESIDE_WEIGHTS: u64 = 150;

/// The condition for downloading a model's files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Gate {
    /// None: everybody may.
    #[default]
    Open,
    /// People must sign in on the hub and agree to the owners' terms.
    Terms,
}

impl Gate {
    /// One word for a table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Terms => "gated",
        }
    }
}

/// A model of the list.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedModel {
    /// Its place on the hub: `owner/name`.
    pub repo: String,
    /// The end of the name of the one GGUF file that is meant, where the place holds several.
    #[serde(default)]
    pub ending: Option<String>,
    pub licence: String,
    #[serde(default)]
    pub gate: Gate,
    /// Size of the files, about; `None` where only the hub knows it.
    #[serde(default)]
    pub megabytes: Option<u64>,
    /// Its use for a learner, in one sentence.
    pub good_for: String,
    /// Steps of its training that the hub keeps, as branches `step0`, `step1`, …
    #[serde(default)]
    pub steps: Vec<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PublishedList {
    model: Vec<PublishedModel>,
}

/// Every model of the list, the one to begin with first.
pub fn published() -> &'static [PublishedModel] {
    // A test reads the file, which is compiled in: it is never otherwise than well-formed.
    static LIST: LazyLock<Vec<PublishedModel>> = LazyLock::new(|| {
        let list = toml::from_str::<PublishedList>(include_str!("published.toml"));
        list.map(|list| list.model).unwrap_or_default()
    });
    &LIST
}

impl PublishedModel {
    /// The name that `--model` takes, of the newest weights.
    pub fn name(&self) -> HubName {
        HubName::of(&self.repo)
    }

    /// The branch that holds the model after so many steps of its training.
    pub fn branch(step: u32) -> String {
        format!("step{step}")
    }

    /// The steps just before and after `branch`, where it is one of the steps listed.
    pub fn neighbours(&self, branch: &str) -> Option<Vec<String>> {
        let at = self.steps.iter().position(|&step| Self::branch(step) == branch)?;
        let beside = [at.checked_sub(1), Some(at + 1)];
        let steps = beside.into_iter().flatten();
        let steps = steps.filter_map(|at| self.steps.get(at).copied());
        Some(steps.map(Self::branch).collect())
    }

    /// `about 269 MB`, or that it is not known before the hub is asked.
    pub fn size(&self) -> String {
        match self.megabytes {
            Some(megabytes) => format!("about {megabytes} MB"),
            None => "size: ask the hub".to_owned(),
        }
    }

    /// Returns about how many megabytes of memory a run takes here.
    pub fn memory(&self) -> Option<u64> {
        self.megabytes.map(|megabytes| megabytes + BESIDE_WEIGHTS)
    }
}

/// Returns about how many megabytes of memory a run takes whose model has `bytes` of weights.
pub fn memory_of(bytes: u64) -> u64 {
    bytes.div_ceil(MEGABYTE) + BESIDE_WEIGHTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_well_formed_and_begins_with_the_default() {
        let list: PublishedList =
            toml::from_str(include_str!("published.toml")).expect("a list of models");
        assert_eq!(list.model, published());
        assert_eq!(list.model[0].repo, "HuggingFaceTB/SmolLM2-135M");
        for (at, model) in list.model.iter().enumerate() {
            let named = format!("hub:{}", model.repo);
            assert_eq!(HubName::parse(&named).map(|name| name.to_string()).ok(), Some(named));
            assert!(list.model[..at].iter().all(|other| other.repo != model.repo));
            assert!(model.megabytes != Some(0) && !model.licence.is_empty());
            assert!(model.good_for.ends_with(['.', '?']), "{}", model.good_for);
            assert!(model.steps.windows(2).all(|pair| pair[0] < pair[1]), "{}", model.repo);
        }
    }

    #[test]
    fn a_step_has_neighbours() {
        let pythia = published().iter().find(|model| !model.steps.is_empty());
        let pythia = pythia.expect("a model with steps");
        assert_eq!(pythia.neighbours("step0"), Some(vec!["step1".to_owned()]));
        assert_eq!(
            pythia.neighbours("step1000"),
            Some(vec!["step512".to_owned(), "step2000".to_owned()])
        );
        assert_eq!(pythia.neighbours("step143000"), Some(vec!["step128000".to_owned()]));
        assert_eq!(pythia.neighbours("main"), None);
    }
}
