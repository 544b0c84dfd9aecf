//! The few things the page asks of the browser itself.

use leptos::ev::EventDescriptor;
use leptos::prelude::{RwSignal, Set, on_cleanup, window_event_listener};
use wasm_bindgen::prelude::*;

use crate::model::hub::HubAddress;

/// The page's window. Only called on the page, which has one.
pub fn window() -> web_sys::Window {
    leptos::prelude::window()
}

/// Milliseconds since the page was opened.
pub fn now() -> f64 {
    window().performance().map_or(0.0, |clock| clock.now())
}

/// An address beside the page, whatever path it is served under.
pub fn beside(path: &str) -> String {
    let base = window().document().and_then(|d| d.base_uri().ok().flatten()).unwrap_or_default();
    web_sys::Url::new_with_base(path, &base).map_or_else(|_| path.to_owned(), |url| url.href())
}

/// The page's own address with another query, empty or `?…`, and another fragment.
pub fn page_with(query: &str, fragment: &str) -> String {
    let page = beside("");
    let path = page.split(['?', '#']).next().unwrap_or_default();
    format!("{path}{query}#{fragment}")
}

/// Returns the query of the page's address: from `?` up to the fragment.
pub fn search() -> String {
    window().location().search().unwrap_or_default()
}

/// An address beside the page, if it is a file of this very site: a `blob:` address has the site's origin
/// and is none.
pub fn own_url(path: &str) -> Option<web_sys::Url> {
    let location = window().location();
    let (origin, protocol) = (location.origin().ok()?, location.protocol().ok()?);
    let url = web_sys::Url::new_with_base(path, &beside("")).ok()?;
    (url.origin() == origin && url.protocol() == protocol).then_some(url)
}

/// The build's id, which the build writes into the page's head.
pub fn build() -> String {
    meta("atelier-build")
}

/// The host of the hub that the page's download worker asks; empty where the page's head names none.
pub fn hub_host() -> String {
    let hub = HubAddress::parse(&meta("atelier-hub"));
    hub.map(|hub| hub.host().to_owned()).unwrap_or_default()
}

/// Returns the content of a `meta` element of the page's head; empty where there is none.
pub fn meta(name: &str) -> String {
    let document = window().document();
    let meta =
        document.and_then(|d| d.query_selector(&format!("meta[name={name}]")).ok().flatten());
    meta.and_then(|meta| meta.get_attribute("content")).unwrap_or_default()
}

pub fn fragment() -> String {
    window().location().hash().unwrap_or_default()
}

/// Rewrites the address: in place, so that going back does not undo one edit of many; or as a step,
/// which going back undoes.
pub fn set_fragment(fragment: &str, step: bool) {
    if let Ok(history) = window().history() {
        let url = format!("#{fragment}");
        // A browser that refuses leaves the address as it is: the page works all the same.
        let _ = if step {
            history.push_state_with_url(&JsValue::NULL, "", Some(&url))
        } else {
            history.replace_state_with_url(&JsValue::NULL, "", Some(&url))
        };
    }
}

/// Does the document's root have this class?
pub fn has_root_class(class: &str) -> bool {
    root().is_some_and(|root| root.class_list().contains(class))
}

/// Whether nothing in the document has the focus.
pub fn is_unfocused() -> bool {
    let document = window().document();
    let active = document.as_ref().and_then(web_sys::Document::active_element);
    active.is_none_or(|active| active.tag_name() == "BODY")
}

/// An element of the document, by its id.
pub fn element(id: &str) -> Option<web_sys::HtmlElement> {
    window().document()?.get_element_by_id(id)?.dyn_into().ok()
}

/// Puts the focus on an element, by its id, if it is there.
pub fn focus(id: &str) {
    if let Some(element) = element(id) {
        // Only a script's own exception could refuse it.
        let _ = element.focus();
    }
}

/// Gives the document's root a class, or takes it away.
pub fn set_root_class(class: &str, is_on: bool) {
    if let Some(root) = root() {
        // A word of letters is no wrong token.
        let _ = root.class_list().toggle_with_force(class, is_on);
    }
}

fn root() -> Option<web_sys::Element> {
    window().document()?.document_element()
}

/// The value that the address's query has for a key: a plain word.
pub fn asked(key: &str) -> Option<String> {
    let search = window().location().search().ok()?;
    let pairs = search.trim_start_matches('?').split('&');
    let mut pairs = pairs.filter_map(|pair| pair.split_once('='));
    let value = pairs.find(|(own, _)| *own == key).map(|(_, value)| value);
    let is_plain = |value: &&str| value.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    value.filter(is_plain).map(str::to_owned)
}

/// Did the page come in a way that browsers trust: over https, or from this very machine?
pub fn is_secure() -> bool {
    window().is_secure_context()
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = ["navigator", "clipboard"], js_name = writeText)]
    fn write_text(text: &str) -> Result<js_sys::Promise, JsValue>;
}

/// Puts a text on the clipboard.
///
/// # Errors
/// The browser lets nobody, as over plain http, or not now.
pub async fn copy(text: &str) -> Result<(), JsValue> {
    let written = write_text(text)?;
    wasm_bindgen_futures::JsFuture::from(written).await.map(|_| ())
}

/// Goes to another place of this page, as a click on a link does.
pub fn go(fragment: &str) {
    // It is a part of an address, which no browser refuses.
    let _ = window().location().set_hash(fragment);
}

/// Scrolls to a heading or a figure and puts the focus on it, once what stands around it is drawn.
pub fn show_soon(id: impl Into<String>) {
    let id = id.into();
    let show = move || {
        if let Some(heading) = element(&id) {
            // Neither takes the focus but from a script.
            heading.set_tab_index(-1);
            heading.scroll_into_view();
            let _ = heading.focus();
        }
    };
    leptos::prelude::request_animation_frame(move || {
        leptos::prelude::request_animation_frame(show)
    });
}

/// Hears an event of the window as long as the part of the page lives that asks for it.
pub fn hear<E: EventDescriptor + 'static>(event: E, hear: impl Fn(E::EventType) + 'static)
where
    E::EventType: JsCast,
{
    let heard = window_event_listener(event, hear);
    on_cleanup(move || heard.remove());
}

pub fn matches(query: &str) -> bool {
    window().match_media(query).ok().flatten().is_some_and(|list| list.matches())
}

/// Whether a media query matches, now and as long as the page is open.
pub fn matching(query: &str) -> RwSignal<bool> {
    let is_matched = RwSignal::new(matches(query));
    if let Ok(Some(list)) = window().match_media(query) {
        let changed = Closure::<dyn FnMut(web_sys::MediaQueryListEvent)>::new(
            move |event: web_sys::MediaQueryListEvent| is_matched.set(event.matches()),
        );
        list.set_onchange(Some(changed.into_js_value().unchecked_ref()));
    }
    is_matched
}

/// Returns the text that this page stores for later visits under `key`.
pub fn kept(key: &str) -> Option<String> {
    let store = window().local_storage().ok().flatten()?;
    store.get_item(key).ok().flatten()
}

/// Is it kept now? Where storage is forbidden or full, a choice lasts until the page closes.
pub fn keep(key: &str, value: &str) -> bool {
    let store = window().local_storage().ok().flatten();
    store.is_some_and(|store| store.set_item(key, value).is_ok())
}

/// Removes the text stored under `key`.
pub fn forget(key: &str) {
    if let Ok(Some(store)) = window().local_storage() {
        let _ = store.remove_item(key);
    }
}

/// Hands the reader a file.
pub fn save(name: &str, kind: &str, content: &str) -> Result<(), JsValue> {
    let url = blob_url(kind, content)?;
    let saved = save_url(name, &url);
    // The click has taken hold of the blob; its address may go.
    web_sys::Url::revoke_object_url(&url)?;
    saved
}

/// The address of a new blob with this content, of a media type.
pub fn blob_url(kind: &str, content: &str) -> Result<String, JsValue> {
    let options = web_sys::BlobPropertyBag::new();
    options.set_type(kind);
    let parts = js_sys::Array::of1(&JsValue::from_str(content));
    let blob = web_sys::Blob::new_with_str_sequence_and_options(&parts, &options)?;
    web_sys::Url::create_object_url_with_blob(&blob)
}

/// A stand-alone drawing as the `data:` address of a PNG with two pixels a CSS pixel: the browser
/// paints the SVG.
pub async fn png(svg: &str) -> Result<String, JsValue> {
    painted(svg).await?.to_data_url()
}

/// Paints a stand-alone drawing as [`png`] does. Returns the file's bytes.
pub async fn png_blob(svg: &str) -> Result<web_sys::Blob, JsValue> {
    let canvas = painted(svg).await?;
    let promise = js_sys::Promise::new(&mut |resolve, reject| {
        if let Err(error) = canvas.to_blob(&resolve) {
            // It only ever rejects.
            let _ = reject.call1(&JsValue::NULL, &error);
        }
    });
    wasm_bindgen_futures::JsFuture::from(promise).await?.dyn_into()
}

async fn painted(svg: &str) -> Result<web_sys::HtmlCanvasElement, JsValue> {
    let text = js_sys::encode_uri_component(svg);
    let image = web_sys::HtmlImageElement::new()?;
    image.set_src(&format!("data:image/svg+xml;charset=utf-8,{text}"));
    wasm_bindgen_futures::JsFuture::from(image.decode()).await?;
    let document = window().document().ok_or("no document")?;
    let canvas: web_sys::HtmlCanvasElement = document.create_element("canvas")?.unchecked_into();
    canvas.set_width(2 * image.natural_width());
    canvas.set_height(2 * image.natural_height());
    let pen: web_sys::CanvasRenderingContext2d =
        canvas.get_context("2d")?.ok_or("no 2d context")?.unchecked_into();
    let (w, h) = (f64::from(canvas.width()), f64::from(canvas.height()));
    pen.draw_image_with_html_image_element_and_dw_and_dh(&image, 0.0, 0.0, w, h)?;
    Ok(canvas)
}

/// Hands the reader what an address holds (`data:` or `blob:`), under a name.
pub fn save_url(name: &str, url: &str) -> Result<(), JsValue> {
    let document = window().document().ok_or("no document")?;
    let link: web_sys::HtmlAnchorElement = document.create_element("a")?.unchecked_into();
    link.set_href(url);
    link.set_download(name);
    link.click();
    Ok(())
}
