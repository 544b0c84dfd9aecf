//! Where the page will be: `cargo xtask build --site URL`. Nothing in it needs to know but what others read of it:
//! the picture of a link, and the way back from an address that leads nowhere.

use std::fmt;

use crate::command::Stop;
use crate::disk::{self, make_folder};
use crate::place::Place;

/// Kept for the page that `serve` shows.
const NOTE: &str = "site-setting";

/// An address that ends in `/`, where one was said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site(Option<String>);

impl Site {
    /// Takes `--site URL` out of a command line's options.
    pub fn take(options: &mut Vec<String>) -> Result<Self, Stop> {
        let Some(at) = options.iter().position(|option| option == "--site") else {
            return Ok(Self(None));
        };
        let value = options.get(at + 1).cloned();
        let value = value.ok_or_else(|| Stop::usage("`--site` needs an address."))?;
        options.drain(at..at + 2);
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._~:/[]".contains(c);
        let host = value.split_once("://").filter(|(scheme, rest)| {
            ["https", "http"].contains(scheme) && !rest.is_empty() && rest.chars().all(is_plain)
        });
        if host.is_none() {
            return Err(Stop::usage(format!(
                "`{value}` is no address such as https://people.example.org/atelier/."
            )));
        }
        Ok(Self(Some(format!("{}/", value.trim_end_matches('/')))))
    }

    pub fn keep(&self, place: &Place) -> Result<(), Stop> {
        let note = place.generated().join(NOTE);
        make_folder(&place.generated())?;
        disk::write(&note, self.to_string())
    }

    /// Returns the site of the page that a chore other than `build` makes.
    pub fn of(chore: &str, place: &Place) -> Self {
        let text = std::fs::read_to_string(place.generated().join(NOTE)).unwrap_or_default();
        Self::seen_by(chore, Self(Some(text).filter(|text| !text.is_empty())))
    }

    /// `serve` shows what the last `build` made; what is tested or packed is for any host.
    fn seen_by(chore: &str, kept: Self) -> Self {
        if chore == "serve" { kept } else { Self::default() }
    }

    pub fn address(&self) -> Option<&str> {
        self.0.as_deref()
    }
}

impl fmt::Display for Site {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(self.address().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(words: &[&str]) -> Result<(Site, Vec<String>), Stop> {
        let mut options: Vec<String> = words.iter().map(|word| word.to_string()).collect();
        Site::take(&mut options).map(|site| (site, options))
    }

    #[test]
    fn the_address_is_taken_and_the_rest_is_left() {
        let (site, rest) = taken(&["--hub", "a", "--site", "https://a.test/b", "--hub-cdn", "c"])
            .expect("an address");
        assert_eq!(site.address(), Some("https://a.test/b/"));
        assert_eq!(rest, ["--hub", "a", "--hub-cdn", "c"]);
        assert_eq!(taken(&[]).expect("none"), (Site(None), Vec::new()));
    }

    #[test]
    fn what_is_packed_or_tested_is_for_any_host() {
        let kept = Site(Some("https://a.test/".to_string()));
        assert_eq!(Site::seen_by("serve", kept.clone()), kept);
        for chore in ["release", "test"] {
            assert_eq!(Site::seen_by(chore, kept.clone()).address(), None, "{chore}");
        }
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for words in [
            &["--site"][..],
            &["--site", "a.test"],
            &["--site", "https://"],
            &["--site", "https://a.test/\" onload=\""],
            &["--site", "javascript://a.test"],
        ] {
            assert!(taken(words).is_err(), "{words:?}");
        }
    }
}
