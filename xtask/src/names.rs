//! One type, one name: none is used twice in `src`, and none is one of std's.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::command::Stop;

/// Names that are still used twice, or are one of std's. The list only shrinks: one that is single
/// by now must go, and nothing may be added.
const STILL_THERE: &[&str] = &[];

/// Types, traits and derives of std that a file here may well bring into scope.
const STD: &str = "\
    Add AddAssign Any Arc Args AsMut AsRef BTreeMap BTreeSet Borrow Bound Box BufRead BufReader \
    BufWriter Bytes Cell Chain Chars Child Chunks Clone Command Component Condvar Context Copied \
    Copy Cow Cursor Cycle Debug Default Deref DirEntry Display Div Drain Drop Duration Empty \
    Entry Enumerate Eq Error ErrorKind ExitCode ExitStatus Extend File Filter Flatten Fn FnMut \
    FnOnce Formatter From FromStr Fuse Future Hash HashMap HashSet Hasher Index IndexMut Instant \
    Into IntoIter Iter IterMut Iterator Keys Layout Lines Location Map Metadata Mul Mutex Neg \
    Not OnceCell OnceLock OpenOptions Option Ord Ordering OsStr OsString Output Path PathBuf \
    Peekable Pending Permissions PhantomData Pin Poll Product Range RangeInclusive Rc Read Ready \
    Receiver Ref RefCell RefMut Rem Repeat Result Rev RwLock Scan Scope Seek SeekFrom Send \
    Sender Sink Skip Split Stderr Stdin Stdio Stdout String Sub Sum Sync SystemTime Take Thread \
    ToOwned ToString TryFrom TryInto Values Vec VecDeque Wake Waker Weak Windows Wrapping Write \
    Zip";

/// Where each name is defined: `src/plan/mod.rs:50`.
type Places = BTreeMap<String, Vec<String>>;

/// # Errors
/// A name that is used twice or shadows std, with every place; a file that cannot be read.
pub fn check(root: &Path) -> Result<(), Stop> {
    let mut places = Places::new();
    for path in sources(&root.join("src"))? {
        let text = fs::read_to_string(&path).map_err(|error| Stop::file("read", &path, &error))?;
        let file = path.strip_prefix(root).unwrap_or(&path).display();
        for (line, name) in defined(&text) {
            let all = places.entry(name.to_string()).or_default();
            all.push(format!("{file}:{line}"));
        }
    }
    match faults(&places, STILL_THERE) {
        faults if faults.is_empty() => Ok(()),
        faults => Err(Stop::new(faults.join("\n"))),
    }
}

/// Every Rust file below a folder, in order.
fn sources(folder: &Path) -> Result<Vec<PathBuf>, Stop> {
    let failed = |error| Stop::file("read", folder, &error);
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            found.extend(sources(&path)?);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn is_std(name: &str) -> bool {
    STD.split_whitespace().any(|known| known == name)
}

/// A sentence for each name that is not its type's alone, but for those in `allowed`.
fn faults(places: &Places, allowed: &[&str]) -> Vec<String> {
    let mut faults = Vec::new();
    for (name, all) in places {
        let at = all.join(" and ");
        let fault = match all.len() {
            1 if is_std(name) => format!("The type `{name}` ({at}) has the name of one of std's."),
            1 => continue,
            _ => format!("`{name}` names several types: {at}."),
        };
        if !allowed.contains(&name.as_str()) {
            faults.push(format!("{fault} Find it a name of its own."));
        }
    }
    for name in allowed {
        let all = places.get(*name).map_or(0, Vec::len);
        if all == 0 || all == 1 && !is_std(name) {
            let list = "STILL_THERE in xtask/src/names.rs";
            faults.push(format!("`{name}` is no longer used twice: take it off {list}."));
        }
    }
    faults
}

/// Line and name of each type, trait and alias that a formatted file defines. The associated types
/// of traits and their impls have no name of their own.
fn defined(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    // The lines that the next one stands in, by their indents: is it a trait or an impl?
    let mut around: Vec<(usize, bool)> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let code = line.trim_start();
        if code.is_empty() || code.starts_with("//") {
            continue;
        }
        let indent = line.len() - code.len();
        let mut before = None;
        while let Some(last) = around.pop_if(|(outer, _)| *outer >= indent) {
            before = (last.0 == indent).then_some(last.1);
        }
        let is_inside = around.last().is_some_and(|(_, is_trait)| *is_trait);
        let (keyword, rest) = without_modifiers(code);
        if let Some(name) = named(keyword, rest)
            && !(keyword == "type" && is_inside)
        {
            found.push((at + 1, name));
        }
        // The bounds of a long header stand on lines of their own, and so does its brace.
        let is_trait = match code {
            "where" | "{" => before.unwrap_or(false),
            _ if code.starts_with([')', '>']) => before.unwrap_or(false),
            _ => keyword == "trait" || keyword == "impl" || keyword.starts_with("impl<"),
        };
        around.push((indent, is_trait));
    }
    found
}

/// The first word behind `pub`, `pub(super)` and `unsafe`, and what follows it.
fn without_modifiers(code: &str) -> (&str, &str) {
    let code = match code.strip_prefix("pub(") {
        Some(rest) => rest.split_once(") ").map_or(code, |(_, code)| code),
        None => code.strip_prefix("pub ").unwrap_or(code),
    };
    let code = code.strip_prefix("unsafe ").unwrap_or(code);
    code.split_once(' ').unwrap_or((code, ""))
}

/// Returns the name of the type that `keyword` defines; `None` if it defines no type.
fn named<'t>(keyword: &str, rest: &'t str) -> Option<&'t str> {
    let defines = ["struct", "enum", "trait", "type", "union"].contains(&keyword);
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
    let name = &rest[..end.unwrap_or(rest.len())];
    (defines && name.starts_with(char::is_uppercase)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(files: &[(&str, &str)]) -> Places {
        let mut places = Places::new();
        for (file, text) in files {
            for (line, name) in defined(text) {
                let all = places.entry(name.to_string()).or_default();
                all.push(format!("{file}:{line}"));
            }
        }
        places
    }

    #[test]
    fn a_name_used_twice_is_said_with_both_places() {
        let all = places(&[
            ("src/a.rs", "pub struct Row {\n    n: usize,\n}\n"),
            ("src/b.rs", "\nfn f() {\n    pub(super) enum Row {}\n}\n"),
        ]);
        assert_eq!(
            faults(&all, &[]),
            ["`Row` names several types: src/a.rs:1 and src/b.rs:3. Find it a name of its own."]
        );
        assert!(faults(&all, &["Row"]).is_empty());
    }

    #[test]
    fn a_name_of_std_is_one_too_many() {
        let all = places(&[("src/a.rs", "type Result<T> = std::result::Result<T, ()>;\n")]);
        let [fault] = &faults(&all, &[])[..] else {
            panic!("one fault");
        };
        assert!(fault.contains("`Result` (src/a.rs:1)"), "{fault}");
        assert!(faults(&all, &["Result"]).is_empty());
    }

    #[test]
    fn an_allowed_name_that_is_single_must_leave_the_list() {
        let all = places(&[("src/a.rs", "struct Row;\n")]);
        assert_eq!(faults(&all, &["Row", "Gone"]).len(), 2);
        assert!(faults(&all, &[]).is_empty());
    }

    #[test]
    fn associated_types_and_prose_are_no_definitions() {
        let text = "\
// struct Comment;
pub trait Record {
    /// What one plan gives.
    type Item;
}
impl<T> Record for Plan<T>
where
    T: Copy,
{
    type Item = T;
    fn f() {
        type Own = u8;
    }
}
unsafe impl Send for Plan {}
impl Iterator for Long<
    u8,
> {
    type Item = u8;
}
pub(in crate::plan) union Bits {
    a: u8,
}
pub unsafe trait Plain: Copy {}
fn f(structure: Typed) {}
";
        let names: Vec<&str> = defined(text).into_iter().map(|(_, name)| name).collect();
        assert_eq!(names, ["Record", "Own", "Bits", "Plain"]);
    }
}
