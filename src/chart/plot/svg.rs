//! Panels as SVG text.

use std::fmt::Write;

use super::escape::{cut, escaped, wrapped};
use super::labels::LABEL_SIZE;
use super::layout::{
    AXIS_LINE, AXIS_NAME, Area, ENTRY, LETTERS, NAME, Room, SAMPLE, TICK, axis_name, run, texts,
};
use super::pointed::Bar;
use super::{Line, Mark, MarkShape, Panel, Pen, Plot, Point, Series};
use crate::chart::number::short;
use crate::chart::{Figure, Theme};

/// Fonts that stand in for the page's in a file that is opened elsewhere.
const FONTS: &str = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', sans-serif";
const MARGIN: f64 = 20.0;
/// A drawing that stands alone is laid out for so much less width and enlarged: its smallest text has 14 CSS pixels.
const ENLARGED: f64 = 1.4;
/// CSS pixels that a drawing is laid out for at least.
const NARROWEST: f64 = 240.0;
/// More cells than this are not named one by one: the table has them.
const NAMED: usize = 2000;
/// Where a text stands: its middle at its place, or its end.
const MIDDLE: &str = " text-anchor=\"middle\"";
const END: &str = " text-anchor=\"end\"";
/// Opacity of the ink that shades places of an axis.
const SHADE: f64 = 0.05;

impl Figure {
    /// A drawing that stands alone, paper behind it: the sentence and the words above, under them
    /// `source`, one line that says what it is of.
    pub fn svg(&self, width: u32, source: &str) -> String {
        let full = f64::from(width).max(NARROWEST);
        let laid_out = (full / ENLARGED).max(NARROWEST);
        let inner = laid_out - 2.0 * MARGIN;
        let letters = |size: f64| (inner / run(1, size)) as usize;
        let heads = [
            (wrapped(&self.title, letters(15.0)), 15.0, 20.0, self.theme.ink),
            (wrapped(&self.words.join(" "), letters(12.0)), 12.0, 16.0, self.theme.ink),
            (wrapped(source, letters(11.0)), 11.0, 16.0, self.theme.quiet),
        ];
        let mut to = Drawing::new(&self.theme, true);
        let mut y = 12.0;
        for (lines, size, step, colour) in heads {
            for line in lines {
                y += step;
                to.text([MARGIN, y], &line, size, colour, "");
            }
            y += 4.0;
        }
        let room = Room::of(inner as u32);
        let body = self.plot.drawn(&self.theme, room, true);
        let height = y + 8.0 + f64::from(self.plot.height(room)) + 12.0;
        to.add(&format!("<g transform=\"translate({MARGIN} {:.1})\">\n{body}</g>", y + 8.0));
        let behind =
            format!("<rect width=\"100%\" height=\"100%\" fill=\"{}\"/>\n", self.theme.paper);
        self.document([laid_out, height], full / laid_out, &(behind + &to.text))
    }

    /// The drawing alone, for a page that says the rest itself, and what is pointed at ([`Figure::pointed`]); nothing
    /// behind it.
    pub fn drawing(&self, width: u32) -> String {
        let room = Room::of(width);
        let body = self.plot.drawn(&self.theme, room, false);
        self.document([f64::from(width), f64::from(self.plot.height(room))], 1.0, &body)
    }

    /// `enlarged`: the drawing's size over the size that it is laid out for.
    fn document(&self, [width, height]: [f64; 2], enlarged: f64, body: &str) -> String {
        let [width, height] = [width, height].map(|length| (10.0 * length).round() / 10.0);
        let [wide, high] = [width, height].map(|length| (enlarged * length).round());
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{wide}\" height=\"{high}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"{FONTS}\" role=\"img\" aria-label=\"{}\">\n{body}</svg>",
            escaped(&self.summary())
        )
    }
}

impl Plot {
    /// `is_named`: its marks show their words under the pointer.
    fn drawn(&self, theme: &Theme, room: Room, is_named: bool) -> String {
        let mut to = Drawing::new(theme, is_named);
        let layout = self.layout(room);
        for (pen, (x, line)) in self.legend.iter().zip(&layout.legend) {
            let y = f64::from(ENTRY) * (f64::from(*line) + 0.5);
            to.line(pen, &[(*x, y), (x + 26.0, y)]);
            to.mark(pen, x + 13.0, y, &Point::default());
            to.text([x + SAMPLE, y + 4.0], &pen.name, 12.0, theme.ink, "");
        }
        self.scale(&mut to, layout.ramp);
        let columns = room.columns.clamp(1, self.columns.max(1));
        for (i, (panel, area)) in self.panels.iter().zip(&layout.areas).enumerate() {
            let lines = &layout.names[i];
            let first = area.top - 10.0 - f64::from(NAME) * (lines.len().max(1) - 1) as f64;
            for (n, line) in lines.iter().enumerate() {
                let y = first + f64::from(NAME) * n as f64;
                to.text([area.left - 52.0, y], line, 12.0, theme.ink, "");
            }
            self.panel(&mut to, panel, area, self.has_texts(i, columns));
        }
        to.text
    }

    /// The ramp with the ends of its range.
    fn scale(&self, to: &mut Drawing<'_>, [top, length]: [f64; 2]) {
        let Some(ramp) = &self.ramp else { return };
        let left = ramp.before();
        let start = 8.0 + run(left.chars().count(), 12.0) + 6.0;
        to.text([8.0, top + 13.0], &left, 12.0, to.theme.ink, "");
        // Steps of the colours' own, joined by linear gradients, would need ids; fine steps do not.
        for (i, colour) in ramp.samples(65).enumerate() {
            let share = i as f64 / 64.0;
            let x = start + share * length;
            to.add(&format!(
                "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"2.6\" height=\"10\" fill=\"{colour}\"/>",
                top + 4.0
            ));
        }
        // Where the colours begin, if that is within the range and not at its lower end.
        let from = (ramp.from - ramp.low) / (ramp.high - ramp.low);
        if from > 0.0 && from <= 1.0 {
            let (x, y) = (start + length * from, top + 1.0);
            to.hair(&format!("M{x:.1} {y:.1}v16"), to.theme.ink);
        }
        let end = [start + length + 10.0, top + 13.0];
        to.text(end, &short(ramp.high), 12.0, to.theme.ink, "");
    }

    fn panel(&self, to: &mut Drawing<'_>, panel: &Panel, area: &Area, with_texts: bool) {
        to.shades(panel, area);
        to.upright_axis(panel, area);
        to.patches(self, panel, area);
        to.level_axis(panel, area, with_texts);
        if with_texts {
            let mut below =
                area.top + area.height + f64::from(self.texts_height(panel, area.width)) + 14.0;
            for line in axis_name(&panel.x, area.width) {
                let middle = [area.left + area.width / 2.0, below];
                to.text(middle, &line, AXIS_NAME, to.theme.ink, MIDDLE);
                below += f64::from(AXIS_LINE);
            }
        }
        to.band(panel, area);
        let mut stacked: Vec<(f64, f64)> = Vec::new();
        for series in &panel.series {
            to.add("<g class=\"series\">");
            if series.shape == MarkShape::Curve {
                to.curve(series, panel, area);
            } else {
                to.bars(series, panel.bars(series, area, &mut stacked));
            }
            to.add("</g>");
        }
        for level in &panel.levels {
            if let Some(place) = panel.y.place(level.value) {
                let y = area.height_of(place);
                let pen = Pen::new("", level.colour, level.line, Mark::None);
                to.stroke(&pen, 1.0, &[(area.left, y), (area.right(), y)]);
            }
        }
        to.note(panel, area);
        to.labels(panel, area);
        if to.is_named
            && let (Some(hover), Some(names)) = (&self.hover, panel.x.names())
        {
            let slot = area.width / names.len().max(1) as f64;
            for (i, text) in hover.iter().take(names.len()).enumerate() {
                let sides = [area.left + i as f64 * slot, area.top, slot, area.height];
                to.rect(sides, "fill=\"#000\" fill-opacity=\"0\"", text);
            }
        }
    }
}

impl Area {
    pub(super) fn right(&self) -> f64 {
        self.left + self.width
    }

    /// Returns where a place of the upright axis lies, 0 to 1, in pixels from the top.
    pub(super) fn height_of(&self, place: f64) -> f64 {
        self.top + self.height * (1.0 - place)
    }

    pub(super) fn pixel(&self, panel: &Panel, x: f64, y: f64) -> Option<(f64, f64)> {
        let x = self.left + self.width * panel.x.place(x)?;
        Some((x, self.height_of(panel.y.place(y)?)))
    }
}

struct Drawing<'a> {
    theme: &'a Theme,
    /// Its marks show their words under the pointer.
    is_named: bool,
    text: String,
}

impl<'a> Drawing<'a> {
    fn new(theme: &'a Theme, is_named: bool) -> Self {
        Self { theme, is_named, text: String::new() }
    }

    fn add(&mut self, element: &str) {
        self.text.push_str(element);
        self.text.push('\n');
    }

    /// Writes a text in a size and a colour; `more` has its other attributes.
    fn text(&mut self, [x, y]: [f64; 2], text: &str, size: f64, colour: &str, more: &str) {
        self.add(&format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" fill=\"{colour}\"{more}>{}</text>",
            escaped(text)
        ));
    }

    /// Draws a rectangle in a style, by its left, top, width and height; `name` is shown under the pointer.
    fn rect(&mut self, [left, top, width, height]: [f64; 4], style: &str, name: &str) {
        let title = self.titled(name, "rect");
        self.add(&format!(
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" {style}{title}"
        ));
    }

    /// Draws a path as a thin line.
    fn hair(&mut self, path: &str, colour: &str) {
        self.add(&format!("<path d=\"{path}\" stroke=\"{colour}\" fill=\"none\"/>"));
    }

    /// Tints the shaded places of the x-axis, neighbours in one piece.
    fn shades(&mut self, panel: &Panel, area: &Area) {
        let slot = area.width / panel.x.places();
        let style = format!("fill=\"{}\" fill-opacity=\"{SHADE}\"", self.theme.ink);
        let mut start = 0;
        for places in panel.shaded.chunk_by(|a, b| a == b) {
            if places[0] {
                let (left, width) = (slot * start as f64, slot * places.len() as f64);
                self.rect([area.left + left, area.top, width, area.height], &style, "");
            }
            start += places.len();
        }
    }

    fn labels(&mut self, panel: &Panel, area: &Area) {
        for placed in panel.placed_labels(area) {
            let ([x, y], label) = (placed.centre, placed.label);
            self.text([x, y + 4.0], &label.text, LABEL_SIZE, label.colour, MIDDLE);
        }
    }

    fn upright_axis(&mut self, panel: &Panel, area: &Area) {
        let ticks = panel.y.ticks();
        let cells = panel.y.names().is_some();
        let slot = area.height / ticks.len().max(1) as f64;
        let every = if cells { (11.0 / slot.max(1e-3)).ceil().max(1.0) as usize } else { 1 };
        for (i, (place, text)) in ticks.into_iter().enumerate() {
            let (left, right, y) = (area.left, area.right(), area.height_of(place));
            if !cells {
                self.hair(&format!("M{left:.1} {y:.1}H{right:.1}"), self.theme.hairline);
            }
            if i % every == 0 {
                let text = cut(&text, 9);
                self.text([left - 6.0, y + 3.5], &text, TICK, self.theme.quiet, END);
            }
        }
    }

    fn level_axis(&mut self, panel: &Panel, area: &Area, with_texts: bool) {
        let (quiet, bottom) = (self.theme.quiet, area.top + area.height);
        let texts = texts(&panel.x, area.width, TICK);
        let mut path = format!("M{:.1} {bottom:.1}h{:.1}", area.left, area.width);
        let ticks = panel.x.ticks();
        for (place, _) in &ticks {
            let x = area.left + area.width * place;
            // Writing to a String cannot fail.
            let _ = write!(path, "M{x:.1} {bottom:.1}v4");
        }
        self.hair(&path, quiet);
        if !with_texts {
            return;
        }
        for (place, text) in ticks.into_iter().step_by(texts.every()) {
            let x = area.left + area.width * place;
            let text = cut(&text, LETTERS);
            let turn = texts.turn();
            if turn == 0 {
                self.text([x, bottom + 15.0], &text, TICK, quiet, MIDDLE);
            } else {
                let (x, y) = (x + 3.5, bottom + if turn == 90 { 8.0 } else { 13.0 });
                let turned = format!("{END} transform=\"rotate(-{turn} {x:.1} {y:.1})\"");
                self.text([x, y], &text, TICK, quiet, &turned);
            }
        }
    }

    fn patches(&mut self, plot: &Plot, panel: &Panel, area: &Area) {
        let (Some(ramp), Some(across), Some(up)) = (&plot.ramp, panel.x.names(), panel.y.names())
        else {
            return;
        };
        let width = area.width / across.len().max(1) as f64;
        let height = area.height / up.len().max(1) as f64;
        self.add("<g class=\"cells\">");
        self.voids(panel, area, [width, height]);
        // Drawn last, a frame lies over its neighbours.
        let (framed, plain): (Vec<_>, Vec<_>) = panel.patches.iter().partition(|p| p.framed);
        for patch in plain.into_iter().chain(framed) {
            let Some((x, y)) = area.pixel(panel, patch.x as f64, patch.y as f64) else {
                continue;
            };
            let mut style = format!("fill=\"{}\"", ramp.colour(patch.value));
            if patch.framed {
                style += &format!(" stroke=\"{}\" stroke-width=\"2.5\"", self.theme.ink);
            }
            let name = if panel.patches.len() > NAMED { "" } else { &patch.name };
            let [left, top] = [x - width / 2.0, y - height / 2.0];
            self.rect([left, top, width + 0.1, height + 0.1], &style, name);
            if let Some(text) =
                patch.text.as_ref().filter(|text| run(text.chars().count(), 11.0) <= width)
            {
                let weight = if patch.framed { " font-weight=\"bold\"" } else { "" };
                let style = format!("{MIDDLE} pointer-events=\"none\"{weight}");
                self.text([x, y + 4.0], text, 11.0, ramp.on(patch.value), &style);
            }
        }
        self.add("</g>");
    }

    /// Crossed out: there is nothing that a colour could stand for.
    fn voids(&mut self, panel: &Panel, area: &Area, [width, height]: [f64; 2]) {
        for cell in &panel.voids {
            let Some((x, y)) = area.pixel(panel, cell.x as f64, cell.y as f64) else {
                continue;
            };
            let (left, top) = (x - width / 2.0, y - height / 2.0);
            let (right, bottom) = (left + width, top + height);
            let colour = if cell.framed { self.theme.ink } else { self.theme.hairline };
            let is_named = panel.patches.len() + panel.voids.len() <= NAMED;
            let style = format!("fill=\"{}\" stroke=\"{colour}\"", self.theme.paper);
            let name = if is_named { &cell.name } else { "" };
            self.rect([left, top, width, height], &style, name);
            self.add(&format!(
                "<path d=\"M{left:.1} {top:.1}L{right:.1} {bottom:.1}M{left:.1} {bottom:.1}L{right:.1} {top:.1}\" stroke=\"{}\" stroke-opacity=\"0.5\" fill=\"none\" pointer-events=\"none\"/>",
                self.theme.quiet
            ));
        }
    }

    fn band(&mut self, panel: &Panel, area: &Area) {
        let Some(band) = &panel.band else { return };
        let end = |i: usize| {
            band.ends.iter().enumerate().filter_map(move |(x, ends)| {
                let (x, y) = area.pixel(panel, x as f64, ends[i])?;
                Some(format!("{x:.1} {y:.1}"))
            })
        };
        let (lower, upper): (Vec<String>, Vec<String>) = (end(0).collect(), end(1).collect());
        if lower.len() != upper.len() || lower.len() < 2 {
            return;
        }
        let back: Vec<String> = lower.into_iter().rev().collect();
        self.add(&format!(
            "<path d=\"M{}L{}z\" fill=\"{}\" fill-opacity=\"0.14\"/>",
            upper.join("L"),
            back.join("L"),
            band.colour
        ));
    }

    fn curve(&mut self, series: &Series, panel: &Panel, area: &Area) {
        let mut run: Vec<(f64, f64)> = Vec::new();
        for point in &series.points {
            match area.pixel(panel, point.x, point.y) {
                Some(at) => run.push(at),
                // A value that the axis cannot show is a gap, not a jump.
                None => self.line(&series.pen, &std::mem::take(&mut run)),
            }
        }
        self.line(&series.pen, &run);
        for point in &series.points {
            let ends = point.interval.and_then(|[low, high]| {
                let (x, bottom) = area.pixel(panel, point.x, low)?;
                Some((x, bottom, area.pixel(panel, point.x, high)?.1))
            });
            if let Some((x, bottom, top)) = ends {
                self.add(&format!(
                    "<path d=\"M{x:.1} {bottom:.1}V{top:.1}\" stroke=\"{}\" stroke-opacity=\"0.7\"/>",
                    series.pen.colour
                ));
            }
            if let Some((x, y)) = area.pixel(panel, point.x, point.y) {
                self.mark(&series.pen, x, y, point);
                if let Some(label) = &point.label {
                    self.beside(x, y, area, label, series.pen.colour);
                }
            }
        }
    }

    /// A label to the right of a mark, or to its left where there is no room.
    fn beside(&mut self, x: f64, y: f64, area: &Area, label: &str, colour: &str) {
        let ends = x + 7.0 + run(label.chars().count(), 10.0);
        let (x, anchor) =
            if ends <= area.right() + 8.0 { (x + 7.0, "start") } else { (x - 7.0, "end") };
        let style = self.halo(anchor) + " pointer-events=\"none\"";
        self.text([x, y + 3.5], label, 10.0, colour, &style);
    }

    /// A halo keeps words apart from what they cross.
    fn halo(&self, anchor: &str) -> String {
        format!(
            " text-anchor=\"{anchor}\" stroke=\"{}\" stroke-width=\"3\" paint-order=\"stroke\"",
            self.theme.paper
        )
    }

    fn bars(&mut self, series: &Series, bars: Vec<Bar<'_>>) {
        let colour = series.pen.colour;
        let style = match series.shape {
            MarkShape::PaleBars => format!("fill=\"{colour}\" fill-opacity=\"0.6\""),
            MarkShape::HollowBars => format!(
                "fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\" stroke-dasharray=\"4 3\""
            ),
            MarkShape::Bars | MarkShape::RoundBars | MarkShape::Curve => {
                format!("fill=\"{colour}\"")
            }
        };
        for bar in bars {
            match series.shape {
                MarkShape::RoundBars => self.round_bar(&bar, &style),
                _ => self.rect(bar.outline(), &style, &bar.point.name),
            }
        }
    }

    /// A bar whose far end is half a circle, or as much of one as its length has room for.
    fn round_bar(&mut self, bar: &Bar<'_>, style: &str) {
        let Bar { point, left, width, start, end } = bar;
        let half = 0.5 * width;
        let bend = half.min((end - start).abs()).copysign(end - start);
        let straight = end - start - bend;
        let sweep = u8::from(end < start);
        let title = self.titled(&point.name, "path");
        self.add(&format!(
            "<path d=\"M{left:.1} {start:.1}v{straight:.1}a{half:.1} {:.1} 0 0 {sweep} {width:.1} 0v{:.1}z\" {style}{title}",
            bend.abs(),
            -straight,
        ));
    }

    fn note(&mut self, panel: &Panel, area: &Area) {
        let Some(note) = &panel.note else { return };
        let Some((x, y)) = area.pixel(panel, note.x, note.y) else {
            return;
        };
        let (ink, paper) = (self.theme.ink, self.theme.paper);
        self.add(&format!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\" fill=\"{paper}\" stroke=\"{ink}\" stroke-width=\"2\"/>"
        ));
        let (dx, dy, anchor) = if note.after { (9.0, -10.0, "start") } else { (-9.0, 18.0, "end") };
        self.text([x + dx, y + dy], &note.text, 12.0, ink, &self.halo(anchor));
    }

    fn line(&mut self, pen: &Pen, points: &[(f64, f64)]) {
        self.stroke(pen, pen.line.width(), points);
    }

    fn stroke(&mut self, pen: &Pen, width: f64, points: &[(f64, f64)]) {
        let dash = match pen.line {
            Line::None => return,
            Line::Thick | Line::Solid => "",
            Line::Dashed => " stroke-dasharray=\"6 4\"",
            Line::Dotted => " stroke-dasharray=\"1.5 3\"",
            Line::DashDotted => " stroke-dasharray=\"8 3 1.5 3\"",
            Line::LongDashed => " stroke-dasharray=\"14 4\"",
        };
        if points.len() < 2 {
            return;
        }
        let mut path = String::new();
        for (i, (x, y)) in points.iter().enumerate() {
            let command = if i == 0 { 'M' } else { 'L' };
            // Writing to a String cannot fail.
            let _ = write!(path, "{command}{x:.1} {y:.1}");
        }
        self.add(&format!(
            "<path d=\"{path}\" stroke=\"{}\" stroke-width=\"{width}\"{dash}{} fill=\"none\"/>",
            pen.colour,
            faint(pen, "stroke-opacity"),
        ));
    }

    fn mark(&mut self, pen: &Pen, x: f64, y: f64, point: &Point) {
        let hollow = point.hollow || pen.mark == Mark::Ring;
        let fill = if hollow { self.theme.paper } else { pen.colour };
        let (tag, shape) = match pen.mark {
            Mark::None => return,
            Mark::Circle | Mark::Ring => {
                ("circle", format!("cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\""))
            }
            Mark::Dot => ("circle", format!("cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"1.8\"")),
            Mark::Square => (
                "rect",
                format!("x=\"{:.1}\" y=\"{:.1}\" width=\"6.5\" height=\"6.5\"", x - 3.2, y - 3.2),
            ),
            Mark::Diamond => {
                ("path", format!("d=\"M{x:.1} {:.1}l4.5 4.5l-4.5 4.5l-4.5 -4.5z\"", y - 4.5))
            }
            Mark::Triangle => ("path", format!("d=\"M{x:.1} {:.1}l4.2 7.4h-8.4z\"", y - 4.5)),
            Mark::Nabla => ("path", format!("d=\"M{x:.1} {:.1}l4.2 -7.4h-8.4z\"", y + 4.5)),
            Mark::Level => (
                "rect",
                format!("x=\"{:.1}\" y=\"{:.1}\" width=\"20\" height=\"2\"", x - 10.0, y - 1.0),
            ),
        };
        let title = self.titled(&point.name, tag);
        self.add(&format!(
            "<{tag} {shape} fill=\"{fill}\" stroke=\"{}\"{}{title}",
            pen.colour,
            faint(pen, "opacity"),
        ));
    }

    /// The end of an element, with the words that it shows under the pointer, where it has any.
    fn titled(&self, name: &str, tag: &str) -> String {
        match name {
            name if self.is_named && !name.is_empty() => {
                format!("><title>{}</title></{tag}>", escaped(name))
            }
            _ => "/>".to_owned(),
        }
    }
}

fn faint(pen: &Pen, attribute: &str) -> String {
    if pen.faint { format!(" {attribute}=\"0.55\"") } else { String::new() }
}
