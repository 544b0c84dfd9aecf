//! Files the reader chose or dropped. They are handed to the worker as they are; nothing is uploaded.

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    DataTransfer, Event, File, FileList, FileSystemDirectoryEntry, FileSystemEntry,
    FileSystemFileEntry, HtmlInputElement,
};

/// Files from a chooser or a drop.
pub struct Chosen {
    /// The folder's name, where there is one.
    pub name: String,
    pub files: Vec<File>,
}

/// Names a model whose files came without a folder.
pub fn model_name(files: &[File]) -> String {
    let names = files.iter().map(File::name);
    let mut names = names.filter_map(|name| name.strip_suffix(".gguf").map(str::to_owned));
    match (names.next(), names.next()) {
        (Some(only), None) => only,
        _ => "your files".to_owned(),
    }
}

/// The files that a reader chose in an `<input type="file">`, which then can choose them again; none where the choice was
/// given up.
pub fn chosen(event: &Event) -> Option<Chosen> {
    let input: HtmlInputElement = event.target()?.unchecked_into();
    let chosen = input.files().filter(|list| list.length() > 0).map(|list| from_list(&list));
    input.set_value("");
    chosen
}

/// Files of an `<input type="file">`, with or without `webkitdirectory`.
fn from_list(list: &FileList) -> Chosen {
    let mut chosen = Chosen { name: String::new(), files: Vec::new() };
    for file in (0..list.length()).filter_map(|i| list.get(i)) {
        let path = js_sys::Reflect::get(&file, &JsValue::from_str("webkitRelativePath"));
        let path = path.ok().and_then(|path| path.as_string()).unwrap_or_default();
        let mut parts = path.split('/');
        let folder = parts.next().unwrap_or_default();
        // Of a folder only what lies directly in it: sub-folders hold other versions or other models.
        if path.is_empty() || parts.count() == 1 {
            if chosen.name.is_empty() {
                folder.clone_into(&mut chosen.name);
            }
            chosen.files.push(file);
        }
    }
    chosen
}

/// Reads the entries of a drop, at once: the browser forgets them when the event is over.
pub fn dropped(transfer: &DataTransfer) -> Vec<FileSystemEntry> {
    let items = transfer.items();
    (0..items.length())
        .filter_map(|i| items.get(i))
        .filter_map(|item| item.webkit_get_as_entry().ok().flatten())
        .collect()
}

/// Why a drop is not taken.
#[derive(Debug, thiserror::Error)]
pub enum Undropped {
    #[error("{} were dropped at once, and nothing of them was opened: drop one model's folder, or reports.", .0.join(" and "))]
    Several(Vec<String>),
    #[error("The browser could not read what was dropped: choose it with the button.")]
    Unreadable,
}

impl From<JsValue> for Undropped {
    fn from(_: JsValue) -> Self {
        Self::Unreadable
    }
}

/// The files of dropped entries: each file, or those directly in the one folder. Files of two folders
/// are of two models, and are not mixed; nor are a folder's and others.
///
/// # Errors
/// See [`Undropped`].
pub async fn from_entries(entries: Vec<FileSystemEntry>) -> Result<Chosen, Undropped> {
    if entries.len() > 1 && entries.iter().any(FileSystemEntry::is_directory) {
        let folders = entries.iter().filter(|entry| entry.is_directory());
        let mut named: Vec<String> =
            folders.map(|folder| format!("the folder “{}”", folder.name())).collect();
        let files = entries.len() - named.len();
        match files {
            0 => {}
            1 => named.push("a file".to_owned()),
            files => named.push(format!("{files} files")),
        }
        return Err(Undropped::Several(named));
    }
    let mut chosen = Chosen { name: String::new(), files: Vec::new() };
    for entry in entries {
        if entry.is_directory() {
            if chosen.name.is_empty() {
                chosen.name = entry.name();
            }
            for inner in read_folder(entry.unchecked_into()).await? {
                if inner.is_file() {
                    chosen.files.push(read_file(inner.unchecked_into()).await?);
                }
            }
        } else {
            chosen.files.push(read_file(entry.unchecked_into()).await?);
        }
    }
    Ok(chosen)
}

async fn read_file(entry: FileSystemFileEntry) -> Result<File, JsValue> {
    let promise = js_sys::Promise::new(&mut |resolve, reject| {
        entry.file_with_callback_and_callback(&resolve, &reject);
    });
    Ok(JsFuture::from(promise).await?.unchecked_into())
}

async fn read_folder(folder: FileSystemDirectoryEntry) -> Result<Vec<FileSystemEntry>, JsValue> {
    let reader = folder.create_reader();
    let mut entries = Vec::new();
    // A reader gives a folder in pieces and ends with an empty one.
    loop {
        let promise = js_sys::Promise::new(&mut |resolve, reject| {
            if let Err(error) = reader.read_entries_with_callback_and_callback(&resolve, &reject) {
                let _ = reject.call1(&JsValue::NULL, &error);
            }
        });
        let piece: js_sys::Array = JsFuture::from(promise).await?.unchecked_into();
        if piece.length() == 0 {
            return Ok(entries);
        }
        entries.extend(piece.iter().map(JsCast::unchecked_into::<FileSystemEntry>));
    }
}
