//! Fetches a shipped model from beside the page, counting bytes as they come.

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{DedicatedWorkerGlobalScope, ReadableStreamDefaultReader, Response};

use super::{Desk, Stop};
use crate::app::protocol::Stage;
use crate::model::Bytes;

/// What a shipped model is made of.
const FILES: [&str; 3] = ["config.json", "tokenizer.json", "model.safetensors"];

/// The files of `models/{name}/` beside the page.
pub async fn model(desk: &Desk, id: u32, name: &str) -> Result<Vec<(String, Bytes)>, Stop> {
    let mut files = Vec::with_capacity(FILES.len());
    let mut done = 0.0;
    for file in FILES {
        let bytes = fetch(desk, id, &format!("models/{name}/{file}"), &mut done).await?;
        files.push((file.to_owned(), Bytes::Owned(bytes)));
    }
    Ok(files)
}

async fn fetch(desk: &Desk, id: u32, path: &str, done: &mut f64) -> Result<Vec<u8>, Stop> {
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
    // A compressed answer states its compressed length, which says nothing about what arrives here.
    let header = |name| answer.headers().get(name).ok().flatten();
    let length = header("content-length").filter(|_| header("content-encoding").is_none());
    let total = length
        .and_then(|length| length.parse::<f64>().ok())
        .map_or(0.0, |length| *done + length);
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
        *done += f64::from(piece.length());
        bytes.extend_from_slice(&piece.to_vec());
        desk.progress(id, Stage::Download, *done, total);
    }
}
