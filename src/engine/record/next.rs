//! Logits of the next token over the whole vocabulary.

use std::sync::Arc;

use super::{Demand, Outputs, PackScene, Record};
use crate::engine::EngineError;
use crate::engine::backend::{Output, Pass};
use crate::engine::schedule::Schedule;
use crate::model::Prompt;

/// Asks for the next token's logits: `[V]` a prompt and plan.
pub struct Next {
    pub prompts: Arc<[Prompt]>,
    /// V
    pub vocabulary: usize,
}

impl Record for Next {
    /// `[V]`
    type Item = Vec<f32>;
    /// The output of every node where a plan ends: `[P, V]` each.
    type Kept = Outputs<usize>;

    fn sequences(&self) -> Vec<&[u32]> {
        let prompts = self.prompts.iter();
        prompts.map(|prompt| prompt.token_ids.as_slice()).collect()
    }

    fn demand(&self, _: &Schedule, is_end: &[bool]) -> Demand {
        Demand {
            numbers: is_end.iter().filter(|&&is_end| is_end).count() * self.vocabulary,
            ..Demand::default()
        }
    }

    fn open(&self, _: &mut dyn Pass, _: &PackScene) -> Result<Outputs<usize>, EngineError> {
        Ok(Outputs::default())
    }

    fn complete(
        &self,
        pass: &mut dyn Pass,
        scene: &PackScene,
        kept: &mut Outputs<usize>,
        node: usize,
        slot: usize,
    ) -> Result<(), EngineError> {
        if !scene.group.is_end[node] {
            return Ok(());
        }
        kept.ask(pass, node, Output::Logits { slot, rows: &scene.pack.last_rows() })
    }

    fn items(
        &self,
        scene: &PackScene,
        kept: Outputs<usize>,
        given: Vec<Vec<f32>>,
    ) -> Vec<Vec<Vec<f32>>> {
        let of = |path: &Vec<usize>| {
            let logits = kept.at_end(path, &given).chunks(self.vocabulary);
            logits.map(<[f32]>::to_vec).collect()
        };
        scene.group.schedule.paths.iter().map(of).collect()
    }
}
