//! MSE = bias - diversity over the first n strokes.

use super::number::{percent, short};
use super::plot::{Axis, Band, Line, Mark, Note, Panel, Pen, Plot, Point, Series};
use super::strokes::{self, answered, option_name};
use super::{Column, Figure, FigureDraft, Identity, Table, TableCell, Theme};
use crate::engine::Member;
use crate::measure::decomposition::{Depth, Triple, argmax, uniform_mse};
use crate::study::report::Lens;

const PLOT: u32 = 220;
/// The paper's column has two units, so two plot areas.
const PAPER_PLOT: u32 = 150;

pub(super) fn figure(lens: &Lens, column: Column, theme: &Theme) -> Figure {
    let depths = column.by_depth(lens);
    let names = strokes::names(&lens.members);
    let running = Running {
        members: &lens.members,
        column,
        depths: &depths,
        uniform: uniform_mse(lens.logits.len()),
    };
    let mut plot = running.plot(theme);
    if let (Some(i), Some(panel)) = (settled(lens), plot.panels.first_mut()) {
        panel.note = Some(Note {
            x: i as f64,
            y: depths[i].mse,
            text: "✓ right from here".to_owned(),
            // MSE mostly falls, so there is room above it on its right and below it on its left.
            after: 3 * i < depths.len(),
        });
    }
    FigureDraft {
        key: "running",
        title: title(lens, &names),
        words: words(lens, &names, column, &depths),
        plot,
        table: table(lens, column),
    }
    .figure(theme)
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

type TripleOf = fn(&Triple) -> f64;

impl Running<'_> {
    pub fn plot(&self, theme: &Theme) -> Plot {
        let of: [(Pen, TripleOf); 3] = [
            (Pen::new("MSE", theme.mse, Line::Thick, Mark::None), |t| t.mse),
            (Pen::new("bias", theme.bias, Line::Solid, Mark::None), |t| t.bias),
            (Pen::new("diversity", theme.diversity, Line::Dashed, Mark::None), |t| t.diversity),
        ];
        let mut legend: Vec<Pen> = of.iter().map(|(pen, _)| pen.clone()).collect();
        let curves = of.map(|(pen, of)| self.curve(pen, of));
        let panels = if self.column == Column::Paper {
            let level = 100.0 * self.uniform;
            let pen = Pen::new("uniform answer", theme.quiet, Line::Dotted, Mark::None);
            legend.push(pen.clone());
            self.two_units(curves, level, &pen)
        } else {
            vec![self.one_unit(theme, curves)]
        };
        let names = strokes::names(self.members);
        let hover = names.iter().zip(self.depths).map(|(name, t)| {
            format!(
                "up to {name}\nMSE {}\nbias {}\ndiversity {}",
                short(t.mse),
                short(t.bias),
                short(t.diversity)
            )
        });
        Plot { shared: true, hover: Some(hover.collect()), ..Plot::new(panels, legend, 1) }
    }

    fn curve(&self, pen: Pen, of: TripleOf) -> Series {
        let points = self.depths.iter().enumerate().map(|(i, t)| {
            let text = format!("{} {}", pen.name, short(of(t)));
            Point::new(i as f64, of(t), text)
        });
        let points = points.collect();
        Series::new(pen, points)
    }

    /// The strip between MSE and bias is the diversity, tinted so that it can be seen.
    fn one_unit(&self, theme: &Theme, curves: [Series; 3]) -> Panel {
        let values = self.depths.iter().flat_map(|t| [t.mse, t.bias, t.diversity]);
        let mut panel = Panel::new(
            format!("over the first n strokes ({})", self.column.error_unit()),
            strokes::axis(self.members),
            Axis::from_zero("", values),
            curves.into(),
        )
        .tall(PLOT);
        panel.band = Some(Band {
            ends: self.depths.iter().map(|t| [t.mse, t.bias]).collect(),
            colour: theme.diversity,
        });
        panel
    }

    /// MSE and bias × 100 beside the uniform value, diversity in its own unit below.
    fn two_units(
        &self,
        [mse, bias, diversity]: [Series; 3],
        uniform: f64,
        pen: &Pen,
    ) -> Vec<Panel> {
        let errors = self.depths.iter().flat_map(|t| [t.mse, t.bias]);
        let own = self.depths.iter().map(|t| t.diversity);
        let errors = Panel::new(
            format!("MSE and bias ({})", self.column.error_unit()),
            strokes::axis(self.members),
            Axis::over("", errors.chain([uniform])),
            vec![mse, bias],
        );
        let diversity = Panel::new(
            format!("diversity ({})", self.column.diversity_unit()),
            strokes::axis(self.members),
            Axis::from_zero("", own),
            vec![diversity],
        );
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

fn title(lens: &Lens, names: &[String]) -> String {
    let right = option_name(lens, lens.answer);
    match settled(lens) {
        Some(0) => format!("Among the options the sum says {right} from {} on", names[0]),
        Some(i) => format!("Among the options the sum says {right} for good from {} on", names[i]),
        None => {
            let correct: Vec<bool> =
                lens.decomposition.by_depth.iter().map(|depth| depth.correct).collect();
            let answer = option_name(lens, answered(lens));
            format!(
                "Among the options the sum {} and ends at {answer}",
                said(&right, &correct, names)
            )
        }
    }
}

/// When a sum that ends wrong says the right option: after which strokes, `[M]`, it does.
fn said(right: &str, correct: &[bool], names: &[String]) -> String {
    let first = correct.iter().position(|&is| is);
    let (Some(first), Some(last)) = (first, correct.iter().rposition(|&is| is)) else {
        return format!("never says {right}");
    };
    let count = correct.iter().filter(|&&is| is).count();
    if count <= last - first {
        format!(
            "says {right} now and then, after {count} of {} strokes and last after {},",
            correct.len(),
            names[last]
        )
    } else if count == 1 {
        format!("says {right} only after {}", names[first])
    } else if first == 0 {
        format!("says {right} up to {}", names[last])
    } else {
        format!("says {right} from {} to {}", names[first], names[last])
    }
}

/// Changes of the lead that are listed; of more only the last ones.
const LEADS: usize = 6;

/// Which option leads the running sum, and from which stroke on.
fn leads(lens: &Lens, names: &[String]) -> String {
    let leaders: Vec<usize> =
        lens.decomposition.by_depth.iter().map(|depth| argmax(&depth.logits)).collect();
    let changes: Vec<usize> =
        (1..leaders.len()).filter(|&i| leaders[i] != leaders[i - 1]).collect();
    let from = |i: usize| format!("{} from {} on", option_name(lens, leaders[i]), names[i]);
    if changes.len() < LEADS {
        let all = std::iter::once(0).chain(changes).map(from);
        return format!("Who leads the options: {}.", all.collect::<Vec<_>>().join(", "));
    }
    let last = changes[changes.len() - LEADS..].iter().map(|&i| from(i));
    format!(
        "The lead among the options changes {} times, last: {}.",
        changes.len(),
        last.collect::<Vec<_>>().join(", ")
    )
}

fn words(lens: &Lens, names: &[String], column: Column, depths: &[Triple]) -> [String; 2] {
    let last = depths[depths.len() - 1];
    let sum = Identity::of(lens, column);
    let first = if sum.holds {
        format!(
            "After all {}, MSE {} = bias {} − diversity {}: disagreement takes {} off the average stroke's error.",
            strokes::count(&lens.members),
            sum.mse,
            sum.bias,
            sum.diversity,
            percent(if last.bias > 0.0 { last.diversity / last.bias } else { 0.0 }),
        )
    } else {
        let uniform = 100.0 * uniform_mse(lens.logits.len());
        format!(
            "The paper's MSE ends at {}, {} from the {} of a uniform answer, because its formula divides the logits by \
             the {}.",
            sum.mse,
            short((last.mse - uniform).abs()),
            short(uniform),
            strokes::count(&lens.members),
        )
    };
    [first, leads(lens, names)]
}

fn table(lens: &Lens, column: Column) -> Table {
    let mut headers = vec!["strokes".to_owned(), "last stroke".to_owned()];
    headers.extend(column.depth_headers());
    headers.push("right so far".to_owned());
    let depths = lens.decomposition.by_depth.iter().zip(strokes::cells(&lens.members));
    let row = |(depth, stroke): (&Depth, TableCell)| {
        let mut row = vec![TableCell::Count(depth.members), stroke];
        row.extend(column.depth_cells(&depth.triples));
        row.push(TableCell::Check(depth.correct));
        row
    };
    Table { headers, rows: depths.map(row).collect() }
}

#[cfg(test)]
mod tests {
    use super::said;

    /// Whether the sentence is true of a sum that is right after these strokes, read word by word.
    fn is_true(sentence: &str, correct: &[bool]) -> bool {
        let stroke = |name: &str| -> usize { name[1..].parse().expect("a stroke's number") };
        let only = |first: usize, last: usize| {
            let wanted = (0..correct.len()).map(|i| first <= i && i <= last);
            wanted.eq(correct.iter().copied())
        };
        if sentence == "never says R" {
            return correct.iter().all(|is| !is);
        }
        let rest = sentence.strip_prefix("says R ").expect("a sentence about R");
        let words: Vec<&str> = rest.split(' ').collect();
        match words[..] {
            ["only", "after", at] => only(stroke(at), stroke(at)),
            ["up", "to", last] => stroke(last) > 0 && only(0, stroke(last)),
            ["from", first, "to", last] => only(stroke(first), stroke(last)),
            ["now", "and", "then,", "after", n, "of", m, "strokes", "and", "last", "after", at] => {
                let right: Vec<usize> = (0..correct.len()).filter(|&i| correct[i]).collect();
                let at = stroke(at.trim_end_matches(','));
                let is_in_pieces = right.windows(2).any(|two| two[1] > two[0] + 1);
                is_in_pieces
                    && right.last() == Some(&at)
                    && (n, m)
                        == (right.len().to_string().as_str(), correct.len().to_string().as_str())
            }
            _ => false,
        }
    }

    #[test]
    fn what_a_wrong_sum_said_is_true_of_every_sequence() {
        let names: Vec<String> = (0..9).map(|n| format!("s{n}")).collect();
        for length in 1..=9 {
            // Every order of right and wrong that ends wrong.
            for bits in 0..1_usize << (length - 1) {
                let correct: Vec<bool> = (0..length).map(|i| bits >> i & 1 == 1).collect();
                let sentence = said("R", &correct, &names);
                assert!(is_true(&sentence, &correct), "{sentence}: {correct:?}");
            }
        }
        // scholar-2 on row 18 of mood at level 5.
        let correct = [false, false, false, true, false];
        assert_eq!(said("R", &correct, &names), "says R only after s3");
        assert!(!is_true("says R up to s3", &correct));
    }
}
