//! A picture with everything that belongs to it.

use serde_json::json;

use super::number::with_whole_per_cents;
use super::plot::{Plot, Room};
use super::{Table, Theme};

/// A drawing with its sentences and its numbers: [`Figure::svg`] and [`Figure::drawing`] draw it.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Stable name: element ids are made of it.
    pub key: &'static str,
    /// Name of its files: no two of a report's figures share one.
    pub name: String,
    /// The sentence the picture proves.
    pub title: String,
    /// How to read it, in two sentences.
    pub words: [String; 2],
    pub plot: Plot,
    pub table: Table,
    pub theme: Theme,
    /// Width and columns that the drawing on the page is laid out for.
    pub room: Room,
}

/// A figure before it has colours behind it and room around it.
pub(super) struct FigureDraft {
    pub key: &'static str,
    pub title: String,
    pub words: [String; 2],
    pub plot: Plot,
    pub table: Table,
}

impl FigureDraft {
    pub fn figure(self, theme: &Theme) -> Figure {
        Figure {
            key: self.key,
            name: self.key.to_owned(),
            title: with_whole_per_cents(&self.title),
            words: self.words.map(|text| with_whole_per_cents(&text)),
            room: Room::wide(self.plot.columns.min(2)),
            plot: self.plot,
            table: self.table,
            theme: *theme,
        }
    }
}

impl Figure {
    /// Returns the height of the drawing on the page, in CSS pixels.
    pub fn height(&self) -> u32 {
        self.plot.height(self.room)
    }

    /// Lays the figure out for this much side by side.
    pub fn laid_out(mut self, room: Room) -> Self {
        self.room = room;
        self
    }

    /// Its sentence, its words and its numbers, for programs; `source` says what they are of.
    pub fn json(&self, source: &str) -> String {
        let words: Vec<&String> = self.words.iter().filter(|text| !text.is_empty()).collect();
        let mut whole = self.table.json();
        whole["title"] = self.title.as_str().into();
        whole["words"] = json!(words);
        whole["source"] = source.into();
        format!("{whole:#}\n")
    }

    /// Text that a screen reader says of the picture.
    pub(super) fn summary(&self) -> String {
        format!("{}. {}", self.title, self.words.join(" "))
    }

    pub(super) fn named(mut self, name: String) -> Self {
        self.name = name;
        self
    }

    /// Puts what it is of before its name.
    pub(super) fn prefixed(self, whose: &str) -> Self {
        let name = format!("{whose}-{}", self.name);
        self.named(name)
    }
}
