//! The page's state as the part of a URL after `#`, so that opening a link restores the picture.
//!
//! After the `#`, because browsers do not send that part to any server: a prompt in a link stays
//! between those who share the link.

use crate::chart::{Column, Quantity};

/// Which model answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// A name from the catalogue.
    Known(String),
    /// A folder on the reader's machine, by its name. A link cannot open it; the reader can.
    Folder(String),
}

impl Choice {
    pub fn name(&self) -> &str {
        match self {
            Self::Known(name) | Self::Folder(name) => name,
        }
    }
}

/// Everything a run is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    pub model: Choice,
    pub prompt: String,
    pub options: Vec<String>,
    /// Index of the right option.
    pub answer: usize,
    /// One line in the plan's notation; empty for the model's own order.
    pub plan: String,
}

/// Which of the page's views is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// One prompt, every stroke.
    #[default]
    Lens,
    /// The blocks in another order, and sweeps over orders.
    Orders,
}

impl View {
    pub const ALL: [Self; 2] = [Self::Lens, Self::Orders];

    /// The name used in links.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lens => "lens",
            Self::Orders => "orders",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|view| view.name() == name)
    }
}

/// A draft and how it is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    pub draft: Draft,
    pub column: Column,
    pub view: View,
    /// What a sweep's pictures plot.
    pub quantity: Quantity,
}

impl Link {
    /// `model=…&prompt=…&option=…&option=…&answer=0&plan=…&column=…&view=…&plot=…`; what is at its default is left out.
    pub fn fragment(&self) -> String {
        let draft = &self.draft;
        let key = match draft.model {
            Choice::Known(_) => "model",
            Choice::Folder(_) => "folder",
        };
        let mut pairs = vec![
            (key, draft.model.name().to_owned()),
            ("prompt", draft.prompt.clone()),
        ];
        pairs.extend(
            draft
                .options
                .iter()
                .map(|option| ("option", option.clone())),
        );
        pairs.push(("answer", draft.answer.to_string()));
        if !draft.plan.trim().is_empty() {
            pairs.push(("plan", draft.plan.trim().to_owned()));
        }
        if self.column != Column::default() {
            pairs.push(("column", self.column.name().to_owned()));
        }
        if self.view != View::default() {
            pairs.push(("view", self.view.name().to_owned()));
        }
        if self.quantity != Quantity::default() {
            pairs.push(("plot", self.quantity.name().to_owned()));
        }
        let written: Vec<String> = pairs
            .iter()
            .map(|(key, value)| format!("{key}={}", encode(value)))
            .collect();
        written.join("&")
    }

    /// Reads a fragment, with or without its `#`. Parts that are missing or unreadable are taken
    /// from `default`; `None` when there is no part of a link in it at all.
    pub fn parse(fragment: &str, default: &Draft) -> Option<Self> {
        let mut link = Self {
            draft: default.clone(),
            column: Column::default(),
            view: View::default(),
            quantity: Quantity::default(),
        };
        let mut options = Vec::new();
        let mut known = false;
        for pair in fragment.trim_start_matches('#').split('&') {
            let Some((key, value)) = pair.split_once('=') else {
                continue;
            };
            let value = decode(value);
            known |= [
                "model", "folder", "prompt", "option", "answer", "plan", "column", "view", "plot",
            ]
            .contains(&key);
            match key {
                "model" => link.draft.model = Choice::Known(value),
                "folder" => link.draft.model = Choice::Folder(value),
                "prompt" => link.draft.prompt = value,
                "option" => options.push(value),
                "answer" => link.draft.answer = value.parse().unwrap_or(0),
                "plan" => link.draft.plan = value,
                "column" => link.column = Column::parse(&value).unwrap_or_default(),
                "view" => link.view = View::parse(&value).unwrap_or_default(),
                "plot" => link.quantity = Quantity::parse(&value).unwrap_or_default(),
                _ => {}
            }
        }
        if !options.is_empty() {
            link.draft.options = options;
        }
        link.draft.answer = link
            .draft
            .answer
            .min(link.draft.options.len().saturating_sub(1));
        known.then_some(link)
    }
}

/// Percent-encoding with `+` for a space; what the plan's notation needs stays readable.
pub(super) fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z'
            | b'a'..=b'z'
            | b'0'..=b'9'
            | b'-'
            | b'_'
            | b'.'
            | b'~'
            | b','
            | b':'
            | b'('
            | b')' => {
                out.push(char::from(byte));
            }
            b' ' => out.push('+'),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// The reverse of [`encode`]; a stray `%` stands for itself, bytes that are no UTF-8 become `�`.
pub(super) fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let hex = (bytes[i] == b'%')
            .then(|| bytes.get(i + 1..i + 3))
            .flatten();
        let byte = hex
            .and_then(|hex| std::str::from_utf8(hex).ok())
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        if let Some(byte) = byte {
            out.push(byte);
            i += 3;
        } else {
            out.push(if bytes[i] == b'+' { b' ' } else { bytes[i] });
            i += 1;
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft() -> Draft {
        Draft {
            model: Choice::Known("apprentice-12".into()),
            prompt: "1 + 1 = 100 % & #?\nné“".into(),
            options: vec![" 2".into(), " a&b=c".into()],
            answer: 1,
            plan: "0-3,(4-7)x3,9".into(),
        }
    }

    #[test]
    fn a_link_restores_what_it_was_made_of() {
        for model in [
            Choice::Known("apprentice-12".into()),
            Choice::Folder("my model".into()),
        ] {
            for column in Column::ALL {
                let link = Link {
                    draft: Draft {
                        model: model.clone(),
                        ..draft()
                    },
                    column,
                    view: View::Orders,
                    quantity: Quantity::Kl,
                };
                let other = Draft {
                    prompt: String::new(),
                    options: vec![],
                    answer: 0,
                    plan: String::new(),
                    ..draft()
                };
                assert_eq!(
                    Link::parse(&format!("#{}", link.fragment()), &other),
                    Some(link)
                );
            }
        }
    }

    #[test]
    fn broken_links_do_what_they_can() {
        assert_eq!(Link::parse("", &draft()), None);
        assert_eq!(Link::parse("#figures", &draft()), None);
        let link = Link::parse("#answer=9&column=nonsense&prompt=%zz%E9", &draft()).unwrap();
        assert_eq!((link.draft.answer, link.column), (1, Column::Probability));
        assert_eq!(link.draft.prompt, "%zz\u{fffd}");
    }
}
