//! One file of the hub into the cache: resumed, hashed as it comes, and there only when it is whole.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Hub;
use super::asking::{Unanswered, each_piece, header, retry_after};
use super::cache::{open_own, written};
use crate::model::hub::{Hashing, HubError, HubName, Patience, RemoteFile, spell_bytes};
use crate::task::file::open;

/// Bytes a second below which a connection is given up in the end.
const SLOWEST: u64 = 20_000;

/// A file on its way.
struct Arriving<'a> {
    file: &'a RemoteFile,
    path: PathBuf,
    part: File,
    hash: Hashing,
    done: u64,
    /// The most bytes that were ever there: only what goes beyond is progress.
    furthest: u64,
}

impl Hub {
    /// Where a file lies when it is whole and right; `told` hears how many bytes of it are there.
    pub(super) fn download(
        &self,
        name: &HubName,
        commit: &str,
        file: &RemoteFile,
        told: &mut dyn FnMut(u64),
    ) -> Result<PathBuf, HubError> {
        let whole = self.cache.blob(name, &file.hash);
        // Two programs that fetch the same file take turns.
        let _turn = self.cache.turn(name, file)?;
        if is_whole(&whole, file, told)? {
            return Ok(whole);
        }
        let mut arriving = Arriving::open(whole.with_extension("part"), file, told)?;
        let url = self.address.resolve(&name.repo, commit, &file.path);
        let mut patience = Patience::default();
        while arriving.done < file.size {
            let before = arriving.furthest;
            let stopped = self.receive(name, &url, &mut arriving, told)?;
            if arriving.furthest > before {
                patience.went_on();
            }
            if let Some((reason, asked)) = stopped {
                self.wait(&mut patience, reason, asked)?;
            }
        }
        arriving.finish(&whole)?;
        Ok(whole)
    }

    /// One connection's worth of a file; why it ended early, if it did.
    fn receive(
        &self,
        name: &HubName,
        url: &str,
        arriving: &mut Arriving<'_>,
        told: &mut dyn FnMut(u64),
    ) -> Result<Option<(Unanswered, Option<u64>)>, HubError> {
        let from = Some(arriving.done).filter(|&done| done > 0);
        // One that dribbles is given up; the next one goes on where it stood.
        let left = arriving.file.size.saturating_sub(arriving.done);
        let most = Duration::from_secs(60 + left / SLOWEST);
        let answer = match self.get(url, from, most) {
            Ok(answer) => answer,
            Err(reason) => return Ok(Some((reason, None))),
        };
        let file = arriving.file;
        let stated = |name| header(&answer, name);
        match answer.status().as_u16() {
            206 if file.is_rest(&stated("content-range").unwrap_or_default(), arriving.done) => {}
            206 => {
                let reason = "it sent another part than was asked for";
                return Ok(Some((Unanswered::broken(url, &reason), None)));
            }
            // The whole file, whatever was asked for: it begins anew. What is no such file ends nothing that came.
            200 => {
                let (length, kind) = (stated("content-length"), stated("content-type"));
                if from.is_some() && !file.may_be(length.as_deref(), kind.as_deref()) {
                    let reason = "it sent something else than was asked for";
                    return Ok(Some((Unanswered::broken(url, &reason), None)));
                }
                arriving.begin_anew()?;
                let length = length.and_then(|length| length.parse().ok()).unwrap_or(file.size);
                refuse_if!(length != file.size, arriving.wrong_size(length));
            }
            _ => {
                let asked = retry_after(&answer);
                let reason = self.refused(name, &answer, Some(&file.path));
                return Ok(Some((reason, asked)));
            }
        }
        let ended = each_piece(answer, &mut |piece| {
            arriving.add(piece)?;
            told(arriving.done);
            Ok(())
        })?;
        let reason = match ended {
            Err(reason) => reason,
            Ok(()) if arriving.done == file.size => return Ok(None),
            Ok(()) => "the connection ended early".to_owned(),
        };
        Ok(Some((Unanswered::broken(url, &reason), None)))
    }
}

impl<'a> Arriving<'a> {
    /// With what came before, hashed again from the disk.
    fn open(
        path: PathBuf,
        file: &'a RemoteFile,
        told: &mut dyn FnMut(u64),
    ) -> Result<Self, HubError> {
        let failed = |error: &std::io::Error| written(&path, error);
        let mut part = open_own(&path).map_err(|error| failed(&error))?;
        let mut hash = Hashing::begin(&file.hash, file.size);
        let mut done = 0;
        let length = part.metadata().map_err(|error| failed(&error))?.len();
        if length > file.size {
            part.set_len(0).map_err(|error| failed(&error))?;
        } else {
            done = hashed(&mut part, &mut hash, told).map_err(|error| failed(&error))?;
        }
        Ok(Self { file, path, part, hash, done, furthest: done })
    }

    fn add(&mut self, piece: &[u8]) -> Result<(), HubError> {
        let after = self.done + piece.len() as u64;
        refuse_if!(after > self.file.size, self.wrong_size(after));
        self.part.write_all(piece).map_err(|error| self.unwritten(&error))?;
        self.hash.add(piece);
        self.done = after;
        self.furthest = self.furthest.max(after);
        Ok(())
    }

    fn begin_anew(&mut self) -> Result<(), HubError> {
        use std::io::Seek;
        let emptied = self.part.set_len(0).and_then(|()| self.part.rewind());
        emptied.map_err(|error| self.unwritten(&error))?;
        self.hash = Hashing::begin(&self.file.hash, self.file.size);
        self.done = 0;
        Ok(())
    }

    fn finish(self, whole: &Path) -> Result<(), HubError> {
        self.part.sync_all().map_err(|error| self.unwritten(&error))?;
        if !self.hash.is(&self.file.hash) {
            // What is wrong in the middle stays wrong however it goes on.
            let _ = std::fs::remove_file(&self.path);
            return Err(HubError::WrongHash { file: self.file.path.clone() });
        }
        std::fs::rename(&self.path, whole).map_err(|error| written(whole, &error))
    }

    fn wrong_size(&self, found: u64) -> HubError {
        let _ = std::fs::remove_file(&self.path);
        HubError::Size { file: self.file.path.clone(), expected: self.file.size, found }
    }

    fn unwritten(&self, error: &std::io::Error) -> HubError {
        if error.kind() == std::io::ErrorKind::StorageFull {
            return HubError::NoRoom {
                file: self.file.path.clone(),
                needed: spell_bytes(self.file.size - self.done.min(self.file.size)),
            };
        }
        written(&self.path, error)
    }
}

/// Is a file of the cache there, and the right one? One that is damaged goes, and so does what is no file.
fn is_whole(path: &Path, file: &RemoteFile, told: &mut dyn FnMut(u64)) -> Result<bool, HubError> {
    if std::fs::symlink_metadata(path).is_err() {
        return Ok(false);
    }
    if let Ok(mut found) = open(path) {
        let mut hash = Hashing::begin(&file.hash, file.size);
        let size = hashed(&mut found, &mut hash, told).map_err(|error| written(path, &error))?;
        if size == file.size && hash.is(&file.hash) {
            return Ok(true);
        }
    }
    std::fs::remove_file(path).map_err(|error| written(path, &error))?;
    Ok(false)
}

/// Reads to the end; how many bytes those were.
fn hashed(file: &mut File, hash: &mut Hashing, told: &mut dyn FnMut(u64)) -> std::io::Result<u64> {
    let mut piece = vec![0; 1 << 20];
    let mut done = 0;
    loop {
        let count = file.read(&mut piece)?;
        if count == 0 {
            return Ok(done);
        }
        hash.add(&piece[..count]);
        done += count as u64;
        told(done);
    }
}
