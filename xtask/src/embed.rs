//! `embed.html`: the page's own document for another page's frame, without what stands around a view and
//! without the first picture, which is of no frame's link.

use std::path::Path;

use crate::command::Stop;
use crate::disk;

/// In `index.html`: what a frame's document has otherwise.
const CHANGES: &[(&str, &str)] = &[
    ("<html lang=\"en\">", "<html lang=\"en\" class=\"embed\">"),
    (
        "<title>atelier: what does each layer add to an answer?</title>",
        "<title>atelier: a picture</title><meta name=\"robots\" content=\"noindex\">",
    ),
    ("<!-- The page's own address, where it is known. -->", ""),
    ("<!-- The picture, once it is built. -->", ""),
    // A frame is nothing to install.
    ("<link rel=\"manifest\" href=\"manifest.webmanifest\">", ""),
];

/// Writes it beside `index.html`, which holds no picture yet.
pub fn write(stage: &Path) -> Result<(), Stop> {
    let from = stage.join("index.html");
    let index = disk::read_text(&from)?;
    let to = stage.join("embed.html");
    disk::write(&to, embedded(&index)?)
}

fn embedded(index: &str) -> Result<String, Stop> {
    let mut html = index.to_owned();
    for (own, other) in CHANGES {
        if html.matches(own).count() != 1 {
            return Err(Stop::new(format!(
                "index.html has no one place for `{own}`, which embed.html has otherwise."
            )));
        }
        html = html.replace(own, other);
    }
    // The tags that other sites show beside a link are the page's own.
    let is_shown = |line: &&str| {
        let line = line.trim_start();
        !line.starts_with("<meta property=\"og:") && !line.starts_with("<meta name=\"twitter:")
    };
    Ok(html.lines().filter(is_shown).collect::<Vec<_>>().join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_has_the_pages_policy_and_nothing_that_is_the_pages_alone() {
        let index = include_str!("../../index.html");
        let html = embedded(index).expect("all places are there");
        assert!(html.contains("<html lang=\"en\" class=\"embed\">"));
        assert_eq!(
            atelier_server::policy_in(html.as_bytes()),
            atelier_server::policy_in(index.as_bytes())
        );
        for own in ["og:", "twitter:", "manifest.webmanifest", "<!-- The picture"] {
            assert!(index.contains(own) && !html.contains(own), "{own}");
        }
        for shared in ["early.js", "id=\"app\"", "atelier-build", "style.css"] {
            assert!(html.contains(shared), "{shared}");
        }
        assert!(embedded(&html).is_err(), "once");
    }
}
