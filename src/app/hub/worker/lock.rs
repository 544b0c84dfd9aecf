//! One tab at a time writes a model: a lock that the tabs of this page share. It ends with the worker that holds it.

use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::AbortSignal;

use crate::app::hub::shelf::get;

pub struct ModelLock {
    release: Option<js_sys::Function>,
    /// Over when the lock is let go.
    held: js_sys::Promise,
}

impl ModelLock {
    /// `None` where another tab has the model, and keeps it for so many milliseconds. In a browser without such locks
    /// every tab has it.
    pub async fn take(name: &str, patience: Option<u32>) -> Option<Self> {
        let mut release = None;
        let until_released = js_sys::Promise::new(&mut |resolve, _| release = Some(resolve));
        let locks =
            get(&js_sys::global(), "navigator").and_then(|navigator| get(&navigator, "locks"));
        let Some(locks) = locks else {
            return Some(Self { release, held: until_released });
        };

        let options = js_sys::Object::new();
        let (option, value) = match patience {
            Some(patience) => ("signal", AbortSignal::timeout_with_u32(patience).into()),
            None => ("ifAvailable", JsValue::TRUE),
        };
        js_sys::Reflect::set(&options, &option.into(), &value).ok()?;
        let mut held = None;
        let granted = js_sys::Promise::new(&mut |resolve, _| {
            let until_released = until_released.clone();
            let grant = Closure::once_into_js(move |lock: JsValue| {
                if lock.is_null() {
                    return JsValue::UNDEFINED;
                }
                let _ = resolve.call1(&JsValue::NULL, &JsValue::TRUE);
                until_released.into()
            });
            let request = get(&locks, "request").map(JsValue::unchecked_into::<js_sys::Function>);
            held = request
                .and_then(|request| request.call3(&locks, &name.into(), &options, &grant).ok());
        });

        // It is granted, or the waiting for it ends.
        let held: js_sys::Promise = held?.unchecked_into();
        let first = js_sys::Promise::race(&js_sys::Array::of2(&granted, &held));
        let is_granted = JsFuture::from(first).await.ok()?.is_truthy();
        is_granted.then_some(Self { release, held })
    }

    /// Lets other tabs have it, from when this is over.
    pub async fn release(self) {
        if let Some(release) = self.release {
            let _ = release.call0(&JsValue::NULL);
        }
        let _ = JsFuture::from(self.held).await;
    }
}
