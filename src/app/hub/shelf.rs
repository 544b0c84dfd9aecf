//! The models that this browser keeps: a folder of its private file system (OPFS), with files by their
//! hashes and a record for each model and commit. A file is whole when it stands there without an ending; what is on
//! its way ends in `.part`, and beside it `.state` says how much of it is sure to be on the disk.

use std::collections::HashSet;

use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    FileSystemDirectoryHandle, FileSystemFileHandle, FileSystemGetDirectoryOptions,
    FileSystemGetFileOptions, StorageManager,
};

use super::talk::StoredModel;
use crate::model::hub::RemoteFile;

const FOLDER: &str = "hub";
pub const RECORD: &str = ".json";

/// The storage of whatever this runs in, a window or a worker.
pub fn storage() -> Option<StorageManager> {
    let navigator = get(&js_sys::global(), "navigator")?;
    get(&navigator, "storage").map(JsCast::unchecked_into)
}

/// Bytes that this origin uses, and may use, where the browser says it.
pub async fn estimate() -> (u64, Option<u64>) {
    let Some(promise) = storage().and_then(|storage| storage.estimate().ok()) else {
        return (0, None);
    };
    let Ok(estimate) = JsFuture::from(promise).await else {
        return (0, None);
    };
    let number = |name| get(&estimate, name).and_then(|value| value.as_f64());
    let bytes = |value: f64| value as u64;
    (number("usage").map_or(0, bytes), number("quota").map(bytes))
}

/// A field that is there.
pub fn get(of: &JsValue, name: &str) -> Option<JsValue> {
    let value = js_sys::Reflect::get(of, &JsValue::from_str(name)).ok()?;
    (!value.is_undefined() && !value.is_null()).then_some(value)
}

/// A record, and how many bytes of the model are there.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptModel {
    pub model: StoredModel,
    pub bytes: u64,
}

impl KeptModel {
    pub fn is_whole(&self) -> bool {
        self.bytes == self.model.bytes()
    }
}

#[derive(Clone)]
pub struct Shelf {
    folder: FileSystemDirectoryHandle,
}

impl Shelf {
    /// `None` where this browser keeps no files.
    pub async fn open() -> Option<Self> {
        let storage = storage()?;
        get(&storage, "getDirectory")?;
        let root = JsFuture::from(storage.get_directory()).await.ok()?;
        let root: FileSystemDirectoryHandle = root.unchecked_into();
        let options = FileSystemGetDirectoryOptions::new();
        options.set_create(true);
        let folder = root.get_directory_handle_with_options(FOLDER, &options);
        let folder = JsFuture::from(folder).await.ok()?.unchecked_into();
        Some(Self { folder })
    }

    /// Every model that has a record, by name; twice, where a newer commit of it is on its way.
    pub async fn models(&self) -> Vec<KeptModel> {
        let mut all = Vec::new();
        for (_, model) in self.records().await {
            let bytes = self.bytes(&model).await;
            all.push(KeptModel { model, bytes });
        }
        all.sort_by(|a, b| (&a.model.name, &a.model.commit).cmp(&(&b.model.name, &b.model.commit)));
        all
    }

    /// Bytes of a model that are there.
    pub async fn bytes(&self, model: &StoredModel) -> u64 {
        let mut bytes = 0;
        for file in &model.files {
            bytes = self.there(file).await.saturating_add(bytes);
        }
        bytes
    }

    /// The files of a model that is whole, each with the name it goes by.
    pub async fn files(&self, name: &str) -> Option<Vec<web_sys::File>> {
        for (_, model) in self.records().await {
            if model.name == name
                && let Some(files) = self.whole(&model).await
            {
                return Some(files);
            }
        }
        None
    }

    /// Removes the records of the models that `is_gone` names; their files are nobody's then.
    pub async fn remove_records(&self, is_gone: impl Fn(&StoredModel) -> bool) {
        for (name, model) in self.records().await {
            if is_gone(&model) {
                self.remove(&name).await;
            }
        }
    }

    /// Removes files that no record names: what an older commit or a deleted model has left.
    pub async fn tidy(&self) {
        // A download writes its record before its files, so the files are listed first.
        let (Ok(files), Ok(names)) = (self.names().await, self.names().await) else {
            return;
        };

        // What holds no record names no file; one that cannot be read now may name any of them.
        let mut named = HashSet::new();
        for name in names.iter().filter(|name| name.ends_with(RECORD)) {
            let Some(text) = self.text(name).await else { return };
            match serde_json::from_slice::<StoredModel>(text.as_bytes()) {
                Ok(model) => named.extend(model.files.iter().flat_map(names_of)),
                Err(_) if text.is_empty() => {}
                Err(_) => self.remove(name).await,
            }
        }

        for name in files {
            if !name.ends_with(RECORD) && !named.contains(&name) {
                self.remove(&name).await;
            }
        }
    }

    async fn whole(&self, model: &StoredModel) -> Option<Vec<web_sys::File>> {
        let mut files = Vec::new();
        for file in &model.files {
            let kept = self.file(file.hash.hex()).await?;
            if kept.size() as u64 != file.size {
                return None;
            }
            files.push(named(&kept, &file.path)?);
        }
        Some(files)
    }

    /// Every readable record: its file's name, and what it says.
    async fn records(&self) -> Vec<(String, StoredModel)> {
        let mut records = Vec::new();
        for name in self.names().await.unwrap_or_default() {
            if name.ends_with(RECORD)
                && let Some(model) = self.record(&name).await
            {
                records.push((name, model));
            }
        }
        records
    }

    pub async fn record(&self, file: &str) -> Option<StoredModel> {
        serde_json::from_slice(self.text(file).await?.as_bytes()).ok()
    }

    async fn text(&self, file: &str) -> Option<String> {
        let text = JsFuture::from(self.file(file).await?.text()).await.ok()?;
        text.as_string()
    }

    /// Bytes of a file that are there.
    async fn there(&self, file: &RemoteFile) -> u64 {
        if self.file(file.hash.hex()).await.is_some() {
            return file.size;
        }
        let state = self.file(&state_name(file)).await;
        let Some(state) = state else { return 0 };
        let Ok(buffer) = JsFuture::from(state.array_buffer()).await else {
            return 0;
        };
        sure(&js_sys::Uint8Array::new(&buffer).to_vec()).min(file.size)
    }

    /// A file as the browser's own object, if it is there.
    pub async fn file(&self, name: &str) -> Option<web_sys::File> {
        let handle = self.handle(name, false).await.ok()?;
        let file = JsFuture::from(handle.get_file()).await.ok()?;
        Some(file.unchecked_into())
    }

    pub async fn handle(&self, name: &str, create: bool) -> Result<FileSystemFileHandle, JsValue> {
        let options = FileSystemGetFileOptions::new();
        options.set_create(create);
        let handle = self.folder.get_file_handle_with_options(name, &options);
        Ok(JsFuture::from(handle).await?.unchecked_into())
    }

    /// A file that is not there is removed already.
    pub async fn remove(&self, name: &str) {
        let _ = JsFuture::from(self.folder.remove_entry(name)).await;
    }

    async fn names(&self) -> Result<Vec<String>, JsValue> {
        let mut names = Vec::new();
        let keys = self.folder.keys();
        loop {
            let next = JsFuture::from(keys.next()?).await?;
            match get(&next, "value").and_then(|name| name.as_string()) {
                Some(name) => names.push(name),
                None => return Ok(names),
            }
        }
    }
}

/// A file under another name; it is not read for that.
fn named(file: &web_sys::File, path: &str) -> Option<web_sys::File> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let parts = js_sys::Array::of1(file);
    web_sys::File::new_with_blob_sequence(&parts, name).ok()
}

pub fn record_name(model: &StoredModel) -> String {
    let name = String::from(js_sys::encode_uri_component(&model.name));
    format!("{name}.{}{RECORD}", model.commit)
}

/// The names under which a file lies here, whole or on its way.
fn names_of(file: &RemoteFile) -> [String; 3] {
    [file.hash.hex().to_owned(), part_name(file), state_name(file)]
}

pub fn part_name(file: &RemoteFile) -> String {
    format!("{}.part", file.hash.hex())
}

pub fn state_name(file: &RemoteFile) -> String {
    format!("{}.state", file.hash.hex())
}

/// Reads a state file: the number of bytes that are safe, 8 bytes long, the lowest first.
pub fn sure(state: &[u8]) -> u64 {
    state.try_into().map_or(0, u64::from_le_bytes)
}
