//! The page's own files: carried by this program where it was built to, and else in `dist/`.
//!
//! `cargo xtask build --binary` builds the page and then this program with feature `embedded-page`:
//! `ATELIER_PAGE` then names a Rust expression, an array of [`EmbeddedFile`], each compressed where that
//! helps. The models that the page fetches are not among them, since the program carries those already.

use std::path::{Path, PathBuf};

use anyhow::bail;
use atelier_server::{Files, Folder, Found, mime};

use crate::model::catalogue;

/// A file of the page in this program.
pub struct EmbeddedFile {
    pub name: &'static str,
    /// Is it compressed?
    pub gzip: bool,
    pub bytes: &'static [u8],
}

#[cfg(feature = "embedded-page")]
const EMBEDDED: &[EmbeddedFile] = include!(env!("ATELIER_PAGE"));
#[cfg(not(feature = "embedded-page"))]
const EMBEDDED: &[EmbeddedFile] = &[];

/// Files of the page.
pub enum PageFiles {
    Embedded(&'static [EmbeddedFile]),
    /// The folder's path, and the folder.
    Built(PathBuf, Folder),
}

impl Default for PageFiles {
    fn default() -> Self {
        Self::Embedded(EMBEDDED)
    }
}

impl PageFiles {
    /// Those in this program; else `dist/` in the project it was built from, beside this program, or in the
    /// current folder: last, because what was unpacked there may bring a page of its own.
    ///
    /// # Errors
    /// There is none.
    pub fn find() -> anyhow::Result<Self> {
        if !EMBEDDED.is_empty() {
            return Ok(Self::Embedded(EMBEDDED));
        }
        let program = std::env::current_exe().ok();
        let beside = program.as_deref().and_then(Path::parent);
        let project = Path::new(env!("CARGO_MANIFEST_DIR"));
        let places = [Some(project), beside, Some(Path::new(""))];
        if let Some(folder) = first(places.into_iter().flatten()) {
            let files = Folder::new(&folder)?;
            return Ok(Self::Built(folder, files));
        }
        bail!(
            "this program contains no page, and there is no dist/ here: run `cargo xtask build`, or `cargo xtask \
             build --binary` to put the page into the program"
        )
    }
}

/// The page in this folder, where it is one: a pack on a stick, for example.
///
/// # Errors
/// It cannot be read.
pub fn in_folder(folder: &Path) -> anyhow::Result<Option<PageFiles>> {
    if !is_page(folder) {
        return Ok(None);
    }
    let files = Folder::new(folder)?;
    Ok(Some(PageFiles::Built(folder.to_owned(), files)))
}

/// The first `dist/` in these places that is the page.
fn first<'a>(places: impl Iterator<Item = &'a Path>) -> Option<PathBuf> {
    places.map(|place| place.join("dist")).find(|folder| is_page(folder))
}

/// Is it the page, and not another project's?
fn is_page(folder: &Path) -> bool {
    let page = std::fs::read_to_string(folder.join("index.html"));
    page.is_ok_and(|page| page.contains("name=\"atelier-build\""))
        && folder.join("page_bg.wasm").is_file()
}

impl PageFiles {
    /// Where they lie, unless this program carries them.
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Self::Embedded(_) => None,
            Self::Built(folder, _) => Some(folder),
        }
    }
}

impl Files for PageFiles {
    fn find(&self, path: &str) -> Option<Found> {
        let files = match self {
            Self::Built(_, folder) => return folder.find(path),
            Self::Embedded(files) => files,
        };
        let path = if path.is_empty() { "index.html" } else { path };
        let own = files.iter().find(|file| file.name == path);
        own.map(|file| Found::Bytes {
            bytes: file.bytes.into(),
            gzip: file.gzip,
            mime: mime(Path::new(path)),
        })
        .or_else(|| {
            let mut known = catalogue::all().flat_map(|model| &model.files);
            let file = known.find(|file| file.path == path)?;
            Some(Found::bytes(path, file.bytes))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_place_that_holds_the_page_is_the_one() {
        let home = tempfile::tempdir().expect("a folder");
        let [none, other, project, unpacked] =
            ["none", "other", "project", "unpacked"].map(|name| home.path().join(name));
        for place in [&other, &project, &unpacked] {
            std::fs::create_dir_all(place.join("dist")).expect("a folder");
            let page = "<meta name=\"atelier-build\" content=\"1\">";
            let page = if place == &other { "another's" } else { page };
            std::fs::write(place.join("dist/index.html"), page).expect("a page");
            std::fs::write(place.join("dist/page_bg.wasm"), "").expect("a program");
        }
        let places = [&none, &other, &project, &unpacked];
        let found = first(places.into_iter().map(PathBuf::as_path));
        assert_eq!(found, Some(project.join("dist")));
        assert_eq!(first([none.as_path()].into_iter()), None);
    }

    #[test]
    fn what_this_program_carries_is_found_by_the_pages_names() {
        const FILES: &[EmbeddedFile] =
            &[EmbeddedFile { name: "index.html", gzip: true, bytes: b"packed" }];
        let page = PageFiles::Embedded(FILES);
        let Some(Found::Bytes { gzip, mime, .. }) = page.find("") else {
            panic!("no page");
        };
        assert!(gzip && mime.starts_with("text/html"));
        // Every file of a model that the page may ask for.
        for file in catalogue::KNOWN.iter().flat_map(|model| &model.files) {
            assert!(page.find(file.path).is_some(), "{}", file.path);
        }
        assert!(page.find("models/scholar-12/other").is_none());
    }
}
