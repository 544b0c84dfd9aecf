//! Weights as the forward product reads them, made once a step.

use std::ops::Range;

use super::super::isa::Isa;
use super::super::panel::{CacheLine, bytes, pack, places, room};

/// A matrix of weights [out, in] in panels, each \[in\]\[width\]: all as wide as the widest tile but the
/// last, which has the registers that are left.
pub struct TurnedWeights {
    isa: Isa,
    outs: usize,
    ins: usize,
    /// All written.
    lines: Vec<CacheLine>,
}

impl TurnedWeights {
    /// Makes weights `[outs, ins]` of zeros.
    pub fn new(outs: usize, ins: usize) -> Self {
        let isa = Isa::best();
        let numbers = outs.next_multiple_of(isa.lanes()) * ins;
        let mut lines = room(numbers * size_of::<f32>());
        places::<f32>(&mut lines).fill(std::mem::MaybeUninit::new(0.0));
        Self { isa, outs, ins, lines }
    }

    /// Takes the rows' present values: all of them, or the first; the rest stay 0.
    ///
    /// # Panics
    /// If `rows` are not whole rows, or more than there are.
    pub fn fill(&mut self, rows: &[f32]) {
        let (isa, ins) = (self.isa, self.ins);
        assert!(
            rows.len().is_multiple_of(ins.max(1)) && rows.len() <= self.outs * ins,
            "rows of the matrix"
        );
        let panels: Vec<_> = self.spans().collect();
        let mut left = places::<f32>(&mut self.lines);
        let mut rows = rows;
        for (columns, width) in panels {
            let panel;
            (panel, left) = left.split_at_mut(width * ins);
            let own;
            (own, rows) = rows.split_at(rows.len().min(columns.len() * ins));
            pack::<f32>(isa, width, bytes(own), ins, panel);
        }
    }

    /// Returns the instruction set that its panels are laid out for.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// out
    pub fn outs(&self) -> usize {
        self.outs
    }

    /// in
    pub fn ins(&self) -> usize {
        self.ins
    }

    /// The columns of each panel, its numbers, and how wide it is.
    pub fn panels(&self) -> impl Iterator<Item = (Range<usize>, &[f32], usize)> {
        // SAFETY: `new` wrote all of them.
        let numbers = unsafe {
            let count = size_of_val(&self.lines[..]) / size_of::<f32>();
            std::slice::from_raw_parts(self.lines.as_ptr().cast::<f32>(), count)
        };
        self.spans().map(move |(columns, width)| {
            let panel = &numbers[columns.start * self.ins..][..width * self.ins];
            (columns, panel, width)
        })
    }

    fn spans(&self) -> impl Iterator<Item = (Range<usize>, usize)> + use<> {
        let (outs, lanes) = (self.outs, self.isa.lanes());
        let most = self.isa.vectors() * lanes;
        (0..outs).step_by(most).map(move |first| {
            let columns = first..(first + most).min(outs);
            let width = columns.len().next_multiple_of(lanes);
            (columns, width)
        })
    }
}
