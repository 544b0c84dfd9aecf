//! The library's documentation: no broken link, and nothing that is reached without a word about it but fields and
//! variants, whose names say it.

use std::process::{Command, Stdio};

use crate::command::{Stop, show};
use crate::place::Place;

/// Paths whose public items need no documentation: the page, which no other program uses; the words of the
/// primer; and training.
const EXEMPT: &[&str] = &["src/app/", "src/task/primer/words.rs", "src/train/"];

/// Kinds of items that need no documentation.
const PLAIN: &[&str] = &["a struct field", "a variant"];

const MISSING: &str = "warning: missing documentation for ";

/// Runs `cargo doc`, as `doc` says it.
///
/// # Errors
/// A broken link or another fault; an item without documentation.
pub fn check(doc: &mut Command, place: &Place) -> Result<(), Stop> {
    doc.current_dir(place.root())
        .env("RUSTDOCFLAGS", "-D warnings --force-warn missing_docs")
        .stderr(Stdio::piped());
    let shown = show(doc);
    let stop = |why: &str| Stop::new(why).try_running(&shown);
    let output =
        doc.output().map_err(|error| stop(&format!("cargo doc does not start: {error}.")))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        let others = said.split("\n\n").filter(|part| !part.starts_with(MISSING));
        eprintln!("{}", others.collect::<Vec<_>>().join("\n\n"));
        return Err(stop("The documentation has a broken link or another fault."));
    }
    match undocumented(&said) {
        faults if faults.is_empty() => Ok(()),
        faults => Err(Stop::new(format!("Without a word about it:\n{}", faults.join("\n")))),
    }
}

/// Lists the kind and place of every item for which rustc misses documentation.
fn undocumented(said: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for part in said.split("\n\n") {
        let Some((what, rest)) =
            part.split_once(MISSING).and_then(|(_, rest)| rest.split_once('\n'))
        else {
            continue;
        };
        let at = rest.lines().find_map(|line| line.trim().strip_prefix("--> "));
        let at = at.unwrap_or("somewhere");
        let is_exempt = EXEMPT.iter().any(|folder| at.starts_with(folder));
        if !PLAIN.contains(&what) && !is_exempt {
            faults.push(format!("{what}: {at}"));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_and_variants_need_no_word() {
        let said = "\
 Documenting atelier v0.1.0
warning: missing documentation for a struct field
 --> src/plan/mod.rs:7:5
  |
7 |     pub index: usize,
  |     ^^^^^^^^^^^^^^^^

warning: missing documentation for a method
  --> src/plan/heads.rs:29:5
   |
29 |     pub fn is_empty(self) -> bool {
   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

warning: missing documentation for a method
  --> src/app/state/mod.rs:29:5
   |
29 |     pub fn go(self) {

warning: `atelier` (lib doc) generated 3 warnings
";
        assert_eq!(undocumented(said), ["a method: src/plan/heads.rs:29:5"]);
    }
}
