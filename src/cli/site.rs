//! What `atelier open` serves: the page, and below `opened/` what was opened with it.

use atelier_server::{Files, Found};

use super::page_files::PageFiles;
use super::served_model::ServedModel;

/// Where what was opened lies beside the page.
pub const OPENED: &str = "opened/";

/// The page and what was opened with it.
#[derive(Default)]
pub struct OpenedSite {
    pub page: PageFiles,
    /// Name and content.
    pub report: Option<(String, Vec<u8>)>,
    pub model: Option<ServedModel>,
}

impl Files for OpenedSite {
    fn find(&self, path: &str) -> Option<Found> {
        let Some(opened) = path.strip_prefix(OPENED) else {
            return self.page.find(path);
        };
        if let Some((name, bytes)) = &self.report
            && opened == name
        {
            return Some(Found::bytes(name, bytes.clone()));
        }
        let model = self.model.as_ref()?;
        model.find(opened.strip_prefix(model.name())?.strip_prefix('/')?)
    }
}

/// Percent-encoded: as a part of a path, or as a value in a query.
pub fn encoded(text: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(byte);
    text.bytes()
        .map(|byte| match byte {
            byte if plain(&byte) => char::from(byte).to_string(),
            byte => format!("%{byte:02X}"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_opened_is_below_opened() {
        let site = OpenedSite {
            report: Some(("a b.json".into(), b"{}".to_vec())),
            ..OpenedSite::default()
        };
        assert!(site.find("opened/a b.json").is_some());
        for other in ["opened/", "opened/b.json", "opened/a b.json/", "opened/x/y"] {
            assert!(site.find(other).is_none(), "{other}");
        }
        assert_eq!(encoded("a b&#é.json"), "a%20b%26%23%C3%A9.json");
    }
}
