//! The start page's ways in: who comes for what, each with one line and one picture.
//!
//! The pictures are drawn when the page is built, by the models that come with it (`src/bin/pictures`), into
//! files beside the page: one for each theme.

use super::link::View;

/// The folder of the pictures, beside the page.
pub const FOLDER: &str = "start";

/// In CSS pixels, at which each is laid out.
pub const WIDTH: u32 = 480;

/// One way in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Door {
    /// Its picture's file is named by this.
    pub key: &'static str,
    /// What one does there.
    pub word: &'static str,
    pub line: &'static str,
    pub view: View,
}

pub const ALL: [Door; 5] = [
    Door {
        key: "look",
        word: "Look",
        line: "One prompt, every stroke: what each layer adds to the answer, and how much they disagree.",
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::link::Link;

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
