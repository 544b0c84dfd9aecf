//! Log-likelihoods of given tokens, and whether each is the likeliest where it stands.

use std::sync::Arc;

use super::{Demand, Outputs, PackScene, Record};
use crate::engine::EngineError;
use crate::engine::backend::Pass;
use crate::engine::schedule::Schedule;
use crate::model::Passage;

/// The scored tokens of one [`Passage`] under one plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TokenScore {
    /// Sum over the scored tokens, nats.
    pub log_probability: f64,
    /// Is every one of them the likeliest token where it stands?
    pub greedy: bool,
}

/// Asks for the scores of passages: [`TokenScore`] each.
pub struct Likelihoods {
    pub passages: Arc<[Passage]>,
}

/// Of one pack of passages.
pub struct KeptLikelihoods {
    /// Rows that foresee a scored token, passage by passage. [R]
    rows: Vec<u32>,
    /// The tokens foreseen. [R]
    targets: Vec<u32>,
    /// Of the nodes where plans end: `[R, 4]` each.
    outputs: Outputs,
}

impl Record for Likelihoods {
    type Item = TokenScore;
    type Kept = KeptLikelihoods;

    fn sequences(&self) -> Vec<&[u32]> {
        let passages = self.passages.iter();
        passages.map(|passage| passage.token_ids.as_slice()).collect()
    }

    fn demand(&self, _: &Schedule, is_end: &[bool]) -> Demand {
        Demand {
            // A token is scored at most once for each end.
            numbers_a_token: 4 * is_end.iter().filter(|&&is_end| is_end).count(),
            ..Demand::default()
        }
    }

    fn open(&self, _: &mut dyn Pass, scene: &PackScene) -> Result<KeptLikelihoods, EngineError> {
        let (mut rows, mut targets) = (Vec::new(), Vec::new());
        let passages = &self.passages[scene.range.clone()];
        for (passage, &(start, length)) in passages.iter().zip(&scene.pack.spans) {
            let first = length - passage.scored;
            rows.extend((first..length).map(|at| (start + at - 1) as u32));
            targets.extend_from_slice(&passage.token_ids[first..]);
        }
        let outputs = Outputs::new(scene.group);
        Ok(KeptLikelihoods { rows, targets, outputs })
    }

    fn complete(
        &self,
        pass: &mut dyn Pass,
        scene: &PackScene,
        kept: &mut KeptLikelihoods,
        node: usize,
        slot: usize,
    ) -> Result<(), EngineError> {
        if scene.group.is_end[node] {
            kept.outputs.note(node);
            pass.give_fates(slot, &kept.rows, &kept.targets)?;
        }
        Ok(())
    }

    fn items(
        &self,
        scene: &PackScene,
        kept: KeptLikelihoods,
        given: Vec<Vec<f32>>,
    ) -> Vec<Vec<TokenScore>> {
        let passages = &self.passages[scene.range.clone()];
        let of = |path: &Vec<usize>| {
            let fates = kept.outputs.at_end(path, &given).as_chunks().0;
            let mut rest = fates.iter().map(fate);
            let score = |passage: &Passage| {
                let mut score = TokenScore { log_probability: 0.0, greedy: true };
                for (log_likelihood, is_likeliest) in rest.by_ref().take(passage.scored) {
                    score.log_probability += log_likelihood;
                    score.greedy &= is_likeliest;
                }
                score
            };
            passages.iter().map(score).collect()
        };
        scene.group.schedule.paths.iter().map(of).collect()
    }
}

/// Log-softmax at the target, nats, and whether it is the likeliest; see [`Pass::give_fates`].
fn fate(&[largest, sum, target, is_likeliest]: &[f32; 4]) -> (f64, bool) {
    let log_likelihood = f64::from(target) - f64::from(largest) - f64::from(sum).ln();
    (log_likelihood, is_likeliest != 0.0)
}
