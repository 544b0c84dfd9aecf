//! What `atelier open` serves: the page, and below `opened/` what was opened with it.

use anyhow::Context;
use atelier_server::{Files, Found};

use super::page_files::PageFiles;
use super::served_model::ServedModel;

/// The page and what was opened with it.
pub struct OpenedSite {
    pub page: PageFiles,
    /// Where what was opened lies beside the page: a path that ends in `/`, and that no other user of this
    /// machine guesses.
    pub opened: String,
    /// Name and content.
    pub report: Option<(String, Vec<u8>)>,
    pub model: Option<ServedModel>,
}

impl OpenedSite {
    /// With nothing in it yet.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn new() -> anyhow::Result<Self> {
        let unguessable = getrandom::u64().context("the system gives no random numbers")?;
        Ok(Self {
            page: PageFiles::default(),
            opened: format!("opened/{unguessable:016x}/"),
            report: None,
            model: None,
        })
    }
}

impl Files for OpenedSite {
    fn find(&self, path: &str) -> Option<Found> {
        let Some(opened) = path.strip_prefix(&self.opened) else {
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
        let mut site = OpenedSite::new().expect("random numbers");
        site.report = Some(("a b.json".into(), b"{}".to_vec()));
        let own = site.opened.clone();
        assert!(site.find(&format!("{own}a b.json")).is_some());
        for other in ["", "b.json", "a b.json/", "x/y"] {
            assert!(site.find(&format!("{own}{other}")).is_none(), "{other}");
            assert!(site.find(&format!("opened/{other}")).is_none(), "{other}");
        }
        // Whoever does not know the path does not find it, and another time it is another.
        assert!(site.find("opened/a b.json").is_none());
        let digits = own.strip_prefix("opened/").and_then(|own| own.strip_suffix('/'));
        assert_eq!(digits.map(str::len), Some(16));
        assert_ne!(OpenedSite::new().expect("random numbers").opened, own);
        assert_eq!(encoded("a b&#é.json"), "a%20b%26%23%C3%A9.json");
    }
}
