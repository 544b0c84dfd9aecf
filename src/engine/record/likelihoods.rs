//! Log-likelihoods of given tokens, and whether each is the likeliest where it stands.

use std::sync::Arc;

use super::{Demand, Outputs, PackScene, Record, VocabularyReading};
use crate::engine::EngineError;
use crate::engine::backend::{Output, Pass, ReadStreams, VocabularyRows};
use crate::engine::schedule::Schedule;
use crate::model::Passage;

/// Numbers given back of a scored token: no likeliest tokens, one that is followed.
const NUMBERS: usize = VocabularyRows::numbers(0, 1);

/// The scored tokens of one [`Passage`] under one plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TokenScore {
    /// Sum over the scored tokens, nats.
    pub log_probability: f64,
    /// Whether every scored token is the likeliest one at its position.
    pub greedy: bool,
}

/// Asks for the scores of passages: [`TokenScore`] each.
pub struct Likelihoods {
    pub passages: Arc<[Passage]>,
}

/// The outputs that were asked for on one pack of passages.
pub struct KeptLikelihoods {
    /// Rows that foresee a scored token, passage by passage. [R]
    rows: Vec<u32>,
    /// The tokens foreseen. [R]
    targets: Vec<u32>,
    /// The output of every node where a plan ends: `[R, NUMBERS]` each.
    outputs: Outputs<usize>,
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
            numbers_a_token: NUMBERS * is_end.iter().filter(|&&is_end| is_end).count(),
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
        Ok(KeptLikelihoods { rows, targets, outputs: Outputs::default() })
    }

    fn complete(
        &self,
        pass: &mut dyn Pass,
        scene: &PackScene,
        kept: &mut KeptLikelihoods,
        node: usize,
        slot: usize,
    ) -> Result<(), EngineError> {
        if !scene.group.is_end[node] {
            return Ok(());
        }
        let rows = VocabularyRows {
            streams: ReadStreams::Rows { slot, rows: kept.rows.clone() },
            references: (0..kept.rows.len()).collect(),
            top: 0,
            followed: kept.targets.clone(),
            is_reproducible: true,
        };
        kept.outputs.ask(pass, node, Output::Vocabulary(&rows))
    }

    fn items(
        &self,
        scene: &PackScene,
        kept: KeptLikelihoods,
        given: Vec<Vec<f32>>,
    ) -> Vec<Vec<TokenScore>> {
        let passages = &self.passages[scene.range.clone()];
        let of = |path: &Vec<usize>| {
            let given = kept.outputs.at_end(path, &given).chunks_exact(NUMBERS);
            let mut rest = given.zip(&kept.targets);
            let score = |passage: &Passage| {
                let mut score = TokenScore { log_probability: 0.0, greedy: true };
                for (numbers, &target) in rest.by_ref().take(passage.scored) {
                    let reading = VocabularyReading::parse(numbers, 0, &[target]);
                    for token in reading.followed {
                        score.log_probability += token.log_probability;
                        score.greedy &= token.rank == 1;
                    }
                }
                score
            };
            passages.iter().map(score).collect()
        };
        scene.group.schedule.paths.iter().map(of).collect()
    }
}
