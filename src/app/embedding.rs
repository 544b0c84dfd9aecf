//! The page in another page's frame (`embed.html`): one view without what stands around it, or one figure of
//! it. Which figure, the query says; the rest of the state is in the fragment, as everywhere.

use super::browser;

/// What is shown in the frame.
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
                browser::add_root_class("one-figure");
            }
            Self { figure }
        })
    }

    /// Is this the figure, or one of those of the view?
    pub fn shows(&self, key: &str) -> bool {
        self.figure.as_deref().is_none_or(|figure| figure == key)
    }
}

/// The text of a frame for other pages' sources: `fragment` is this page's state.
pub fn frame(fragment: &str, figure: Option<&str>, title: &str) -> String {
    let query = figure.map_or_else(String::new, |key| format!("?figure={key}"));
    let address = browser::beside(&format!("embed.html{query}{fragment}"));
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
