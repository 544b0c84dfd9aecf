//! A figure in words, for snapshots.

use std::fmt::Write;

use atelier::chart::plot::{Axis, MarkShape};
use atelier::chart::{Figure, TableCell};

/// Sentences, panels and at most `rows` rows of the table.
pub fn words(figure: &Figure, rows: usize) -> String {
    let mut text = format!("## {}\n{}\n", figure.name, figure.title);
    for words in &figure.words {
        text += &format!("{words}\n");
    }
    for panel in &figure.plot.panels {
        let _ = writeln!(text, "panel {}: {} by {}", panel.name, axis(&panel.x), axis(&panel.y));
        for series in &panel.series {
            let drawn = match series.shape {
                MarkShape::Curve => "curve",
                _ => "bars",
            };
            let _ = writeln!(text, "  {drawn} {}: {}", series.pen.name, series.points.len());
        }
        if !panel.patches.is_empty() {
            let framed = panel.patches.iter().filter(|patch| patch.framed).count();
            let _ = writeln!(text, "  {} cells, {framed} framed", panel.patches.len());
        }
        for label in &panel.labels {
            let _ = writeln!(text, "  “{}” at {}", label.text, label.x);
        }
        if let Some(note) = &panel.note {
            let _ = writeln!(text, "  {} at {}", note.text, note.x);
        }
    }
    text += &format!("{}\n", figure.table.headers.join(" | "));
    for row in figure.table.rows.iter().take(rows) {
        let cells: Vec<String> = row.iter().map(TableCell::shown).collect();
        text += &format!("{}\n", cells.join(" | "));
    }
    text + "\n"
}

fn axis(axis: &Axis) -> String {
    match axis {
        Axis::Linear { name, low, high, .. } => format!("“{name}” {low} to {high}"),
        Axis::Log { name, low, high } => format!("“{name}” {low:e} to {high:e}, logarithmic"),
        Axis::Category { name, names } => format!("“{name}” {}", names.join(" ")),
    }
}
