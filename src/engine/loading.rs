//! The way of a model's weights into a backend: block by block, in slices of rows, so that no one
//! ever holds all of it twice.

use std::ops::Range;
use std::rc::Rc;

use super::backend::Loader;
use super::{Engine, EngineError};
use crate::model::weights::{MatrixRole, Weights};

/// A backend that waits for its weights.
pub struct Loading {
    weights: Rc<Weights>,
    loader: Box<dyn Loader>,
    parts: std::vec::IntoIter<LoadingPart>,
    /// Bytes taken, and in all.
    done: u64,
    total: u64,
}

/// A part of the weights that is read in one step.
enum LoadingPart {
    Rows {
        block: usize,
        role: MatrixRole,
        rows: Range<usize>,
    },
    /// A block's vectors.
    Vectors {
        block: usize,
    },
    /// Rows of the output head.
    Head {
        rows: Range<usize>,
    },
}

impl Loading {
    /// Begins to load `weights` into a backend that knows the model's shape: one of
    /// [`EngineChoice`](super::EngineChoice)'s, or the caller's own.
    pub fn new(weights: Rc<Weights>, loader: Box<dyn Loader>) -> Self {
        let (mut parts, mut total) = (Vec::new(), 0);
        for (block, tensors) in weights.blocks.iter().enumerate() {
            parts.push(LoadingPart::Vectors { block });
            for (role, matrix) in MatrixRole::ALL.into_iter().zip(&tensors.matrices) {
                let slices = matrix.slices().into_iter();
                parts.extend(slices.map(|rows| LoadingPart::Rows { block, role, rows }));
                total += matrix.bytes();
            }
        }
        if loader.takes_head() {
            let head = weights.head();
            parts.extend(head.slices().into_iter().map(|rows| LoadingPart::Head { rows }));
            total += head.bytes();
        }
        Self { weights, loader, parts: parts.into_iter(), done: 0, total }
    }

    /// Takes the next slice over: bytes done and bytes of all, `None` once all are there.
    ///
    /// # Errors
    /// It cannot be read, holds a number that is none, or the device failed.
    pub fn step(&mut self) -> Result<Option<(u64, u64)>, EngineError> {
        let Some(part) = self.parts.next() else {
            return Ok(None);
        };
        match part {
            LoadingPart::Vectors { block } => {
                for (role, vector) in &self.weights.blocks[block].vectors {
                    let numbers = self.weights.vector(vector)?;
                    self.loader.vector(block, *role, numbers)?;
                }
            }
            LoadingPart::Rows { block, role, rows } => {
                let matrix = &self.weights.blocks[block].matrices[role as usize];
                let slice = self.weights.rows(matrix, rows.clone())?;
                self.loader.matrix(block, role, rows.start, &slice)?;
                self.done += slice.bytes.len() as u64;
            }
            LoadingPart::Head { rows } => {
                let slice = self.weights.rows(self.weights.head(), rows.clone())?;
                self.loader.head(rows.start, &slice)?;
                self.done += slice.bytes.len() as u64;
            }
        }
        self.weights.release();
        Ok(Some((self.done, self.total)))
    }

    /// The engine, once [`Self::step`] gave `None`.
    ///
    /// # Errors
    /// The device failed, or the read-out cannot be read.
    pub fn finish(self) -> Result<Engine, EngineError> {
        Engine::new(self.weights, self.loader.finish()?)
    }
}
