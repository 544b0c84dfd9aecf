//! A sweep as a table for people, and as CSV.

use super::table::{columns, mean_cells, number};
use crate::chart::number::{counted, percent_interval, percent_tenths, short};
use crate::chart::{Table, TableCell, unnamed_heads};
use crate::measure::bits::bits;
use crate::measure::interval::Mean;
use crate::study::orders::{Measures, Median, Orders, SweepPoint, Variant};
use crate::study::report::Report;
use crate::task::score::Score;

/// Everything a report says about orders: a table a task, and the medians over tasks.
pub fn text(report: &Report) -> String {
    let mut text = format!("{}, {}\n", report.model.name, report.engine);
    let mut points = report.orders.iter().flat_map(|orders| &orders.points);
    if let Some(sentence) = unnamed_heads(&report.model)
        && points.any(|point| point.head.is_some())
    {
        text += &format!("{sentence}\n");
    }
    for orders in &report.orders {
        text.push('\n');
        text += &sweep(orders);
    }
    if !report.medians.is_empty() {
        text.push('\n');
        text += &medians(&report.medians, report.orders.len());
    }
    text
}

fn sweep(orders: &Orders) -> String {
    let Orders { task, rows, rows_asked, block_runs, block_runs_alone, .. } = orders;
    let mut text = format!("{task}: {}", score(orders.score));
    text += &if rows == rows_asked {
        format!(", {}", counted(*rows, "row"))
    } else {
        format!(", {rows} of {rows_asked} rows, stopped")
    };
    if orders.chance > 0.0 {
        text += &format!(
            "; chance {}, majority class {}",
            percent_tenths(orders.chance),
            percent_tenths(orders.majority)
        );
    }
    text += &format!(
        "\nblock runs a row: {block_runs} of {block_runs_alone} ({} saved by running shared work once)\n\n",
        percent_tenths(1.0 - *block_runs as f64 / (*block_runs_alone).max(1) as f64)
    );
    let lines: Vec<(String, &Measures)> =
        std::iter::once(("original".to_string(), &orders.original.measures))
            .chain(orders.points.iter().map(|p| (label(p, orders), &p.measures)))
            .chain(own(orders).map(|v| (v.name.clone(), &v.measures)))
            .collect();
    text += &measures(orders, &lines);
    for geometry in &orders.geometry {
        let value = |x: Option<f64>| x.map_or("none".to_string(), |x| number(x, 3));
        text += &format!(
            "\n{}: line-shape score {}, expodistance {}, mean over {} rows (cosine map and trajectories: --json)\n",
            geometry.plan,
            value(geometry.line_shape_score),
            value(geometry.expodistance),
            geometry.prompts
        );
    }
    text
}

/// Variants that are no point of a sweep: the reader's own lines.
fn own(orders: &Orders) -> impl Iterator<Item = &Variant> {
    let in_points = |i: &usize| orders.points.iter().any(|p| p.variants.contains(i));
    let alone = (0..orders.variants.len()).filter(move |i| !in_points(i));
    alone.map(|i| &orders.variants[i])
}

fn label(point: &SweepPoint, orders: &Orders) -> String {
    match point.variants.as_slice() {
        [one] => orders.variants[*one].name.clone(),
        several => format!("{}:{} ({} seeds)", point.sweep, point.at, several.len()),
    }
}

fn score(score: Score) -> &'static str {
    match score {
        Score::Option => "the likeliest option",
        Score::Continuation => "the likeliest continuation",
        Score::LastWord => "the last word, greedily",
        Score::Generate => "the number in a text written greedily",
    }
}

fn measures(orders: &Orders, lines: &[(String, &Measures)]) -> String {
    let mut text = answers(orders, lines);
    text +=
        "\n95 % intervals of shares are Wilson's; those of changes and means stand in the report\n";
    if lines.iter().any(|(_, m)| m.kl.is_some()) {
        text += "of the whole vocabulary: first word, surprise of the right answer in bits per row, KL in bits";
        text += if orders.score == Score::LastWord {
            ", perplexity\n\n"
        } else {
            ", perplexity per token\n\n"
        };
    } else {
        text += "not known, since the device has no room for the whole vocabulary: first word, surprise, KL, perplexity\n\n";
    }
    text += &votes(lines);
    if orders.score != Score::Option {
        text += "\nmse, bias, diversity: the right answer's first token against the three others that the original finds likeliest\n";
    }
    text
}

/// How often each order is right, among the options and by itself, and how far it lies from the original.
fn answers(orders: &Orders, lines: &[(String, &Measures)]) -> String {
    let share = |share: Mean| percent_tenths(share.mean);
    // Of last words the score counts it.
    let is_first_word_shown = orders.score != Score::LastWord;
    let table = columns(lines)
        .words("order", |(name, _)| name.clone())
        .numbers(format!("{}\n95 % interval", orders.score.right()), |(_, m)| {
            percent_interval(&m.accuracy)
        })
        .numbers("change", |(_, m)| format!("{:+.1}", m.change.mean * 100.0))
        .known("right by\nbyte", |(_, m)| m.accuracy_per_byte, share)
        .known("first\nword", |(_, m)| m.first_word.filter(|_| is_first_word_shown), share)
        .known("surprise", |(_, m)| m.log_likelihood, |log| number(bits(-log.mean), 2));
    if lines.iter().all(|(_, m)| m.kl.is_none()) {
        return table.text();
    }
    table.scaled("KL", "-", |(_, m)| Some(bits(m.kl?.mean))).text()
}

/// Tabulates the votes under each order.
fn votes(lines: &[(String, &Measures)]) -> String {
    columns(lines)
        .words("order", |(name, _)| name.clone())
        .numbers("normalised", |(_, m)| m.normalised.map_or("-".into(), |n| number(n.mean, 2)))
        .scaled("margin", "", |(_, m)| Some(m.margin.mean))
        .known("perplexity", |(_, m)| m.perplexity, |perplexity| short(perplexity.mean))
        .scaled("mse", "", |(_, m)| Some(m.probability.mse.mean))
        .scaled("bias", "", |(_, m)| Some(m.probability.bias.mean))
        .scaled("diversity", "", |(_, m)| Some(m.probability.diversity.mean))
        .text()
}

fn medians(medians: &[Median], tasks: usize) -> String {
    let some = |x: Option<f64>, shown: fn(f64) -> String| x.map_or("-".into(), shown);
    let table = columns(medians)
        .words("order", |median| median_label(median))
        .numbers("right by the\ntask's score", |median| percent_tenths(median.accuracy))
        .numbers("normalised", |median| some(median.normalised, |n| number(n, 2)))
        .numbers("first word", |median| some(median.first_word, percent_tenths))
        .numbers("KL, bits", |median| some(median.kl, |kl| number(bits(kl), 4)));
    format!("medians over {tasks} tasks\n\n{}", table.text())
}

/// Names a point as plans spell it: `skip:3`, `loop:3:2`, `head:3:1`.
fn median_label(median: &Median) -> String {
    let Median { sweep, at, head, rounds, .. } = median;
    match (head, rounds) {
        (Some(head), _) => format!("head:{at}:{head}"),
        (None, Some(rounds)) => format!("{sweep}:{at}:{rounds}"),
        (None, None) => format!("{sweep}:{at}"),
    }
}

/// One line an order and task, every mean with the ends of its interval.
pub fn csv(report: &Report) -> String {
    let mut headers: Vec<String> = ["task", "order", "plan", "rows"].map(String::from).to_vec();
    let mut rows = Vec::new();
    for orders in &report.orders {
        for variant in std::iter::once(&orders.original).chain(&orders.variants) {
            let means = means(&variant.measures);
            if rows.is_empty() {
                for (name, _) in &means {
                    headers.extend(["", "_low", "_high"].map(|end| format!("{name}{end}")));
                }
            }
            let mut cells = vec![
                TableCell::Text(orders.task.clone()),
                TableCell::Text(variant.name.clone()),
                TableCell::Text(variant.plan.clone()),
                TableCell::Count(orders.rows),
            ];
            cells.extend(means.into_iter().flat_map(|(_, mean)| mean_cells(mean)));
            rows.push(cells);
        }
    }
    Table { headers, rows }.csv()
}

/// Every mean by its name in JSON.
fn means(m: &Measures) -> Vec<(&'static str, Option<Mean>)> {
    vec![
        ("accuracy", Some(m.accuracy)),
        ("normalised", m.normalised),
        ("change", Some(m.change)),
        ("margin", Some(m.margin)),
        ("kl", m.kl),
        ("first_word", m.first_word),
        ("probability_mse", Some(m.probability.mse)),
        ("probability_bias", Some(m.probability.bias)),
        ("probability_diversity", Some(m.probability.diversity)),
        ("logit_mse", Some(m.logit.mse)),
        ("logit_bias", Some(m.logit.bias)),
        ("logit_diversity", Some(m.logit.diversity)),
        ("centred_mse", Some(m.centred.mse)),
        ("centred_bias", Some(m.centred.bias)),
        ("centred_diversity", Some(m.centred.diversity)),
        ("offset_mse", Some(m.offset.mse)),
        ("offset_bias", Some(m.offset.bias)),
        ("offset_diversity", Some(m.offset.diversity)),
        ("paper_mse", Some(m.paper.mse)),
        ("paper_bias", Some(m.paper.bias)),
        ("paper_diversity", Some(m.paper.diversity)),
        ("log_likelihood", m.log_likelihood),
        ("accuracy_per_byte", m.accuracy_per_byte),
        ("perplexity", m.perplexity),
    ]
}
