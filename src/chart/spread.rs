//! Bias and diversity of every stroke, attention and MLP apart.

use super::TableCell::{Number, Text};
use super::number::{percent, short};
use super::plot::{Line, Mark, MarkShape, Panel, Pen, Plot};
use super::strokes::{self, kind_name};
use super::{Column, FigureDraft, Table, Theme};
use crate::engine::{Member, MemberKind};
use crate::measure::decomposition::{ColumnNumbers, DecomposedColumns, Triples};
use crate::study::report::Lens;

const PLOT: u32 = 120;

pub(super) fn figure(lens: &Lens, column: Column, theme: &Theme) -> FigureDraft {
    let spread = Spread {
        members: &lens.members,
        column,
        columns: lens.decomposition.columns(),
        triples: lens.decomposition.triples(),
    };
    let mut draft = spread.draft(theme);
    strokes::link(&mut draft.plot, &lens.members);
    for (row, cell) in draft.table.rows.iter_mut().zip(strokes::cells(&lens.members)) {
        row[0] = cell;
    }
    draft
}

/// Every member's bias and diversity, of one prompt or on average.
pub(super) struct Spread<'a> {
    pub members: &'a [Member],
    pub column: Column,
    pub columns: DecomposedColumns<'a>,
    pub triples: Triples,
}

impl Spread<'_> {
    pub fn draft(&self, theme: &Theme) -> FigureDraft {
        let names = strokes::names(self.members);
        let bias = self.column.member_bias(&self.columns);
        let diversity = self.column.member_diversity(&self.columns);
        let hover = names.iter().zip(&bias).zip(diversity);
        let hover = hover.map(|((name, bias), diversity)| {
            format!("{name}\nbias {}\ndiversity {}", short(*bias), short(*diversity))
        });
        FigureDraft {
            key: "spread",
            title: self.title(),
            words: self.words(&names, &bias),
            table: self.table(&names, &bias, diversity),
            plot: Plot {
                shared: true,
                hover: Some(hover.collect()),
                ..Plot::new(
                    self.panels(theme, &bias, diversity).to_vec(),
                    strokes::kind_pens(self.members, theme),
                    1,
                )
            },
        }
    }

    /// Another unit may tell of another source, so the unit stands first.
    fn title(&self) -> String {
        let unit = match self.column {
            Column::Probability => Column::Probability.diversity_unit(),
            Column::Logit | Column::Paper => Column::Logit.diversity_unit(),
        };
        let ColumnNumbers { member_bias, member_diversity, .. } = self.column.spoken(&self.columns);
        format!("In {unit}, {}", source_of(self.members, member_bias, member_diversity))
    }

    fn panels(&self, theme: &Theme, bias: &[f64], diversity: &[f64]) -> [Panel; 2] {
        let (column, total) = (self.column, self.column.drawn(&self.triples));
        let pen = |name: &str, colour| Pen::new(name, colour, Line::None, Mark::None);
        let bias = strokes::panel(
            self.members,
            theme,
            format!("bias ({}), line: mean {}", column.error_unit(), short(total.bias)),
            bias,
            (pen("bias", theme.bias), MarkShape::PaleBars),
        );
        let diversity = strokes::panel(
            self.members,
            theme,
            format!(
                "diversity ({}), line: mean {}",
                column.diversity_unit(),
                short(total.diversity)
            ),
            diversity,
            (pen("diversity", theme.diversity), MarkShape::HollowBars),
        );
        [
            bias.tall(PLOT).level(total.bias, theme.ink, Line::Solid),
            diversity.tall(PLOT).level(total.diversity, theme.ink, Line::Dashed),
        ]
    }

    fn words(&self, names: &[String], bias: &[f64]) -> [String; 2] {
        // 1. Who makes the diversity; of logits the centred part, with what the offset has beside it.
        let diversity = &self.column.spoken(&self.columns).member_diversity;
        let [(kind, share), ..] = kinds_by_share(self.members, diversity);
        let most = extreme(diversity, |a, b| a > b);
        let centred = if self.column == Column::Probability { "" } else { "centred " };
        let (share, who, offset) = (percent(share), who(kind), self.offset_share());
        let (own, far) = (&names[most], short(diversity[most]));
        let first = format!(
            "{share} of the {centred}diversity comes from {who}. The own answer of {own} is farthest from the mean ({far}).{offset}"
        );

        // 2. Who is nearest to the target, and what the target is.
        let ends = [extreme(bias, |a, b| a < b), extreme(bias, |a, b| a > b)];
        let [(near, low), (far, high)] = ends.map(|i| (&names[i], short(bias[i])));
        let unit = if self.column == Column::Paper { " in the paper's × 100" } else { "" };
        let target = self.column.target();
        let second = format!(
            "{target} Alone, {near} is nearest to it (bias {low}) and {far} farthest (bias {high}){unit}."
        );
        [first, second]
    }

    /// Says how much of the whole logits' diversity is the offset's.
    fn offset_share(&self) -> String {
        let (offset, whole) = (self.triples.offset.diversity, self.triples.logit.diversity);
        if self.column == Column::Probability || whole <= 0.0 {
            return String::new();
        }
        format!(
            " The offset, which is common to all options, makes {} of the whole diversity, {}. It moves no probability.",
            percent(offset / whole),
            short(whole)
        )
    }

    fn table(&self, names: &[String], bias: &[f64], diversity: &[f64]) -> Table {
        let beside = self.column.members_beside();
        let mut headers = vec![
            "component".to_owned(),
            "kind".to_owned(),
            format!("bias ({})", self.column.error_unit()),
            format!("diversity ({})", self.column.diversity_unit()),
        ];
        headers.extend(beside.iter().map(|(name, _)| (*name).to_owned()));
        let row = |i: usize| {
            let kind = kind_name(self.members[i].kind).to_owned();
            let mut row = vec![Text(names[i].clone()), Text(kind)];
            row.extend([bias[i], diversity[i]].map(Number));
            row.extend(beside.iter().map(|(_, numbers)| Number(numbers(&self.columns)[i])));
            row
        };
        Table::new(headers, (0..names.len()).map(row))
    }
}

/// Which kind makes the diversity, and where in depth.
fn source_of(members: &[Member], bias: &[f64], diversity: &[f64]) -> String {
    let total: f64 = diversity.iter().sum();
    // A spread under a thousandth of the error is nothing to point at.
    if total <= 1e-3 * bias.iter().sum::<f64>() {
        return "the components hardly disagree".to_owned();
    }
    let [(kind, share), (second, _), ..] = kinds_by_share(members, diversity);
    // Under three fifths there is no one kind to point at.
    if share < 0.6 {
        return format!("diversity comes from {} and {}", who(kind), who(second));
    }
    if matches!(kind, MemberKind::Embedding | MemberKind::Bias) {
        return format!("most of the diversity is {}'s", who(kind));
    }
    match (leading_third(members, diversity, kind), kind) {
        (Some(third), MemberKind::Attention) => {
            format!("diversity comes from the {third} attention")
        }
        (Some(third), _) => format!("diversity comes from the {third} MLPs"),
        (None, _) => format!("diversity comes from {}, at every depth", who(kind)),
    }
}

/// The kinds with their shares of the sum, largest first.
fn kinds_by_share(members: &[Member], values: &[f64]) -> [(MemberKind, f64); 4] {
    let total: f64 = values.iter().sum();
    let share = |kind: MemberKind| {
        let own = members.iter().zip(values).filter(|(m, _)| m.kind == kind);
        let sum: f64 = own.map(|(_, v)| v).sum();
        if total > 0.0 { sum / total } else { 0.0 }
    };
    let kinds = [MemberKind::Embedding, MemberKind::Attention, MemberKind::Mlp, MemberKind::Bias];
    let mut shares = kinds.map(|kind| (kind, share(kind)));
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    shares
}

fn who(kind: MemberKind) -> &'static str {
    match kind {
        MemberKind::Embedding => "the embedding",
        MemberKind::Attention => "attention",
        MemberKind::Mlp => "the MLPs",
        MemberKind::Bias => "the read-out's bias",
    }
}

/// Which third of the depth holds at least half of a kind's sum, if one does and there are thirds.
fn leading_third(members: &[Member], values: &[f64], kind: MemberKind) -> Option<&'static str> {
    let own: Vec<f64> =
        members.iter().zip(values).filter(|(m, _)| m.kind == kind).map(|(_, v)| *v).collect();
    if own.len() < 3 {
        return None;
    }
    let total: f64 = own.iter().sum();
    let mut thirds = [0.0; 3];
    for (i, value) in own.iter().enumerate() {
        thirds[3 * i / own.len()] += value;
    }
    let best = (1..3).fold(0, |best, i| if thirds[i] > thirds[best] { i } else { best });
    (thirds[best] >= 0.5 * total).then(|| ["early", "middle", "late"][best])
}

fn extreme(values: &[f64], better: impl Fn(f64, f64) -> bool) -> usize {
    (1..values.len()).fold(0, |best, i| if better(values[i], values[best]) { i } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heading_names_the_unit_and_speaks_of_no_offset() {
        let kinds = [
            MemberKind::Embedding,
            MemberKind::Attention,
            MemberKind::Mlp,
            MemberKind::Attention,
            MemberKind::Mlp,
            MemberKind::Attention,
            MemberKind::Mlp,
        ];
        let members = kinds.map(|kind| Member { kind, block: None });
        let numbers = |diversity: [f64; 7]| ColumnNumbers {
            member_bias: vec![0.2; 7],
            member_diversity: diversity.to_vec(),
            ..ColumnNumbers::empty(7)
        };
        let probability = numbers([0.0, 0.1, 0.0, 0.0, 0.2, 0.0, 0.9]);
        let centred = numbers([0.0, 0.9, 0.1, 0.1, 0.1, 0.0, 0.1]);
        // What all options share: the whole logits tell of nothing else.
        let offset = numbers([0.0, 0.0, 9.0, 0.0, 0.0, 0.0, 0.0]);
        let columns = DecomposedColumns {
            probability: &probability,
            logit: &offset,
            centred: &centred,
            offset: &offset,
        };
        let heading = |column: Column| {
            let triples = Triples::default();
            Spread { members: &members, column, columns, triples }.title()
        };
        assert_eq!(
            heading(Column::Probability),
            "In squared shares, diversity comes from the late MLPs"
        );
        for column in [Column::Logit, Column::Paper] {
            assert_eq!(
                heading(column),
                "In squared centred logits, diversity comes from the early attention"
            );
        }
    }
}
