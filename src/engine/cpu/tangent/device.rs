//! Rows of derivatives on this processor.

use std::convert::Infallible;

use atelier_kernels::activation::{activate, slopes};
use atelier_kernels::attention::tangent::TokenLook;
use rayon::prelude::*;

use super::each_row;
use super::sequence::PointSequence;
use crate::engine::branch::{LinearRole, NormRole};
use crate::engine::cpu::block::Threads;
use crate::engine::tangent::{PlacedPair, ProbeRange, TangentDevice};
use crate::model::weights::MatrixRole;

type Computed<T = Vec<f32>> = Result<T, Infallible>;

/// A sequence at its places, the probes that go through it, and their products.
pub struct CpuRows<'a> {
    pub sequence: &'a PointSequence<'a>,
    pub places: &'a [usize],
    pub pairs: Vec<PlacedPair>,
    /// `[all probes, D]`
    pub probes: Vec<f32>,
    /// `[all probes, D]`, zeros at first.
    pub products: Vec<f32>,
}

impl TangentDevice for CpuRows<'_> {
    type Rows = Vec<f32>;
    type Looks = Vec<TokenLook>;
    type Error = Infallible;

    fn inputs(&mut self, added: Option<&Vec<f32>>) -> Computed {
        let rows = self.places.iter().flat_map(|&t| self.sequence.stream(t));
        let mut rows: Vec<f32> = rows.copied().collect();
        if let Some(added) = added {
            add(&mut rows, added);
        }
        Ok(rows)
    }

    fn look(&mut self) -> Computed<(Vec<TokenLook>, Vec<f32>)> {
        let turned = self.sequence.turned();
        let look = |&t: &usize| {
            let mut look = turned.look(t);
            self.sequence.heads_off.iter().for_each(|head| look.switch_off(head));
            look
        };
        let looks: Vec<TokenLook> = self.places.par_iter().map(look).collect();
        let mixed = looks.iter().flat_map(|look| &look.mixed).copied().collect();
        Ok((looks, mixed))
    }

    fn norm(&mut self, norm: NormRole, x: &Vec<f32>) -> Computed {
        let (norm, d) = (self.sequence.block.norm(norm), self.sequence.block.width);
        let mut normed = vec![0.0; x.len()];
        each_row(&mut normed, d, |n, row| norm.run(&x[n * d..][..d], row));
        Ok(normed)
    }

    fn linear(&mut self, role: LinearRole, x: &Vec<f32>) -> Computed {
        let matrix = self.sequence.block.matrix(role.matrix);
        let mut y = vec![0.0; x.len() / matrix.ins() * matrix.outs()];
        self.sequence.block.times(role, x, &mut y, Threads::Together);
        Ok(y)
    }

    fn activate(&mut self, wide: &Vec<f32>) -> Computed {
        let mlp = &self.sequence.block.shape.mlp;
        let mut narrow = vec![0.0; wide.len() / mlp.up_rows() * mlp.width];
        activate(mlp.activation, mlp.is_gated, wide, mlp.width, &mut narrow);
        Ok(narrow)
    }

    fn slopes(&mut self, mut wide: Vec<f32>) -> Computed {
        let mlp = &self.sequence.block.shape.mlp;
        slopes(mlp.activation, mlp.is_gated, &mut wide, mlp.width);
        Ok(wide)
    }

    fn probes(&mut self, at: ProbeRange, count: usize, added: Option<&Vec<f32>>) -> Computed {
        let d = self.sequence.block.width;
        let mut rows = added.cloned().unwrap_or_else(|| vec![0.0; at.rows * d]);
        add(&mut rows, &self.probes[at.first * d..][..count * d]);
        Ok(rows)
    }

    fn norm_slope(
        &mut self,
        norm: NormRole,
        x: Option<&Vec<f32>>,
        at: ProbeRange,
        mut z: Vec<f32>,
    ) -> Computed {
        let (norm, d) = (self.sequence.block.norm(norm), self.sequence.block.width);
        let pairs = &self.pairs[at.first..];
        each_row(&mut z, d, |n, row| {
            let x = match x {
                Some(x) => &x[pairs[n].place * d..][..d],
                None => self.sequence.stream(pairs[n].pair.t_in),
            };
            if at.transposed { norm.pull(x, row) } else { norm.push(x, row) }
        });
        Ok(z)
    }

    fn times(&mut self, matrix: MatrixRole, at: ProbeRange, z: &Vec<f32>) -> Computed {
        let matrix = self.sequence.block.matrix(matrix);
        let (ins, outs) = (matrix.ins(), matrix.outs());
        if at.transposed {
            let mut back = vec![0.0; z.len() / outs * ins];
            matrix.multiply_transposed(z, &mut back);
            return Ok(back);
        }
        let mut moved = vec![0.0; z.len() / ins * outs];
        matrix.multiply_shared(z, &[], &mut moved);
        Ok(moved)
    }

    fn attention_slope(
        &mut self,
        at: ProbeRange,
        looks: &Vec<TokenLook>,
        mut z: Vec<f32>,
    ) -> Computed {
        let sequence = self.sequence;
        let widths = [sequence.block.heads.qkv_width(), sequence.queries()];
        let [from, to] = if at.transposed { [widths[1], widths[0]] } else { widths };
        let mut out = vec![0.0; at.rows * to];
        let rows = z.par_chunks_exact_mut(from).zip(out.par_chunks_exact_mut(to));
        let rows = rows.zip(&self.pairs[at.first..][..at.rows]);
        rows.for_each(|((z, out), &PlacedPair { pair, place })| {
            let (turned, look) = (sequence.turned(), &looks[place]);
            if at.transposed {
                turned.pull(look, pair.t_in, z, out);
                sequence.turn_slopes(pair.t_in, pair.is_own(), out, true);
            } else {
                sequence.turn_slopes(pair.t_in, pair.is_own(), z, false);
                turned.push(look, pair.t_in, z, out);
            }
        });
        Ok(out)
    }

    fn activation_slope(&mut self, at: ProbeRange, slopes: &Vec<f32>, z: Vec<f32>) -> Computed {
        let mlp = &self.sequence.block.shape.mlp;
        let (f, up) = (mlp.width, mlp.up_rows());
        let [from, to] = if at.transposed { [f, up] } else { [up, f] };
        let mut out = vec![0.0; at.rows * to];
        let rows = out.par_chunks_exact_mut(to).zip(z.par_chunks_exact(from));
        let rows = rows.zip(&self.pairs[at.first..][..at.rows]);
        rows.for_each(|((out, z), pair)| {
            // By the gate, and where there is one by up.
            for (part, slopes) in slopes[pair.place * up..][..up].chunks_exact(f).enumerate() {
                let (z, out) = match at.transposed {
                    true => (z, &mut out[part * f..][..f]),
                    false => (&z[part * f..][..f], &mut *out),
                };
                for ((out, z), slope) in out.iter_mut().zip(z).zip(slopes) {
                    *out += z * slope;
                }
            }
        });
        Ok(out)
    }

    fn answer(&mut self, at: ProbeRange, parts: [(Option<&Vec<f32>>, usize); 2]) -> Computed<()> {
        let d = self.sequence.block.width;
        let products = &mut self.products[at.first * d..][..at.rows * d];
        for (rows, count) in parts {
            rows.into_iter().for_each(|rows| add(products, &rows[..count * d]));
        }
        Ok(())
    }
}

/// `to += from`
fn add(to: &mut [f32], from: &[f32]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
}
