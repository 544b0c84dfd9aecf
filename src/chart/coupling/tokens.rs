//! Between tokens: two steps at a time, over the prompt's real tokens.

use super::map::{less, ramp};
use super::names::{formula, mean, metric_word, of, reason, said, step_names, token};
use super::{FigureDraft, Table, TableCell, slips};
use crate::chart::number::{fixed, short};
use crate::chart::plot::{Axis, Panel, Patch, Plot, VoidCell, cut};
use crate::chart::{Figure, Theme};
use crate::measure::coupling::{ILL_POSED, chance};
use crate::study::coupling::{Coupling, CouplingMetric, StepPair};

const CELL: u32 = 24;
const TALLEST: u32 = 480;
/// More positions than this have no room for numbers.
const WRITTEN: usize = 9;
/// Letters of a token on an axis.
const LETTERS: usize = 10;

pub(super) fn figures(coupling: &Coupling, metric: CouplingMetric, theme: &Theme) -> Vec<Figure> {
    let Some(found) = &coupling.token_wise else {
        return Vec::new();
    };
    let map = |key, which, positions, pairs| TokenMapPicture {
        coupling,
        key,
        which,
        positions,
        pairs,
        k: found.k,
        metric,
        steps: step_names(&coupling.steps),
        chance: 1.0 - of(&chance(found.k), metric),
    };
    let maps = [
        found
            .same
            .as_ref()
            .map(|one| map("coupling-self", Ends::Same, &one.t[..], &one.pairs[..])),
        found.fixed_input.as_ref().map(|one| {
            map(
                "coupling-input",
                Ends::From(one.t_in),
                &one.t_out[..],
                &one.pairs[..],
            )
        }),
        found.fixed_output.as_ref().map(|one| {
            map(
                "coupling-output",
                Ends::To(one.t_out),
                &one.t_in[..],
                &one.pairs[..],
            )
        }),
    ];
    maps.iter().flatten().map(|map| map.figure(theme)).collect()
}

/// What a map's Jacobians lead from and to, as places in the prompt.
#[derive(Clone, Copy)]
enum Ends {
    /// From every token to itself.
    Same,
    From(usize),
    To(usize),
}

/// One kind of map.
struct TokenMapPicture<'a> {
    coupling: &'a Coupling,
    key: &'static str,
    which: Ends,
    positions: &'a [usize],
    pairs: &'a [StepPair],
    k: usize,
    metric: CouplingMetric,
    steps: Vec<String>,
    /// Coupling of unrelated bases.
    chance: f64,
}

impl TokenMapPicture<'_> {
    fn token(&self, t: usize) -> String {
        token(self.coupling.tokens.as_ref(), &self.coupling.token_ids, t)
    }

    fn step(&self, step: usize) -> &str {
        self.steps.get(step).map_or("?", String::as_str)
    }

    fn numbers(&self, pair: &StepPair) -> Vec<Vec<Option<f64>>> {
        less(match self.metric {
            CouplingMetric::OffDiagonal => &pair.map.off_diagonal,
            CouplingMetric::Singular => &pair.map.singular,
        })
    }

    fn why(&self, pair: &StepPair, row: usize, column: usize) -> String {
        let row = pair.map.why_row.get(row).copied().flatten();
        let column = pair.map.why_column.get(column).copied().flatten();
        reason(row.or(column), self.k)
    }

    /// `“bad” (7)`
    fn quoted(&self, t: usize) -> String {
        format!("“{}” ({t})", self.token(t))
    }

    /// Whose Jacobian: of a step, at a position of the map.
    fn jacobian(&self, step: usize, t: usize) -> String {
        let step = self.step(step);
        match self.which {
            Ends::Same => format!("step {step} at {}", self.quoted(t)),
            Ends::From(_) => format!("step {step} to {}", self.quoted(t)),
            Ends::To(_) => format!("step {step} from {}", self.quoted(t)),
        }
    }

    fn figure(&self, theme: &Theme) -> Figure {
        let mut rows = Vec::new();
        let panels: Vec<Panel> = self
            .pairs
            .iter()
            .map(|pair| self.panel(pair, &mut rows))
            .collect();
        let headers = [
            "Jacobian of",
            "in the basis of",
            "coupling",
            "mis-coupling",
            "chance",
            "note",
        ];
        FigureDraft {
            key: self.key,
            title: self.title(),
            words: self.words(),
            table: Table {
                headers: headers.map(str::to_owned).to_vec(),
                rows,
            },
            plot: Plot {
                ramp: Some(ramp(self.chance)),
                ..Plot::new(panels, Vec::new(), 2)
            },
        }
        .figure(theme)
    }

    fn panel(&self, pair: &StepPair, rows: &mut Vec<Vec<TableCell>>) -> Panel {
        let count = self.positions.len();
        let numbers = self.numbers(pair);
        let (mut patches, mut voids) = (Vec::new(), Vec::new());
        for (row, &t) in self.positions.iter().enumerate() {
            for (column, &other) in self.positions.iter().enumerate() {
                let (one, basis) = (
                    self.jacobian(pair.steps[0], t),
                    self.jacobian(pair.steps[1], other),
                );
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
                            x,
                            y,
                            value,
                            name,
                            text: (count <= WRITTEN).then(|| fixed(value, 2)),
                            framed: false,
                            plan: None,
                        });
                    }
                    None => {
                        note = format!("not defined: {}", self.why(pair, row, column));
                        name += &note;
                        voids.push(VoidCell {
                            x,
                            y,
                            name,
                            framed: false,
                        });
                    }
                }
                let number = |x: Option<f64>| {
                    x.map_or_else(|| TableCell::Text(String::new()), TableCell::Number)
                };
                rows.push(vec![
                    TableCell::Text(one),
                    TableCell::Text(basis),
                    number(value),
                    number(value.map(|x| 1.0 - x)),
                    TableCell::Number(self.chance),
                    TableCell::Text(note),
                ]);
            }
        }
        let names = || self.positions.iter().map(|&t| cut(&self.token(t), LETTERS));
        let of = |step: usize| match self.which {
            Ends::Same => format!("step {}, at token", self.step(step)),
            Ends::From(t) => format!("step {}, from “{}” to", self.step(step), self.token(t)),
            Ends::To(t) => format!("step {}, to “{}” from", self.step(step), self.token(t)),
        };
        let height = (CELL * count.max(4) as u32).min(TALLEST);
        Panel {
            patches,
            voids,
            ..Panel::new(
                format!(
                    "rows: {}; columns: step {}",
                    of(pair.steps[0]),
                    self.step(pair.steps[1])
                ),
                Axis::category(of(pair.steps[1]), names().collect()),
                Axis::category("", names().rev().collect()),
                Vec::new(),
            )
        }
        .tall(height)
    }

    /// Mean coupling of a pair of steps: over equal tokens, where the steps differ, and over others.
    fn means(&self, pair: &StepPair) -> [Option<f64>; 2] {
        let numbers = self.numbers(pair);
        let cells = numbers.iter().enumerate().flat_map(|(row, line)| {
            let cells = line.iter().enumerate();
            cells.filter_map(move |(column, x)| Some((row == column, (*x)?)))
        });
        let cells: Vec<(bool, f64)> = cells.collect();
        [true, false].map(|same| {
            // In its own basis everything is alike.
            let wanted =
                |cell: &&(bool, f64)| cell.0 == same && !(same && pair.steps[0] == pair.steps[1]);
            mean(cells.iter().filter(wanted).map(|(_, x)| *x))
        })
    }

    fn title(&self) -> String {
        let chance = short(self.chance);
        let pair = self
            .pairs
            .iter()
            .find(|pair| pair.steps[0] != pair.steps[1])
            .or(self.pairs.first());
        let Some(pair) = pair else {
            return "No two steps were compared between tokens".to_owned();
        };
        let (one, other) = (self.step(pair.steps[0]), self.step(pair.steps[1]));
        let [same, others] = self.means(pair);
        let between = if pair.steps[0] == pair.steps[1] {
            format!("step {one} and itself")
        } else {
            format!("steps {one} and {other}")
        };
        match (self.which, same, others) {
            (_, None, None) => format!("Between tokens, {between} have no coupling"),
            (Ends::Same, Some(same), Some(others)) => format!(
                "At one token {between} couple at {}, at different ones at {}; chance is {chance}",
                short(same),
                short(others)
            ),
            (Ends::Same, same, others) => format!(
                "Across tokens, the coupling of {between} is {}; chance is {chance}",
                said(others.or(same))
            ),
            (Ends::From(t), ..) => format!(
                "What “{}” sends to different tokens couples at {} between {between}; chance is {chance}",
                self.token(t),
                said(others.or(same))
            ),
            (Ends::To(t), ..) => format!(
                "What “{}” takes from different tokens couples at {} between {between}; chance is {chance}",
                self.token(t),
                said(others.or(same))
            ),
        }
    }

    fn words(&self) -> [String; 2] {
        let what = match self.which {
            Ends::Same => {
                "Every cell holds a step's Jacobian from a token to itself against another's."
                    .to_owned()
            }
            Ends::From(t) => format!(
                "Every cell holds what {} sends to one token against what it sends to another.",
                self.quoted(t)
            ),
            Ends::To(t) => format!(
                "Every cell holds what {} takes from one token against what it takes from another.",
                self.quoted(t)
            ),
        };
        let within = self
            .pairs
            .iter()
            .find(|pair| pair.steps[0] == pair.steps[1]);
        let within = within.and_then(|pair| Some((pair.steps[0], self.means(pair)[1]?)));
        let within = within.map_or_else(String::new, |(step, x)| {
            format!(
                " Within step {} different ones couple at {}.",
                self.step(step),
                short(x)
            )
        });
        let undefined = self.pairs.iter().map(|pair| {
            let numbers = self.numbers(pair);
            numbers.iter().flatten().filter(|x| x.is_none()).count()
        });
        let undefined = match undefined.sum::<usize>() {
            0 => String::new(),
            n => format!(" {n} cells are not defined, and crossed out."),
        };
        [
            format!(
                "{what} K = {}, by the metric of {}, {}.{within}{undefined}",
                self.k,
                metric_word(self.metric),
                formula(self.metric)
            ),
            slips::IDENTITY.to_owned(),
        ]
    }
}
