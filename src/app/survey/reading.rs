//! Reports from files and from beside the page, as surveys or as a sentence.

use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{File, Response};

use crate::app::browser;
use crate::study::survey::{Survey, SurveyReport};

/// Reads a report's text.
///
/// # Errors
/// A sentence that names the file.
fn read(name: &str, text: &str) -> Result<Survey, String> {
    let report =
        SurveyReport::read(text).map_err(|error| format!("{name} cannot be shown: {error}."))?;
    if report.survey.cells.is_empty() {
        return Err(format!(
            "{name} cannot be shown: it holds no model on any task."
        ));
    }
    Ok(report.survey)
}

/// # Errors
/// A sentence that names the file.
pub async fn file(file: File) -> Result<(String, Survey), String> {
    let name = file.name();
    let text = JsFuture::from(file.text())
        .await
        .ok()
        .and_then(|text| text.as_string());
    let text =
        text.ok_or_else(|| format!("The browser could not read {name}: choose it again."))?;
    read(&name, &text).map(|survey| (name, survey))
}

/// From an address of this page's own origin.
///
/// # Errors
/// A sentence that names the file.
pub async fn fetched(name: &str, url: &str) -> Result<Survey, String> {
    let missing = || format!("{name} could not be fetched: check the address, or reload the page.");
    let response = JsFuture::from(browser::window().fetch_with_str(url)).await;
    let response: Response = response.map_err(|_| missing())?.unchecked_into();
    if !response.ok() {
        return Err(missing());
    }
    let text = JsFuture::from(response.text().map_err(|_| missing())?).await;
    let text = text
        .ok()
        .and_then(|text| text.as_string())
        .ok_or_else(missing)?;
    read(name, &text)
}
