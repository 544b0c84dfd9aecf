//! The page in another page's frame (`embed.html`): one view without what stands around it, or one figure of
//! it. Which figure, the query says; the rest of the state is in the fragment, as everywhere.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

use super::{browser, framing};

/// The document that shows one view or one figure.
const DOCUMENT: &str = "embed.html";

/// The content of another page's frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Embedding {
    /// The one figure, by its key; the whole view where none is named.
    pub figure: Option<String>,
}

impl Embedding {
    /// `None` on the page itself.
    pub fn of_page() -> Option<Self> {
        browser::has_root_class("embed").then(|| {
            let figure = browser::asked("figure").filter(|key| !key.is_empty());
            if figure.is_some() {
                browser::set_root_class("one-figure", true);
            }
            Self { figure }
        })
    }

    /// Is this the figure, or one of those of the view?
    pub fn shows(&self, key: &str) -> bool {
        self.figure.as_deref().is_none_or(|figure| figure == key)
    }
}

/// Whether other pages may show this one in a frame: what this site's answers say, which is looked up once.
#[derive(Clone, Copy)]
pub struct Framing {
    is_allowed: RwSignal<bool>,
    is_asked: StoredValue<bool>,
}

impl Framing {
    pub fn start() -> Self {
        Self { is_allowed: RwSignal::new(true), is_asked: StoredValue::new(false) }
    }

    /// True until the site has refused it: the picture that came with the page moves for nobody whom it lets.
    pub fn is_allowed(self) -> Signal<bool> {
        if !self.is_asked.get_value() {
            self.is_asked.set_value(true);
            leptos::task::spawn_local(async move {
                self.is_allowed.try_set(is_framed().await);
            });
        }
        self.is_allowed.into()
    }
}

/// Whether the site lets others frame the document; without an answer, as offline, the copy of it does.
async fn is_framed() -> bool {
    let answer = JsFuture::from(browser::window().fetch_with_str(&browser::beside(DOCUMENT))).await;
    let Ok(answer) = answer else { return true };
    let headers = answer.unchecked_into::<Response>().headers();
    let said = |name: &str| headers.get(name).ok().flatten();
    let (policy, options) = (said("content-security-policy"), said("x-frame-options"));
    framing::is_allowed(policy.as_deref(), options.as_deref())
}

/// The text of a frame for other pages' sources: `fragment` is this page's state.
pub fn frame(fragment: &str, figure: Option<&str>, title: &str) -> String {
    let search = browser::window().location().search().unwrap_or_default();
    let query = framing::query(&search, figure);
    let address = browser::beside(&format!("{DOCUMENT}{query}{fragment}"));
    let quoted = |text: &str| {
        let text = text.replace('&', "&amp;").replace('"', "&quot;");
        text.replace('<', "&lt;")
    };
    format!(
        "<iframe src=\"{}\" title=\"{}\" width=\"100%\" height=\"{HEIGHT}\" loading=\"lazy\"></iframe>",
        quoted(&address),
        quoted(title)
    )
}

/// In CSS pixels: a figure with its sentence, at the width of a column of text.
const HEIGHT: u32 = 560;
