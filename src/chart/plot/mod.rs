//! Small multiples: panels of curves, marks and bars that are drawn by ECharts on the page and as
//! SVG without a browser, from the same numbers.

mod axis;
mod option;
mod svg;

pub use axis::Axis;

/// Panels in rows, read left to right.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    pub panels: Vec<Panel>,
    /// What the marks and dashes mean, once for all panels.
    pub legend: Vec<Pen>,
    /// Panels side by side where there is room.
    pub columns: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Above its plot area: what it is of, with the unit.
    pub name: String,
    pub x: Axis,
    pub y: Axis,
    pub series: Vec<Series>,
}

/// How something is drawn, and what it is called.
#[derive(Clone, Debug, PartialEq)]
pub struct Pen {
    pub name: String,
    pub colour: &'static str,
    pub line: Line,
    pub mark: Mark,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    None,
    Thick,
    Solid,
    Dashed,
    Dotted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    None,
    Circle,
    Square,
    Diamond,
    Triangle,
    /// A short level stroke: what a value is to be held against.
    Level,
}

/// Marks that tell models apart.
pub const MARKS: [Mark; 4] = [Mark::Circle, Mark::Square, Mark::Diamond, Mark::Triangle];

#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    pub pen: Pen,
    pub points: Vec<Point>,
    /// From 0, or from where the series before it ends, to the values.
    pub bars: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The place on a category axis, counted from 0.
    pub x: f64,
    pub y: f64,
    /// What hovering says.
    pub name: String,
    /// A mark without its filling: not significant, not certain.
    pub hollow: bool,
}

impl Point {
    pub fn new(x: f64, y: f64, name: String) -> Self {
        Self {
            x,
            y,
            name,
            hollow: false,
        }
    }
}

impl Series {
    pub fn new(pen: Pen, points: Vec<Point>) -> Self {
        Self {
            pen,
            points,
            bars: false,
        }
    }
}

/// How much stands side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    pub columns: usize,
    /// Entries of the legend in one line at most, and about how many letters.
    pub entries: usize,
    pub letters: usize,
}

impl Room {
    /// At the width that figures have on a desk.
    pub const fn wide(columns: usize) -> Self {
        Self {
            columns,
            entries: 3,
            letters: usize::MAX,
        }
    }

    /// At that of a telephone.
    pub const NARROW: Self = Self {
        columns: 1,
        entries: 3,
        letters: 52,
    };
}

/// CSS pixels of a panel's plot area, and of what stands above and below it.
const HEIGHT: u32 = 150;
const ABOVE: u32 = 34;
const BELOW: u32 = 46;
/// One line of the legend.
const ENTRY: u32 = 20;

impl Plot {
    /// In CSS pixels, the legend's lines counted.
    pub fn height(&self, room: Room) -> u32 {
        let rows = self.panels.len().div_ceil(room.columns.max(1));
        self.top(room) + u32::try_from(rows).unwrap_or(1) * (ABOVE + HEIGHT + BELOW)
    }

    /// Room for the legend, line by line as it breaks.
    fn top(&self, room: Room) -> u32 {
        let (mut lines, mut entries, mut letters) = (0, 0, 0);
        for pen in &self.legend {
            // The mark and the gap are about as wide as these.
            let own = 8 + pen.name.chars().count();
            if lines == 0 || entries == room.entries || letters + own > room.letters {
                (lines, entries, letters) = (lines + 1, 0, 0);
            }
            entries += 1;
            letters += own;
        }
        8 + ENTRY * lines
    }
}
