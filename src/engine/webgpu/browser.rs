//! The name of a browser's adapter, which wgpu does not give.

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// Maker and family, as far as the browser says: `"nvidia lovelace"`.
pub async fn adapter_name() -> String {
    let words = words().await.unwrap_or_default();
    if words.is_empty() {
        "an adapter that the browser does not name".to_owned()
    } else {
        words.join(" ")
    }
}

async fn words() -> Result<Vec<String>, JsValue> {
    let gpu = field(&field(&js_sys::global(), "navigator")?, "gpu")?;
    let request: Function = field(&gpu, "requestAdapter")?.dyn_into()?;
    let options = js_sys::Object::new();
    Reflect::set(&options, &"powerPreference".into(), &"high-performance".into())?;
    let promise: Promise = request.call1(&gpu, &options)?.dyn_into()?;
    let info = field(&JsFuture::from(promise).await?, "info")?;
    let mut words: Vec<String> = Vec::new();
    for name in ["vendor", "architecture", "device", "description"] {
        let word = field(&info, name)?.as_string().unwrap_or_default();
        if !word.is_empty() && !words.contains(&word) {
            words.push(word);
        }
    }
    Ok(words)
}

fn field(of: &JsValue, name: &str) -> Result<JsValue, JsValue> {
    Reflect::get(of, &JsValue::from_str(name))
}
