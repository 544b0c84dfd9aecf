//! Where everything of a drawing lies.

use super::escape::wrapped;
use super::{Axis, Panel, Plot};
use crate::chart::number::short;

/// CSS pixels from the figure's left edge to the plot area of a figure with one column, the same in
/// every such figure.
const LEFT: u32 = 60;
/// CSS pixels from that plot area to the figure's right edge.
const RIGHT: u32 = 16;

/// How much stands side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    pub columns: usize,
    /// CSS pixels.
    pub width: u32,
}

impl Room {
    /// At the width that figures have on a desk.
    pub const fn wide(columns: usize) -> Self {
        Self { columns, width: 900 }
    }

    /// At that of a telephone.
    pub const NARROW: Self = Self { columns: 1, width: 358 };

    /// Columns need about 300 pixels each to be read.
    pub const fn of(width: u32) -> Self {
        let columns = if width < 600 { 1 } else { width as usize / 300 };
        Self { columns, width }
    }
}

/// One line of the legend, of the ramp.
pub(super) const ENTRY: u32 = 20;
/// A line of a panel's name.
pub(super) const NAME: u32 = 15;
/// Size of the texts of axes in CSS pixels.
pub(super) const TICK: f64 = 11.0;
/// Size of an x-axis' name in CSS pixels.
pub(super) const AXIS_NAME: f64 = 11.0;
/// A line of an x-axis' name.
pub(super) const AXIS_LINE: u32 = 13;
/// Below a panel that leaves its x-axis to the one below it.
const GAP: u32 = 14;

/// A plot area in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Area {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
}

/// How the texts of an x-axis are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Texts {
    Level,
    Slanted,
    Upright,
    /// Upright, and only every so many of them.
    Every(usize),
}

impl Texts {
    /// Degrees to the left.
    pub fn turn(self) -> u32 {
        match self {
            Self::Level => 0,
            Self::Slanted => 30,
            Self::Upright | Self::Every(_) => 90,
        }
    }

    /// Written is every so many.
    pub fn every(self) -> usize {
        match self {
            Self::Every(n) => n,
            _ => 1,
        }
    }
}

/// Width of a character at a font size, about: a sans runs a little over half of it.
pub(super) fn run(characters: usize, size: f64) -> f64 {
    0.56 * size * characters as f64
}

/// Breaks an x-axis' name into lines that end within the figure: each stands under the middle of a plot area so wide.
pub(super) fn axis_name(axis: &Axis, width: f64) -> Vec<String> {
    let room = width + 2.0 * f64::from(RIGHT);
    wrapped(axis.name(), (room / run(1, AXIS_NAME)) as usize)
}

/// Letters of a name on an axis at most.
pub(super) const LETTERS: usize = 22;

/// How an axis `width` pixels wide writes its texts of `size` pixels.
pub(super) fn texts(axis: &Axis, width: f64, size: f64) -> Texts {
    let Some(names) = axis.names() else {
        return Texts::Level;
    };
    let longest = longest(names);
    // Places without a name leave their room to the others.
    let named = names.iter().filter(|name| !name.is_empty()).count();
    let slot = width / named.max(1) as f64;
    if run(longest, size) + 5.0 <= slot {
        Texts::Level
    } else if slot < size + 1.0 {
        Texts::Every(((size + 1.0) / slot.max(1e-3)).ceil() as usize)
    } else if longest > 5 && slot > 24.0 {
        Texts::Slanted
    } else {
        Texts::Upright
    }
}

fn longest(names: &[String]) -> usize {
    let all = names.iter().map(|name| name.chars().count().min(LETTERS));
    all.max().unwrap_or(0)
}

/// Places and sizes of a plot's parts at a width.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PlotLayout {
    pub areas: Vec<Area>,
    /// The panels' names, broken into lines.
    pub names: Vec<Vec<String>>,
    /// Left ends and lines of the legend's entries.
    pub legend: Vec<(f64, u32)>,
    /// Top of the ramp, and its length: less where its name and the ends of its range leave less.
    pub ramp: [f64; 2],
    pub height: u32,
}

/// Space of a legend's entry before its name, and after it.
pub(super) const SAMPLE: f64 = 34.0;
const AFTER: f64 = 16.0;

impl Plot {
    pub(super) fn layout(&self, room: Room) -> PlotLayout {
        let columns = room.columns.clamp(1, self.columns.max(1));
        let width = f64::from(room.width.max(200));
        let column = width / columns as f64;
        let (legend, lines) = self.legend_places(width);
        let ramp = [4.0 + f64::from(ENTRY * lines), self.ramp_length(width)];
        let mut top = 8 + ENTRY * lines + if self.ramp.is_some() { ENTRY + 4 } else { 0 };
        let area_width = (column - f64::from(LEFT + RIGHT)).max(40.0);
        let (mut areas, mut names) = (Vec::new(), Vec::new());
        for row in self.panels.chunks(columns) {
            let own: Vec<Vec<String>> = row
                .iter()
                .map(|panel| wrapped(&panel.name, ((column - 14.0) / run(1, 12.0)) as usize))
                .collect();
            let name_lines = own.iter().map(Vec::len).max().unwrap_or(0);
            top += 8 + NAME * u32::try_from(name_lines).unwrap_or(1) + 8;
            let tallest = row.iter().map(|panel| panel.height).max().unwrap_or(0);
            for (i, panel) in row.iter().enumerate() {
                areas.push(Area {
                    left: i as f64 * column + f64::from(LEFT),
                    top: f64::from(top),
                    width: area_width,
                    height: f64::from(panel.height),
                });
            }
            names.extend(own);
            let below = row.iter().enumerate().map(|(i, panel)| {
                let last = areas.len() - row.len() + i + columns >= self.panels.len();
                self.below(panel, last, area_width)
            });
            top += tallest + below.max().unwrap_or(GAP);
        }
        PlotLayout { areas, names, legend, ramp, height: top }
    }

    fn ramp_length(&self, width: f64) -> f64 {
        let words = self
            .ramp
            .as_ref()
            .map_or(0.0, |ramp| run(ramp.before().chars().count() + short(ramp.high).len(), 12.0));
        (width - words - 36.0).clamp(30.0, 130.0)
    }

    /// In CSS pixels.
    pub fn height(&self, room: Room) -> u32 {
        self.layout(room).height
    }

    /// Does this panel, by its index, write the texts of its x-axis?
    pub(super) fn has_texts(&self, index: usize, columns: usize) -> bool {
        !self.shared || index + columns >= self.panels.len()
    }

    /// Room for the texts and the name of an x-axis.
    fn below(&self, panel: &Panel, last: bool, width: f64) -> u32 {
        if self.shared && !last {
            return GAP;
        }
        let lines = u32::try_from(axis_name(&panel.x, width).len()).unwrap_or(1);
        let name = if lines == 0 { 4 } else { 7 + AXIS_LINE * lines };
        self.texts_height(panel, width) + name + 8
    }

    /// Returns the height of the texts alone, in CSS pixels.
    pub(super) fn texts_height(&self, panel: &Panel, width: f64) -> u32 {
        let long = run(panel.x.names().map_or(0, longest), TICK);
        let texts = match texts(&panel.x, width, TICK) {
            Texts::Level => 16.0,
            Texts::Slanted => 14.0 + 0.5 * long,
            Texts::Upright | Texts::Every(_) => 10.0 + long,
        };
        texts.ceil() as u32
    }

    fn legend_places(&self, width: f64) -> (Vec<(f64, u32)>, u32) {
        let (mut places, mut x, mut line) = (Vec::new(), 0.0, 0);
        for pen in &self.legend {
            let own = SAMPLE + run(pen.name.chars().count(), 12.0) + AFTER;
            if x > 0.0 && x + own - AFTER > width {
                (x, line) = (0.0, line + 1);
            }
            places.push((x, line));
            x += own;
        }
        let lines = if places.is_empty() { 0 } else { line + 1 };
        (places, lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_of_an_axis_has_lines_within_the_figure() {
        let named = |name: &str| axis_name(&Axis::counts(name, 4), 282.0);
        assert_eq!(named("block"), ["block"]);
        let long = "one name of an axis that is longer than a telephone is wide";
        assert_eq!(named(long), ["one name of an axis that is longer than a", "telephone is wide"]);
        assert!(named("").is_empty());
    }

    #[test]
    fn texts_turn_before_they_are_left_out() {
        let names = |n: usize| Axis::category("", (0..n).map(|i| format!("{i}m")).collect());
        assert_eq!(texts(&names(10), 320.0, 10.0), Texts::Level);
        assert_eq!(texts(&names(25), 320.0, 10.0), Texts::Upright);
        assert_eq!(texts(&names(65), 320.0, 10.0), Texts::Every(3));
        assert_eq!(texts(&names(65), 820.0, 10.0), Texts::Upright);
        let sparse =
            (0..61).map(|i| if i % 10 == 1 { i.to_string() } else { String::new() }).collect();
        assert_eq!(texts(&Axis::category("", sparse), 280.0, 10.0), Texts::Level);
        let long = Axis::category("", vec!["scholar-12-shared".into(); 5]);
        assert_eq!(texts(&long, 400.0, 10.0), Texts::Slanted);
        assert_eq!(texts(&Axis::counts("n", 4), 100.0, 10.0), Texts::Level);
    }
}
