//! The models that this browser keeps: a folder of its private file system (OPFS), with files by their
//! hashes and a record a model. A file is whole when it stands there without an ending; what is on its
//! way ends in `.part`, and beside it `.state` says how much of it is sure to be on the disk.

use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    FileSystemDirectoryHandle, FileSystemFileHandle, FileSystemGetDirectoryOptions,
    FileSystemGetFileOptions, StorageManager,
};

use super::talk::StoredModel;
use crate::model::hub::RemoteFile;

const FOLDER: &str = "hub";
const RECORD: &str = ".json";

/// The storage of whatever this runs in, a window or a worker.
pub fn storage() -> Option<StorageManager> {
    let navigator = get(&js_sys::global(), "navigator")?;
    get(&navigator, "storage").map(JsCast::unchecked_into)
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

    /// Every model that has a record, by name.
    pub async fn models(&self) -> Vec<KeptModel> {
        let mut all = Vec::new();
        for name in self.names().await {
            if !name.ends_with(RECORD) {
                continue;
            }
            if let Some(model) = self.record(&name).await {
                let mut bytes = 0;
                for file in &model.files {
                    bytes += self.there(file).await;
                }
                all.push(KeptModel { model, bytes });
            }
        }
        all.sort_by(|a, b| a.model.name.cmp(&b.model.name));
        all
    }

    /// The files of a model that is whole, each with the name it goes by.
    pub async fn files(&self, name: &str) -> Option<Vec<web_sys::File>> {
        let model = self.record(&record_name(name)).await?;
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

    async fn record(&self, file: &str) -> Option<StoredModel> {
        let text = JsFuture::from(self.file(file).await?.text()).await.ok()?;
        serde_json::from_str(&text.as_string()?).ok()
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

    async fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        let keys = self.folder.keys();
        while let Ok(next) = keys.next() {
            let Ok(next) = JsFuture::from(next).await else {
                break;
            };
            match get(&next, "value").and_then(|name| name.as_string()) {
                Some(name) => names.push(name),
                None => break,
            }
        }
        names
    }
}

/// A file under another name; it is not read for that.
fn named(file: &web_sys::File, path: &str) -> Option<web_sys::File> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let parts = js_sys::Array::of1(file);
    web_sys::File::new_with_blob_sequence(&parts, name).ok()
}

pub fn record_name(name: &str) -> String {
    String::from(js_sys::encode_uri_component(name)) + RECORD
}

pub fn part_name(file: &RemoteFile) -> String {
    format!("{}.part", file.hash.hex())
}

pub fn state_name(file: &RemoteFile) -> String {
    format!("{}.state", file.hash.hex())
}

/// What a state says: 8 bytes, the least first.
pub fn sure(state: &[u8]) -> u64 {
    state.try_into().map_or(0, u64::from_le_bytes)
}
