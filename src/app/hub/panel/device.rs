//! This document's frame and its storage.

use wasm_bindgen_futures::JsFuture;

use crate::app::browser;
use crate::app::hub::shelf::{get, storage};

/// A frame in a closed dialog has no height.
pub fn is_shown() -> bool {
    let height = browser::window().inner_height().ok();
    height.and_then(|height| height.as_f64()).is_some_and(|height| height > 0.0)
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
