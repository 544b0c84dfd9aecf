//! Files in `dist/` for the host: headers where it takes them from a file, a page for addresses that lead
//! nowhere, a word to crawlers, and the picture that others show beside a link.
//!
//! Netlify's, Cloudflare's and others' hosts read `_headers`, at the root of a site. One rule alone applies to
//! each file: where two apply, some hosts send both values, and two content policies would both hold.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use atelier_server::{POLICY, policy_in};

use crate::command::{Stop, run};
use crate::disk::{self, named_under};
use crate::place::Place;
use crate::setting::Setting;

/// For the host, not for the page: no browser is told to keep them, and no program carries them.
pub const FILES: &[&str] = &[".nojekyll", "404.html", PICTURE, HEADERS, "robots.txt"];

const HEADERS: &str = "_headers";
const PICTURE: &str = "preview.png";

const ROBOTS: &str = "User-agent: *\nDisallow:\n";

/// In `index.html`: becomes what needs the page's whole address.
const OWN: &str = "<!-- The page's own address, where it is known. -->";

/// In `404.html`: where the page is.
const HOME: &str = "HOME";

/// Files that are asked for by their plain names too, or say which build is the newest: asked for again each time.
/// Others are asked for by the build's id alone, and may be kept for ever.
const SHELL: &[&str] = &[
    "embed.html",
    "hub.html",
    "icon.png",
    "icon.svg",
    "index.html",
    "manifest.webmanifest",
    "service_worker.js",
];

/// Writes all but the headers, which say which files there are.
pub fn write(place: &Place, stage: &Path, setting: &Setting) -> Result<(), Stop> {
    let put = |name: &str, text: &str| disk::write(&stage.join(name), text);
    // Else GitHub's older way of publishing leaves out names that begin with `_`.
    put(".nojekyll", "")?;
    put("robots.txt", ROBOTS)?;
    let lost = disk::read_text(&place.root().join("web/404.html"))?;
    put("404.html", &lost.replace(HOME, setting.site.as_deref().unwrap_or("./")))?;
    let index = disk::read_text(&stage.join("index.html"))?;
    put("index.html", &addressed(&index, setting.site.as_deref()))?;
    picture(place, stage)
}

/// A picture's address must be whole to be read by all, and the page's own is known only where it was said.
fn addressed(html: &str, site: Option<&str>) -> String {
    let Some(address) = site else {
        return html.replace(OWN, "");
    };
    let own = format!(
        "<link rel=\"canonical\" href=\"{address}\"><meta property=\"og:url\" content=\"{address}\">"
    );
    // The id that relative names are given later.
    let picture = format!("content=\"{address}{PICTURE}?v=BUILD_ID\"");
    html.replace(OWN, &own).replace(&format!("content=\"{PICTURE}\""), &picture)
}

/// Draws the picture for links: the page's first figure.
fn picture(place: &Place, stage: &Path) -> Result<(), Stop> {
    let mut node = Command::new("node");
    node.current_dir(place.root())
        .arg("xtask/assets/preview.mjs")
        .args([stage.join("index.html"), stage.join("style.css")])
        .arg(stage.join(PICTURE));
    run(&mut node, "The picture for links could not be drawn.")
}

/// Writes `_headers`, once every file is there.
pub fn write_headers(stage: &Path) -> Result<(), Stop> {
    let names: Vec<String> = named_under(stage)?.into_iter().map(|(name, _)| name).collect();
    let html = disk::read(&stage.join("hub.html"))?;
    let downloads =
        policy_in(&html).ok_or_else(|| Stop::new("hub.html says no policy of its own."))?;
    disk::write(&stage.join(HEADERS), headers(&names, &downloads))
}

/// A rule for every folder, and one for every file that is in none.
fn headers(names: &[String], downloads: &str) -> String {
    let mut text = String::from(
        "# For hosts that take headers from this file, at the root of a site. Every file has one rule.\n",
    );
    let mut rule = |path: &str, policy: &str, framed: &str, keeps: bool| {
        let keeping = if keeps { "public, max-age=31536000, immutable" } else { "no-cache" };
        // Writing to a text cannot fail.
        let _ = write!(
            text,
            "{path}\n  Content-Security-Policy: {policy}; frame-ancestors {framed}\n  \
             X-Content-Type-Options: nosniff\n  Referrer-Policy: no-referrer\n  Cache-Control: {keeping}\n"
        );
    };
    let folders: BTreeSet<&str> =
        names.iter().filter_map(|name| name.split_once('/')).map(|(folder, _)| folder).collect();
    for folder in folders {
        rule(&format!("/{folder}/*"), POLICY, "'none'", false);
    }
    for name in names.iter().filter(|name| !name.contains('/')) {
        let (policy, framed) = match name.as_str() {
            "hub.html" => (downloads, "'self'"),
            // Made to be framed by whoever likes to: nothing of a reader's is in it but what its address says.
            "embed.html" => (POLICY, "*"),
            _ => (POLICY, "'none'"),
        };
        if FILES.contains(&name.as_str()) {
            continue;
        }
        let keeps = !SHELL.contains(&name.as_str());
        rule(&format!("/{name}"), policy, framed, keeps);
        // Some hosts answer for the name without its ending.
        if let Some(plain) = name.strip_suffix(".html") {
            let plain = if plain == "index" { "" } else { plain };
            rule(&format!("/{plain}"), policy, framed, keeps);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_has_one_rule() {
        let names = [
            ".nojekyll",
            "404.html",
            "embed.html",
            "hub.html",
            "index.html",
            "lessons/01-votes.toml",
            "lessons/02-more.toml",
            "models/scholar-2/config.json",
            "page_bg.wasm",
            "preview.png",
            "service_worker.js",
        ];
        let text = headers(&names.map(str::to_string), "default-src 'none'");
        let rules: Vec<&str> = text.lines().filter(|line| line.starts_with('/')).collect();
        let want = [
            "/lessons/*",
            "/models/*",
            "/embed.html",
            "/embed",
            "/hub.html",
            "/hub",
            "/index.html",
            "/",
            "/page_bg.wasm",
            "/service_worker.js",
        ];
        assert_eq!(rules, want);
        let of = |path: &str| {
            let (_, rest) = text.split_once(&format!("\n{path}\n")).expect("a rule");
            rest.lines().take_while(|line| line.starts_with(' ')).collect::<String>()
        };
        assert!(of("/hub").contains("default-src 'none'; frame-ancestors 'self'"));
        assert!(of("/embed.html").contains(&format!("{POLICY}; frame-ancestors *")));
        assert!(of("/").contains("frame-ancestors 'none'"));
        assert!(of("/").contains(POLICY) && of("/").contains("no-cache"));
        assert!(of("/page_bg.wasm").contains("immutable"));
        assert!(of("/lessons/*").contains("no-cache") && of("/lessons/*").contains(POLICY));
        assert!(of("/service_worker.js").contains("no-cache"));
        // Limits of hosts: a hundred rules, lines of two thousand characters.
        assert!(rules.len() < 100 && text.lines().all(|line| line.len() < 2000));
    }

    #[test]
    fn a_known_address_stands_where_others_read_it() {
        let html = include_str!("../../index.html");
        assert_eq!(html.matches(OWN).count(), 1);
        assert_eq!(html.matches("content=\"preview.png\"").count(), 1);
        let plain = addressed(html, None);
        assert!(plain.contains("content=\"preview.png\"") && !plain.contains("canonical"));
        let known = addressed(html, Some("https://a.test/b/"));
        assert!(known.contains("content=\"https://a.test/b/preview.png?v=BUILD_ID\""));
        assert!(known.contains("<link rel=\"canonical\" href=\"https://a.test/b/\">"));
        assert_eq!(include_str!("../../web/404.html").matches(HOME).count(), 1);
    }
}
