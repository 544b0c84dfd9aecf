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
        let rest = ["https://", "http://"].iter().find_map(|scheme| address.strip_prefix(scheme));
        let is_plain = |c: char| c.is_ascii_graphic() && !"\"'<>\\;,?#@".contains(c);
        if rest.is_some_and(|rest| rest.chars().all(is_plain) && has_host(rest)) {
            return Ok(Self(address.to_owned()));
        }
        // The text before @ may hold a password.
        let shown = address.rsplit('@').next().unwrap_or_default();
        Err(HubError::Address { address: shown.to_owned() })
    }

    /// The host's name, for sentences.
    pub fn host(&self) -> &str {
        host_of(&self.0)
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

    /// Reads the address of the list's next page from a `Link` header; `None` after the last page.
    ///
    /// # Errors
    /// The page is not at this hub: without it the list is not whole.
    pub fn next(&self, link: Option<&str>) -> Result<Option<String>, HubError> {
        let next = link.and_then(|link| {
            link.split_once("rel=\"next\"").or_else(|| link.split_once("rel=next"))
        });
        let Some((before, _)) = next else {
            return Ok(None);
        };

        // An address may hold a comma, which parts links too.
        let url = before.rsplit_once('<').and_then(|(_, rest)| rest.split_once('>'));
        let url = url.map_or("", |(url, _)| url);
        let origin = self.origin();
        let path = url.strip_prefix(&origin).unwrap_or(url);
        if path.starts_with('/') && !path.starts_with("//") {
            return Ok(Some(origin + path));
        }
        Err(HubError::NotAHub {
            host: self.host().to_owned(),
            reason: "its list of files goes on at another address".to_owned(),
        })
    }
}

/// Cuts the host, with its port, out of an address.
pub fn host_of(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    rest.split('/').next().unwrap_or(rest)
}

/// Whether an address without its scheme begins with a host, and its port is one.
fn has_host(rest: &str) -> bool {
    let authority = rest.split('/').next().unwrap_or(rest);
    let (host, port) = match authority.rsplit_once(':') {
        // The colons of `[::1]` are its own.
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    };
    !host.is_empty() && port.is_none_or(|port| port.parse::<u16>().is_ok_and(|port| port > 0))
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
        for right in ["http://[::1]", "http://[::1]:8080/models", "https://a.test:65535"] {
            assert!(HubAddress::parse(right).is_ok(), "{right}");
        }
        for wrong in [
            "",
            "mirror.test",
            "ftp://a",
            "https://",
            "https:///x",
            "https://:80",
            "https://a b",
            "https://a;script-src",
            "http://a.test:99999",
            "http://a.test:0",
            "http://a.test:x",
        ] {
            assert!(HubAddress::parse(wrong).is_err(), "{wrong}");
        }
        let secret = HubAddress::parse("http://me:hidden@a.test").expect_err("a password");
        let sentence = secret.to_string();
        assert!(sentence.contains("\"a.test\"") && !sentence.contains("hidden"), "{sentence}");
    }

    /// A list whose next page was at another host ended there, without a word.
    #[test]
    fn a_list_goes_on_at_its_hub_or_not_at_all() {
        let hub = HubAddress::parse("http://mirror.test:8080/models").expect("an address");
        assert_eq!(hub.next(None), Ok(None));
        assert_eq!(hub.next(Some("<http://mirror.test:8080/x>; rel=\"last\"")), Ok(None));
        for (link, next) in [
            ("<http://mirror.test:8080/x?c=1>; rel=\"next\"", "/x?c=1"),
            ("</x?c=1,2>; rel=\"next\"", "/x?c=1,2"),
            ("</first>; rel=\"first\", </x>; rel=next", "/x"),
        ] {
            let next = format!("http://mirror.test:8080{next}");
            assert_eq!(hub.next(Some(link)), Ok(Some(next)), "{link}");
        }
        for link in [
            "<https://other.test/x>; rel=\"next\"",
            "<http://mirror.test:8080.other.test/x>; rel=\"next\"",
            "<//other.test/x>; rel=\"next\"",
            "rel=\"next\"",
        ] {
            assert!(hub.next(Some(link)).is_err(), "{link}");
        }
    }
}
