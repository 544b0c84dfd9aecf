//! Vote and need: what a part says directly, against what the answer loses without it.

use super::TableCell::{self, Number, Text};
use super::number::{counted, percent, short, signed};
use super::plot::{Axis, Line, Mark, Panel, Pen, Plot, Point, Series};
use super::votes::capital;
use super::{Figure, FigureDraft, Table, Theme};
use crate::engine::MemberKind;
use crate::measure::bits::{bits, mean_bits};
use crate::measure::interval::Mean;
use crate::study::need::{ComparedParts, LargestLoss, Need, NeedPart};

const PLOT: u32 = 300;

/// The loss without a part, in one measure.
struct NeedLoss {
    /// In a sentence.
    scale: &'static str,
    axis: &'static str,
    /// `None` where it is not known.
    value: fn(&NeedPart) -> Option<Mean>,
    largest: fn(&ComparedParts) -> Option<&LargestLoss>,
}

const LEAD: NeedLoss = NeedLoss {
    scale: "logits",
    axis: "loss when removed: what the logit difference loses, logits",
    value: |part| Some(part.loss),
    largest: |parts| parts.largest_loss.as_ref(),
};

const LOG_PROBABILITY: NeedLoss = NeedLoss {
    scale: "bits of surprise",
    axis: "loss when removed: surprise of the right answer added, over the whole vocabulary, bits",
    value: |part| part.lost.map(mean_bits),
    largest: |parts| parts.largest_lost.as_ref(),
};

/// The picture of one task.
pub fn need_figure(need: &Need, theme: &Theme) -> Option<Figure> {
    let panels = [LEAD, LOG_PROBABILITY].into_iter().filter_map(|loss| panel(need, &loss, theme));
    let panels: Vec<Panel> = panels.collect();
    let legend = panels.first()?.series.iter().map(|one| one.pen.clone()).collect();

    let first = need
        .first_word
        .map_or_else(String::new, |share| format!(", {} as its first word,", percent(share.mean)));
    // A head's point has no bar.
    let has_bar = |part: &NeedPart| part.head.is_none() && part.loss.has_interval();
    let bars = if need.parts.iter().any(has_bar) { "; bars are 95 % intervals" } else { "" };
    // Where heads alone were left out, theirs is the first sentence.
    let all = [(&LEAD, false), (&LOG_PROBABILITY, false), (&LEAD, true), (&LOG_PROBABILITY, true)];
    let mut titles = all.into_iter().filter_map(|(loss, is_head)| title(need, loss, is_head));
    let first_title = titles.next()?;
    let others: String = titles.map(|title| format!(" {title}.")).collect();
    let ranks =
        rank_correlations(need).map_or_else(String::new, |found| format!(" {}.", capital(&found)));
    let draft = FigureDraft {
        key: "need",
        title: first_title,
        words: [
            format!(
                "{} of “{}”, {} right among the options{first} as the model is{bars}.{others}",
                counted(need.rows, "row"),
                need.task,
                percent(need.accuracy.mean)
            ),
            format!(
                "A vote is what a component or a head adds directly. The loss when it is removed is what the rest cannot make up \
                 for. Neither is importance.{ranks}"
            ),
        ],
        table: table(need),
        plot: Plot::new(panels, legend, 1),
    };
    Some(draft.figure(theme))
}

/// Loss against vote; `None` where the loss is not known.
fn panel(need: &Need, loss: &NeedLoss, theme: &Theme) -> Option<Panel> {
    let value = loss.value;
    let votes = need.parts.iter().map(|part| part.vote.mean);
    let losses = need.parts.iter().filter_map(|part| Some((part, value(part)?)));
    let losses: Vec<f64> = losses
        .flat_map(|(part, loss)| match part.head {
            Some(_) => [loss.mean; 2],
            None => loss.interval().unwrap_or([loss.mean; 2]),
        })
        .collect();
    if losses.is_empty() {
        return None;
    }
    let panel = Panel::new(
        loss.axis,
        Axis::from_zero("net vote, logits", votes),
        Axis::from_zero("", losses),
        series(need, loss, theme),
    );
    Some(panel.tall(PLOT).level(0.0, theme.quiet, Line::Solid))
}

/// MLPs, attentions and single heads.
fn series(need: &Need, loss: &NeedLoss, theme: &Theme) -> Vec<Series> {
    let one = |name, kind, mark, is_head| {
        let pen = Pen::new(name, theme.of(kind), Line::None, mark);
        let pen = if is_head { pen.faint() } else { pen };
        let parts = need.parts.iter();
        let parts = parts.filter(|part| part.kind == kind && part.head.is_some() == is_head);
        Series::new(pen, parts.filter_map(|part| Some(point(part, (loss.value)(part)?))))
    };
    vec![
        one("MLP", MemberKind::Mlp, Mark::Square, false),
        one("attention", MemberKind::Attention, Mark::Circle, false),
        one("one head", MemberKind::Attention, Mark::Dot, true),
    ]
}

fn point(part: &NeedPart, loss: Mean) -> Point {
    let lost = part
        .lost
        .map_or_else(String::new, |lost| format!(", surprise {} bits", signed(bits(lost.mean))));
    let [vote, less] = [part.vote, part.loss].map(|mean| signed(mean.mean));
    let (name, right) = (name(part), percent(part.accuracy.mean));
    let text = format!(
        "{name}\nvote {vote}, loss {less} logits{lost}, right among the options without it {right}"
    );
    Point {
        interval: loss.interval().filter(|_| part.head.is_none()),
        plan: Some(part.plan.clone()),
        ..Point::new(part.vote.mean, loss.mean, text)
    }
}

fn table(need: &Need) -> Table {
    let lost = |part: &NeedPart| part.lost.map(mean_bits);
    Table::of(
        &need.parts,
        &[
            ("without", &|part| Text(name(part))),
            ("plan", &|part| TableCell::Plan(part.plan.clone())),
            ("net vote", &|part| Number(part.vote.mean)),
            ("loss", &|part| Number(part.loss.mean)),
            ("from", &|part| Number(part.loss.low)),
            ("to", &|part| Number(part.loss.high)),
            ("surprise added (bits)", &|part| TableCell::known(lost(part).map(|lost| lost.mean))),
            ("from", &|part| TableCell::known(lost(part).map(|lost| lost.low))),
            ("to", &|part| TableCell::known(lost(part).map(|lost| lost.high))),
            ("right among the options", &|part| Number(part.accuracy.mean)),
            ("right as the first word", &|part| {
                TableCell::known(part.first_word.map(|share| share.mean))
            }),
        ],
    )
}

/// Says which component or head costs most, where the rows tell it from every other; else which of them may be it.
/// `None` where no loss is known.
fn title(need: &Need, loss: &NeedLoss, is_head: bool) -> Option<String> {
    let NeedLoss { scale, value, largest, .. } = *loss;
    let (noun, compared) = match is_head {
        true => ("head", &need.heads),
        false => ("component", &need.components),
    };

    // 1. Is any of them needed?
    let parts = need.parts.iter().filter(|part| part.head.is_some() == is_head);
    let losses: Vec<Mean> = parts.filter_map(value).collect();
    if losses.is_empty() {
        return None;
    }
    if losses.iter().all(|loss| loss.low <= 0.0) {
        return Some(format!("In {scale}, no {noun} is surely needed"));
    }

    // 2. Which costs most?
    let known = |index: usize| {
        let part = need.parts.get(index)?;
        Some((part, value(part)?))
    };
    let LargestLoss { part, beside } = largest(compared)?;
    let (part, most) = known(*part)?;
    let (who, lost) = (name(part), short(most.mean));
    let rivals = beside.iter().filter_map(|&index| known(index));
    let rival = rivals.max_by(|(_, a), (_, b)| a.mean.total_cmp(&b.mean));
    Some(match rival {
        None => format!(
            "Of the {noun}s, removing {who} costs most: {lost} {scale}; its vote is {} logits",
            signed(part.vote.mean)
        ),
        Some((rival, loss)) => {
            let which = match beside.len() {
                1 => "which".to_owned(),
                several => format!("which of these and {} more", several - 1),
            };
            format!(
                "Removing {who} costs {lost} {scale}, {} {}: rows cannot tell {which} costs most",
                name(rival),
                short(loss.mean)
            )
        }
    })
}

/// Correlations of vote and loss, over components and over heads; `None` where neither is known.
pub fn rank_correlations(need: &Need) -> Option<String> {
    let over = [("components", &need.components), ("heads", &need.heads)];
    let known = over.into_iter().filter_map(|(noun, parts)| {
        Some(format!("{} over {noun}", short(parts.rank_correlation?)))
    });
    let known: Vec<String> = known.collect();
    (!known.is_empty())
        .then(|| format!("the rank correlation of vote and loss is {}", known.join(", ")))
}

/// `block 3's MLP`, `head 2 of block 3`.
pub fn name(part: &NeedPart) -> String {
    let again =
        if part.run == part.block { String::new() } else { format!(" (place {})", part.run) };
    let block = part.block;
    match (part.kind, part.head) {
        (_, Some(head)) => format!("head {head} of block {block}{again}"),
        (MemberKind::Mlp, None) => format!("block {block}'s MLP{again}"),
        (_, None) => format!("block {block}'s attention{again}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::LIGHT;

    fn around(mean: f64) -> Mean {
        Mean { mean, low: mean - 0.5, high: mean + 0.5 }
    }

    /// Returns the picture of MLPs whose absence loses so much, `beside` those that the rows cannot tell from the
    /// first.
    fn figure(losses: &[Mean], beside: &[usize], rows: usize) -> Figure {
        let part = |(block, loss): (usize, &Mean)| NeedPart {
            kind: MemberKind::Mlp,
            run: block,
            block,
            head: None,
            plan: format!("drop:{block}"),
            vote: around(0.25),
            loss: *loss,
            lost: None,
            accuracy: around(0.5),
            first_word: None,
        };
        let largest_loss = Some(LargestLoss { part: 0, beside: beside.to_vec() });
        let need = Need {
            task: "sum".into(),
            rows,
            resamples: 1000,
            seed: 0,
            accuracy: around(0.9),
            lead: around(12.0),
            log_probability: None,
            first_word: None,
            parts: losses.iter().enumerate().map(part).collect(),
            components: ComparedParts { largest_loss, ..ComparedParts::default() },
            heads: ComparedParts::default(),
        };
        need_figure(&need, &LIGHT).expect("parts")
    }

    /// Returns the heading of parts that lose so much, 0.5 logits to either side.
    fn heading(losses: &[f64], beside: &[usize]) -> String {
        let losses: Vec<Mean> = losses.iter().map(|loss| around(*loss)).collect();
        figure(&losses, beside, 12).title
    }

    #[test]
    fn a_part_costs_most_only_where_the_rows_tell_it_from_all_others() {
        // Their intervals overlap, and their difference, row by row, is sure.
        assert_eq!(
            heading(&[11.0, 10.5, 1.0], &[]),
            "Of the components, removing block 0's MLP costs most: 11.0 logits; its vote is +0.250 logits"
        );
        assert_eq!(
            heading(&[11.0, 10.5, 1.0], &[1]),
            "Removing block 0's MLP costs 11.0 logits, block 1's MLP 10.5: rows cannot tell which costs most"
        );
        assert_eq!(
            heading(&[11.0, 9.5, 10.5], &[1, 2]),
            "Removing block 0's MLP costs 11.0 logits, block 2's MLP 10.5: rows cannot tell which of these and 1 more costs most"
        );
        assert_eq!(heading(&[0.4, 0.1], &[1]), "In logits, no component is surely needed");
    }

    #[test]
    fn bars_are_named_where_an_interval_exists() {
        assert_eq!(
            figure(&[around(1.0)], &[], 12).words[0],
            "12 rows of “sum”, 90\u{a0}% right among the options as the model is; bars are 95\u{a0}% intervals."
        );
        assert_eq!(
            figure(&[Mean::without_interval(1.0)], &[], 1).words[0],
            "1 row of “sum”, 90\u{a0}% right among the options as the model is."
        );
    }
}
