//! The start page's ways in: who comes for what, each with one line and one picture.
//!
//! The pictures are drawn when the page is built, from reports that come with it, into files beside the page: one for
//! each theme.

use super::link::View;
use crate::chart::plot::Room;
use crate::chart::{
    Column, DARK, Figure, LIGHT, Quantity, Theme, depth_figures, figures, survey_figures,
    sweep_figures, theorem_figure,
};
use crate::study::report::{Lens, Opened, Report};
use crate::study::survey::Survey;

/// The folder of the pictures, beside the page.
pub const FOLDER: &str = "start";

/// In CSS pixels, at which each is laid out.
pub const WIDTH: u32 = 480;

/// One way in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Door {
    /// Its picture's file is named by this.
    pub key: &'static str,
    /// A verb: what one does there.
    pub word: &'static str,
    pub line: &'static str,
    pub view: View,
}

pub const ALL: [Door; 5] = [
    Door {
        key: "look",
        word: "Look",
        line: "One prompt, every component: what each adds to the answer, and how much they disagree.",
        view: View::Lens,
    },
    Door {
        key: "learn",
        word: "Learn",
        line: "Short lessons: say first what you expect, then run it on the models in this page.",
        view: View::Lessons,
    },
    Door {
        key: "try",
        word: "Try",
        line: "Move the blocks, leave them out, run them twice: what becomes of the answer.",
        view: View::Orders,
    },
    Door {
        key: "measure",
        word: "Measure",
        line: "Models on whole tasks: bias and diversity over rows, with what the spread allows one to say.",
        view: View::Survey,
    },
    Door {
        key: "read",
        word: "Read",
        line: "What the paper proves about layers, each theorem as a picture with a control that breaks it.",
        view: View::Theory,
    },
];

impl Door {
    /// Its picture in the theme of this name.
    pub fn file(&self, theme: &str) -> String {
        format!("{FOLDER}/{}-{theme}.svg", self.key)
    }
}

/// Reads the two reports and draws every picture in both themes: names of files, and SVG.
///
/// # Errors
/// A sentence, where a report cannot be read or lacks what a picture is of.
pub fn pictures_from(start: &[u8], survey: &[u8]) -> Result<Vec<(String, String)>, String> {
    let start = serde_json::from_slice(start).map_err(|error| error.to_string())?;
    let survey =
        Opened::read(survey).and_then(Opened::survey).map_err(|error| error.to_string())?;
    pictures(&start, &survey)
}

/// Draws every door's picture in both themes: names of files, and SVG. `start` holds a lens with its depths and a
/// sweep; `tests/it/baked.rs` makes it.
fn pictures(start: &Report, survey: &Survey) -> Result<Vec<(String, String)>, String> {
    let lens = start.lens.as_ref().ok_or("the start page's report has no lens")?;
    let mut drawn = Vec::with_capacity(2 * ALL.len());
    for theme in [&LIGHT, &DARK] {
        for door in ALL {
            let figure = figure(door.key, start, lens, survey, theme)?.laid_out(Room::of(WIDTH));
            let source = source(door.key, start, lens, survey);
            drawn.push((door.file(theme.name), figure.svg(WIDTH, &source)));
        }
    }
    Ok(drawn)
}

/// Returns the figure behind the door of this key.
fn figure(
    key: &str,
    start: &Report,
    lens: &Lens,
    survey: &Survey,
    theme: &Theme,
) -> Result<Figure, String> {
    let column = Column::default();
    let orders = start.orders.first().ok_or("the start page's report has no sweep")?;
    let (figures, name) = match key {
        "look" => (figures(lens, column, theme).to_vec(), "votes"),
        "learn" => (depth_figures(lens, Default::default(), theme), "followed"),
        "try" => (sweep_figures(orders, Quantity::default(), column, theme), "neighbours"),
        "measure" => (survey_figures(survey, theme), "tradeoff"),
        _ => {
            let figure = theorem_figure(1, survey, [0, 0], 0.0, theme, Room::of(WIDTH));
            return figure.map_err(|error| error.to_string());
        }
    };
    let found = figures.into_iter().find(|figure| figure.key == name);
    found.ok_or_else(|| format!("the reports have no figure “{name}”"))
}

/// Returns what the picture was computed of, for the line under its title.
fn source(key: &str, start: &Report, lens: &Lens, survey: &Survey) -> String {
    let model = &start.model.name;
    match (key, start.orders.first(), survey.rows) {
        ("look" | "learn", ..) => {
            format!("{model} · {} …", lens.prompt.as_deref().unwrap_or_default())
        }
        ("try", Some(orders), _) => format!("{model} · {} rows of “{}”", orders.rows, orders.task),
        (_, _, Some(rows)) => format!("the models that come with the page · {rows} rows per task"),
        _ => "the models that come with the page".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::link::Link;

    #[test]
    fn every_door_has_a_picture_in_both_themes() {
        let start = include_bytes!("../../public/examples/start.atelier.json");
        let survey = include_bytes!("../../public/examples/survey.atelier.json");
        let drawn = pictures_from(start, survey).expect("five figures");
        assert_eq!(drawn.len(), 2 * ALL.len());
        assert!(drawn.iter().all(|(_, svg)| svg.starts_with("<svg")));
    }

    #[test]
    fn no_two_doors_lead_to_the_same_place() {
        for (n, door) in ALL.iter().enumerate() {
            let link = Link::to(door.view);
            assert_eq!(Link::parse(&format!("#{}", link.fragment())), Some(link));
            let others = &ALL[..n];
            assert!(others.iter().all(|other| other.view != door.view));
            assert!(others.iter().all(|other| other.file("light") != door.file("light")));
        }
    }
}
