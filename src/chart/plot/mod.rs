//! Pictures: panels of curves, marks, bars, bands and cells, drawn as SVG without a browser; and what each place of a
//! drawing says.

mod axis;
mod escape;
mod labels;
mod layout;
mod marks;
mod panel;
mod pointed;
mod ramp;
mod svg;

pub use axis::Axis;
pub(in crate::chart) use escape::cut;
pub use labels::Label;
pub use layout::Room;
pub use marks::{LINES, Line, MARKS, Mark, Pen};
pub use panel::{Band, Level, MarkShape, Note, Panel, Patch, Point, Series, VoidCell, heights};
pub use pointed::Pointed;
pub use ramp::Ramp;

/// Panels in rows, read left to right.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plot {
    pub panels: Vec<Panel>,
    /// Meaning of the marks and dashes, once for all panels.
    pub legend: Vec<Pen>,
    /// Panels side by side where there is room.
    pub columns: usize,
    /// One x-axis for all panels: its texts stand under the last one only.
    pub shared: bool,
    /// Meaning of the cells' colours.
    pub ramp: Option<Ramp>,
    /// Words shown at each place of the (category) x-axis, for all panels together. Without them, every mark shows
    /// its own name.
    pub hover: Option<Vec<String>>,
    /// Names of the choices along that axis, where its places may be chosen.
    pub picks: Vec<String>,
}

impl Plot {
    /// Each panel with an x-axis of its own.
    pub fn new(panels: Vec<Panel>, legend: Vec<Pen>, columns: usize) -> Self {
        Self { panels, legend, columns, ..Self::default() }
    }

    /// One map, with the meaning of its colours.
    pub fn map(panel: Panel, ramp: Ramp) -> Self {
        Self { ramp: Some(ramp), ..Self::new(vec![panel], Vec::new(), 1) }
    }
}
