//! The page's parts by `index.html`: its lines `<link data-trunk …>`, which Trunk reads too.
//!
//! Known are Trunk's `css`, `copy-file`, `copy-dir` and `rust`, each on a line of its own. Other lines are the
//! page's and stay as they are.

use std::path::{Path, PathBuf};

use crate::command::Stop;
use crate::disk::{self, files_under, make_folder};
use crate::place::Place;

/// One of its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// A style sheet, which the page then links to.
    Style(String),
    /// A file, copied under its own name.
    File(String),
    /// A folder, copied under its own name or into the page's own folder.
    Folder { from: String, into: Option<String> },
    /// A program of the package `atelier`, compiled in this profile.
    Program { name: String, profile: String },
}

/// The lines of `index.html`; those with a part have it.
pub struct Document {
    lines: Vec<(String, Option<Part>)>,
}

impl Document {
    pub fn read(place: &Place) -> Result<Self, Stop> {
        let path = place.root().join("index.html");
        let html = disk::read_text(&path)?;
        Self::parse(&html)
    }

    fn parse(html: &str) -> Result<Self, Stop> {
        let lines = html.lines().map(|line| Ok((line.to_owned(), part(line)?)));
        Ok(Self { lines: lines.collect::<Result<_, Stop>>()? })
    }

    fn parts(&self) -> impl Iterator<Item = &Part> {
        self.lines.iter().filter_map(|(_, part)| part.as_ref())
    }

    /// The programs' names and their profile, which is one.
    pub fn programs(&self) -> Result<(Vec<&str>, &str), Stop> {
        let programs = self.parts().filter_map(|part| match part {
            Part::Program { name, profile } => Some((name.as_str(), profile.as_str())),
            _ => None,
        });
        let (names, profiles): (Vec<&str>, Vec<&str>) = programs.unzip();
        match profiles.split_first() {
            Some((first, others)) if others.iter().all(|other| other == first) => {
                Ok((names, first))
            }
            _ => Err(Stop::new("index.html names programs of several profiles, or none.")),
        }
    }

    /// Copies every file but the programs' into `stage`, and writes the page's document there.
    pub fn write(&self, place: &Place, stage: &Path) -> Result<(), Stop> {
        make_folder(stage)?;
        for part in self.parts() {
            match part {
                Part::Style(from) | Part::File(from) => {
                    let from = place.root().join(from);
                    disk::copy(&from, stage.join(from.file_name().unwrap_or_default()))?;
                }
                Part::Folder { from, into } => {
                    let from = place.root().join(from);
                    let name = from.file_name().unwrap_or_default();
                    let to = stage.join(into.as_deref().map_or(Path::new(name), Path::new));
                    for file in files_under(&from)? {
                        let to = to.join(file.strip_prefix(&from).unwrap_or(&file));
                        make_folder(to.parent().unwrap_or(stage))?;
                        disk::copy(&file, to)?;
                    }
                }
                Part::Program { .. } => {}
            }
        }
        disk::write(&stage.join("index.html"), self.html())
    }

    /// The document without the list, linked to its style sheets.
    fn html(&self) -> String {
        let mut html = String::new();
        for (line, part) in &self.lines {
            match part {
                None => html.push_str(line),
                Some(Part::Style(from)) => {
                    let name = PathBuf::from(from);
                    let name = name.file_name().unwrap_or_default().to_string_lossy();
                    html.push_str(&format!("    <link rel=\"stylesheet\" href=\"./{name}\">"));
                }
                Some(_) => continue,
            }
            html.push('\n');
        }
        html
    }
}

/// The part that a line names, if it is one of Trunk's.
fn part(line: &str) -> Result<Option<Part>, Stop> {
    if !line.contains("data-trunk") {
        return Ok(None);
    }
    let odd = || Stop::new(format!("index.html has a line that is not understood: {line}"));
    let value = |name: &str| {
        let (_, rest) = line.split_once(&format!(" {name}=\""))?;
        rest.split_once('"').map(|(value, _)| value.to_owned())
    };
    let href = value("href").ok_or_else(odd);
    Ok(Some(match value("rel").as_deref() {
        Some("css") => Part::Style(href?),
        Some("copy-file") => Part::File(href?),
        Some("copy-dir") => Part::Folder { from: href?, into: value("data-target-path") },
        Some("rust") => Part::Program {
            name: value("data-bin").ok_or_else(odd)?,
            profile: value("data-cargo-profile-release").ok_or_else(odd)?,
        },
        _ => return Err(odd()),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_trunk_are_parts_and_others_stay() {
        let html = concat!(
            "<head>\n",
            "<link data-trunk rel=\"css\" href=\"generated/style.css\">\n",
            "<link data-trunk rel=\"copy-dir\" href=\"public\" data-target-path=\".\">\n",
            "<link data-trunk rel=\"rust\" data-bin=\"page\" data-cargo-profile-release=\"web\">\n",
            "<link rel=\"icon\" href=\"icon.svg\">\n",
        );
        let document = Document::parse(html).expect("known parts");
        let parts: Vec<&Part> = document.parts().collect();
        assert_eq!(parts[0], &Part::Style("generated/style.css".into()));
        let folder = Part::Folder { from: "public".into(), into: Some(".".into()) };
        assert_eq!(parts[1], &folder);
        assert_eq!(document.programs().expect("one profile"), (vec!["page"], "web"));
        let written = concat!(
            "<head>\n",
            "    <link rel=\"stylesheet\" href=\"./style.css\">\n",
            "<link rel=\"icon\" href=\"icon.svg\">\n",
        );
        assert_eq!(document.html(), written);
        assert!(Document::parse("<link data-trunk rel=\"sass\" href=\"a.scss\">").is_err());
    }
}
