//! The residual stream before every step, and after the last.

use std::sync::Arc;

use super::{Demand, Outputs, PackScene, Record};
use crate::engine::backend::{Output, Pass};
use crate::engine::schedule::Schedule;
use crate::engine::{EngineError, StepStreams};

/// Keeps the residual streams that enter each step, and the last.
pub struct Streams {
    /// Token ids.
    pub sequences: Arc<[Vec<u32>]>,
    /// D
    pub width: usize,
}

impl Record for Streams {
    type Item = StepStreams;
    type Kept = Outputs<usize>;

    fn sequences(&self) -> Vec<&[u32]> {
        self.sequences.iter().map(Vec::as_slice).collect()
    }

    fn demand(&self, schedule: &Schedule, _: &[bool]) -> Demand {
        Demand { numbers_a_token: schedule.nodes.len() * self.width, ..Demand::default() }
    }

    fn open(&self, pass: &mut dyn Pass, scene: &PackScene) -> Result<Outputs<usize>, EngineError> {
        let mut kept = Outputs::default();
        self.complete(pass, scene, &mut kept, 0, 0)?;
        Ok(kept)
    }

    fn complete(
        &self,
        pass: &mut dyn Pass,
        _: &PackScene,
        kept: &mut Outputs<usize>,
        node: usize,
        slot: usize,
    ) -> Result<(), EngineError> {
        kept.ask(pass, node, Output::Stream(slot))
    }

    fn items(
        &self,
        scene: &PackScene,
        kept: Outputs<usize>,
        given: Vec<Vec<f32>>,
    ) -> Vec<Vec<StepStreams>> {
        let of = |path: &Vec<usize>| {
            let sequences = scene.pack.spans.iter().map(|&(start, length)| {
                let span = start * self.width..(start + length) * self.width;
                let states = path.iter().map(|&node| kept.of(node, &given));
                states.map(|state| state[span.clone()].into()).collect()
            });
            sequences.collect()
        };
        scene.group.schedule.paths.iter().map(of).collect()
    }
}
