//! One plot area and what is drawn in it.

use std::collections::BTreeMap;

use super::{Axis, Label, Line, Pen};

/// A plot area, its axes, and what is drawn in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Above its plot area: the quantity drawn upwards, with its unit.
    pub name: String,
    pub x: Axis,
    pub y: Axis,
    pub series: Vec<Series>,
    /// Height of the plot area, in CSS pixels.
    pub height: u32,
    pub levels: Vec<Level>,
    pub band: Option<Band>,
    pub patches: Vec<Patch>,
    /// Cells of the same map that have no value.
    pub voids: Vec<VoidCell>,
    /// Name of the choice that each cell of the map makes, by the cell's places; only cells that may be chosen.
    pub picks: BTreeMap<[usize; 2], String>,
    pub note: Option<Note>,
    /// Texts that find their own places.
    pub labels: Vec<Label>,
    /// Whether each place of a category axis has a shade behind it; empty without shades.
    pub shaded: Vec<bool>,
}

impl Panel {
    /// 150 CSS pixels high, with nothing but these in it.
    pub fn new(name: impl Into<String>, x: Axis, y: Axis, series: Vec<Series>) -> Self {
        Self {
            name: name.into(),
            x,
            y,
            series,
            height: 150,
            levels: Vec::new(),
            band: None,
            patches: Vec::new(),
            voids: Vec::new(),
            picks: BTreeMap::new(),
            note: None,
            labels: Vec::new(),
            shaded: Vec::new(),
        }
    }

    /// With an upright axis in tidy steps over all points, their intervals, and 0.
    pub fn from_zero(name: impl Into<String>, x: Axis, series: Vec<Series>) -> Self {
        Self::new(name, x, Axis::from_zero("", heights(&series)), series)
    }

    /// A map: cells at the places of two category axes.
    pub fn map(name: impl Into<String>, x: Axis, y: Axis, patches: Vec<Patch>) -> Self {
        Self { patches, ..Self::new(name, x, y, Vec::new()) }
    }

    /// Makes the plot area this high, in CSS pixels.
    pub fn tall(mut self, height: u32) -> Self {
        self.height = height;
        self
    }

    /// Draws a level line across the plot area.
    pub fn level(mut self, value: f64, colour: &'static str, line: Line) -> Self {
        self.levels.push(Level { value, colour, line });
        self
    }

    /// Returns the name of the choice that the cell at these places makes, where it may be chosen.
    pub(super) fn pick(&self, x: usize, y: usize) -> Option<&str> {
        self.picks.get(&[x, y]).map(String::as_str)
    }
}

/// Points that belong together, drawn with one pen.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    pub pen: Pen,
    pub points: Vec<Point>,
    pub shape: MarkShape,
}

/// The shape that joins points to the axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkShape {
    /// Nothing: a curve, or marks alone.
    Curve,
    /// Bars from 0, or from where the series before it ends.
    Bars,
    /// Bars with a round end.
    RoundBars,
    /// Bars that let their marks stand out.
    PaleBars,
    /// Bars without a filling.
    HollowBars,
}

impl MarkShape {
    /// Width of a bar in CSS pixels, where a place of the axis has this much.
    pub(super) fn bar_width(self, slot: f64) -> f64 {
        match self {
            Self::PaleBars | Self::HollowBars => (0.38 * slot).min(14.0),
            Self::Bars | Self::RoundBars | Self::Curve => (0.6 * slot).min(44.0),
        }
    }
}

impl Series {
    /// A curve, or marks alone.
    pub fn new(pen: Pen, points: impl IntoIterator<Item = Point>) -> Self {
        Self::bars(MarkShape::Curve, pen, points)
    }

    /// A curve of values, one for each whole number from `first` on; `name` gives a point's words from both.
    pub fn along(
        pen: &Pen,
        first: usize,
        values: impl IntoIterator<Item = f64>,
        name: impl Fn(usize, f64) -> String,
    ) -> Self {
        let points = values.into_iter().zip(first..);
        Self::new(pen.clone(), points.map(|(y, n)| Point::new(n as f64, y, name(n, y))))
    }

    /// In this shape.
    pub fn bars(shape: MarkShape, pen: Pen, points: impl IntoIterator<Item = Point>) -> Self {
        Self { pen, points: points.into_iter().collect(), shape }
    }
}

/// The values of all points, and the ends of their intervals.
pub fn heights(series: &[Series]) -> impl Iterator<Item = f64> {
    let points = series.iter().flat_map(|series| &series.points);
    points.flat_map(|point| std::iter::once(point.y).chain(point.interval.into_iter().flatten()))
}

/// A place in a plot area, in the axes' units.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Point {
    /// The place on a category axis, counted from 0.
    pub x: f64,
    pub y: f64,
    /// Words shown under the pointer.
    pub name: String,
    /// A mark without its filling: not significant, not certain.
    pub hollow: bool,
    /// Drawn as an upright bar: the lower end and the upper one.
    pub interval: Option<[f64; 2]>,
    /// A plan that the reader may put in the lab.
    pub plan: Option<String>,
    /// Name of the choice that it makes, where it may be chosen.
    pub pick: Option<String>,
    /// Written beside it.
    pub label: Option<String>,
}

impl Point {
    /// With a filled mark and without an interval.
    pub fn new(x: f64, y: f64, name: String) -> Self {
        Self { x, y, name, ..Self::default() }
    }
}

/// A level line across the plot area; what it stands for is said in the panel's name or the legend.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    pub value: f64,
    pub colour: &'static str,
    pub line: Line,
}

/// The tinted strip between two curves over a category axis: `[lower, upper]` a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Band {
    pub ends: Vec<[f64; 2]>,
    pub colour: &'static str,
}

/// A cell of a heat map, at places of two category axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Patch {
    pub x: usize,
    pub y: usize,
    pub value: f64,
    /// Words shown under the pointer.
    pub name: String,
    /// Written on it.
    pub text: Option<String>,
    pub framed: bool,
    pub plan: Option<String>,
}

impl Patch {
    /// Without a text on it, and without a frame.
    pub fn new([x, y]: [usize; 2], value: f64, name: String) -> Self {
        Self { x, y, value, name, ..Self::default() }
    }
}

/// A cell of a heat map without a value.
#[derive(Clone, Debug, PartialEq)]
pub struct VoidCell {
    pub x: usize,
    pub y: usize,
    /// Which cell, and why it has none.
    pub name: String,
    pub framed: bool,
}

/// A place of a curve that is pointed at, in words.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    pub x: f64,
    pub y: f64,
    pub text: String,
    /// Above and to the right of it; else below and to the left.
    pub after: bool,
}
