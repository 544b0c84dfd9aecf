//! What `cargo xtask build` is told of the page.
//!
//! - Where it will be: `--site URL`. Nothing in it needs to know but what others read of it: the picture of a link, and
//!   the way back from an address that leads nowhere.
//! - Which hub its download worker asks: `--hub URL`, and `--hub-cdn ORIGINS` where its files lie elsewhere. The content
//!   policy of the worker's document follows.

use std::fmt;
use std::path::Path;

use crate::command::Stop;
use crate::disk::{self, make_folder};
use crate::options::Options;
use crate::place::Place;

/// The documents that name the hub, the page's own and its download worker's, and what they name before they are told
/// otherwise.
const DOCUMENTS: [&str; 2] = ["index.html", "hub.html"];
const HUB: &str = "https://huggingface.co";
const ORIGINS: &str = "https://huggingface.co https://*.huggingface.co https://*.hf.co";

/// Kept for the page that `serve` shows.
const NOTE: &str = "page-setting";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The page's own address, which ends in `/`, where it was said.
    pub site: Option<String>,
    hub: String,
    /// Origins that may be asked, with blanks between.
    origins: String,
}

impl Default for Setting {
    fn default() -> Self {
        Self { site: None, hub: HUB.to_string(), origins: ORIGINS.to_string() }
    }
}

impl Setting {
    /// Takes a command line's options; without any, the page is for any host and asks the usual hub.
    pub fn take(options: &mut Options) -> Result<Self, Stop> {
        let wants = "needs an address";
        let site = options.value("--site", wants)?.map(|site| site_address(&site)).transpose()?;
        let hub = options.value("--hub", wants)?;
        let cdn = options.values("--hub-cdn", wants)?;
        let Some(hub) = hub else {
            return match cdn.first() {
                None => Ok(Self { site, ..Self::default() }),
                Some(_) => Err(Stop::usage("`--hub-cdn` goes with `--hub`.")),
            };
        };
        let hub = hub.trim_end_matches('/').to_string();
        let cdn = cdn.iter().flat_map(|origins| origins.split([',', ' ']));
        let origins = std::iter::once(hub.as_str()).chain(cdn).map(|address| {
            let example = "https://models.example.org";
            origin(address).ok_or_else(|| no_address(address, example))
        });
        let origins = origins.collect::<Result<Vec<String>, Stop>>()?.join(" ");
        Ok(Self { site, hub, origins })
    }

    pub fn keep(&self, place: &Place) -> Result<(), Stop> {
        make_folder(&place.generated())?;
        disk::write(&place.generated().join(NOTE), self.to_string())
    }

    /// The setting of the page that a chore other than `build` makes.
    pub fn of(chore: &str, place: &Place) -> Self {
        let text = std::fs::read_to_string(place.generated().join(NOTE)).unwrap_or_default();
        let lines: Vec<String> = text.lines().map(str::to_string).collect();
        let noted = match <[String; 3]>::try_from(lines) {
            Ok([hub, origins, site]) => {
                Self { site: Some(site).filter(|site| !site.is_empty()), hub, origins }
            }
            Err(_) => Self::default(),
        };
        Self::seen_by(chore, noted)
    }

    /// `serve` shows what the last `build` made; what is tested or packed is for any host, and asks the usual hub.
    fn seen_by(chore: &str, noted: Self) -> Self {
        if chore == "serve" { noted } else { Self::default() }
    }

    /// Writes the hub into the documents of a built page.
    pub fn write(&self, folder: &Path) -> Result<(), Stop> {
        for document in DOCUMENTS {
            let path = folder.join(document);
            let html = disk::read_text(&path)?;
            disk::write(&path, self.written_into(&html))?;
        }
        Ok(())
    }

    fn written_into(&self, html: &str) -> String {
        html.replace(ORIGINS, &self.origins)
            .replace(&format!("content=\"{HUB}\""), &format!("content=\"{}\"", self.hub))
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let site = self.site.as_deref().unwrap_or_default();
        write!(to, "{}\n{}\n{site}\n", self.hub, self.origins)
    }
}

fn no_address(value: &str, example: &str) -> Stop {
    Stop::usage(format!("`{value}` is no address such as {example}."))
}

/// The address of a page, with one `/` at its end.
fn site_address(value: &str) -> Result<String, Stop> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._~:/[]".contains(c);
    let is_address = value.split_once("://").is_some_and(|(scheme, rest)| {
        ["https", "http"].contains(&scheme) && !rest.is_empty() && rest.chars().all(is_plain)
    });
    if !is_address {
        return Err(no_address(value, "https://people.example.org/atelier/"));
    }
    Ok(format!("{}/", value.trim_end_matches('/')))
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
    use crate::options::taken;

    fn parsed(options: &[&str]) -> Result<Setting, String> {
        taken("build", options, Setting::take)
    }

    #[test]
    fn the_documents_name_the_hub_that_was_set_and_no_other() {
        let html = include_str!("../../web/hub.html");
        assert_eq!(parsed(&[]).unwrap().written_into(html), html);
        let options =
            ["--hub", "https://models.school.test/hub/", "--hub-cdn", "https://files.school.test"];
        let written = parsed(&options).unwrap().written_into(html);
        assert!(written.contains("content=\"https://models.school.test/hub\""));
        assert!(
            written.contains(
                "connect-src 'self' https://models.school.test https://files.school.test;"
            )
        );
        assert!(!written.contains("huggingface") && !written.contains("hf.co"));

        // The page's own document names the same hub on its way there.
        let page = include_str!("../../index.html");
        assert_eq!(parsed(&[]).unwrap().written_into(page), page);
        let written = parsed(&options).unwrap().written_into(page);
        assert!(
            written.contains("name=\"atelier-hub\" content=\"https://models.school.test/hub\"")
        );
        assert!(!written.contains("huggingface"));
    }

    #[test]
    fn the_page_is_where_it_was_said() {
        let options = [
            "--hub",
            "https://a.test",
            "--site",
            "https://a.test/b",
            "--hub-cdn",
            "https://c.test",
        ];
        assert_eq!(parsed(&options).unwrap().site.as_deref(), Some("https://a.test/b/"));
        assert_eq!(parsed(&[]), Ok(Setting::default()));
    }

    /// A release had the hub of a school that the last `build` was for.
    #[test]
    fn what_is_packed_or_tested_is_for_any_host_and_asks_the_usual_hub() {
        let options = ["--hub", "https://models.school.test", "--site", "https://a.test"];
        let school = parsed(&options).unwrap();
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
            &["--site"],
            &["--site", "a.test"],
            &["--site", "https://"],
            &["--site", "https://a.test/\" onload=\""],
            &["--site", "javascript://a.test"],
        ] {
            assert!(parsed(options).is_err(), "{options:?}");
        }
    }
}
