//! Gives the URLs of `dist/` the build's id.
//!
//! Files keep their plain names, so that any static host and any path will do; a query with the
//! build's id makes a browser that kept an older build fetch the new one, whole: page, worker and
//! wasm never mix. The service worker, which keeps a build for visits without a network, is told the
//! names of its files.

use std::path::Path;

use crate::command::Stop;
use crate::disk::{self, named_under};
use crate::hash::Hash;
use crate::host;

/// Stands for the build's id in the pages and in the files of `web`.
const PLACEHOLDER: &str = "BUILD_ID";

/// Stand for the files that work without a network.
const SHELL: &str = "SHELL_FILES";
const MODELS: &str = "MODEL_FILES";

/// Asks for what a build holds, and is asked for by nothing in it.
const SERVICE_WORKER: &str = "service_worker.js";

/// Files with a placeholder in them.
const STAMPED: &[&str] = &[
    "index.html",
    "embed.html",
    "hub.html",
    "boot.js",
    "hub_boot.js",
    "hub_frame.js",
    SERVICE_WORKER,
    "worker_loader.js",
];

/// Stamps the files of a folder and gives back the id: the fingerprint of all that is in it.
pub fn stamp(folder: &Path) -> Result<String, Stop> {
    let mut hash = Hash::new();
    hash.add_path(folder)?;
    let id = hash.finish();
    let names: Vec<String> = named_under(folder)?.into_iter().map(|(name, _)| name).collect();
    for name in STAMPED {
        let path = folder.join(name);
        let text = disk::read_text(&path)?
            .replace(PLACEHOLDER, &id)
            .replace(SHELL, &array(names.iter().filter_map(|name| shell(name))))
            .replace(MODELS, &array(names.iter().filter_map(|name| model(name))));
        let text = if name.ends_with(".html") { stamp_html(&text, &names, &id) } else { text };
        disk::write(&path, text)?;
    }
    Ok(id)
}

/// The name by which a browser asks for a file that the page is made of: the page itself has none.
fn shell(name: &str) -> Option<&str> {
    let is_apart = model(name).is_some()
        || name.starts_with("licences/")
        || name.ends_with(".md")
        || host::FILES.contains(&name)
        || name == SERVICE_WORKER;
    (!is_apart).then_some(if name == "index.html" { "" } else { name })
}

/// A file that the page computes from or shows, and can do without until someone asks for it.
fn model(name: &str) -> Option<&str> {
    let is_apart = ["models/", "examples/", "start/"].iter().any(|folder| name.starts_with(folder));
    (is_apart && !name.ends_with(".md")).then_some(name)
}

/// Writes strings as a JavaScript array. Names of files in `dist/` hold nothing that would have to be escaped.
fn array<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
    format!("[{}]", quoted.join(","))
}

/// Adds `?v=<id>` to every relative URL in double quotes that names one of `files` and has no
/// query yet.
fn stamp_html(html: &str, files: &[String], id: &str) -> String {
    let mut stamped = String::with_capacity(html.len() + 512);
    // Odd pieces are what stands between quotes.
    for (i, piece) in html.split('"').enumerate() {
        if i > 0 {
            stamped.push('"');
        }
        stamped.push_str(piece);
        let name = piece.strip_prefix("./").unwrap_or(piece);
        if i % 2 == 1 && files.iter().any(|file| file == name) {
            stamped.push_str("?v=");
            stamped.push_str(id);
        }
    }
    stamped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_of_files_that_exist_are_stamped_once() {
        let files = ["page.js".to_string(), "icons/a.svg".to_string()];
        let html = concat!(
            r#"<link href="./page.js"><link href="icons/a.svg"><script src="./page.js?v=7">"#,
            r#"</script><a href="https://example.org/page.js">page.js "missing.js"</a>"#
        );
        assert_eq!(
            stamp_html(html, &files, "1f"),
            concat!(
                r#"<link href="./page.js?v=1f"><link href="icons/a.svg?v=1f">"#,
                r#"<script src="./page.js?v=7">"#,
                r#"</script><a href="https://example.org/page.js">page.js "missing.js"</a>"#
            )
        );
    }

    #[test]
    fn a_build_is_named_by_what_is_in_it() {
        let folder = std::env::temp_dir().join(format!("atelier-stamp-{}", std::process::id()));
        let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
        std::fs::create_dir_all(folder.join("models/a")).unwrap();
        let files = |wasm: &str| {
            write("page.wasm", wasm);
            write("index.html", r#"<meta name="atelier-build" content="BUILD_ID">"#);
            write("boot.js", r#"import init from "./page.js?v=BUILD_ID";"#);
            for name in
                ["embed.html", "hub.html", "hub_boot.js", "hub_frame.js", "worker_loader.js"]
            {
                write(name, "");
            }
            write("models/a/config.json", "{}");
            write("models/CARD.md", "");
            for name in host::FILES {
                write(name, "");
            }
            write(
                "service_worker.js",
                r#"const SHELL = SHELL_FILES, MODELS = MODEL_FILES, BUILD = "BUILD_ID";"#,
            );
        };
        files("one");
        let first = stamp(&folder).unwrap();
        let boot = std::fs::read_to_string(folder.join("boot.js")).unwrap();
        assert_eq!(boot, format!(r#"import init from "./page.js?v={first}";"#));
        let worker = std::fs::read_to_string(folder.join("service_worker.js")).unwrap();
        assert_eq!(
            worker,
            format!(
                "const SHELL = [\"boot.js\",\"embed.html\",\"hub.html\",\"hub_boot.js\",\"hub_frame.js\",\"\",\"page.wasm\",\"worker_loader.js\"], \
                 MODELS = [\"models/a/config.json\"], BUILD = \"{first}\";"
            )
        );
        files("one");
        assert_eq!(stamp(&folder).unwrap(), first);
        files("two");
        assert_ne!(stamp(&folder).unwrap(), first);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
