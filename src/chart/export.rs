//! A figure as a file that stands alone: its sentence above, paper behind.

use serde_json::{Value, json};

use super::{Figure, LEFT, RIGHT, Theme};

/// Characters of a title or subtitle line in a drawing `width` pixels wide.
fn characters(width: u32, size: u32) -> usize {
    // A sans at `size` pixels runs a little over half of it a character.
    ((width - LEFT - RIGHT) as f64 / (0.52 * f64::from(size))) as usize
}

/// The option of a stand-alone drawing and its height: the figure's with title, source line and
/// background, and nothing that moves.
pub fn drawing(figure: &Figure, theme: &Theme, width: u32, source: &str) -> (Value, u32) {
    let title = wrap(&figure.title, characters(width, 17));
    let source = wrap(source, characters(width, 12));
    let lines = |text: &str| u32::try_from(text.lines().count()).unwrap_or(1);
    let top = 14 + 22 * lines(&title) + 17 * lines(&source) + 10;
    let mut option = figure.option.clone();
    option["animation"] = json!(false);
    option["backgroundColor"] = json!(theme.paper);
    let own = option["title"].take();
    let headline = json!({
        "text": title, "subtext": source, "left": LEFT - 52, "top": 10, "itemGap": 6, "padding": 0,
        "textStyle": { "color": theme.ink, "fontSize": 17, "lineHeight": 22 },
        "subtextStyle": { "color": theme.quiet, "fontSize": 12, "lineHeight": 17 },
    });
    // Panels of small multiples are named by titles of their own.
    option["title"] = match own {
        Value::Array(mut titles) => {
            for panel in &mut titles {
                if let Some(panel_top) = panel["top"].as_u64() {
                    panel["top"] = json!(panel_top + u64::from(top));
                }
            }
            titles.push(headline);
            Value::Array(titles)
        }
        _ => headline,
    };
    for part in ["legend", "visualMap"] {
        if let Some(part_top) = option[part]["top"].as_u64() {
            option[part]["top"] = json!(part_top + u64::from(top));
        }
    }
    if let Some(grids) = option["grid"].as_array_mut() {
        for grid in grids {
            if let Some(grid_top) = grid["top"].as_u64() {
                grid["top"] = json!(grid_top + u64::from(top));
            }
        }
    }
    (option, figure.height + top)
}

/// ECharts writes `font-family` into SVG text as the page computes it; a file opened elsewhere
/// falls back to these.
pub fn svg_fonts() -> &'static str {
    "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', sans-serif"
}

/// Breaks a text at spaces into lines of at most `limit` characters (a longer word stays whole).
pub(super) fn wrap(text: &str, limit: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= limit => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join("\n")
}
