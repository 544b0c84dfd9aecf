//! Words of a drawing where it is pointed at, and the choice that a click there makes.

use super::layout::{Area, Room};
use super::{Mark, MarkShape, Panel, Plot, Point, Series};
use crate::chart::Figure;

/// Pixels around a mark that answer for it.
const REACH: f64 = 12.0;

/// Words at a place of a drawing. Lengths are in CSS pixels of the drawing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pointed {
    /// Lines of text; may be empty.
    pub words: String,
    /// The plan that a click there offers.
    pub plan: Option<String>,
    /// Name of the choice that a click there makes.
    pub pick: Option<String>,
    /// Left, top, width and height of what the words are of: one mark, or the same place in every panel.
    pub boxes: Vec<[f64; 4]>,
    /// The column of the x-axis, counted from 0, where every panel answers together.
    pub column: Option<usize>,
}

impl Figure {
    /// Returns the words at a pixel, `[x, y]` in CSS pixels of the drawing that the figure's room is for.
    pub fn pointed(&self, pixel: [f64; 2]) -> Option<Pointed> {
        self.plot.pointed(self.room, pixel)
    }

    /// Returns the words of a column of the x-axis; `None` where every mark speaks for itself.
    pub fn pointed_column(&self, column: usize) -> Option<Pointed> {
        self.plot.pointed_column(column, self.room)
    }
}

impl Plot {
    fn pointed(&self, room: Room, [x, y]: [f64; 2]) -> Option<Pointed> {
        let layout = self.layout(room);
        let panels = self.panels.iter().zip(&layout.areas);
        let (panel, area) = panels.clone().find(|(_, area)| area.is_near([x, y], 0.0)).or_else(
            // Marks at the ends of an axis stand over its edge.
            || panels.clone().find(|(_, area)| area.is_near([x, y], REACH)),
        )?;
        if self.hover.is_some() {
            return self.pointed_column(panel.x.slot_at((x - area.left) / area.width)?, room);
        }
        panel
            .cell_at(area, [x, y])
            .or_else(|| panel.mark_near(area, [x, y]))
            .or_else(|| panel.bar_at(area, [x, y]))
    }

    fn pointed_column(&self, column: usize, room: Room) -> Option<Pointed> {
        let words = self.hover.as_ref()?.get(column)?.clone();
        let layout = self.layout(room);
        let slots = self.panels.iter().zip(&layout.areas).filter_map(|(panel, area)| {
            let slot = area.width / panel.x.names()?.len().max(1) as f64;
            Some([area.left + column as f64 * slot, area.top, slot, area.height])
        });
        let (pick, boxes) = (self.picks.get(column).cloned(), slots.collect());
        Some(Pointed { words, plan: None, pick, boxes, column: Some(column) })
    }
}

impl Panel {
    /// The cell of a map at a point.
    fn cell_at(&self, area: &Area, [x, y]: [f64; 2]) -> Option<Pointed> {
        if self.patches.is_empty() && self.voids.is_empty() {
            return None;
        }
        let column = self.x.slot_at((x - area.left) / area.width)?;
        let row = self.y.slot_at((area.top + area.height - y) / area.height)?;
        let (centre_x, centre_y) = area.pixel(self, column as f64, row as f64)?;
        let width = area.width / self.x.places();
        let height = area.height / self.y.places();
        let patch = self.patches.iter().find(|patch| [patch.x, patch.y] == [column, row]);
        let void = || self.voids.iter().find(|cell| [cell.x, cell.y] == [column, row]);
        let words = match patch {
            Some(patch) => patch.name.clone(),
            None => void()?.name.clone(),
        };
        Some(Pointed {
            words,
            plan: patch.and_then(|patch| patch.plan.clone()),
            pick: self.pick(column, row).map(str::to_owned),
            boxes: vec![[centre_x - 0.5 * width, centre_y - 0.5 * height, width, height]],
            column: None,
        })
    }

    /// The mark nearest to a point, of those within reach.
    fn mark_near(&self, area: &Area, [x, y]: [f64; 2]) -> Option<Pointed> {
        let has_marks =
            |series: &&Series| series.shape == MarkShape::Curve && (series.pen.mark != Mark::None);
        let points = self.series.iter().filter(has_marks).flat_map(|series| &series.points);
        let near = points.filter_map(|point| {
            let (mark_x, mark_y) = area.pixel(self, point.x, point.y)?;
            let distance = (mark_x - x).hypot(mark_y - y);
            (distance <= REACH).then_some((distance, point, [mark_x, mark_y]))
        });
        // Of marks at one place, the one drawn last lies above the others.
        let nearest = near.reduce(|best, next| if next.0 <= best.0 { next } else { best });
        let (_, point, [mark_x, mark_y]) = nearest?;
        Some(point.pointed([mark_x - 6.0, mark_y - 6.0, 12.0, 12.0]))
    }

    /// The bar at a point, or the first one close to it: bars may be thinner than a pixel.
    fn bar_at(&self, area: &Area, point: [f64; 2]) -> Option<Pointed> {
        [0.0, 3.0].into_iter().find_map(|reach| {
            let mut stacked = Vec::new();
            let mut series = self.series.iter().filter(|one| one.shape != MarkShape::Curve);
            series.find_map(|one| {
                let mut bars = self.bars(one, area, &mut stacked).into_iter();
                bars.find(|bar| bar.is_near(point, reach))
                    .map(|bar| bar.point.pointed(bar.outline()))
            })
        })
    }

    /// Places the bars of a series, each on what stands at its place already. `stacked` has the ends of the series
    /// before it, by their place.
    pub(super) fn bars<'a>(
        &self,
        series: &'a Series,
        area: &Area,
        stacked: &mut Vec<(f64, f64)>,
    ) -> Vec<Bar<'a>> {
        let width = series.shape.bar_width(area.width / self.x.places());
        let placed = series.points.iter().filter_map(|point| {
            let known = stacked.iter().position(|(x, _)| *x == point.x);
            let from = known.map_or(0.0, |i| stacked[i].1);
            let to = from + point.y;
            match known {
                Some(i) => stacked[i].1 = to,
                None => stacked.push((point.x, to)),
            }
            let (x, end) = area.pixel(self, point.x, to)?;
            let (_, start) = area.pixel(self, point.x, from)?;
            Some(Bar { point, left: x - 0.5 * width, width, start, end })
        });
        placed.collect()
    }
}

/// A bar of a series in CSS pixels: `start` is where it stands, `end` its far end.
pub(super) struct Bar<'a> {
    pub point: &'a Point,
    pub left: f64,
    pub width: f64,
    pub start: f64,
    pub end: f64,
}

impl Bar<'_> {
    /// Left, top, width and height.
    pub(super) fn outline(&self) -> [f64; 4] {
        [self.left, self.start.min(self.end), self.width, (self.end - self.start).abs()]
    }

    fn is_near(&self, [x, y]: [f64; 2], reach: f64) -> bool {
        let [left, top, width, height] = self.outline();
        (0.0..=width).contains(&(x - left)) && (-reach..=height + reach).contains(&(y - top))
    }
}

impl Point {
    fn pointed(&self, outline: [f64; 4]) -> Pointed {
        Pointed {
            words: self.name.clone(),
            plan: self.plan.clone(),
            pick: self.pick.clone(),
            boxes: vec![outline],
            column: None,
        }
    }
}

impl Area {
    fn is_near(&self, [x, y]: [f64; 2], reach: f64) -> bool {
        (self.left - reach..=self.right() + reach).contains(&x)
            && (self.top - reach..=self.top + self.height + reach).contains(&y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::plot::{Axis, Line, Patch, Pen, Ramp};

    const ROOM: Room = Room::wide(1);

    /// Points at values of the first panel's axes.
    fn point_at(plot: &Plot, x: f64, y: f64) -> Option<Pointed> {
        let area = plot.layout(ROOM).areas[0];
        let pixel = area.pixel(&plot.panels[0], x, y).expect("a place of the axes");
        plot.pointed(ROOM, pixel.into())
    }

    fn words(pointed: Option<Pointed>) -> String {
        pointed.map_or_else(String::new, |pointed| pointed.words)
    }

    fn pen(mark: Mark) -> Pen {
        Pen::new("a", "#000", Line::Solid, mark)
    }

    fn plot(x: Axis, series: Vec<Series>) -> Plot {
        Plot::new(vec![Panel::from_zero("y", x, series)], Vec::new(), 1)
    }

    #[test]
    fn the_nearest_mark_answers_and_the_line_between_marks_does_not() {
        let point = |x: f64, name: &str| Point::new(x, x, name.to_owned());
        let mut second = point(10.0, "second");
        second.plan = Some("drop:1".to_owned());
        let series = Series::new(pen(Mark::Circle), [point(0.0, "first"), second]);
        let plot = plot(Axis::whole("x", 0.0, 10.0), vec![series]);
        assert_eq!(words(point_at(&plot, 0.05, 0.05)), "first");
        assert_eq!(
            point_at(&plot, 10.0, 10.0).and_then(|pointed| pointed.plan).as_deref(),
            Some("drop:1")
        );
        assert_eq!(point_at(&plot, 5.0, 5.0), None);
    }

    #[test]
    fn a_bar_answers_where_it_stands_on_another_even_a_thin_one() {
        let names = Axis::category("", vec!["a".into(), "b".into()]);
        let bars = |name: &str, y: f64| {
            let point = Point::new(0.0, y, name.to_owned());
            Series::bars(MarkShape::Bars, pen(Mark::None), [point])
        };
        let series = vec![bars("below", 2.0), bars("thin", 0.02), bars("above", 3.0)];
        let mut plot = plot(names, series);
        plot.panels[0].y = Axis::from_zero("", [5.02]);
        assert_eq!(words(point_at(&plot, 0.0, 1.0)), "below");
        assert_eq!(words(point_at(&plot, 0.0, 2.01)), "thin");
        assert_eq!(words(point_at(&plot, 0.0, 4.0)), "above");
        assert_eq!(point_at(&plot, 1.0, 1.0), None);
    }

    #[test]
    fn a_cell_answers_with_its_choice() {
        let axis = || Axis::category("", vec!["a".into(), "b".into()]);
        let patches = vec![Patch::new([0, 1], 0.5, "above left".into())];
        let mut panel = Panel::map("", axis(), axis(), patches);
        panel.picks.insert([0, 1], "0,1".to_owned());
        let plot = Plot::map(panel, Ramp::above("", 0.0));
        let found = point_at(&plot, 0.0, 1.0).expect("a cell");
        assert_eq!((found.words.as_str(), found.pick.as_deref()), ("above left", Some("0,1")));
        assert_eq!(point_at(&plot, 1.0, 1.0), None);
    }

    #[test]
    fn a_column_answers_in_every_panel() {
        let axis = || Axis::category("", vec!["a".into(), "b".into()]);
        let panel = || Panel::from_zero("y", axis(), Vec::new());
        let mut plot = Plot::new(vec![panel(), panel()], Vec::new(), 1);
        plot.hover = Some(vec!["first".into(), "second".into()]);
        plot.picks = vec!["member:emb".into(), "member:0a".into()];
        let found = point_at(&plot, 1.0, 0.0).expect("a column");
        assert_eq!((found.words.as_str(), found.column), ("second", Some(1)));
        assert_eq!((found.pick.as_deref(), found.boxes.len()), (Some("member:0a"), 2));
    }
}
