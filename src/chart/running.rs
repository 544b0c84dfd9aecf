//! MSE = bias - diversity over the first n components.

use super::TableCell::{Check, Count, Text};
use super::beyond::verdict;
use super::leads::Leaders;
use super::number::{percent, short};
use super::plot::{Axis, Band, Line, Mark, Note, Panel, Pen, Plot, Series, heights};
use super::strokes::{self, answered, option_name};
use super::{Column, FigureDraft, Identity, Table, Theme};
use crate::engine::{Member, member_names};
use crate::measure::decomposition::{Triple, uniform_mse};
use crate::measure::leads::{Lead, leads};
use crate::study::report::Lens;

const PLOT: u32 = 220;
/// The paper's column has two units, so two plot areas.
const PAPER_PLOT: u32 = 150;

pub(super) fn figure(lens: &Lens, column: Column, theme: &Theme) -> FigureDraft {
    let depths = column.by_depth(lens);
    let names = strokes::names(&lens.members);
    let leads = leads(&lens.member_logits);
    let leaders = leaders(lens, &leads, &names);
    let running = Running {
        members: &lens.members,
        column,
        depths: &depths,
        uniform: uniform_mse(lens.logits.len()),
    };
    let mut plot = running.plot(theme);
    strokes::link(&mut plot, &lens.members);
    if let (Some(i), Some(panel)) = (settled(lens), plot.panels.first_mut()) {
        panel.note = Some(Note {
            x: i as f64,
            y: depths[i].mse,
            text: format!("✓ {} leads from here", option_name(lens, lens.answer)),
            // MSE mostly falls, so there is room above it on its right and below it on its left.
            after: 3 * i < depths.len(),
        });
    }
    FigureDraft {
        key: "running",
        title: leaders.heading(),
        words: words(lens, column, &depths, leaders.list(&member_names(&lens.members))),
        plot,
        table: table(lens, &leads, column),
    }
}

/// The three numbers after every stroke, of one prompt or on average.
pub(super) struct Running<'a> {
    pub members: &'a [Member],
    pub column: Column,
    /// `[M]`
    pub depths: &'a [Triple],
    /// MSE of a uniform answer, `(K-1)/K²`.
    pub uniform: f64,
}

impl Running<'_> {
    pub fn plot(&self, theme: &Theme) -> Plot {
        let roles = theme.roles();
        let curves = [0, 1, 2].map(|i| self.curve(&roles[i], i));
        let mut legend = roles.to_vec();
        let mut panels = if self.column == Column::Paper {
            let level = 100.0 * self.uniform;
            let pen = Pen::new("uniform answer", theme.quiet, Line::Dotted, Mark::None);
            legend.push(pen.clone());
            self.two_units(curves, level, &pen)
        } else {
            vec![self.one_unit(theme, curves)]
        };
        for panel in &mut panels {
            panel.shaded = strokes::shaded(self.members);
        }
        let names = strokes::names(self.members);
        let hover = names.iter().zip(self.depths).map(|(name, t)| {
            let [mse, bias, diversity] = t.numbers().map(short);
            format!("up to {name}\nMSE {mse}\nbias {bias}\ndiversity {diversity}")
        });
        Plot { shared: true, hover: Some(hover.collect()), ..Plot::new(panels, legend, 1) }
    }

    /// Draws one of the three numbers, by its place among them.
    fn curve(&self, pen: &Pen, place: usize) -> Series {
        let values = self.depths.iter().map(|t| t.numbers()[place]);
        Series::along(pen, 0, values, |_, y| format!("{} {}", pen.name, short(y)))
    }

    /// The strip between MSE and bias is the diversity, tinted so that it can be seen.
    fn one_unit(&self, theme: &Theme, curves: [Series; 3]) -> Panel {
        let name = format!("over the first n components ({})", self.column.error_unit());
        let ends = self.depths.iter().map(|t| [t.mse, t.bias]).collect();
        Panel {
            band: Some(Band { ends, colour: theme.diversity }),
            ..Panel::from_zero(name, strokes::axis(self.members), curves.into()).tall(PLOT)
        }
    }

    /// MSE and bias × 100 beside the uniform value, diversity in its own unit below.
    fn two_units(
        &self,
        [mse, bias, diversity]: [Series; 3],
        uniform: f64,
        pen: &Pen,
    ) -> Vec<Panel> {
        let (x, errors) = (strokes::axis(self.members), vec![mse, bias]);
        let y = Axis::over("", heights(&errors).chain([uniform]));
        let name = format!("MSE and bias ({})", self.column.error_unit());
        let errors = Panel::new(name, x.clone(), y, errors);
        let name = format!("diversity ({})", self.column.diversity_unit());
        let diversity = Panel::from_zero(name, x, vec![diversity]);
        vec![
            errors.tall(PAPER_PLOT).level(uniform, pen.colour, pen.line),
            diversity.tall(PAPER_PLOT),
        ]
    }
}

/// The first stroke from which the running sum's answer is right to the end.
fn settled(lens: &Lens) -> Option<usize> {
    let depths = &lens.decomposition.by_depth;
    let wrong_at = depths.iter().rposition(|depth| !depth.correct);
    match wrong_at {
        None => Some(0),
        Some(last) if last + 1 < depths.len() => Some(last + 1),
        Some(_) => None,
    }
}

/// The options that lead the running sum.
fn leaders<'a>(lens: &Lens, leads: &[Lead], names: &'a [String]) -> Leaders<'a> {
    Leaders {
        scope: "Among the options",
        changes: leads.iter().map(|lead| (lead.from, option_name(lens, lead.option))).collect(),
        depths: names,
        last: Some("the last component"),
    }
}

/// `changes` lists those of the lead that the heading has no room for.
fn words(lens: &Lens, column: Column, depths: &[Triple], changes: Option<String>) -> [String; 2] {
    let last = depths[depths.len() - 1];
    let members = strokes::count(&lens.members);
    let Identity { mse, bias, diversity, holds, .. } = Identity::of(lens, column);
    let first = if holds {
        let of = if column == Column::Logit { ", in centred logits" } else { "" };
        let off = percent(if last.bias > 0.0 { last.diversity / last.bias } else { 0.0 });
        format!(
            "After all {members}{of}, MSE {mse} = bias {bias} − diversity {diversity}: disagreement takes {off} off the average component's error."
        )
    } else {
        let uniform = 100.0 * uniform_mse(lens.logits.len());
        let [from, uniform] = [(last.mse - uniform).abs(), uniform].map(short);
        format!(
            "The paper's MSE ends at {mse}, {from} from the {uniform} of a uniform answer, because its formula divides the logits by \
             the {members}."
        )
    };
    let end = format!(
        "With all components the sum answers {}, {}.",
        option_name(lens, answered(lens)),
        verdict(lens)
    );
    [first, std::iter::once(end).chain(changes).collect::<Vec<_>>().join(" ")]
}

fn table(lens: &Lens, leads: &[Lead], column: Column) -> Table {
    let leader =
        |i: usize| leads.iter().rev().find(|lead| lead.from <= i).map_or(0, |lead| lead.option);
    let depths = lens.decomposition.by_depth.iter().zip(strokes::cells(&lens.members));
    let rows = depths.enumerate().map(|(i, (depth, stroke))| {
        let answer = vec![Text(option_name(lens, leader(i))), Check(depth.correct)];
        (vec![Count(depth.members), stroke], &depth.triples, answer)
    });
    let headers: [&[&str]; 2] =
        [&["components", "last component"], &["leads the options", "right among the options"]];
    column.depth_table(headers, rows)
}
