//! Pictures handed on: to the clipboard, and to the system where it has a way to share.

use js_sys::{Array, Object, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::browser;

const PNG: &str = "image/png";

#[wasm_bindgen]
extern "C" {
    type ClipboardItem;
    #[wasm_bindgen(catch, constructor)]
    fn new(items: &Object) -> Result<ClipboardItem, JsValue>;
    #[wasm_bindgen(catch, js_namespace = ["navigator", "clipboard"], js_name = write)]
    fn write_clipboard(items: &Array) -> Result<Promise, JsValue>;
    #[wasm_bindgen(catch, js_namespace = navigator, js_name = canShare)]
    fn can_share_data(data: &Object) -> Result<bool, JsValue>;
    #[wasm_bindgen(catch, js_namespace = navigator, js_name = share)]
    fn share_data(data: &Object) -> Result<Promise, JsValue>;
}

/// Puts a stand-alone drawing on the clipboard, as a PNG.
pub async fn copy(svg: String) -> Result<(), JsValue> {
    // The promise goes along: some browsers only let the click itself write.
    let picture = wasm_bindgen_futures::future_to_promise(async move {
        browser::png_blob(&svg).await.map(JsValue::from)
    });
    let items = Object::new();
    Reflect::set(&items, &JsValue::from_str(PNG), &picture)?;
    let item = ClipboardItem::new(&items)?;
    JsFuture::from(write_clipboard(&Array::of1(&item))?).await?;
    Ok(())
}

/// Has the system a way to share pictures?
pub fn can_share() -> bool {
    let file = web_sys::File::new_with_str_sequence_and_options(
        &Array::of1(&JsValue::from_str("")),
        "picture.png",
        &kind(),
    );
    let data = file.and_then(|file| shared(&file, "", ""));
    // Where there is no such way, the call itself fails.
    data.and_then(|data| can_share_data(&data)).unwrap_or(false)
}

/// Hands a stand-alone drawing to the system, with its sentence and the page's address.
pub async fn share(name: &str, svg: &str, title: &str, link: &str) -> Result<(), JsValue> {
    let blob = browser::png_blob(svg).await?;
    let file =
        web_sys::File::new_with_blob_sequence_and_options(&Array::of1(&blob), name, &kind())?;
    JsFuture::from(share_data(&shared(&file, title, link)?)?).await?;
    Ok(())
}

fn shared(file: &web_sys::File, title: &str, link: &str) -> Result<Object, JsValue> {
    let data = Object::new();
    Reflect::set(&data, &JsValue::from_str("files"), &Array::of1(file))?;
    for (key, text) in [("title", title), ("url", link)] {
        if !text.is_empty() {
            Reflect::set(&data, &JsValue::from_str(key), &JsValue::from_str(text))?;
        }
    }
    Ok(data)
}

fn kind() -> web_sys::FilePropertyBag {
    let kind = web_sys::FilePropertyBag::new();
    kind.set_type(PNG);
    kind
}
