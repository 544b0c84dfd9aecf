//! Derivatives of one block: products of its Jacobian, or of the transposed one, with rows of probes,
//! by closed forms (docs/definitions.md, "Coupling").
//!
//! A block's function is what it adds to the stream, f(x) = attention's member + the MLP's, without
//! the skip, of one sequence's stream x [T, D] as it enters a step of an actual run. Its Jacobian at
//! (t_in, t_out), [D, D], says how what is added at t_out moves with the stream at t_in.

mod linearised;

use std::rc::Rc;

pub(in crate::engine) use self::linearised::{
    Linearised, PlacedPair, Places, ProbeRange, TangentDevice, linearise, multiply,
};
use super::EngineError;
use crate::plan::{BlockRun, Half, HeadsOff};

/// Which function, and where.
#[derive(Clone, Debug)]
pub struct TangentPoint {
    /// Index of the stored block.
    pub block: usize,
    pub half: Half,
    pub heads_off: HeadsOff,
    /// `[T, D]` one sequence's stream, as it enters the step.
    pub stream: Rc<[f32]>,
}

impl TangentPoint {
    /// Makes the point of one block run of a step, at the stream that the step reads. A parallel step adds
    /// the mean of its runs' functions, so it needs one point per run.
    pub fn of(run: BlockRun, stream: Rc<[f32]>) -> Self {
        Self { block: run.index, half: run.half, heads_off: run.heads_off, stream }
    }
}

/// Products of the Jacobian J at `(t_in, t_out)` with some probes.
#[derive(Clone, Debug)]
pub struct TangentProduct {
    pub t_in: usize,
    pub t_out: usize,
    /// Whether to multiply with the transposed Jacobian: rows w at `t_out` give J^T w at `t_in`. Else rows
    /// dx at `t_in` give J dx at `t_out`.
    pub transposed: bool,
    /// `[n, D]`
    pub probes: Vec<f32>,
}

/// A block at a point, ready to be multiplied with: its keys, values, softmax, norms and activations
/// are kept. Those of all positions are computed again where a question brings new positions.
pub trait Tangents {
    /// Asks for products. All probes of one direction go through each of the block's matrices as rows of
    /// one matrix product. Where `t_out` does not see `t_in` (a later token, or outside of a sliding
    /// window), the answer is zeros.
    ///
    /// # Errors
    /// A position past the sequence; the device failed.
    ///
    /// # Panics
    /// If probes are not whole rows of D, or what was asked before is still unanswered.
    fn ask(&mut self, products: Vec<TangentProduct>) -> Result<(), EngineError>;

    /// Returns the products that were asked for, `[n, D]` each, in that order; `None` while the device has
    /// not answered. Waits where the thread may block. Returns an empty list if nothing is unanswered.
    ///
    /// # Errors
    /// The device failed, or the derivatives are past f32.
    fn answer(&mut self) -> Result<Option<Vec<Vec<f32>>>, EngineError>;
}

impl dyn Tangents + '_ {
    /// Asks and waits, for callers with nothing else to do; not in a browser, where a GPU's answer would
    /// never come.
    ///
    /// # Errors
    /// As [`Tangents::ask`] and [`Tangents::answer`].
    ///
    /// # Panics
    /// As [`Tangents::ask`].
    pub fn products(
        &mut self,
        products: Vec<TangentProduct>,
    ) -> Result<Vec<Vec<f32>>, EngineError> {
        self.ask(products)?;
        loop {
            if let Some(answer) = self.answer()? {
                return Ok(answer);
            }
        }
    }
}

/// A pair of positions, of which `t_out` looks at `t_in`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) struct TokenPair {
    pub t_in: usize,
    pub t_out: usize,
}

impl TokenPair {
    /// One token: there the skip and its own query count too.
    pub fn is_own(self) -> bool {
        self.t_in == self.t_out
    }
}

/// Products of one direction, their probes as rows of one matrix: first those of pairs of one token.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct ProbeRows {
    /// For each row.
    pub pairs: Vec<TokenPair>,
    /// `[N, D]`
    pub numbers: Vec<f32>,
    /// Which of the products, and which of its rows.
    places: Vec<(usize, usize)>,
}

/// The probes of all products, sorted by direction, without those whose answer is zeros.
pub(in crate::engine) struct AskedProducts {
    /// D
    width: usize,
    /// Rows of each product.
    rows: Vec<usize>,
    pub forward: ProbeRows,
    pub transposed: ProbeRows,
}

impl AskedProducts {
    /// For a block with this window (or none) on `tokens` tokens.
    ///
    /// # Errors
    /// A position past the sequence.
    ///
    /// # Panics
    /// If probes are not whole rows.
    pub fn sort(
        products: &[TangentProduct],
        width: usize,
        tokens: usize,
        window: Option<usize>,
    ) -> Result<Self, EngineError> {
        let mut asked = Self {
            width,
            rows: Vec::with_capacity(products.len()),
            forward: ProbeRows::default(),
            transposed: ProbeRows::default(),
        };
        for product in products {
            let position = product.t_in.max(product.t_out);
            refuse_if!(position >= tokens, EngineError::Position { position, tokens });
            let rows = product.probes.len() / width.max(1);
            assert_eq!(product.probes.len(), rows * width, "whole rows of probes");
            asked.rows.push(rows);
        }
        for own in [true, false] {
            for (number, product) in products.iter().enumerate() {
                let &TangentProduct { t_in, t_out, .. } = product;
                let pair = TokenPair { t_in, t_out };
                let sees = t_in <= t_out && window.is_none_or(|window| t_out - t_in < window);
                if !sees || pair.is_own() != own {
                    continue;
                }
                let to = match product.transposed {
                    true => &mut asked.transposed,
                    false => &mut asked.forward,
                };
                let rows = asked.rows[number];
                to.numbers.extend_from_slice(&product.probes);
                to.pairs.extend(vec![pair; rows]);
                to.places.extend((0..rows).map(|row| (number, row)));
            }
        }
        Ok(asked)
    }

    /// The pairs of all rows: those of [`Self::forward`], then those of [`Self::transposed`].
    pub fn pairs(&self) -> impl Iterator<Item = TokenPair> {
        self.forward.pairs.iter().chain(&self.transposed.pairs).copied()
    }

    /// The probes of all rows, in that order. `[N, D]`
    pub fn probes(&self) -> Vec<f32> {
        [&self.forward.numbers[..], &self.transposed.numbers].concat()
    }

    /// The outputs in the order in which they were asked for, from those of [`Self::forward`] and
    /// [`Self::transposed`].
    pub fn outputs(&self, forward: &[f32], transposed: &[f32]) -> Vec<Vec<f32>> {
        let d = self.width;
        let mut outputs: Vec<Vec<f32>> = self.rows.iter().map(|n| vec![0.0; n * d]).collect();
        for (rows, numbers) in [(&self.forward, forward), (&self.transposed, transposed)] {
            let found = numbers.chunks_exact(d.max(1));
            for (&(product, row), found) in rows.places.iter().zip(found) {
                outputs[product][row * d..][..d].copy_from_slice(found);
            }
        }
        outputs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(t_in: usize, t_out: usize, transposed: bool, probes: &[f32]) -> TangentProduct {
        TangentProduct { t_in, t_out, transposed, probes: probes.to_vec() }
    }

    #[test]
    fn what_is_not_seen_is_zeros_and_the_rest_keeps_its_place() {
        let products = vec![
            product(1, 0, false, &[1.0, 2.0]),
            product(1, 2, true, &[3.0, 4.0, 5.0, 6.0]),
            product(0, 2, false, &[7.0, 8.0]),
            product(2, 2, false, &[9.0, 10.0]),
            product(0, 0, true, &[]),
            product(0, 0, true, &[11.0, 12.0]),
        ];
        let asked = AskedProducts::sort(&products, 2, 3, Some(2)).expect("positions");
        assert_eq!(asked.forward.numbers, [9.0, 10.0]);
        // One token's pairs are the first.
        assert_eq!(asked.transposed.numbers, [11.0, 12.0, 3.0, 4.0, 5.0, 6.0]);
        let own: Vec<bool> = asked.transposed.pairs.iter().map(|p| p.is_own()).collect();
        assert_eq!(own, [true, false, false]);
        let outputs = asked.outputs(&[-1.0, -2.0], &[-7.0, -8.0, -3.0, -4.0, -5.0, -6.0]);
        let expected: [&[f32]; 6] = [
            &[0.0, 0.0],
            &[-3.0, -4.0, -5.0, -6.0],
            &[0.0, 0.0],
            &[-1.0, -2.0],
            &[],
            &[-7.0, -8.0],
        ];
        assert_eq!(outputs, expected);
    }

    #[test]
    fn a_position_past_the_sequence_is_refused() {
        let asked = AskedProducts::sort(&[product(0, 3, false, &[1.0])], 1, 3, None);
        let sentence = asked.err().expect("a refusal").to_string();
        assert!(sentence.starts_with("there is no position 3"), "{sentence}");
    }
}
