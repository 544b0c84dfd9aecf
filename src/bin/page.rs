//! The page.

use wasm_bindgen::prelude::wasm_bindgen;

fn main() {
    std::panic::set_hook(Box::new(atelier::app::tell_failure));
    atelier::app::mount();
}

/// Draws the start page's pictures from two reports: names of files and SVG by turns. `cargo xtask build` calls it.
///
/// # Errors
/// A report that cannot be read, or that lacks what a picture is of.
#[wasm_bindgen]
pub fn start_pictures(start: &[u8], survey: &[u8]) -> Result<Vec<String>, String> {
    let pictures = atelier::app::doors::pictures_from(start, survey)?;
    Ok(pictures.into_iter().flat_map(|(file, svg)| [file, svg]).collect())
}
