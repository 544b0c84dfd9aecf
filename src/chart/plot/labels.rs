//! Labels beside the points they name, clear of bars, lines and marks.

use super::layout::{Area, run};
use super::{Line, Mark, MarkShape, Panel, Series};

/// A text that names a point of the plot area.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// The named point, in the axes' units.
    pub x: f64,
    pub y: f64,
    pub text: String,
    pub colour: &'static str,
}

/// A label and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PlacedLabel<'a> {
    pub label: &'a Label,
    /// The middle of the text, in CSS pixels.
    pub centre: [f64; 2],
}

/// Size of a label's text in CSS pixels.
pub(super) const LABEL_SIZE: f64 = 12.0;

/// Height of a label's box: what its letters reach.
const BOX_HEIGHT: f64 = 14.0;

/// Pixels left free between a label and anything drawn.
const CLEARANCE: f64 = 4.0;

/// Pixels by which a label may stand over the right edge of the plot area.
const OVERHANG: f64 = 12.0;

/// Pixels between the places that are tried.
const STEP: f64 = 4.0;

/// Pixels that a label rather goes than stand on a line of the grid.
const GRID_COST: f64 = 16.0;

/// Half the size of a mark, in CSS pixels.
const HALF_MARK: f64 = 4.5;

/// A rectangle in CSS pixels.
#[derive(Clone, Copy, Debug)]
struct Rect {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

/// A straight piece of a line in CSS pixels.
type LinePiece = [[f64; 2]; 2];

impl Panel {
    /// Places the labels in turn, each as near to its point as nothing lies under it; one without a free place is
    /// left out.
    pub(super) fn placed_labels(&self, area: &Area) -> Vec<PlacedLabel<'_>> {
        if self.labels.is_empty() {
            return Vec::new();
        }
        let (mut rects, pieces) = self.obstacles(area);
        let ticks = self.y.ticks().into_iter();
        let grid: Vec<f64> = ticks.map(|(place, _)| area.height_of(place)).collect();
        let mut placed = Vec::new();
        for label in &self.labels {
            let Some(point) = area.pixel(self, label.x, label.y) else { continue };
            let size = [run(label.text.chars().count(), LABEL_SIZE), BOX_HEIGHT];
            let is_free = |text: &Rect| {
                let text = text.grown(CLEARANCE);
                !rects.iter().any(|rect| rect.meets(&text))
                    && !pieces.iter().any(|piece| text.is_crossed_by(piece))
            };
            let free = boxes_by_distance(area, point.into(), size, &grid).into_iter().find(is_free);
            if let Some(text) = free {
                rects.push(text);
                placed.push(PlacedLabel { label, centre: text.centre() });
            }
        }
        placed
    }

    /// Everything drawn that a label keeps clear of: bars, marks and level lines, and pieces of lines.
    fn obstacles(&self, area: &Area) -> (Vec<Rect>, Vec<LinePiece>) {
        let (mut rects, mut pieces) = (Vec::new(), Vec::new());
        for level in &self.levels {
            if let Some(place) = self.y.place(level.value) {
                let y = area.height_of(place);
                rects.push(Rect { left: area.left, top: y, right: area.right(), bottom: y });
            }
        }
        for series in &self.series {
            if series.shape == MarkShape::Curve {
                self.obstacles_of_curve(series, area, &mut rects, &mut pieces);
            } else {
                let half = 0.5 * series.shape.bar_width(area.width / self.x.places());
                rects.extend(series.points.iter().filter_map(|point| {
                    let (x, end) = area.pixel(self, point.x, point.y)?;
                    let (_, start) = area.pixel(self, point.x, 0.0)?;
                    let (top, bottom) = (end.min(start), end.max(start));
                    Some(Rect { left: x - half, top, right: x + half, bottom })
                }));
            }
        }
        (rects, pieces)
    }

    fn obstacles_of_curve(
        &self,
        series: &Series,
        area: &Area,
        rects: &mut Vec<Rect>,
        pieces: &mut Vec<LinePiece>,
    ) {
        let points = series.points.iter().filter_map(|point| area.pixel(self, point.x, point.y));
        let points: Vec<[f64; 2]> = points.map(Into::into).collect();
        if series.pen.line != Line::None {
            pieces.extend(points.windows(2).map(|ends| [ends[0], ends[1]]));
        }
        if series.pen.mark != Mark::None {
            let mark = |[x, y]: [f64; 2]| Rect { left: x, top: y, right: x, bottom: y };
            rects.extend(points.into_iter().map(|point| mark(point).grown(HALF_MARK)));
        }
    }
}

/// Boxes of a size all over the plot area, those nearest to a point first; one on a line of the grid counts as
/// farther.
fn boxes_by_distance(
    area: &Area,
    point: [f64; 2],
    [width, height]: [f64; 2],
    grid: &[f64],
) -> Vec<Rect> {
    let lefts = starts(point[0], width, [area.left, area.right() + OVERHANG]);
    let tops = starts(point[1], height, [area.top, area.top + area.height]);
    let boxes = lefts.flat_map(|left| {
        tops.clone().map(move |top| Rect { left, top, right: left + width, bottom: top + height })
    });
    let cost = |text: &Rect| {
        let is_on_grid = grid.iter().any(|y| text.top < *y && *y < text.bottom);
        text.distance(point) + if is_on_grid { GRID_COST } else { 0.0 }
    };
    let mut boxes: Vec<(f64, Rect)> = boxes.map(|text| (cost(&text), text)).collect();
    boxes.sort_by(|a, b| a.0.total_cmp(&b.0));
    boxes.into_iter().map(|(_, text)| text).collect()
}

/// Where an extent of this length may start, a step apart, between two ends: one of them has `middle` in its middle.
fn starts(middle: f64, length: f64, [low, high]: [f64; 2]) -> impl Iterator<Item = f64> + Clone {
    let start = middle - 0.5 * length;
    let first = ((low - start) / STEP).ceil() as i32;
    let last = ((high - length - start) / STEP).floor() as i32;
    (first..=last).map(move |i| start + STEP * f64::from(i))
}

impl Rect {
    fn grown(self, by: f64) -> Self {
        Self {
            left: self.left - by,
            top: self.top - by,
            right: self.right + by,
            bottom: self.bottom + by,
        }
    }

    fn centre(&self) -> [f64; 2] {
        [0.5 * (self.left + self.right), 0.5 * (self.top + self.bottom)]
    }

    /// The distance from a point; of boxes as near, one whose middle is nearer counts as nearer.
    fn distance(&self, [x, y]: [f64; 2]) -> f64 {
        let beside = (self.left - x).max(x - self.right).max(0.0);
        let above = (self.top - y).max(y - self.bottom).max(0.0);
        let [middle_x, middle_y] = self.centre();
        beside.hypot(above) + 0.05 * (middle_x - x).hypot(middle_y - y)
    }

    fn meets(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    /// Whether a straight piece of a line has a point inside (Liang and Barsky's clipping).
    fn is_crossed_by(&self, [[x, y], [end_x, end_y]]: &LinePiece) -> bool {
        let (dx, dy) = (end_x - x, end_y - y);
        let sides = [
            (-dx, x - self.left),
            (dx, self.right - x),
            (-dy, y - self.top),
            (dy, self.bottom - y),
        ];
        let (mut enters, mut leaves) = (0.0_f64, 1.0_f64);
        for (towards, room) in sides {
            if towards == 0.0 {
                if room < 0.0 {
                    return false;
                }
            } else if towards < 0.0 {
                enters = enters.max(room / towards);
            } else {
                leaves = leaves.min(room / towards);
            }
        }
        enters <= leaves
    }
}

#[cfg(test)]
mod tests;
