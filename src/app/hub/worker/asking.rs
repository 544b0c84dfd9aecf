//! Requests to the hub, by the browser: no header but `Range`, no credentials, no referrer.

use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, Headers, ReferrerPolicy, RequestCache, RequestCredentials, RequestInit,
    Response,
};

use super::{FetchStop, Fetcher};
use crate::app::hub::talk::HubTell;
use crate::model::hub::{HubError, HubInfo, HubName, Patience, RemoteFile};

/// The most pages of a list.
const PAGES: usize = 100;

/// Why there is no answer.
pub(super) enum NoAnswer {
    /// It may come the next time.
    Broken,
    Refused(HubError, Option<u64>),
}

impl Fetcher {
    pub(super) async fn info(&self, name: &HubName) -> Result<HubInfo, FetchStop> {
        let (bytes, _) = self.short(name, &self.hub.info(name)).await?;
        Ok(HubInfo::read(&self.hub, &bytes)?)
    }

    pub(super) async fn list(
        &self,
        name: &HubName,
        commit: &str,
    ) -> Result<Vec<RemoteFile>, FetchStop> {
        let mut files = Vec::new();
        let mut next = Some(self.hub.tree(&name.repo, commit));
        for _ in 0..PAGES {
            let Some(url) = next else {
                return Ok(files);
            };
            let (bytes, link) = self.short(name, &url).await?;
            files.extend(RemoteFile::read_page(&self.hub, &bytes)?);
            next = self.hub.next(link.as_deref())?;
        }
        let reason = "its list of files has no end".to_owned();
        let host = self.hub.host().to_owned();
        Err(HubError::NotAHub { host, reason }.into())
    }

    /// A short answer, and its `Link` header.
    pub(super) async fn short(
        &self,
        name: &HubName,
        url: &str,
    ) -> Result<(Vec<u8>, Option<String>), FetchStop> {
        let mut patience = Patience::default();
        loop {
            let why = match self.get(url, None).await {
                Ok(answer) if answer.ok() => {
                    let link = header(&answer, "link");
                    let body = answer.array_buffer().ok().map(JsFuture::from);
                    match body {
                        Some(body) => match body.await {
                            Ok(buffer) => {
                                return Ok((js_sys::Uint8Array::new(&buffer).to_vec(), link));
                            }
                            Err(_) => NoAnswer::Broken,
                        },
                        None => NoAnswer::Broken,
                    }
                }
                Ok(answer) => self.refused(name, &answer, None),
                Err(why) => why,
            };
            self.listen()?;
            self.wait(&mut patience, why).await?;
        }
    }

    pub(super) fn refused(
        &self,
        name: &HubName,
        answer: &Response,
        path: Option<&str>,
    ) -> NoAnswer {
        let code = header(answer, "x-error-code");
        let asked = header(answer, "retry-after").and_then(|text| text.trim().parse().ok());
        let status = answer.status();
        let error = HubError::refusal(&self.hub, name, status, code.as_deref(), path);
        NoAnswer::Refused(error, asked)
    }

    /// Waits before the next try.
    pub(super) async fn wait(
        &self,
        patience: &mut Patience,
        why: NoAnswer,
    ) -> Result<(), FetchStop> {
        let (error, asked) = match why {
            NoAnswer::Refused(error @ HubError::Busy { .. }, asked) => (error, asked),
            NoAnswer::Refused(error, _) => return Err(error.into()),
            NoAnswer::Broken => {
                let host = self.hub.host().to_owned();
                let reason = "the browser says no more".to_owned();
                (HubError::Offline { host, reason }, None)
            }
        };
        match patience.wait(asked, js_sys::Math::random()) {
            Some(wait) => {
                // A short pause is nobody's business.
                if wait >= 1000 {
                    let is = match error {
                        HubError::Busy { .. } => "is busy",
                        _ => "does not answer",
                    };
                    let (host, seconds) = (self.hub.host(), wait.div_ceil(1000));
                    let sentence = format!("{host} {is}: it is asked again in {seconds} s.");
                    self.tell(&HubTell::Waiting { sentence });
                }
                self.sleep(wait).await
            }
            None => Err(error.into()),
        }
    }

    pub(super) async fn get(&self, url: &str, from: Option<u64>) -> Result<Response, NoAnswer> {
        let broken = |_| NoAnswer::Broken;
        let init = RequestInit::new();
        init.set_referrer_policy(ReferrerPolicy::NoReferrer);
        init.set_credentials(RequestCredentials::Omit);
        init.set_cache(RequestCache::NoStore);
        let abort = AbortController::new().map_err(broken)?;
        init.set_signal(Some(&abort.signal()));
        self.abort.replace(Some(abort));
        if let Some(from) = from {
            let headers = Headers::new().map_err(broken)?;
            let range = format!("bytes={from}-");
            headers.set("Range", &range).map_err(broken)?;
            init.set_headers(&headers);
        }
        let answer = self.scope.fetch_with_str_and_init(url, &init);
        let answer = JsFuture::from(answer).await.map_err(broken)?;
        Ok(answer.unchecked_into())
    }
}

pub(super) fn header(answer: &Response, name: &str) -> Option<String> {
    answer.headers().get(name).ok().flatten()
}
