//! Prompts to begin with: the scholars', in their primer, and one in plain English.

use super::link::{Choice, Draft};
use crate::model::catalogue::KNOWN;

/// A prompt worth looking at.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// On the button.
    pub name: &'static str,
    /// A sentence on what to look for.
    pub look: &'static str,
    pub prompt: &'static str,
    pub options: &'static [&'static str],
    pub answer: usize,
}

/// The model that answers where a link names none: the catalogue's first.
pub const MODEL: &str = KNOWN[0].name;

const SUM: Example = Example {
    name: "Sum",
    look: "Seven numbers, ten options. Ask scholar-2 too: are two blocks enough?",
    prompt: "The sum 3 + 5 + 9 + 2 + 8 + 4 + 7 ends in",
    options: &[" 0", " 1", " 2", " 3", " 4", " 5", " 6", " 7", " 8", " 9"],
    answer: 8,
};

/// The first of these is asked where a link names no prompt.
pub const ALL: &[Example] = &[
    Example {
        name: "Quiz",
        look: "Find the beast, then say its letter: two steps. Who fetches, and who writes the answer?",
        prompt: "We see horse A, hat B and axe C. So take beast",
        options: &[" A", " B", " C", " D"],
        answer: 0,
    },
    Example {
        name: "Topic",
        look: "Three words of sport and a stray one of business: how early does the running answer settle?",
        prompt: "The coach, the profit, the team and the stadium: this is about",
        options: &[" politics", " sport", " business", " science"],
        answer: 1,
    },
    SUM,
    Example {
        name: "Copies",
        look: "Ben does as Ann does: two sentences have to be put together.",
        prompt: "Ann sings. Kim paints. Ben copies Ann. Tom copies Kim. So Ben paints",
        options: &[" indeed", " not"],
        answer: 1,
    },
    Example {
        name: "Who is last",
        look: "A line of three is told in pieces that have to be put together.",
        prompt: "Ben leads Ann. Joe leads Eva. Kim leads Ben. Max leads Joe. So last after Kim",
        options: &[" Eva", " Ann", " Max", " Joe"],
        answer: 1,
    },
    Example {
        name: "Same meaning",
        look: "Every word has its synonym in the other sentence, but two have changed places.",
        prompt: "Here girls see roads and friends buy bags. So pals spot sacks and lasses purchase streets",
        options: &[" indeed", " not"],
        answer: 1,
    },
    Example {
        name: "Sense",
        look: "Is it the same bank? The words beside it tell.",
        prompt: "We see the river bank and the coin bank. Senses of bank",
        options: &[" one", " two"],
        answer: 1,
    },
    Example {
        name: "Always",
        look: "Two days of two: the story decides between always, sometimes and never.",
        prompt: "On Monday Tom sings. On Friday Tom sings. So Tom sings",
        options: &[" always", " sometimes", " never"],
        answer: 0,
    },
    Example {
        name: "Mood",
        look: "One “not” turns a word over. Which components read the word, and which turn it?",
        prompt: "Ann says that the soup is not awful. So it is",
        options: &[" good", " bad"],
        answer: 0,
    },
];

/// A sentence that everybody understands, for models that read English: the first of `task::english`.
pub const PLAIN: Example = Example {
    name: "Capital",
    look: "A fact, in one word. Which components know it, and which only prepare the way?",
    prompt: "The capital of France is",
    options: &[" Paris", " London", " Rome", " Berlin"],
    answer: 0,
};

impl Example {
    /// This example on a model, by its own order of blocks.
    pub fn draft(&self, model: Choice) -> Draft {
        Draft {
            model,
            prompt: self.prompt.to_owned(),
            options: self.options.iter().map(|&option| option.to_owned()).collect(),
            answer: Some(self.answer),
            plan: String::new(),
        }
    }

    fn is_of(&self, draft: &Draft) -> bool {
        draft.prompt == self.prompt && draft.options == self.options && draft.plan.is_empty()
    }
}

/// The draft with which a model begins that was chosen without a prompt: the scholars' riddles are for scholars, and
/// plain English for models that read it. `None` where the reader's own prompt stays.
pub fn readable(draft: &Draft, reads_english: bool) -> Option<Draft> {
    let is_riddle = ALL.iter().any(|example| example.is_of(draft));
    match reads_english {
        true if is_riddle => Some(PLAIN.draft(draft.model.clone())),
        false if PLAIN.is_of(draft) => Some(ALL[0].draft(draft.model.clone())),
        _ => None,
    }
}

pub fn first() -> Draft {
    ALL[0].draft(Choice::Known(MODEL.to_owned()))
}

/// Where the view of orders begins: a prompt whose answer hangs on the order of the painters.
pub fn of_orders() -> Draft {
    SUM.draft(Choice::Known(MODEL.to_owned()))
}

/// Returns the first example's report, which tests draw and change; `tests/it/baked.rs` makes it.
#[cfg(test)]
pub fn first_report() -> crate::study::report::Report {
    let report = include_bytes!("../../public/examples/first.atelier.json");
    serde_json::from_slice(report).expect("a report")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::english::english;
    use crate::task::primer::encode;

    #[test]
    fn a_model_begins_with_what_it_reads() {
        let model = Choice::Folder("real".into());
        let plain = PLAIN.draft(model.clone());
        for example in ALL {
            let riddle = example.draft(model.clone());
            assert_eq!(readable(&riddle, true), Some(plain.clone()), "{}", example.name);
            assert_eq!(readable(&riddle, false), None, "{}", example.name);
        }
        assert_eq!(readable(&plain, true), None);
        assert_eq!(readable(&plain, false), Some(ALL[0].draft(model.clone())));
        // The reader's own words and order stay.
        for change in [|d: &mut Draft| d.prompt.push('?'), |d: &mut Draft| d.plan = "0".into()] {
            let mut own = ALL[0].draft(model.clone());
            change(&mut own);
            assert_eq!((readable(&own, true), readable(&own, false)), (None, None));
        }
        // The button of real models is this very prompt.
        let first = &english()[0];
        assert_eq!((&*first.prompt, &*first.look), (PLAIN.prompt, PLAIN.look));
        assert_eq!((first.options.as_slice(), first.answer), (plain.options.as_slice(), 0));
    }

    #[test]
    fn every_example_is_of_words_that_the_scholars_know() {
        for example in ALL {
            for option in example.options {
                let text = format!("{}{option}", example.prompt);
                assert!(encode(&text).is_some(), "{text}");
            }
            assert!(example.answer < example.options.len());
        }
    }
}
