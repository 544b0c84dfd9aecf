//! How something is drawn: colour, line, mark.

/// How something is drawn, and what it is called.
#[derive(Clone, Debug, PartialEq)]
pub struct Pen {
    pub name: String,
    pub colour: &'static str,
    pub line: Line,
    pub mark: Mark,
    /// Half seen through: what others are to stand out from.
    pub faint: bool,
}

impl Pen {
    /// Not faint.
    pub fn new(name: impl Into<String>, colour: &'static str, line: Line, mark: Mark) -> Self {
        Self { name: name.into(), colour, line, mark, faint: false }
    }

    /// Makes the pen half transparent.
    pub fn faint(mut self) -> Self {
        self.faint = true;
        self
    }
}

/// How a curve is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    None,
    Thick,
    Solid,
    Dashed,
    Dotted,
    /// A dash and a dot in turn.
    DashDotted,
    LongDashed,
}

impl Line {
    /// In CSS pixels.
    pub(super) fn width(self) -> f64 {
        match self {
            Self::None => 0.0,
            Self::Thick => 3.0,
            Self::Solid | Self::Dashed | Self::Dotted | Self::DashDotted | Self::LongDashed => 1.5,
        }
    }
}

/// The mark at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    None,
    Circle,
    Square,
    Diamond,
    Triangle,
    /// A triangle on its tip.
    Nabla,
    Ring,
    /// A small circle, on curves of many points.
    Dot,
    /// A short level stroke: what a value is to be held against.
    Level,
}

/// Marks that tell apart what has no role. Their number has no divisor in common with that of the pens' colours.
pub const MARKS: [Mark; 5] =
    [Mark::Circle, Mark::Square, Mark::Diamond, Mark::Triangle, Mark::Nabla];

/// Lines that tell apart what has no role, one a mark.
pub const LINES: [Line; 5] =
    [Line::Solid, Line::Dashed, Line::Dotted, Line::DashDotted, Line::LongDashed];
