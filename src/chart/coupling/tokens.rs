//! Between tokens: two steps at a time, over the prompt's real tokens.

use super::TableCell::{self, Number, Text};
use super::names::step_names;
use super::step_map::ramp;
use super::token_map::{Ends, TokenMapPicture};
use super::{FigureDraft, Table};
use crate::chart::number::{fixed, short};
use crate::chart::plot::{Axis, Panel, Patch, Plot, VoidCell, cut};
use crate::measure::coupling::{ILL_POSED, chance};
use crate::study::coupling::{Coupling, CouplingMetric, StepPair, TokenMap, TokenPositions};

const CELL: u32 = 24;
const TALLEST: u32 = 480;
/// More positions than this have no room for numbers.
const WRITTEN: usize = 9;
/// Letters of a token on an axis.
const LETTERS: usize = 10;

pub(super) fn figures(coupling: &Coupling, metric: CouplingMetric) -> Vec<FigureDraft> {
    let Some(found) = &coupling.token_wise else {
        return Vec::new();
    };
    let pictures = found.maps().map(|map| TokenMapPicture::new(coupling, map, found.k, metric));
    pictures.map(|picture| picture.figure()).collect()
}

impl<'a> TokenMapPicture<'a> {
    fn new(coupling: &'a Coupling, map: &'a TokenMap, k: usize, metric: CouplingMetric) -> Self {
        let (key, which, positions) = match &map.positions {
            TokenPositions::Same { t } => ("coupling-self", Ends::Same, t),
            TokenPositions::Input { t_in, t_out } => ("coupling-input", Ends::From(*t_in), t_out),
            TokenPositions::Output { t_out, t_in } => ("coupling-output", Ends::To(*t_out), t_in),
        };
        Self {
            coupling,
            key,
            which,
            positions,
            pairs: &map.pairs,
            k,
            metric,
            steps: step_names(&coupling.steps),
            chance: 1.0 - metric.of(chance(k)),
        }
    }
    fn figure(&self) -> FigureDraft {
        let mut rows = Vec::new();
        let panels: Vec<Panel> =
            self.pairs.iter().map(|pair| self.panel(pair, &mut rows)).collect();
        let headers =
            ["Jacobian of", "in the basis of", "coupling", "mis-coupling", "chance", "note"];
        FigureDraft {
            key: self.key,
            title: self.title(),
            words: self.words(),
            table: Table::new(headers, rows),
            plot: Plot { ramp: Some(ramp(self.chance)), ..Plot::new(panels, Vec::new(), 2) },
        }
    }

    fn panel(&self, pair: &StepPair, rows: &mut Vec<Vec<TableCell>>) -> Panel {
        let count = self.positions.len();
        let numbers = self.numbers(pair);
        let (mut patches, mut voids) = (Vec::new(), Vec::new());
        for (row, &t) in self.positions.iter().enumerate() {
            for (column, &other) in self.positions.iter().enumerate() {
                let (one, basis) =
                    (self.jacobian(pair.steps[0], t), self.jacobian(pair.steps[1], other));
                // The first is at the top.
                let (x, y) = (column, count - 1 - row);
                let value = numbers.get(row).and_then(|row| *row.get(column)?);
                let mut name = format!("{one} in the basis of {basis}\n");
                let mut note = String::new();
                match value.filter(|x| x.is_finite()) {
                    Some(value) => {
                        name +=
                            &format!("coupling {}, chance {}", short(value), short(self.chance));
                        let gap = pair.gap.get(column).copied().flatten();
                        if let Some(gap) = gap.filter(|gap| *gap < ILL_POSED) {
                            note = format!(
                                "ill-posed: two of the basis' singular values differ by a share of only {}",
                                short(gap)
                            );
                            name += &format!("\n{note}");
                        }
                        patches.push(Patch {
                            text: (count <= WRITTEN).then(|| fixed(value, 2)),
                            ..Patch::new([x, y], value, name)
                        });
                    }
                    None => {
                        note = format!("not defined: {}", self.why(pair, row, column));
                        name += &note;
                        voids.push(VoidCell { x, y, name, framed: false });
                    }
                }
                let numbers = [value, value.map(|x| 1.0 - x)].map(TableCell::known);
                let [coupling, mis] = numbers;
                let chance = Number(self.chance);
                rows.push(vec![Text(one), Text(basis), coupling, mis, chance, Text(note)]);
            }
        }
        let names = || self.positions.iter().map(|&t| cut(&self.token(t), LETTERS));
        let of = |step: usize| match self.which {
            Ends::Same => format!("step {}, at token", self.step(step)),
            Ends::From(t) => format!("step {}, from “{}” to", self.step(step), self.token(t)),
            Ends::To(t) => format!("step {}, to “{}” from", self.step(step), self.token(t)),
        };
        let height = (CELL * count.max(4) as u32).min(TALLEST);
        let name =
            format!("rows: {}; columns: step {}", of(pair.steps[0]), self.step(pair.steps[1]));
        let x = Axis::category(of(pair.steps[1]), names().collect());
        let y = Axis::category("", names().rev().collect());
        Panel { voids, ..Panel::map(name, x, y, patches) }.tall(height)
    }
}
