//! Requests to the hub, by the browser: no header but `Range`, no credentials, no referrer.

use js_sys::{Promise, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, Headers, ReadableStreamDefaultReader, ReferrerPolicy, RequestCache,
    RequestCredentials, RequestInit, Response,
};

use super::{FetchStop, Fetcher};
use crate::app::hub::shelf::get;
use crate::app::hub::talk::HubTell;
use crate::model::hub::{HubError, HubInfo, HubName, MAX_SHORT, Patience, RemoteFile};

/// The most pages of a list.
const PAGES: usize = 100;

/// Milliseconds without a byte after which a connection is given up.
const STILL: i32 = 60_000;

/// Why there is no answer.
pub(super) enum NoAnswer {
    /// It may come the next time.
    Broken,
    Refused(HubError, Option<u64>),
}

impl Fetcher {
    pub(super) async fn info(&self, name: &HubName) -> Result<HubInfo, FetchStop> {
        let (bytes, _) = self.short(name, &self.hub.info(name), MAX_SHORT).await?;
        Ok(HubInfo::read(&self.hub, &bytes)?)
    }

    pub(super) async fn list(
        &self,
        name: &HubName,
        commit: &str,
    ) -> Result<Vec<RemoteFile>, FetchStop> {
        let mut files = Vec::new();
        let mut left = MAX_SHORT;
        let mut next = Some(self.hub.tree(&name.repo, commit));
        for _ in 0..PAGES {
            let Some(url) = next else {
                return Ok(files);
            };
            let (bytes, link) = self.short(name, &url, left).await?;
            left -= bytes.len() as u64;
            files.extend(RemoteFile::read_page(&self.hub, &bytes)?);
            next = self.hub.next(link.as_deref())?;
        }
        Err(self.astray("its list of files has no end".to_owned()).into())
    }

    /// A short answer of at most `most` bytes, and its `Link` header.
    pub(super) async fn short(
        &self,
        name: &HubName,
        url: &str,
        most: u64,
    ) -> Result<(Vec<u8>, Option<String>), FetchStop> {
        let mut patience = Patience::default();
        loop {
            let why = match self.get(url, None).await {
                Ok(answer) if answer.ok() => {
                    let link = header(&answer, "link");
                    match self.body(&answer, most).await {
                        Ok(bytes) => return Ok((bytes, link)),
                        Err(why) => why,
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
                    self.tell(&HubTell::Waiting(sentence));
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
        Ok(self.patiently(answer).await?.unchecked_into())
    }

    /// All bytes of an answer.
    async fn body(&self, answer: &Response, most: u64) -> Result<Vec<u8>, NoAnswer> {
        let mut bytes = Vec::new();
        let reader = reader(answer)?;
        while let Some(piece) = self.piece(&reader).await? {
            if bytes.len() as u64 + u64::from(piece.length()) > most {
                let error = self.astray(format!("it answers with over {} MB", MAX_SHORT >> 20));
                let _ = JsFuture::from(reader.cancel()).await;
                return Err(NoAnswer::Refused(error, None));
            }
            bytes.extend(piece.to_vec());
        }
        Ok(bytes)
    }

    /// The next bytes of an answer; `None` at its end.
    pub(super) async fn piece(
        &self,
        reader: &ReadableStreamDefaultReader,
    ) -> Result<Option<Uint8Array>, NoAnswer> {
        let next = self.patiently(reader.read()).await?;
        Ok(get(&next, "value").map(JsCast::unchecked_into))
    }

    /// Waits for the next part of the request under way, and ends the request when none comes in time.
    async fn patiently(&self, next: Promise) -> Result<JsValue, NoAnswer> {
        let abort = self.abort.borrow().clone();
        let end = Closure::once(move || {
            if let Some(abort) = &abort {
                abort.abort();
            }
        });
        let timer = self.scope.set_timeout_with_callback_and_timeout_and_arguments_0(
            end.as_ref().unchecked_ref(),
            STILL,
        );
        let came = JsFuture::from(next).await;
        if let Ok(timer) = timer {
            self.scope.clear_timeout_with_handle(timer);
        }
        came.map_err(|_| NoAnswer::Broken)
    }

    fn astray(&self, reason: String) -> HubError {
        HubError::NotAHub { host: self.hub.host().to_owned(), reason }
    }
}

pub(super) fn reader(answer: &Response) -> Result<ReadableStreamDefaultReader, NoAnswer> {
    let body = answer.body().ok_or(NoAnswer::Broken)?;
    Ok(body.get_reader().unchecked_into())
}

pub(super) fn header(answer: &Response, name: &str) -> Option<String> {
    answer.headers().get(name).ok().flatten()
}
