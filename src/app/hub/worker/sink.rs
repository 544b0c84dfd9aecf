//! Where a file's bytes go: the shelf, by the handle that only workers have, or memory.

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{File, FileSystemReadWriteOptions, FileSystemSyncAccessHandle};

use super::now;
use crate::app::hub::shelf::{RECORD, Shelf, get, part_name, state_name, sure};
use crate::model::hub::{HubError, RemoteFile, spell_bytes};

/// Milliseconds between two times that what was written is made sure.
const SECURED_EVERY: f64 = 250.0;

/// Bytes read at a time.
const PIECE: u64 = 1 << 20;

pub enum FileSink {
    Disk(Box<DiskSink>),
    /// Pieces that stay the browser's.
    Memory(js_sys::Array),
}

pub struct DiskSink {
    shelf: Shelf,
    part: OpenHandle,
    state: OpenHandle,
    /// The file's name when it is whole.
    whole: String,
    part_name: String,
    state_name: String,
    /// Bytes that were there when it was opened.
    before: u64,
    secured: u64,
    secured_at: f64,
}

/// A handle, closed however its time ends: no other can be opened before.
struct OpenHandle(FileSystemSyncAccessHandle);

impl Drop for OpenHandle {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl OpenHandle {
    async fn open(shelf: &Shelf, name: &str) -> Result<Self, JsValue> {
        let handle = shelf.handle(name, true).await?;
        let opened = JsFuture::from(handle.create_sync_access_handle()).await?;
        Ok(Self(opened.unchecked_into()))
    }

    fn write(&self, at: u64, bytes: &[u8]) -> Result<(), JsValue> {
        let written = self.0.write_with_u8_array_and_options(bytes, &place(at))?;
        all(written, bytes.len())
    }

    fn read(&self, at: u64, bytes: &mut [u8]) -> usize {
        let read = self.0.read_with_u8_array_and_options(bytes, &place(at));
        read.unwrap_or(0.0) as usize
    }
}

fn place(at: u64) -> FileSystemReadWriteOptions {
    let options = FileSystemReadWriteOptions::new();
    options.set_at_f64(at as f64);
    options
}

/// A disk that takes a part of a piece is full.
fn all(written: f64, length: usize) -> Result<(), JsValue> {
    if written as usize == length {
        return Ok(());
    }
    let error = js_sys::Error::new("a part of it was written");
    error.set_name("QuotaExceededError");
    Err(error.into())
}

impl FileSink {
    /// With what is sure of an earlier visit.
    pub async fn open(shelf: Option<&Shelf>, file: &RemoteFile) -> Result<Self, JsValue> {
        let Some(shelf) = shelf else {
            return Ok(Self::Memory(js_sys::Array::new()));
        };
        let (part_name, state_name) = (part_name(file), state_name(file));
        let part = OpenHandle::open(shelf, &part_name).await?;
        let state = OpenHandle::open(shelf, &state_name).await?;
        let mut bytes = [0; 8];
        let known = state.read(0, &mut bytes) == bytes.len();
        let length = part.0.get_size()? as u64;
        let before = if known { sure(&bytes) } else { 0 };
        let before = if before <= length && before <= file.size { before } else { 0 };
        part.0.truncate_with_f64(before as f64)?;
        Ok(Self::Disk(Box::new(DiskSink {
            shelf: shelf.clone(),
            part,
            state,
            whole: file.hash.hex().to_owned(),
            part_name,
            state_name,
            before,
            secured: before,
            secured_at: now(),
        })))
    }

    /// The next piece of what was there when it was opened, from `at` on.
    pub fn prefix(&self, at: u64) -> Option<Vec<u8>> {
        let Self::Disk(disk) = self else { return None };
        let length = disk.before.saturating_sub(at).min(PIECE);
        let mut piece = vec![0; length as usize];
        let count = disk.part.read(at, &mut piece);
        piece.truncate(count);
        (count > 0).then_some(piece)
    }

    pub fn add(&mut self, at: u64, piece: &js_sys::Uint8Array) -> Result<(), JsValue> {
        match self {
            Self::Memory(pieces) => {
                pieces.push(piece);
            }
            Self::Disk(disk) => {
                let handle = &disk.part.0;
                let written = handle.write_with_js_u8_array_and_options(piece, &place(at))?;
                all(written, piece.length() as usize)?;
                let after = at + u64::from(piece.length());
                if now() - disk.secured_at >= SECURED_EVERY {
                    self.secure(after);
                }
            }
        }
        Ok(())
    }

    /// Makes the first `done` bytes safe against a crash. Where that fails, a resumed download starts further back.
    pub fn secure(&mut self, done: u64) {
        if let Self::Disk(disk) = self
            && disk.secured != done
            && disk.part.0.flush().is_ok()
            && disk.state.write(0, &done.to_le_bytes()).is_ok()
            && disk.state.0.flush().is_ok()
        {
            disk.secured = done;
            disk.secured_at = now();
        }
    }

    pub fn empty(&mut self) -> Result<(), JsValue> {
        match self {
            Self::Memory(pieces) => pieces.set_length(0),
            Self::Disk(disk) => {
                disk.state.write(0, &0_u64.to_le_bytes())?;
                disk.state.0.flush()?;
                disk.part.0.truncate_with_f64(0.0)?;
                (disk.before, disk.secured) = (0, 0);
            }
        }
        Ok(())
    }

    pub async fn discard(self) {
        if let Self::Disk(disk) = self {
            let DiskSink { shelf, part, state, part_name, state_name, .. } = *disk;
            drop((part, state));
            shelf.remove(&part_name).await;
            shelf.remove(&state_name).await;
        }
    }

    /// The file is whole and right: gives it its name on the shelf, or itself where there is none.
    pub async fn finish(self, path: &str) -> Result<Option<File>, JsValue> {
        let disk = match self {
            Self::Memory(pieces) => {
                let name = path.rsplit('/').next().unwrap_or(path);
                return File::new_with_u8_array_sequence(&pieces, name).map(Some);
            }
            Self::Disk(disk) => *disk,
        };
        disk.part.0.flush()?;
        let DiskSink { shelf, part, state, whole, part_name, state_name, .. } = disk;
        drop((part, state));
        rename(&shelf, &part_name, &whole).await?;
        shelf.remove(&state_name).await;
        Ok(None)
    }
}

async fn rename(shelf: &Shelf, from: &str, to: &str) -> Result<(), JsValue> {
    let handle = shelf.handle(from, false).await?;
    match get(&handle, "move").and_then(|rename| rename.dyn_into::<js_sys::Function>().ok()) {
        Some(rename) => {
            let promise = rename.call1(&handle, &JsValue::from_str(to))?;
            JsFuture::from(js_sys::Promise::resolve(&promise)).await?;
        }
        None => copy(shelf, from, to).await?,
    }
    Ok(())
}

/// Where a browser has no way to rename: a copy, and what it was made from goes.
async fn copy(shelf: &Shelf, from: &str, to: &str) -> Result<(), JsValue> {
    {
        let source = OpenHandle::open(shelf, from).await?;
        let target = OpenHandle::open(shelf, to).await?;
        target.0.truncate_with_f64(0.0)?;
        let mut piece = vec![0; PIECE as usize];
        let mut at = 0;
        loop {
            let count = source.read(at, &mut piece);
            if count == 0 {
                break;
            }
            target.write(at, &piece[..count])?;
            at += count as u64;
        }
        target.0.flush()?;
    }
    shelf.remove(from).await;
    Ok(())
}

/// A record, whole or not there. Until it has its name it is a record by another one, so that nobody takes what it names
/// for what nobody names.
pub async fn write_record(shelf: &Shelf, name: &str, bytes: &[u8]) -> Result<(), JsValue> {
    let part_name = format!("{}.part{RECORD}", name.trim_end_matches(RECORD));
    {
        let part = OpenHandle::open(shelf, &part_name).await?;
        part.write(0, bytes)?;
        part.0.truncate_with_f64(bytes.len() as f64)?;
        part.0.flush()?;
    }
    // Not every browser renames over a file that is there.
    shelf.remove(name).await;
    rename(shelf, &part_name, name).await
}

/// Turns a failed write into an error.
pub fn unwritten(error: &JsValue, path: &str, needed: u64) -> HubError {
    let text = |name| get(error, name).and_then(|value| value.as_string());
    if text("name").as_deref() == Some("QuotaExceededError") {
        return HubError::NoRoom { file: path.to_owned(), needed: spell_bytes(needed) };
    }
    HubError::Write {
        path: path.to_owned(),
        reason: text("message").unwrap_or_else(|| "the browser says no more".to_owned()),
    }
}
