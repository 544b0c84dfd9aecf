//! The page's state as the part of a URL after `#`, so that opening a link restores the picture.
//!
//! After the `#`, because browsers do not send that part to any server: a prompt in a link stays
//! between those who share the link.
//!
//! One grammar for all views: `key=value` pairs, what is at its default left out.

mod coupling;
mod draft;
mod inside;
mod lessons;
mod orders;
mod steps;
mod survey;
mod text;
mod view;

pub use coupling::{AGAINST, CouplingSettings, MOST_COUPLED_ROWS, SLIDER, pair};
pub use draft::{Choice, Draft};
pub use inside::{InsideSettings, MOST_FOLLOWED, colour_name, colour_of};
pub use lessons::LessonSettings;
pub use orders::{MOST_ROWS, MOST_SEEDS, SweepSettings};
pub use survey::{Looking, MeanOf, ShippedSurvey};
pub(super) use text::decode;
pub use view::View;

use super::{examples, first_picture};
use crate::chart::Column;
use lessons::PROJECTOR;
use text::encode;

/// A view, and all that its pictures depend on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Link {
    pub view: View,
    /// `None`: the link says nothing of model and prompt, and what is there stays.
    pub draft: Option<Draft>,
    /// SHA-256 of the draft's model, where it is a served one.
    pub sha256: Option<String>,
    pub column: Column,
    pub inside: InsideSettings,
    pub sweeping: SweepSettings,
    pub coupling: CouplingSettings,
    pub lessons: LessonSettings,
    pub looking: Looking,
    /// The key of the figure that the link leads to.
    pub figure: Option<String>,
    /// Keys of the other figures that are unfolded.
    pub unfolded: Vec<String>,
}

/// `key=value` pairs in the order they are written.
#[derive(Default)]
struct LinkPairs(Vec<String>);

impl LinkPairs {
    fn push(&mut self, key: &str, value: impl ToString) {
        self.0.push(format!("{key}={}", encode(&value.to_string())));
    }

    /// Writes a pair where the value is known.
    fn known(&mut self, key: &str, value: Option<impl ToString>) {
        if let Some(value) = value {
            self.push(key, value);
        }
    }

    /// Writes a pair per value.
    fn each(&mut self, key: &str, values: impl IntoIterator<Item = impl ToString>) {
        values.into_iter().for_each(|value| self.push(key, value));
    }
}

/// The value, where it is not the default.
fn changed<T: PartialEq>(value: T, default: T) -> Option<T> {
    (value != default).then_some(value)
}

impl Link {
    /// Returns the page's state where no link says anything.
    pub fn start() -> Self {
        Self { draft: Some(first_picture::draft()), ..Self::to(View::Lens) }
    }

    /// A view as it opens by itself.
    pub fn to(view: View) -> Self {
        Self {
            view,
            draft: match view {
                View::Lens | View::LogitLens | View::Attention | View::Member | View::Coupling => {
                    Some(examples::first())
                }
                View::Orders => Some(examples::of_orders()),
                View::Survey | View::Theory | View::Lessons | View::Start => None,
            },
            ..Self::default()
        }
    }

    /// A member's own row, in the run of a draft.
    pub fn to_member(draft: Draft, name: Option<&str>) -> Self {
        let mut link = Self { draft: Some(draft), ..Self::to(View::Member) };
        link.inside.member = name.map(str::to_owned);
        link
    }

    /// The name and the SHA-256 of the served model that the link is of.
    pub fn hash(&self) -> Option<(String, String)> {
        match &self.draft.as_ref()?.model {
            Choice::Folder(name) => Some((name.clone(), self.sha256.clone()?)),
            Choice::Known(_) => None,
        }
    }

    /// The pairs of this link's view; what is at its default is left out.
    pub fn fragment(&self) -> String {
        // It says nothing of model and prompt, which stay.
        if self.view == View::Start {
            return START.to_owned();
        }

        // What is asked, and of which files.
        let mut pairs = LinkPairs::default();
        let is_first = |draft: &&Draft| self.view.is_live() || **draft != examples::first();
        match self.draft.as_ref().filter(is_first) {
            // A lesson has prompts of its own: only the model is the reader's.
            Some(draft) if self.view != View::Lessons => write_draft(draft, &mut pairs),
            Some(draft) if draft.model != examples::first().model => {
                write_model(&draft.model, &mut pairs);
            }
            _ => {}
        }
        pairs.known("sha256", self.hash().map(|(_, sha256)| sha256));

        // What the view shows.
        let column = changed(self.column, Column::default()).filter(|_| self.view.is_of_draft());
        pairs.known("column", column.map(Column::name));
        pairs.known("view", changed(self.view, View::default()).map(View::name));
        match self.view {
            View::Lens | View::Start => {}
            View::LogitLens | View::Attention | View::Member => {
                self.inside.write(self.view, &mut pairs)
            }
            View::Orders => self.sweeping.write(&mut pairs),
            View::Coupling => self.coupling.write(&mut pairs),
            View::Lessons => self.lessons.write(&mut pairs),
            View::Survey | View::Theory => self.looking.write(self.view, &mut pairs),
        }
        if self.view.has_wall() && self.view != View::Lessons {
            self.lessons.write_look(&mut pairs);
        }
        pairs.each(UNFOLDED, &self.unfolded);
        pairs.known(FIGURE, self.figure.as_ref());
        pairs.0.join("&")
    }

    /// Reads a fragment, with or without its `#`. What it leaves out or nobody can read is at its
    /// default; `None` when there is no part of a link in it at all. An empty one is the start.
    pub fn parse(fragment: &str) -> Option<Self> {
        let fragment = fragment.trim_start_matches('#');
        if fragment.is_empty() {
            return Some(Self::start());
        }
        let parts: Vec<(&str, Option<&str>)> = fragment
            .split('&')
            .map(|part| {
                part.split_once('=').map_or((part, None), |(key, value)| (key, Some(value)))
            })
            .collect();
        let named = |key: &str| {
            let mut values = parts.iter().filter(|(name, _)| *name == key);
            values.find_map(|(_, value)| value.map(decode))
        };
        let start = parts.contains(&(START, None)).then_some(View::Start);
        let view = start.or_else(|| named("view").and_then(|name| View::parse(&name)));
        let mut link = Self::to(view.unwrap_or_default());
        let mut draft = link.draft.clone().unwrap_or_else(examples::first);
        let (mut options, mut drafted) = (Vec::new(), false);
        let mut known = view.is_some();
        for &(key, value) in &parts {
            let value = match value {
                Some(value) => decode(value),
                None if link.view == View::Lessons => String::new(),
                None if link.view.has_wall() && key == PROJECTOR => String::new(),
                None => continue,
            };
            match key {
                "model" => draft.model = Choice::Known(value),
                "folder" => draft.model = Choice::Folder(value),
                "sha256" => link.sha256 = Some(value).filter(|value| is_sha256(value)),
                "prompt" => draft.prompt = value,
                "option" => options.push(value),
                "answer" if value == NO_ANSWER => draft.answer = None,
                "answer" => draft.answer = Some(value.parse().unwrap_or(0)),
                "plan" => draft.plan = value,
                "column" => link.column = Column::parse(&value).unwrap_or_default(),
                "view" => {}
                FIGURE => link.figure = Some(value).filter(|value| is_key(value)),
                UNFOLDED => {
                    if is_key(&value) && !link.unfolded.contains(&value) {
                        link.unfolded.push(value);
                    }
                }
                _ => {
                    known |= (link.view == View::Lessons && link.lessons.read(key, &value))
                        || (link.view.has_wall() && link.lessons.read_look(key, &value))
                        || (link.view.is_inside() && link.inside.read(key, &value))
                        || (link.view == View::Coupling && link.coupling.read(key, &value))
                        || link.sweeping.read(key, &value)
                        || link.looking.read(key, &value);
                    continue;
                }
            }
            known = true;
            drafted |= !["column", "view", FIGURE].contains(&key);
        }
        if !options.is_empty() {
            draft.options = options;
        }
        let last = draft.options.len().saturating_sub(1);
        draft.answer = draft.answer.map(|answer| answer.min(last));
        if drafted || link.view.is_of_draft() {
            link.draft = Some(draft);
        }
        known.then_some(link)
    }
}

/// The whole link to the start page.
const START: &str = "start";

/// Before the key of the figure that the link leads to.
const FIGURE: &str = "figure";

/// Before the key of a figure that is unfolded.
const UNFOLDED: &str = "unfolded";

/// Stands for the right option that nobody chose yet.
const NO_ANSWER: &str = "none";

/// `model=…&prompt=…&option=…&option=…&answer=0&plan=…`
fn write_draft(draft: &Draft, pairs: &mut LinkPairs) {
    write_model(&draft.model, pairs);
    pairs.push("prompt", &draft.prompt);
    pairs.each("option", &draft.options);
    let answer = draft.answer.map(|answer| answer.to_string());
    pairs.push("answer", answer.as_deref().unwrap_or(NO_ANSWER));
    pairs.known("plan", draft.plan_line());
}

/// Whether the text can be a figure's key.
fn is_key(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn write_model(model: &Choice, pairs: &mut LinkPairs) {
    let key = match model {
        Choice::Known(_) => "model",
        Choice::Folder(_) => "folder",
    };
    pairs.push(key, model.name());
}

#[cfg(test)]
mod tests;
