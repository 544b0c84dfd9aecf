//! Which hub the page's download worker asks: `--hub URL`, and `--hub-cdn ORIGINS` where its files lie
//! elsewhere. The content policy of the worker's document follows.

use std::fmt;
use std::path::Path;

use crate::command::Stop;
use crate::disk::{self, make_folder};
use crate::place::Place;

/// The documents that name the hub, the page's own and its download worker's, and what they name before they are told
/// otherwise.
const DOCUMENTS: [&str; 2] = ["index.html", "hub.html"];
const HUB: &str = "https://huggingface.co";
const ORIGINS: &str = "https://huggingface.co https://*.huggingface.co https://*.hf.co";

/// Kept for the page that `serve` shows.
const NOTE: &str = "hub-setting";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    hub: String,
    /// Origins that may be asked, with blanks between.
    origins: String,
}

impl Default for Setting {
    fn default() -> Self {
        Self { hub: HUB.to_string(), origins: ORIGINS.to_string() }
    }
}

impl Setting {
    /// Reads a command line's options; without any, the usual hub is set.
    pub fn parse(options: &[String]) -> Result<Self, Stop> {
        let (mut hub, mut cdn) = (None, Vec::new());
        let mut rest = options.iter();
        while let Some(option) = rest.next() {
            let mut value = || {
                let value = rest.next();
                value.ok_or_else(|| Stop::usage(format!("`{option}` needs an address.")))
            };
            match option.as_str() {
                "--hub" => hub = Some(value()?.trim_end_matches('/').to_string()),
                "--hub-cdn" => cdn.extend(value()?.split([',', ' ']).map(str::to_string)),
                other => return Err(Stop::usage(format!("`build` takes no `{other}`."))),
            }
        }
        let Some(hub) = hub else {
            return match cdn.first() {
                None => Ok(Self::default()),
                Some(_) => Err(Stop::usage("`--hub-cdn` goes with `--hub`.".to_string())),
            };
        };
        let wrong = |address: &str| {
            Stop::usage(format!("`{address}` is no address such as https://models.example.org."))
        };
        let own = origin(&hub).ok_or_else(|| wrong(&hub))?;
        let mut origins = vec![own];
        for address in cdn {
            origins.push(origin(&address).ok_or_else(|| wrong(&address))?);
        }
        Ok(Self { hub, origins: origins.join(" ") })
    }

    pub fn keep(&self, place: &Place) -> Result<(), Stop> {
        let note = place.generated().join(NOTE);
        make_folder(&place.generated())?;
        disk::write(&note, self.to_string())
    }

    /// The setting of the page that a chore other than `build` makes.
    pub fn of(chore: &str, place: &Place) -> Self {
        let text = std::fs::read_to_string(place.generated().join(NOTE)).unwrap_or_default();
        let mut lines = text.lines().map(str::to_string);
        let kept = match (lines.next(), lines.next()) {
            (Some(hub), Some(origins)) => Self { hub, origins },
            _ => Self::default(),
        };
        Self::seen_by(chore, kept)
    }

    /// `serve` shows what the last `build` made; what is tested or packed asks the usual hub.
    fn seen_by(chore: &str, kept: Self) -> Self {
        if chore == "serve" { kept } else { Self::default() }
    }

    /// Writes it into the documents of a built page.
    pub fn write(&self, folder: &Path) -> Result<(), Stop> {
        for document in DOCUMENTS {
            let path = folder.join(document);
            let html = disk::read_text(&path)?;
            disk::write(&path, self.told(&html))?;
        }
        Ok(())
    }

    fn told(&self, html: &str) -> String {
        html.replace(ORIGINS, &self.origins)
            .replace(&format!("content=\"{HUB}\""), &format!("content=\"{}\"", self.hub))
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}\n{}\n", self.hub, self.origins)
    }
}

/// Scheme, host and port of an address, where it is one and would not end a policy's directive.
fn origin(address: &str) -> Option<String> {
    let (scheme, rest) = address.split_once("://")?;
    let host = rest.split('/').next()?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-.:*[]".contains(c);
    let is_one = ["https", "http"].contains(&scheme)
        && !host.is_empty()
        && rest.chars().all(|c| is_plain(c) || "/_~".contains(c));
    (is_one && host.chars().all(is_plain)).then(|| format!("{scheme}://{host}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(options: &[&str]) -> Result<Setting, Stop> {
        let options: Vec<String> = options.iter().map(|option| option.to_string()).collect();
        Setting::parse(&options)
    }

    #[test]
    fn the_documents_name_the_hub_that_was_set_and_no_other() {
        let html = include_str!("../../web/hub.html");
        assert_eq!(parsed(&[]).unwrap().told(html), html);
        let options =
            ["--hub", "https://models.school.test/hub/", "--hub-cdn", "https://files.school.test"];
        let told = parsed(&options).unwrap().told(html);
        assert!(told.contains("content=\"https://models.school.test/hub\""));
        assert!(
            told.contains(
                "connect-src 'self' https://models.school.test https://files.school.test;"
            )
        );
        assert!(!told.contains("huggingface") && !told.contains("hf.co"));

        // The page's own document names the same hub on its way there.
        let page = include_str!("../../index.html");
        assert_eq!(parsed(&[]).unwrap().told(page), page);
        let told = parsed(&options).unwrap().told(page);
        assert!(told.contains("name=\"atelier-hub\" content=\"https://models.school.test/hub\""));
        assert!(!told.contains("huggingface"));
    }

    /// A release had the hub of a school that the last `build` was for.
    #[test]
    fn what_is_packed_or_tested_asks_the_usual_hub() {
        let school = parsed(&["--hub", "https://models.school.test"]).unwrap();
        assert_eq!(Setting::seen_by("serve", school.clone()), school);
        for chore in ["release", "test"] {
            assert_eq!(Setting::seen_by(chore, school.clone()), Setting::default(), "{chore}");
        }
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for options in [
            &["--hub"][..],
            &["--hub", "models.test"],
            &["--hub", "https://a.test; script-src *"],
            &["--hub", "https://a.test\" onload=\""],
            &["--hub-cdn", "https://a.test"],
            &["--other"],
        ] {
            assert!(parsed(options).is_err(), "{options:?}");
        }
    }
}
