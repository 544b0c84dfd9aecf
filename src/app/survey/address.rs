//! What the page's address says: which view, model and task after the `#`, which reports after the
//! `?`.

use crate::app::browser;
use crate::app::link::{decode, encode};

/// Which of the page's views is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    #[default]
    Survey,
    Theory,
}

impl View {
    pub fn name(self) -> &'static str {
        match self {
            Self::Survey => "survey",
            Self::Theory => "theory",
        }
    }
}

/// The part after the `#`: `theory&model=apprentice-12&task=mood`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Address {
    pub view: View,
    pub model: String,
    pub task: String,
    /// Whether the rows of that model on that task are open.
    pub rows: bool,
}

impl Address {
    pub fn here() -> Self {
        Self::parse(&browser::fragment())
    }

    fn parse(fragment: &str) -> Self {
        let mut address = Self::default();
        for part in fragment.trim_start_matches('#').split('&') {
            match part.split_once('=') {
                Some(("model", name)) => address.model = decode(name),
                Some(("task", name)) => address.task = decode(name),
                None if part == "theory" => address.view = View::Theory,
                None if part == "rows" => address.rows = true,
                _ => {}
            }
        }
        address
    }

    pub fn fragment(&self) -> String {
        let mut text = self.view.name().to_owned();
        if !self.model.is_empty() {
            text += &format!("&model={}", encode(&self.model));
        }
        if !self.task.is_empty() {
            text += &format!("&task={}", encode(&self.task));
        }
        if self.rows {
            text += "&rows";
        }
        text
    }
}

/// Addresses of the reports named in `?report=…&report=…`.
///
/// # Errors
/// A sentence: one is on another site.
pub fn reports() -> Result<Vec<(String, String)>, String> {
    let location = browser::window().location();
    let query = location.search().unwrap_or_default();
    let origin = location.origin().unwrap_or_default();
    let mut found = Vec::new();
    for part in query.trim_start_matches('?').split('&') {
        let Some(("report", path)) = part.split_once('=') else {
            continue;
        };
        let path = decode(path);
        let url = web_sys::Url::new_with_base(&path, &browser::beside("")).ok();
        let Some(url) = url.filter(|url| url.origin() == origin) else {
            return Err(format!(
                "{path} is not on this site, and this page fetches nothing from elsewhere: download it and open the file."
            ));
        };
        let name = url.pathname().rsplit('/').next().map(decode);
        found.push((name.unwrap_or(path), url.href()));
    }
    Ok(found)
}
