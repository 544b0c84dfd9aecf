//! Prompts to begin with, in the apprentices' own mini-language, and the baked picture of the first.

use super::link::{Choice, Draft};
use crate::model::catalogue::KNOWN;
use crate::study::report::Report;

/// A prompt worth looking at.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// On the button.
    pub name: &'static str,
    /// What to look for, in one sentence.
    pub look: &'static str,
    pub prompt: &'static str,
    pub options: &'static [&'static str],
    pub answer: usize,
}

/// The model the page opens with: the catalogue's first.
pub const MODEL: &str = KNOWN[0].name;

const SUM: Example = Example {
    name: "Sum",
    look: "Seven numbers, ten options. Ask apprentice-2 too: are two painters enough?",
    prompt: "sum : 3 + 5 + 9 + 2 + 8 + 4 + 7 ends in",
    options: &[" 0", " 1", " 2", " 3", " 4", " 5", " 6", " 7", " 8", " 9"],
    answer: 8,
};

/// The first of these is the one whose picture is baked.
pub const ALL: &[Example] = &[
    Example {
        name: "Mood",
        look: "One “not” turns a word over. Which strokes read the word, and which turn it?",
        prompt: "mood : the soup is not really bad . it is",
        options: &[" negative", " positive"],
        answer: 1,
    },
    Example {
        name: "Topic",
        look: "Three words of sport and a stray one of business: how early does the running answer settle?",
        prompt: "topic : the coach and the profit met the player near the stadium . this is about",
        options: &[" world", " sport", " business", " science"],
        answer: 1,
    },
    SUM,
    Example {
        name: "Who came last",
        look: "The order is told in pieces that have to be put together.",
        prompt: "last : kim came after ann . tom came before ann . who came last ?",
        options: &[" tom", " ann", " kim"],
        answer: 2,
    },
    Example {
        name: "Same meaning",
        look: "Every word but one has its synonym in the other sentence.",
        prompt: "same : the big girl sees the road . the large lass spots the bag . same meaning ?",
        options: &[" no", " yes"],
        answer: 0,
    },
    Example {
        name: "Sense",
        look: "Is it the same bank? The words beside it tell.",
        prompt: "sense : the bank with the river . the bank with the coin . same sense ?",
        options: &[" No", " Yes"],
        answer: 0,
    },
    Example {
        name: "Always",
        look: "Two days of two: the story decides between always, sometimes and never.",
        prompt: "often : on monday tom sings . on friday tom sings . so tom sings",
        options: &[" always", " sometimes", " never"],
        answer: 0,
    },
    Example {
        name: "Quiz",
        look: "Find the thing of the category, then say its letter: two steps.",
        prompt: "quiz : find the fruit : hammer A , pear B , coat C , tram D . answer",
        options: &[" A", " B", " C", " D"],
        answer: 1,
    },
];

impl Example {
    /// This example on a model, by its own order of blocks.
    pub fn draft(&self, model: Choice) -> Draft {
        Draft {
            model,
            prompt: self.prompt.to_owned(),
            options: self
                .options
                .iter()
                .map(|&option| option.to_owned())
                .collect(),
            answer: Some(self.answer),
            plan: String::new(),
        }
    }
}

pub fn first() -> Draft {
    ALL[0].draft(Choice::Known(MODEL.to_owned()))
}

/// Where the view of orders begins: a prompt whose answer hangs on the order of the painters.
pub fn of_orders() -> Draft {
    SUM.draft(Choice::Known(MODEL.to_owned()))
}

/// The first example's report, made by `atelier lens --out`; `tests/baked.rs` makes it again and
/// compares.
pub fn baked() -> Option<Report> {
    serde_json::from_slice(include_bytes!("../../public/examples/first.atelier.json")).ok()
}
