//! Questions to the hub: short answers, asked again when it is busy.

use std::io::Read;
use std::time::{Duration, SystemTime};

use ureq::Body;
use ureq::http::Response;

use super::Hub;
use crate::cli::output;
use crate::model::hub::{HubError, HubInfo, HubName, MAX_SHORT, Patience, RemoteFile, host_of};

/// The most pages of a list, and the most hops to a file.
const PAGES: usize = 100;
const HOPS: usize = 8;

/// Why there is no answer.
pub(super) enum Unanswered {
    /// The connection to a host broke: it may hold the next time.
    Broken { host: String, reason: String },
    /// It will be the same the next time.
    Final(HubError),
}

/// How long a list may take.
const SHORT: Duration = Duration::from_secs(300);

impl Hub {
    pub(super) fn info(&self, name: &HubName) -> Result<HubInfo, HubError> {
        let (bytes, _) = self.short(name, &self.address.info(name), MAX_SHORT)?;
        HubInfo::read(&self.address, &bytes)
    }

    pub(super) fn list(&self, name: &HubName, commit: &str) -> Result<Vec<RemoteFile>, HubError> {
        let mut files = Vec::new();
        let mut left = MAX_SHORT;
        let mut next = Some(self.address.tree(&name.repo, commit));
        for _ in 0..PAGES {
            let Some(url) = next else {
                return Ok(files);
            };
            let (bytes, link) = self.short(name, &url, left)?;
            left -= bytes.len() as u64;
            files.extend(RemoteFile::read_page(&self.address, &bytes)?);
            next = self.address.next(link.as_deref())?;
        }
        Err(self.astray("its list of files has no end"))
    }

    /// A short answer of at most `most` bytes, and its `Link` header.
    fn short(
        &self,
        name: &HubName,
        url: &str,
        most: u64,
    ) -> Result<(Vec<u8>, Option<String>), HubError> {
        let mut patience = Patience::default();
        loop {
            let (reason, asked) = match self.get(url, None, SHORT) {
                Ok(mut answer) if answer.status().is_success() => {
                    let link = header(&answer, "link");
                    let body = answer.body_mut().with_config().limit(most);
                    match body.read_to_vec() {
                        Ok(bytes) => return Ok((bytes, link)),
                        Err(ureq::Error::BodyExceedsLimit(_)) => {
                            let most = MAX_SHORT >> 20;
                            return Err(self.astray(&format!("it answers with over {most} MB")));
                        }
                        Err(error) => (Unanswered::broken(url, &error), None),
                    }
                }
                Ok(answer) => {
                    let error = self.refused(name, &answer, None);
                    (error, retry_after(&answer))
                }
                Err(reason) => (reason, None),
            };
            self.wait(&mut patience, reason, asked)?;
        }
    }

    /// Turns a refusal into an error.
    pub(super) fn refused(
        &self,
        name: &HubName,
        answer: &Response<Body>,
        path: Option<&str>,
    ) -> Unanswered {
        let status = answer.status().as_u16();
        let code = header(answer, "x-error-code");
        Unanswered::Final(HubError::refusal(&self.address, name, status, code.as_deref(), path))
    }

    /// Waits before the next try.
    ///
    /// # Errors
    /// When another try would end alike, or tries are used up.
    pub(super) fn wait(
        &self,
        patience: &mut Patience,
        reason: Unanswered,
        asked: Option<u64>,
    ) -> Result<(), HubError> {
        let error = match reason {
            Unanswered::Final(error @ HubError::Busy { .. }) => error,
            Unanswered::Final(error) => return Err(error),
            Unanswered::Broken { host, reason } => HubError::Offline { host, reason },
        };
        // The clock's last digits are spread enough.
        let clock = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let spread = f64::from(clock.map_or(0, |since| since.subsec_nanos()) % 1000) / 1000.0;
        match patience.wait(asked, spread) {
            Some(wait) => {
                if wait >= 1000 {
                    output::say(&format!("{error}; asked again in {} s", wait.div_ceil(1000)));
                }
                std::thread::sleep(Duration::from_millis(wait));
                Ok(())
            }
            None => Err(error),
        }
    }

    /// An answer from the hub, or from where it leads; from byte `from` on, if it is given. Its body is given
    /// up after `most` in all. Only the hub itself is told the token.
    pub(super) fn get(
        &self,
        url: &str,
        from: Option<u64>,
        most: Duration,
    ) -> Result<Response<Body>, Unanswered> {
        let mut url = url.to_owned();
        for _ in 0..HOPS {
            let mut request = self.agent.get(&url).header("Accept-Encoding", "identity");
            if let Some(token) = self.token.as_ref().filter(|_| self.is_own(&url)) {
                request = request.header("Authorization", format!("Bearer {token}"));
            }
            if let Some(from) = from {
                request = request.header("Range", format!("bytes={from}-"));
            }
            let asked = request.config().timeout_recv_body(Some(most)).build().call();
            let answer = asked.map_err(|error| match error {
                // The hub's own address and the token were checked.
                ureq::Error::Http(_) | ureq::Error::BadUri(_) => {
                    Unanswered::Final(self.astray("it leads to no address"))
                }
                error => Unanswered::broken(&url, &error),
            })?;
            if !answer.status().is_redirection() {
                return Ok(answer);
            }
            let to = header(&answer, "location").unwrap_or_default();
            url = led(&url, &to)
                .ok_or_else(|| Unanswered::Final(self.astray("it leads to no address")))?;
            if self.address.origin().starts_with("https:") && !url.starts_with("https:") {
                return Err(Unanswered::Final(self.astray("it leads from https to http")));
            }
        }
        Err(Unanswered::Final(self.astray("it leads in circles")))
    }

    fn is_own(&self, url: &str) -> bool {
        let rest = url.strip_prefix(&self.address.origin());
        rest.is_some_and(|rest| rest.starts_with('/'))
    }

    fn astray(&self, reason: &str) -> HubError {
        HubError::NotAHub { host: self.address.host().to_owned(), reason: reason.to_owned() }
    }
}

impl Unanswered {
    /// The connection to the host of an address broke.
    pub(super) fn broken(url: &str, reason: &impl ToString) -> Self {
        Self::Broken { host: host_of(url).to_owned(), reason: reason.to_string() }
    }
}

/// Where a `Location` leads from `url`.
fn led(url: &str, to: &str) -> Option<String> {
    if to.starts_with("https://") || to.starts_with("http://") {
        return Some(to.to_owned());
    }
    let (scheme, rest) = url.split_once("://")?;
    let host = rest.split('/').next()?;
    let path = to.strip_prefix('/').filter(|path| !path.starts_with('/'))?;
    Some(format!("{scheme}://{host}/{path}"))
}

pub(super) fn header(answer: &Response<Body>, name: &str) -> Option<String> {
    let value = answer.headers().get(name)?.to_str().ok()?;
    Some(value.to_owned())
}

/// The seconds that the hub wants to be left alone.
pub(super) fn retry_after(answer: &Response<Body>) -> Option<u64> {
    header(answer, "retry-after")?.trim().parse().ok()
}

/// All bytes until the end, each piece handed on.
///
/// # Errors
/// `Ok(Err)` where the connection broke, `Err` where `take` refuses.
pub(super) fn each_piece(
    answer: Response<Body>,
    take: &mut dyn FnMut(&[u8]) -> Result<(), HubError>,
) -> Result<Result<(), String>, HubError> {
    let mut reader = answer.into_body().into_reader();
    let mut piece = vec![0; 1 << 18];
    loop {
        match reader.read(&mut piece) {
            Ok(0) => return Ok(Ok(())),
            Ok(count) => take(&piece[..count])?,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Ok(Err(error.to_string())),
        }
    }
}
