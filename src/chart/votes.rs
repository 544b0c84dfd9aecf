//! Net votes: what every component adds to the right answer against the others, and their running sum.

use super::TableCell::Number;
use super::beyond::verdict;
use super::number::signed;
use super::plot::{Axis, Label, Line, Mark, MarkShape, Panel, Pen, Plot, Point, Series};
use super::strokes::{self, answered, option_name};
use super::{FigureDraft, Table, Theme};
use crate::engine::{Member, MemberKind};
use crate::study::report::Lens;

/// Height of the plot area in CSS pixels.
const PLOT: u32 = 176;

/// Free height above everything drawn, of the height of all that is drawn: a label has room there.
const HEADROOM: f64 = 0.16;

/// Steps of the upright axis, about.
const STEPS: f64 = 6.0;

/// Draws one run's votes; `named` is the component named at its bar, the largest where it is `None`.
pub(super) fn figure(lens: &Lens, named: Option<usize>, theme: &Theme) -> FigureDraft {
    let bars = VoteBars {
        members: &lens.members,
        votes: strokes::votes(lens),
        quantity: quantity(lens.logits.len()),
        groups: strokes::groups(lens),
    };
    let mut plot = bars.plot(named, theme);
    strokes::link(&mut plot, &lens.members);
    FigureDraft {
        key: "votes",
        title: bars.title(&option_name(lens, lens.answer)),
        words: words(lens, &bars),
        table: table(lens, &bars),
        plot,
    }
}

/// A vote per component, of one prompt or on average.
pub(super) struct VoteBars<'a> {
    pub members: &'a [Member],
    /// `[M]`
    pub votes: Vec<f64>,
    /// The quantity of a vote, as an axis names it.
    pub quantity: String,
    /// `[M]` the step of the plan in which a component's block ran beside others.
    pub groups: Vec<Option<usize>>,
}

impl VoteBars<'_> {
    /// Names the largest net vote and the sum of all; `right` is the right answer.
    pub fn title(&self, right: &str) -> String {
        let largest = largest(&self.votes);
        let Some(&vote) = self.votes.get(largest).filter(|vote| **vote != 0.0) else {
            return format!("No component has a net vote for or against {right}");
        };
        let who = capital(&strokes::names(self.members)[largest]);
        let side = if vote > 0.0 { "for" } else { "against" };
        let (count, [vote, sum]) = (self.votes.len(), [vote, self.sum()].map(signed));
        format!(
            "{who} has the largest net vote {side} {right}: {vote}; all {count} net votes add up to {sum}"
        )
    }

    /// Bars over the components as they ran, their running sum, and a bar over blocks that ran in parallel.
    pub fn plot(&self, named: Option<usize>, theme: &Theme) -> Plot {
        let names = strokes::names(self.members);
        let sums = self.sums();
        let y = self.axis(&sums);

        // 1. The bars of each kind; pale ones with a mark for what is of no block.
        let (in_blocks, others): (Vec<_>, Vec<_>) = strokes::kinds(strokes::has_bias(self.members))
            .partition(|kind| matches!(kind, MemberKind::Attention | MemberKind::Mlp));
        let of = |kind: &MemberKind, shape: MarkShape| {
            Series::bars(shape, strokes::kind_pen(*kind, theme), self.points_of(*kind, &names))
        };
        let mut series = Vec::new();
        series.extend(others.iter().map(|kind| of(kind, MarkShape::PaleBars)));
        series.extend(in_blocks.iter().map(|kind| match kind {
            MemberKind::Attention => of(kind, MarkShape::RoundBars),
            _ => of(kind, MarkShape::Bars),
        }));
        series.extend(others.iter().map(|kind| of(kind, MarkShape::Curve)));

        // 2. The running sum, and what ran in parallel.
        let mut legend = strokes::kind_pens(self.members, theme);
        let running = Pen::new("running sum", theme.ink, Line::Dotted, Mark::None);
        legend.push(running.clone());
        let along = names.iter().zip(&sums).enumerate();
        let along = along.map(|(i, (name, sum))| {
            Point::new(i as f64, *sum, format!("sum up to {name}\n{}", signed(*sum)))
        });
        series.push(Series::new(running, along));
        let beside = Pen::new("ran in parallel", theme.ink, Line::Thick, Mark::None);
        let groups = self.groups(&beside, &y);
        if !groups.is_empty() {
            legend.push(beside);
        }
        series.extend(groups);

        // 3. The named component and the sum of all, at their places.
        let x = strokes::axis(self.members);
        let panel = Panel {
            labels: self.labels(named, &names, &sums, theme),
            shaded: strokes::shaded(self.members),
            ..Panel::new(self.quantity.clone(), x, y, series).tall(PLOT)
        };
        let hover = names.iter().zip(&self.votes).zip(&sums).map(|((name, vote), sum)| {
            format!("{name}\n{}: {}\nsum so far: {}", self.quantity, signed(*vote), signed(*sum))
        });
        Plot {
            hover: Some(hover.collect()),
            ..Plot::new(vec![panel.level(0.0, theme.ink, Line::Solid)], legend, 1)
        }
    }

    fn points_of(&self, kind: MemberKind, names: &[String]) -> Vec<Point> {
        let all = self.members.iter().zip(&self.votes).zip(names).enumerate();
        all.filter(|(_, ((member, _), _))| member.kind == kind)
            .map(|(i, ((_, vote), name))| {
                Point::new(i as f64, *vote, format!("{name}\n{}", signed(*vote)))
            })
            .collect()
    }

    /// A line at the top over each step whose blocks ran in parallel.
    fn groups(&self, pen: &Pen, y: &Axis) -> Vec<Series> {
        let Axis::Linear { high, .. } = *y else { return Vec::new() };
        let mut series = Vec::new();
        let mut start = 0;
        for group in self.groups.chunk_by(|a, b| a == b) {
            if group[0].is_some() {
                let ends = [start, start + group.len() - 1];
                let ends = ends.map(|i| Point::new(i as f64, high, pen.name.clone()));
                series.push(Series::new(pen.clone(), ends));
            }
            start += group.len();
        }
        series
    }

    /// Holds votes and sums, with free room above them.
    fn axis(&self, sums: &[f64]) -> Axis {
        let all = || self.votes.iter().chain(sums).copied().filter(|value| value.is_finite());
        let (low, high) =
            all().fold((0.0_f64, 0.0_f64), |(low, high), x| (low.min(x), high.max(x)));
        Axis::in_steps("", all().chain([0.0, high + HEADROOM * (high - low)]), STEPS)
    }

    fn labels(
        &self,
        named: Option<usize>,
        names: &[String],
        sums: &[f64],
        theme: &Theme,
    ) -> Vec<Label> {
        let named = named.unwrap_or_else(|| largest(&self.votes));
        let (Some(vote), Some(sum)) = (self.votes.get(named), sums.last()) else {
            return Vec::new();
        };
        let component = |index: usize, vote: f64| Label {
            x: index as f64,
            y: vote,
            text: format!("{}: {}", names[index], signed(vote)),
            colour: theme.of(self.members[index].kind),
        };
        let all = Label {
            x: (sums.len() - 1) as f64,
            y: *sum,
            text: format!("all {}: {}", sums.len(), signed(*sum)),
            colour: theme.ink,
        };
        let embedding =
            |index: &usize| self.members[*index].kind == MemberKind::Embedding && *index != named;
        let embedding = (0..names.len()).find(embedding);
        let embedding = embedding.map(|index| component(index, self.votes[index]));
        [component(named, *vote), all].into_iter().chain(embedding).collect()
    }

    /// `[M]` the sum of the votes up to each component.
    fn sums(&self) -> Vec<f64> {
        let mut sum = 0.0;
        let add = |vote: &f64| {
            sum += vote;
            sum
        };
        self.votes.iter().map(add).collect()
    }

    fn sum(&self) -> f64 {
        self.votes.iter().sum()
    }
}

/// The quantity of a vote, as an axis names it.
pub(super) fn quantity(options: usize) -> String {
    match options {
        2 => "logit(right) − logit(other)",
        _ => "logit(right) − mean logit(others)",
    }
    .to_owned()
}

/// The part of a net vote that is taken off a component's vote for the right answer.
pub(super) fn other_votes(options: usize) -> &'static str {
    if options == 2 {
        "its vote for the other option"
    } else {
        "its mean vote for the other options"
    }
}

fn words(lens: &Lens, bars: &VoteBars<'_>) -> [String; 2] {
    let above = bars.votes.iter().filter(|vote| **vote > 0.0).count();
    let below = bars.votes.iter().filter(|vote| **vote < 0.0).count();
    let right = option_name(lens, lens.answer);
    let first = format!(
        "A net vote is a component's vote for {right} minus {}. Of {} net votes {above} are above 0, {below} below.",
        other_votes(lens.logits.len()),
        lens.members.len(),
    );
    let (sum, answer, verdict) =
        (signed(bars.sum()), option_name(lens, answered(lens)), verdict(lens));
    [first, format!("They add up to {sum}, and the model answers {answer}, {verdict}.")]
}

fn table(lens: &Lens, bars: &VoteBars<'_>) -> Table {
    let mut headers = vec![
        "component".to_owned(),
        format!("vote, {}", bars.quantity),
        "sum of votes so far".to_owned(),
    ];
    headers.extend((0..lens.logits.len()).map(|k| format!("logit of {}", option_name(lens, k))));
    let rows = strokes::cells(&lens.members)
        .into_iter()
        .zip(&bars.votes)
        .zip(bars.sums())
        .zip(&lens.member_logits)
        .map(|(((name, vote), sum), row)| {
            let mut cells = vec![name, Number(*vote), Number(sum)];
            cells.extend(row.iter().map(|&u| Number(f64::from(u))));
            cells
        });
    Table::new(headers, rows)
}

/// The component whose vote is farthest from 0, the first of equal ones.
pub fn largest(votes: &[f64]) -> usize {
    (1..votes.len()).fold(0, |best, i| if votes[i].abs() > votes[best].abs() { i } else { best })
}

/// First letter large, for the start of a sentence.
pub fn capital(text: &str) -> String {
    begun(text, |first| first.to_uppercase().collect())
}

/// First letter small, where a sentence goes on.
pub(super) fn uncapital(text: &str) -> String {
    begun(text, |first| first.to_lowercase().collect())
}

fn begun(text: &str, change: fn(char) -> String) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| change(first) + chars.as_str())
}
