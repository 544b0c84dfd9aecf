//! One file of the hub: gone on with, hashed as it comes, kept only when it is right.

use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

use super::asking::{NoAnswer, header, reader};
use super::sink::{FileSink, unwritten};
use super::{FetchStop, Fetcher};
use crate::app::hub::shelf::Shelf;
use crate::app::hub::talk::HubTell;
use crate::model::hub::{Hashing, HubError, HubName, Patience, RemoteFile};

/// Bytes read from the disk between two looks for messages: a whole number of the sink's pieces.
const PIECES: u64 = 8 << 20;

/// A file on its way.
struct FileArriving<'a> {
    file: &'a RemoteFile,
    sink: FileSink,
    hash: Hashing,
    done: u64,
    /// The most bytes that were ever there: only what goes beyond is progress.
    furthest: u64,
}

impl Fetcher {
    /// The file itself where there is no shelf to keep it on.
    pub(super) async fn receive(
        &self,
        name: &HubName,
        commit: &str,
        file: &RemoteFile,
        shelf: Option<&Shelf>,
        told: &mut dyn FnMut(u64),
    ) -> Result<Option<web_sys::File>, FetchStop> {
        let sink = self.open(file, shelf).await?;
        let mut arriving = FileArriving {
            file,
            hash: Hashing::begin(&file.hash, file.size),
            done: 0,
            furthest: 0,
            sink,
        };
        // What is on the disk is read once more: its hash is not kept.
        while let Some(piece) = arriving.sink.prefix(arriving.done) {
            arriving.hash.add(&piece);
            arriving.done += piece.len() as u64;
            arriving.furthest = arriving.done;
            told(arriving.done);
            // Gigabytes take a while: a pause is heard meanwhile.
            if arriving.done.is_multiple_of(PIECES) {
                self.turn().await?;
            }
        }
        let url = self.hub.resolve(&name.repo, commit, &file.path);
        let mut patience = Patience::default();
        while arriving.done < file.size {
            let before = arriving.furthest;
            let why = self.connection(name, &url, &mut arriving, told).await;
            arriving.sink.secure(arriving.done);
            let why = why?;
            if arriving.furthest > before {
                patience.went_on();
            }
            if let Some(why) = why {
                self.listen()?;
                match self.wait(&mut patience, why).await {
                    Err(FetchStop::Failed(HubError::Offline { host, .. })) => {
                        return Err(self.reason(name, host).await);
                    }
                    waited => waited?,
                }
            }
        }
        let FileArriving { sink, hash, .. } = arriving;
        if !hash.is(&file.hash) {
            // What is wrong in the middle stays wrong however it goes on.
            sink.discard().await;
            let file = file.path.clone();
            return Err(HubError::WrongHash { file }.into());
        }
        let finished = sink.finish(&file.path).await;
        finished.map_err(|error| unwritten(&error, &file.path, file.size).into())
    }

    /// A handle that a worker left when it was ended is let go only after a while.
    async fn open(&self, file: &RemoteFile, shelf: Option<&Shelf>) -> Result<FileSink, FetchStop> {
        let mut waits = [0, 500, 2000, 5000].into_iter();
        loop {
            let Some(wait) = waits.next() else {
                let path = file.path.clone();
                let reason = "another tab of this page may be fetching it: close it".to_owned();
                return Err(HubError::Write { path, reason }.into());
            };
            self.sleep(wait).await?;
            match FileSink::open(shelf, file).await {
                Ok(sink) => return Ok(sink),
                Err(error) => {
                    let unwritten = unwritten(&error, &file.path, file.size);
                    if matches!(unwritten, HubError::NoRoom { .. }) {
                        return Err(unwritten.into());
                    }
                }
            }
        }
    }

    /// One connection's worth; why it ended early, if it did.
    async fn connection(
        &self,
        name: &HubName,
        url: &str,
        arriving: &mut FileArriving<'_>,
        told: &mut dyn FnMut(u64),
    ) -> Result<Option<NoAnswer>, FetchStop> {
        let file = arriving.file;
        let from = Some(arriving.done).filter(|&done| done > 0);
        let answer = match self.get(url, from).await {
            Ok(answer) => answer,
            Err(why) => return Ok(Some(why)),
        };
        match answer.status() {
            206 => {
                // Not every host lets a page read it.
                let range = header(&answer, "content-range");
                if range.is_some_and(|range| !file.is_rest(&range, arriving.done)) {
                    return Ok(Some(NoAnswer::Broken));
                }
            }
            // The whole file, whatever was asked for: it begins anew. What is no such file ends nothing that came.
            200 => {
                if from.is_some() {
                    let [length, kind] =
                        ["content-length", "content-type"].map(|name| header(&answer, name));
                    if !file.may_be(length.as_deref(), kind.as_deref()) {
                        return Ok(Some(NoAnswer::Broken));
                    }
                    let sentence = format!(
                        "{} sends only whole files: {} begins anew.",
                        self.hub.host(),
                        file.path
                    );
                    self.tell(&HubTell::Notice(sentence));
                }
                arriving.begin_anew()?;
            }
            _ => return Ok(Some(self.refused(name, &answer, Some(&file.path)))),
        }
        self.pieces(&answer, arriving, told).await
    }

    async fn pieces(
        &self,
        answer: &Response,
        arriving: &mut FileArriving<'_>,
        told: &mut dyn FnMut(u64),
    ) -> Result<Option<NoAnswer>, FetchStop> {
        let reader = match reader(answer) {
            Ok(reader) => reader,
            Err(why) => return Ok(Some(why)),
        };
        loop {
            self.listen()?;
            let piece = match self.piece(&reader).await {
                Ok(Some(piece)) => piece,
                Ok(None) => {
                    let is_whole = arriving.done == arriving.file.size;
                    return Ok((!is_whole).then_some(NoAnswer::Broken));
                }
                Err(why) => {
                    self.listen()?;
                    return Ok(Some(why));
                }
            };
            let after = arriving.done + u64::from(piece.length());
            if after > arriving.file.size {
                // One that was aborted meanwhile refuses, which is no matter.
                let _ = JsFuture::from(reader.cancel()).await;
                return Err(arriving.wrong_size(after));
            }
            self.received.set(self.received.get() + after - arriving.done);
            arriving.add(&piece)?;
            told(arriving.done);
        }
    }

    /// Why a browser got no bytes: it does not say, so the hub is asked for its terms, which it tells
    /// everybody.
    async fn reason(&self, name: &HubName, host: String) -> FetchStop {
        match self.info(name).await {
            Ok(info) if info.is_gated => {
                let page = self.hub.page(&name.repo);
                let repo = name.repo.clone();
                HubError::Gated { repo, page }.into()
            }
            Ok(_) => {
                let reason = "it answers questions, and its files' host does not, or is one that this page may not ask".to_owned();
                HubError::Offline { host, reason }.into()
            }
            Err(FetchStop::Failed(_)) => {
                let reason = "it gives no answer at all".to_owned();
                HubError::Offline { host, reason }.into()
            }
            Err(paused) => paused,
        }
    }
}

impl FileArriving<'_> {
    fn add(&mut self, piece: &js_sys::Uint8Array) -> Result<(), FetchStop> {
        let written = self.sink.add(self.done, piece);
        written.map_err(|error| {
            self.sink.secure(self.done);
            unwritten(&error, &self.file.path, self.file.size - self.done)
        })?;
        let bytes = piece.to_vec();
        self.hash.add(&bytes);
        self.done += bytes.len() as u64;
        self.furthest = self.furthest.max(self.done);
        Ok(())
    }

    fn begin_anew(&mut self) -> Result<(), FetchStop> {
        let emptied = self.sink.empty();
        emptied.map_err(|error| unwritten(&error, &self.file.path, self.file.size))?;
        self.hash = Hashing::begin(&self.file.hash, self.file.size);
        self.done = 0;
        Ok(())
    }

    fn wrong_size(&mut self, found: u64) -> FetchStop {
        // What cannot be emptied is found out by its hash.
        let _ = self.begin_anew();
        HubError::Size { file: self.file.path.clone(), expected: self.file.size, found }.into()
    }
}
