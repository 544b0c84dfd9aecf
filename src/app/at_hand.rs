//! Models of this very machine, as the server lists them that serves the page; and what a link may say of them.

use serde::{Deserialize, Serialize};

/// A model of the server's models folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelAtHand {
    pub name: String,
    pub bytes: f64,
    /// Licence, origin and what to know of it, where the server knows; else empty.
    pub about: String,
}

/// Reads a server's `models.json`.
///
/// # Errors
/// It is no such list.
pub fn read(text: &str) -> Result<Vec<ModelAtHand>, serde_json::Error> {
    #[derive(Deserialize)]
    struct ModelsListing {
        models: Vec<ModelAtHand>,
    }
    serde_json::from_str::<ModelsListing>(text).map(|listing| listing.models)
}

/// Spells the first digits of a hash, by which people tell files apart.
pub fn spell_hash(sha256: &str) -> &str {
    sha256.get(..12).unwrap_or(sha256)
}

/// Takes out of an address's query what leads to this machine's own files: it means nothing elsewhere, and is nobody
/// else's business.
pub fn public_query(search: &str) -> String {
    let pairs = search.trim_start_matches('?').split('&').filter(|pair| {
        let value = pair.split_once('=').map_or("", |(_, value)| value);
        !pair.is_empty() && !value.starts_with("opened/") && !value.starts_with("opened%2F")
    });
    match pairs.collect::<Vec<_>>().join("&") {
        query if query.is_empty() => query,
        query => format!("?{query}"),
    }
}

/// An address's query with this report in the place of those that it names, or with none; `?` where nothing is left,
/// so that a link to it opens the page anew.
pub fn query_with_report(search: &str, report: Option<&str>) -> String {
    let pairs = search.trim_start_matches('?').split('&');
    let others = pairs.filter(|pair| !pair.is_empty() && !pair.starts_with("report="));
    let report = report.map(|report| format!("report={report}"));
    let all: Vec<String> = others.map(str::to_owned).chain(report).collect();
    format!("?{}", all.join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_or_refused() {
        let text = r#"{"models":[{"name":"a b","bytes":98362432,"about":""}]}"#;
        let model = ModelAtHand { name: "a b".into(), bytes: 98_362_432.0, about: String::new() };
        assert_eq!(read(text).ok(), Some(vec![model]));
        for broken in ["", "{}", "[]", r#"{"models":[{"name":"a"}]}"#, "<!doctype html>"] {
            assert!(read(broken).is_err(), "{broken}");
        }
        assert_eq!(spell_hash("b179c9523d0e6a0f98a330"), "b179c9523d0e");
        assert_eq!(spell_hash("é"), "é");
    }

    #[test]
    fn a_report_takes_the_place_of_those_in_the_query() {
        let query = "?models=m/&report=a.json&report=b.json";
        assert_eq!(
            query_with_report(query, Some("examples/c.json")),
            "?models=m/&report=examples/c.json"
        );
        assert_eq!(query_with_report(query, None), "?models=m/");
        assert_eq!(query_with_report("", None), "?");
    }

    #[test]
    fn a_link_says_nothing_of_this_machines_paths() {
        let own = "model=opened/0123456789abcdef/a/&models=opened/0123456789abcdef/";
        for (search, public) in [
            ("", ""),
            ("?", ""),
            (&format!("?{own}"), ""),
            ("?report=opened%2F0123456789abcdef%2Fr.json", ""),
            ("?report=examples/survey.atelier.json", "?report=examples/survey.atelier.json"),
            (&format!("?figure=votes&{own}&model=shared/m/"), "?figure=votes&model=shared/m/"),
        ] {
            assert_eq!(public_query(search), public, "{search}");
        }
    }
}
