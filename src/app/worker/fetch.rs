//! Fetches a shipped model from beside the page, counting bytes as they come.

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{DedicatedWorkerGlobalScope, ReadableStreamDefaultReader, Response};

use super::{Desk, Stop};
use crate::app::protocol::Stage;
use crate::model::{Bytes, catalogue};

/// The files of a model that the catalogue knows.
pub async fn model(desk: &Desk, id: u32, name: &str) -> Result<Vec<(String, Bytes)>, Stop> {
    let Some(known) = catalogue::find(name) else {
        let names: Vec<&str> = catalogue::KNOWN.iter().map(|known| known.name).collect();
        return Err(Stop::Failed(format!(
            "there is no model {name:?} here: choose one of {}",
            names.join(", ")
        )));
    };
    let mut files = Vec::with_capacity(known.files.len());
    let mut progress = Bytecount {
        done: 0.0,
        total: known.bytes as f64,
    };
    for file in known.files {
        let bytes = fetch(desk, id, file.path, &mut progress).await?;
        files.push((file.name.to_owned(), Bytes::Owned(bytes)));
    }
    Ok(files)
}

/// Bytes arrived, uncompressed, of all the model's files.
struct Bytecount {
    done: f64,
    total: f64,
}

async fn fetch(desk: &Desk, id: u32, path: &str, count: &mut Bytecount) -> Result<Vec<u8>, Stop> {
    let failed = |why: &str| {
        Stop::Failed(format!(
            "{path} could not be fetched ({why}): check the connection and try again"
        ))
    };
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    // Beside this script, whatever path the page is served under.
    let url = web_sys::Url::new_with_base(path, &scope.location().href())
        .map_err(|_| failed("its address is malformed"))?;
    let answer = JsFuture::from(scope.fetch_with_str(&url.href()))
        .await
        .map_err(|_| failed("no answer"))?;
    let answer: Response = answer.unchecked_into();
    if !answer.ok() {
        return Err(failed(&format!("the server answers {}", answer.status())));
    }
    let Some(body) = answer.body() else {
        return Err(failed("an empty answer"));
    };
    let reader: ReadableStreamDefaultReader = body.get_reader().unchecked_into();
    let mut bytes = Vec::new();
    loop {
        if let Err(stop) = desk.listen(id).await {
            // Ends the download; nobody waits for the promise.
            let _ = reader.cancel();
            return Err(stop);
        }
        let chunk = JsFuture::from(reader.read())
            .await
            .map_err(|_| failed("the connection broke"))?;
        let field = |name: &str| {
            js_sys::Reflect::get(&chunk, &JsValue::from_str(name)).unwrap_or(JsValue::UNDEFINED)
        };
        if field("done").is_truthy() {
            return Ok(bytes);
        }
        let piece: js_sys::Uint8Array = field("value").unchecked_into();
        count.done += f64::from(piece.length());
        bytes.extend_from_slice(&piece.to_vec());
        desk.progress(id, Stage::Download, count.done, count.total);
    }
}
