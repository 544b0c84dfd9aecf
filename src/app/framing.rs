//! Whether other pages may show this one in a frame, and what the frame's address asks for. Pure.

use super::at_hand::public_query;

/// Whether an answer with these headers may be shown in a frame of any site: `Content-Security-Policy`, which
/// goes before `X-Frame-Options`.
pub fn is_allowed(policy: Option<&str>, options: Option<&str>) -> bool {
    let directives = policy.into_iter().flat_map(|policy| policy.split([';', ',']));
    let mut ancestors =
        directives.filter_map(|directive| directive.trim().strip_prefix("frame-ancestors"));
    match ancestors.next() {
        Some(sites) => {
            sites.split_whitespace().any(|site| ["*", "http:", "https:"].contains(&site))
        }
        None => options.is_none(),
    }
}

/// The query of a frame's address: the one figure that it shows, and the model that the page's own address, with
/// the query `search`, says is served beside it on every machine.
pub fn query(search: &str, figure: Option<&str>) -> String {
    let figure = figure.map(|key| format!("figure={key}"));
    let search = public_query(search);
    let mut pairs = search.trim_start_matches('?').split('&');
    let model = pairs.find(|pair| pair.starts_with("model=")).map(str::to_owned);
    let pairs: Vec<String> = figure.into_iter().chain(model).collect();
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_says_whether_others_may_frame_it() {
        let policy = |ancestors: &str| format!("default-src 'self'; frame-ancestors {ancestors}");
        assert!(is_allowed(None, None));
        assert!(is_allowed(Some("default-src 'self'"), None));
        assert!(is_allowed(Some(&policy("*")), Some("DENY")));
        assert!(!is_allowed(Some(&policy("'none'")), Some("DENY")));
        assert!(!is_allowed(Some(&policy("'self'")), None));
        assert!(!is_allowed(Some("default-src 'self'"), Some("SAMEORIGIN")));
    }

    #[test]
    fn a_frame_names_its_figure_and_the_model_beside_the_page() {
        assert_eq!(query("", None), "");
        assert_eq!(query("", Some("votes")), "?figure=votes");
        assert_eq!(query("?report=a&model=m%2F", None), "?model=m%2F");
        assert_eq!(query("?model=m/", Some("votes")), "?figure=votes&model=m/");
        assert_eq!(query("?model=opened%2F0123%2Fm%2F", Some("votes")), "?figure=votes");
    }
}
