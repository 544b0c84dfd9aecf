//! The parts of a run: model, prompt, options and plan.

use crate::app::examples;

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
    /// Index of the right option; `None` until the reader says which it is.
    pub answer: Option<usize>,
    /// One line in the plan's notation; empty for the model's own order.
    pub plan: String,
}

impl Default for Draft {
    fn default() -> Self {
        examples::first()
    }
}

impl Draft {
    /// Another model answers. A plan speaks of one model's blocks; the same model, found elsewhere, has the
    /// same.
    pub fn ask(&mut self, model: Choice) {
        if self.model.name() != model.name() {
            self.plan.clear();
        }
        self.model = model;
    }

    /// The plan's line, where there is one.
    pub fn plan_line(&self) -> Option<String> {
        Some(self.plan.trim().to_owned()).filter(|line| !line.is_empty())
    }

    /// Another text of option `k`: nothing, where there is no such option.
    pub fn rename(&mut self, k: usize, text: String) {
        if let Some(option) = self.options.get_mut(k)
            && *option != text
        {
            *option = text;
            self.answer = None;
        }
    }

    /// One option more, at the end. What was right before is in question.
    pub fn add_option(&mut self) {
        self.options.push(" ".to_owned());
        self.answer = None;
    }

    /// One option less, from the end. What was right before still is, unless it was this one.
    pub fn remove_option(&mut self) {
        self.options.pop();
        self.answer = self.answer.filter(|&answer| answer < self.options.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_links_plan_lasts_until_another_model_answers() {
        // As a link to a folder has it, until the reader opens that folder.
        let mut draft = Draft {
            model: Choice::Known("a".into()),
            prompt: "one".into(),
            options: vec![" a".into(), " b".into()],
            answer: Some(1),
            plan: "0-3,5".into(),
        };
        draft.ask(Choice::Folder("a".into()));
        assert_eq!(draft.model, Choice::Folder("a".into()));
        assert_eq!(draft.plan_line().as_deref(), Some("0-3,5"));
        draft.ask(Choice::Folder("b".into()));
        assert_eq!(draft.plan_line(), None);
    }

    #[test]
    fn what_is_right_is_asked_again_when_the_options_change() {
        let draft = Draft {
            model: Choice::Known("a".into()),
            prompt: "one".into(),
            options: vec![" a".into(), " b".into()],
            answer: Some(1),
            plan: String::new(),
        };
        let changed = |change: fn(&mut Draft)| {
            let mut draft = draft.clone();
            change(&mut draft);
            draft.answer
        };
        assert_eq!(changed(|draft| draft.rename(0, " c".into())), None);
        assert_eq!(changed(Draft::add_option), None);
        assert_eq!(changed(Draft::remove_option), None);
        // Another word in the prompt leaves the options as they are; the same option again is no change.
        assert_eq!(changed(|draft| draft.prompt = "two".into()), Some(1));
        assert_eq!(changed(|draft| draft.rename(0, " a".into())), Some(1));
    }
}
