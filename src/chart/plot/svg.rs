//! Panels as an SVG file that stands alone: its sentence above, paper behind.

use std::fmt::Write;

use super::{ABOVE, Axis, BELOW, ENTRY, HEIGHT, Line, Mark, Panel, Pen, Plot, Room, Series};
use crate::chart::export::{svg_fonts, wrap};
use crate::chart::{Figure, Theme};

/// CSS pixels.
const WIDTH: u32 = 960;
const MARGIN: f64 = 20.0;

impl Plot {
    /// With the figure's title and words above, `source` below them.
    pub fn svg(&self, figure: &Figure, theme: &Theme, source: &str) -> String {
        let title = wrap(&figure.title, 96);
        let words = wrap(&format!("{} {}", figure.words[0], figure.words[1]), 140);
        let lines = |text: &str| text.lines().count() as f64;
        let head = 24.0 + 22.0 * lines(&title) + 16.0 * (lines(&words) + 1.0);
        let height = head + f64::from(self.height(Room::wide(self.columns)));
        let mut to = Drawing::new(theme, height);
        let mut y = 30.0;
        for line in title.lines() {
            to.text(
                MARGIN,
                y,
                line,
                &format!("font-size=\"17\" fill=\"{}\"", theme.ink),
            );
            y += 22.0;
        }
        for line in words.lines() {
            to.text(
                MARGIN,
                y,
                line,
                &format!("font-size=\"12\" fill=\"{}\"", theme.ink),
            );
            y += 16.0;
        }
        to.text(
            MARGIN,
            y,
            source,
            &format!("font-size=\"11\" fill=\"{}\"", theme.quiet),
        );
        self.legend(&mut to, head + 4.0);
        let columns = self.columns.max(1);
        let width = (f64::from(WIDTH) - 2.0 * MARGIN) / columns as f64;
        for (i, panel) in self.panels.iter().enumerate() {
            let row = (i / columns) as f64;
            let top = head
                + f64::from(self.top(Room::wide(self.columns)))
                + row * f64::from(ABOVE + HEIGHT + BELOW);
            let area = Area {
                left: MARGIN + (i % columns) as f64 * width + 46.0,
                top: top + f64::from(ABOVE),
                width: width - 60.0,
                height: f64::from(HEIGHT),
            };
            to.panel(panel, &area);
        }
        to.finish()
    }

    fn legend(&self, to: &mut Drawing<'_>, top: f64) {
        let width = (f64::from(WIDTH) - 2.0 * MARGIN) / 3.0;
        for (i, pen) in self.legend.iter().enumerate() {
            let x = MARGIN + (i % 3) as f64 * width;
            let y = top + f64::from(ENTRY) * ((i / 3) as f64 + 0.5);
            to.line(pen, &[(x, y), (x + 26.0, y)]);
            to.mark(pen, x + 13.0, y, false, "");
            let style = format!("font-size=\"12\" fill=\"{}\"", to.theme.ink);
            to.text(x + 34.0, y + 4.0, &pen.name, &style);
        }
    }
}

struct Area {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl Area {
    fn at(&self, panel: &Panel, x: f64, y: f64) -> Option<(f64, f64)> {
        Some((
            self.left + self.width * panel.x.place(x)?,
            self.top + self.height * (1.0 - panel.y.place(y)?),
        ))
    }
}

struct Drawing<'a> {
    theme: &'a Theme,
    text: String,
}

impl<'a> Drawing<'a> {
    fn new(theme: &'a Theme, height: f64) -> Self {
        let text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
             viewBox=\"0 0 {WIDTH} {height}\" font-family=\"{}\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"{}\"/>\n",
            svg_fonts(),
            theme.paper
        );
        Self { theme, text }
    }

    fn add(&mut self, element: &str) {
        self.text.push_str(element);
        self.text.push('\n');
    }

    fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }

    fn text(&mut self, x: f64, y: f64, text: &str, style: &str) {
        self.add(&format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" {style}>{}</text>",
            escaped(text)
        ));
    }

    fn panel(&mut self, panel: &Panel, area: &Area) {
        let (ink, quiet, hairline) = (self.theme.ink, self.theme.quiet, self.theme.hairline);
        let style = format!("font-size=\"12\" fill=\"{ink}\"");
        self.text(area.left - 42.0, area.top - 12.0, &panel.name, &style);
        for (place, text) in panel.y.ticks() {
            let y = area.top + area.height * (1.0 - place);
            let (left, right) = (area.left, area.left + area.width);
            self.add(&format!(
                "<path d=\"M{left:.1} {y:.1}H{right:.1}\" stroke=\"{hairline}\" fill=\"none\"/>"
            ));
            let style = format!("font-size=\"10\" fill=\"{quiet}\" text-anchor=\"end\"");
            self.text(left - 6.0, y + 3.5, &text, &style);
        }
        let bottom = area.top + area.height;
        self.add(&format!(
            "<path d=\"M{:.1} {bottom:.1}h{:.1}\" stroke=\"{quiet}\" fill=\"none\"/>",
            area.left, area.width
        ));
        let ticks = panel.x.ticks();
        let slanted = matches!(panel.x, Axis::Category { .. }) && ticks.len() > 4;
        for (place, text) in ticks {
            let (x, y) = (area.left + area.width * place, bottom + 14.0);
            let style = format!("font-size=\"10\" fill=\"{quiet}\"");
            if slanted {
                let turn =
                    format!("{style} text-anchor=\"end\" transform=\"rotate(-30 {x:.1} {y:.1})\"");
                self.text(x, y, &text, &turn);
            } else {
                self.text(x, y, &text, &format!("{style} text-anchor=\"middle\""));
            }
        }
        let (middle, below) = (area.left + area.width / 2.0, bottom + 30.0);
        let style = format!("font-size=\"11\" fill=\"{ink}\" text-anchor=\"middle\"");
        self.text(middle, below, panel.x.name(), &style);
        let mut stacked: Vec<(f64, f64)> = Vec::new();
        for series in &panel.series {
            if series.bars {
                self.bars(series, panel, area, &mut stacked);
                continue;
            }
            let mut run: Vec<(f64, f64)> = Vec::new();
            for point in &series.points {
                match area.at(panel, point.x, point.y) {
                    Some(at) => run.push(at),
                    // A value that the axis cannot show is a gap, not a jump.
                    None => self.line(&series.pen, &std::mem::take(&mut run)),
                }
            }
            self.line(&series.pen, &run);
            for point in &series.points {
                if let Some((x, y)) = area.at(panel, point.x, point.y) {
                    self.mark(&series.pen, x, y, point.hollow, &point.name);
                }
            }
        }
    }

    /// Each on what stands at its place already.
    fn bars(&mut self, series: &Series, panel: &Panel, area: &Area, stacked: &mut Vec<(f64, f64)>) {
        let places = panel.x.ticks().len().max(1) as f64;
        let width = (0.6 * area.width / places).min(44.0);
        for point in &series.points {
            let from = stacked
                .iter()
                .find(|(x, _)| *x == point.x)
                .map_or(0.0, |(_, y)| *y);
            let to = from + point.y;
            stacked.retain(|(x, _)| *x != point.x);
            stacked.push((point.x, to));
            let (Some((x, top)), Some((_, bottom))) =
                (area.at(panel, point.x, to), area.at(panel, point.x, from))
            else {
                continue;
            };
            self.add(&format!(
                "<rect x=\"{:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{:.1}\" fill=\"{}\"><title>{}</title></rect>",
                x - width / 2.0,
                bottom - top,
                series.pen.colour,
                escaped(&point.name)
            ));
        }
    }

    fn line(&mut self, pen: &Pen, points: &[(f64, f64)]) {
        let (dash, width) = match pen.line {
            Line::None => return,
            Line::Thick => ("", 3.0),
            Line::Solid => ("", 1.5),
            Line::Dashed => (" stroke-dasharray=\"6 4\"", 1.5),
            Line::Dotted => (" stroke-dasharray=\"1.5 3\"", 1.5),
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
            "<path d=\"{path}\" stroke=\"{}\" stroke-width=\"{width}\"{dash} fill=\"none\"/>",
            pen.colour
        ));
    }

    fn mark(&mut self, pen: &Pen, x: f64, y: f64, hollow: bool, name: &str) {
        let fill = if hollow { self.theme.paper } else { pen.colour };
        let shape = match pen.mark {
            Mark::None => return,
            Mark::Circle => format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\""),
            Mark::Square => format!(
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"6.5\" height=\"6.5\"",
                x - 3.2,
                y - 3.2
            ),
            Mark::Diamond => format!(
                "<path d=\"M{x:.1} {:.1}l4.5 4.5l-4.5 4.5l-4.5 -4.5z\"",
                y - 4.5
            ),
            Mark::Triangle => format!("<path d=\"M{x:.1} {:.1}l4.2 7.4h-8.4z\"", y - 4.5),
            Mark::Level => format!(
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"20\" height=\"2\"",
                x - 10.0,
                y - 1.0
            ),
        };
        let colour = pen.colour;
        let title = if name.is_empty() {
            "/>".to_owned()
        } else {
            let tag = shape[1..].split(' ').next().unwrap_or("path").to_owned();
            format!("><title>{}</title></{tag}>", escaped(name))
        };
        self.add(&format!(
            "{shape} fill=\"{fill}\" stroke=\"{colour}\"{title}"
        ));
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
