//! Where a hub's answers lie.

use super::{HubError, HubName};

/// A hub's own address, such as a mirror's: scheme, host, perhaps a port and a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HubAddress(String);

impl HubAddress {
    /// The hub that is asked where no other is set.
    pub const DEFAULT: &'static str = "https://huggingface.co";

    /// # Errors
    /// No address of the web.
    pub fn parse(address: &str) -> Result<Self, HubError> {
        let address = address.trim().trim_end_matches('/');
        let host = ["https://", "http://"].iter().find_map(|scheme| address.strip_prefix(scheme));
        let is_plain = |c: char| c.is_ascii_graphic() && !"\"'<>\\;,?#@".contains(c);
        match host {
            Some(host)
                if !host.is_empty() && !host.starts_with('/') && host.chars().all(is_plain) =>
            {
                Ok(Self(address.to_owned()))
            }
            _ => Err(HubError::NotAHub {
                host: address.escape_debug().to_string(),
                reason: "an address begins with https:// and a host's name".to_owned(),
            }),
        }
    }

    /// The host's name, for sentences.
    pub fn host(&self) -> &str {
        let host = self.0.split_once("://").map_or(&*self.0, |(_, rest)| rest);
        host.split('/').next().unwrap_or(host)
    }

    /// Scheme, host and port: what a content policy names.
    pub fn origin(&self) -> String {
        let scheme = self.0.split_once("://").map_or("https", |(scheme, _)| scheme);
        format!("{scheme}://{}", self.host())
    }

    /// The page where people read of a model and agree to its terms.
    pub fn page(&self, repo: &str) -> String {
        format!("{}/{repo}", self.0)
    }

    /// Commit, licence and gate.
    pub fn info(&self, name: &HubName) -> String {
        format!("{}/api/models/{}/revision/{}", self.0, name.repo, encoded(name.revision(), false))
    }

    /// Every file of a commit with size and hash.
    pub fn tree(&self, repo: &str, commit: &str) -> String {
        format!("{}/api/models/{repo}/tree/{}?recursive=true", self.0, encoded(commit, false))
    }

    /// A file's bytes, perhaps by way of another host.
    pub fn resolve(&self, repo: &str, commit: &str, path: &str) -> String {
        format!("{}/{repo}/resolve/{}/{}", self.0, encoded(commit, false), encoded(path, true))
    }

    /// The page of the list that follows: a `Link` header's, where it is this hub's own.
    pub fn next(&self, link: Option<&str>) -> Option<String> {
        let mut links = link?.split(',');
        let next = links.find(|link| link.contains("rel=\"next\""))?;
        let (_, rest) = next.split_once('<')?;
        let (url, _) = rest.split_once('>')?;
        if let Some(path) = url.strip_prefix('/') {
            return Some(format!("{}/{path}", self.origin()));
        }
        let is_own = url.strip_prefix(&self.origin()).is_some_and(|rest| rest.starts_with('/'));
        is_own.then(|| url.to_owned())
    }
}

impl std::fmt::Display for HubAddress {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str(&self.0)
    }
}

fn encoded(text: &str, keep_slash: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                out.push(char::from(byte));
            }
            b'/' if keep_slash => out.push('/'),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_those_of_the_hub() {
        let hub = HubAddress::parse("http://mirror.test:8080/models/").expect("an address");
        let name = HubName::parse("hub:a/b@refs/pr/3").expect("a name");
        assert_eq!(
            hub.info(&name),
            "http://mirror.test:8080/models/api/models/a/b/revision/refs%2Fpr%2F3"
        );
        assert_eq!(
            hub.resolve("a/b", "c0", "deep/ä.gguf"),
            "http://mirror.test:8080/models/a/b/resolve/c0/deep/%C3%A4.gguf"
        );
        assert_eq!(hub.origin(), "http://mirror.test:8080");
        let next = |link: &str| hub.next(Some(link));
        assert_eq!(
            next("<http://mirror.test:8080/x?cursor=1>; rel=\"next\"").as_deref(),
            Some("http://mirror.test:8080/x?cursor=1")
        );
        assert_eq!(next("<https://other.test/x>; rel=\"next\""), None);
        assert_eq!(next("<http://mirror.test:8080.other.test/x>; rel=\"next\""), None);
        for wrong in
            ["", "mirror.test", "ftp://a", "https://", "https://a b", "https://a;script-src"]
        {
            assert!(HubAddress::parse(wrong).is_err(), "{wrong}");
        }
    }
}
