//! Texts from files and from beside the page, and surveys from texts.

use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, File, Response};

use crate::app::browser;
use crate::app::link::decode;
use crate::app::opened;
use crate::study::survey::{Survey, SurveyReport};

/// The text of a file.
///
/// # Errors
/// A sentence that names the file.
pub async fn text(file: &File) -> Result<String, String> {
    let name = file.name();
    opened::check_size(&name, file.size())?;
    let text = JsFuture::from(file.text()).await.ok();
    let text = text.and_then(|text| text.as_string());
    text.ok_or_else(|| format!("The browser could not read {name}: choose it again."))
}

/// Reads a report's text.
///
/// # Errors
/// A sentence that names the file.
pub fn survey(name: &str, text: &str) -> Result<Survey, String> {
    let report = SurveyReport::read(text).map_err(|error| opened::refusal(name, &error))?;
    Ok(report.survey)
}

/// From an address of this page's own origin.
///
/// # Errors
/// A sentence that names the file.
pub async fn fetched(name: &str, url: &str) -> Result<Survey, String> {
    survey(name, &fetched_text(name, url).await?)
}

/// The text at an address of this page's own origin.
///
/// # Errors
/// A sentence that names the file.
pub async fn fetched_text(name: &str, url: &str) -> Result<String, String> {
    let missing = || format!("{name} could not be fetched: check the address, or reload the page.");
    let response = JsFuture::from(browser::window().fetch_with_str(url)).await;
    let response: Response = response.map_err(|_| missing())?.unchecked_into();
    if !response.ok() {
        return Err(missing());
    }
    // The browser has room on its disk for what this program may have none for.
    let blob = JsFuture::from(response.blob().map_err(|_| missing())?).await;
    let blob: Blob = blob.map_err(|_| missing())?.unchecked_into();
    opened::check_size(name, blob.size())?;
    let text = JsFuture::from(blob.text()).await;
    text.ok().and_then(|text| text.as_string()).ok_or_else(missing)
}

/// Reports that one link may name: each is fetched, read and kept.
const MOST_LINKED: usize = 32;

/// Names and addresses of the reports in `?report=…&report=…`.
///
/// # Errors
/// A sentence: one is on another site, or there are too many.
pub fn linked() -> Result<Vec<(String, String)>, String> {
    let query = browser::window().location().search().unwrap_or_default();
    let mut found = Vec::new();
    for part in query.trim_start_matches('?').split('&') {
        let Some(("report", path)) = part.split_once('=') else {
            continue;
        };
        let path = decode(path);
        let Some(url) = browser::own_url(&path) else {
            return Err(format!(
                "{path} is not on this site, and this page fetches nothing from elsewhere: download it and open the file."
            ));
        };
        if found.len() == MOST_LINKED {
            return Err(format!(
                "The link names more than {MOST_LINKED} reports, and none was fetched: open them as files."
            ));
        }
        let name = url.pathname().rsplit('/').next().map(decode);
        found.push((name.unwrap_or(path), url.href()));
    }
    Ok(found)
}
