//! What each chore needs, made present. Every part first looks; what is there is not touched.

use std::path::PathBuf;

use crate::apt;
use crate::browser::{self, Browser};
use crate::command::Stop;
use crate::npm;
use crate::place::Place;
use crate::python;
use crate::tools::{self, Tools};
use crate::wasm::{self, Debian, Found, Wasm};

/// What builds the page.
pub struct Workshop {
    pub wasm: Wasm,
    pub tools: Tools,
}

/// Building the page.
pub fn for_page(place: &Place) -> Result<Workshop, Stop> {
    let wasm = packages(place, npm::needs())?;
    npm::prepare(place)?;
    Ok(Workshop {
        wasm,
        tools: tools::prepare(place)?,
    })
}

/// Building the page, running it in a browser, and reading surveys' rows with Python.
pub fn for_tests(place: &Place) -> Result<(Workshop, Browser, PathBuf), Stop> {
    let mut needs = npm::needs();
    needs.extend(browser::needs());
    needs.extend(python::needs(place));
    let wasm = packages(place, needs)?;
    npm::prepare(place)?;
    let browser = browser::prepare()?;
    let python = python::prepare(place)?;
    Ok((
        Workshop {
            wasm,
            tools: tools::prepare(place)?,
        },
        browser,
        python,
    ))
}

/// Linting the page.
pub fn for_lints(place: &Place) -> Result<Wasm, Stop> {
    let wasm = packages(place, Vec::new())?;
    apt::install(&wasm::clippy_needs(&wasm))?;
    Ok(wasm)
}

/// All packages at once, so that whoever is not root is told one command, not one after another.
fn packages(place: &Place, mut needs: Vec<apt::Need>) -> Result<Wasm, Stop> {
    let found = match wasm::find(place)? {
        Found::Ready(wasm) => Some(wasm),
        Found::FromDebian(compiler) => {
            needs.extend(compiler);
            None
        }
    };
    apt::install(&needs)?;
    match found {
        Some(wasm) => Ok(wasm),
        None => Ok(Wasm::Debian(Debian::build(place)?)),
    }
}
