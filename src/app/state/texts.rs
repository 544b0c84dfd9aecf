//! Texts that the model writes after the lab's prompt, under its own order and under the reader's: which is written
//! next, and which are kept. Pure, so that every order of changes and answers can be tried natively.

use crate::app::protocol::Ask;
use crate::chart::visible;
use crate::study::TextEnd;
use crate::study::report::Report;

/// Tokens of a text.
const TOKENS: usize = 12;
/// Texts that are kept, of more plans and prompts than anybody goes back to.
const MOST_KEPT: usize = 64;

/// Names a text: the prompt before it, the order and the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextWish {
    engine: String,
    prompt: String,
    /// `None` for the model's own order.
    plan: Option<String>,
}

impl TextWish {
    /// Is it the model's own order?
    pub fn is_original(&self) -> bool {
        self.plan.is_none()
    }

    /// The request that the worker answers with it.
    pub fn ask(&self) -> Ask {
        Ask::GoOn { text: self.prompt.clone(), plan: self.plan.clone(), tokens: TOKENS }
    }
}

/// The texts beside a lab's answer: the original order's and, where it is another, that of the reader's. None of a
/// model that reads no text.
pub fn wanted(report: &Report) -> Vec<TextWish> {
    let Some(lab) = &report.lab else {
        return Vec::new();
    };
    let Some(prompt) = &lab.original.prompt else {
        return Vec::new();
    };
    let wish = |plan: Option<&String>| TextWish {
        engine: report.engine.clone(),
        prompt: prompt.clone(),
        plan: plan.cloned(),
    };
    let arranged = Some(&lab.arranged.plan).filter(|plan| **plan != lab.original.plan);
    [wish(None)].into_iter().chain(arranged.map(|plan| wish(Some(plan)))).collect()
}

/// A text so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    pub words: String,
    pub state: TextState,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextState {
    Coming,
    Ended(TextEnd),
    /// Why it was not written, in a sentence.
    Failed(String),
}

impl Text {
    /// Its words on one line, where spaces and line breaks can be seen.
    pub fn seen(&self) -> String {
        visible(&self.words)
    }
}

/// An action that texts ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextStep {
    Nothing,
    Begin(TextWish),
    /// The one under way is nobody's any more.
    GiveUp,
}

/// The text under way, and those that are kept of one loaded model.
#[derive(Clone, Debug, Default)]
pub struct WrittenTexts {
    coming: Option<(TextWish, Text)>,
    /// The latest last.
    kept: Vec<(TextWish, Text)>,
}

impl WrittenTexts {
    /// Returns the next step where these texts are `wanted`, the model is free for them or not, and a request for
    /// one is under way or not.
    pub fn step(&self, wanted: &[TextWish], is_free: bool, is_writing: bool) -> TextStep {
        if let Some((wish, _)) = &self.coming {
            return match is_free && is_writing && wanted.contains(wish) {
                true => TextStep::Nothing,
                false => TextStep::GiveUp,
            };
        }
        let next = wanted.iter().find(|wish| self.text(wish).is_none());
        next.filter(|_| is_free).map_or(TextStep::Nothing, |wish| TextStep::Begin(wish.clone()))
    }

    /// The text that answers a wish, as far as it is there.
    pub fn text(&self, wish: &TextWish) -> Option<&Text> {
        let all = self.kept.iter().chain(&self.coming);
        all.filter(|(own, _)| own == wish).map(|(_, text)| text).next_back()
    }

    /// A text was asked for.
    pub fn begin(&mut self, wish: TextWish) {
        self.coming = Some((wish, Text { words: String::new(), state: TextState::Coming }));
    }

    /// Takes in the words of the text under way, all that came so far.
    pub fn grow(&mut self, words: String) {
        if let Some((_, text)) = &mut self.coming {
            text.words = words;
        }
    }

    /// The text under way goes no further; what there is of it is kept.
    pub fn end(&mut self, state: TextState) {
        let Some((wish, text)) = self.coming.take() else {
            return;
        };
        self.kept.push((wish, Text { state, ..text }));
        if self.kept.len() > MOST_KEPT {
            self.kept.remove(0);
        }
    }

    /// The text under way was given up: half of it is no text.
    pub fn give_up(&mut self) {
        self.coming = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::geometry::{Geometry, Trajectories};
    use crate::study::report::Lab;

    fn wish(prompt: &str, plan: Option<&str>) -> TextWish {
        TextWish {
            engine: "CPU (f32)".into(),
            prompt: prompt.into(),
            plan: plan.map(str::to_owned),
        }
    }

    /// Both orders' texts of a prompt.
    fn both(prompt: &str, plan: &str) -> [TextWish; 2] {
        [wish(prompt, None), wish(prompt, Some(plan))]
    }

    /// Does what is to be done while the model is free, and says of which plan the text is that begins.
    fn begun(texts: &mut WrittenTexts, wanted: &[TextWish]) -> Option<Option<String>> {
        let TextStep::Begin(wish) = texts.step(wanted, true, false) else {
            return None;
        };
        texts.begin(wish.clone());
        Some(wish.plan)
    }

    #[test]
    fn the_original_is_written_first_and_once_a_prompt() {
        let mut texts = WrittenTexts::default();
        assert_eq!(begun(&mut texts, &both("a", "1,0")), Some(None));
        assert_eq!(texts.step(&both("a", "1,0"), true, true), TextStep::Nothing);
        texts.grow(" cat".into());
        texts.end(TextState::Ended(TextEnd::Tokens));
        assert_eq!(begun(&mut texts, &both("a", "1,0")), Some(Some("1,0".into())));
        texts.end(TextState::Ended(TextEnd::Model));
        assert_eq!(texts.step(&both("a", "1,0"), true, false), TextStep::Nothing);
        // Another plan asks for its own text alone, and one gone back to for none.
        assert_eq!(begun(&mut texts, &both("a", "0,0")), Some(Some("0,0".into())));
        texts.end(TextState::Ended(TextEnd::Tokens));
        assert_eq!(texts.step(&both("a", "1,0"), true, false), TextStep::Nothing);
        assert_eq!(begun(&mut texts, &both("b", "1,0")), Some(None));
        let kept = texts.text(&wish("a", None)).map(|text| text.words.clone());
        assert_eq!(kept.as_deref(), Some(" cat"));
    }

    #[test]
    fn the_next_change_ends_the_text_under_way() {
        let mut texts = WrittenTexts::default();
        begun(&mut texts, &both("a", "1,0"));
        // Another prompt, no lab that answers the draft, a run under way, a request that was given up.
        assert_eq!(texts.step(&both("b", "1,0"), true, true), TextStep::GiveUp);
        assert_eq!(texts.step(&[], true, true), TextStep::GiveUp);
        assert_eq!(texts.step(&both("a", "1,0"), false, true), TextStep::GiveUp);
        assert_eq!(texts.step(&both("a", "1,0"), true, false), TextStep::GiveUp);
        texts.give_up();
        assert_eq!(texts.text(&wish("a", None)), None);
        assert_eq!(texts.step(&both("a", "1,0"), false, false), TextStep::Nothing);
        // The original goes on where the plan alone has changed.
        begun(&mut texts, &both("a", "1,0"));
        assert_eq!(texts.step(&both("a", "0,0"), true, true), TextStep::Nothing);
    }

    #[test]
    fn what_cannot_be_written_is_not_asked_for_again() {
        let mut texts = WrittenTexts::default();
        begun(&mut texts, &both("a", "1,0"));
        texts.end(TextState::Failed("The context is full.".into()));
        assert_eq!(begun(&mut texts, &both("a", "1,0")), Some(Some("1,0".into())));
    }

    #[test]
    fn no_more_texts_are_kept_than_anybody_goes_back_to() {
        let mut texts = WrittenTexts::default();
        for n in 0..2 * MOST_KEPT {
            texts.begin(wish(&n.to_string(), None));
            texts.end(TextState::Ended(TextEnd::Tokens));
        }
        assert_eq!(texts.kept.len(), MOST_KEPT);
        assert!(texts.text(&wish("127", None)).is_some() && texts.text(&wish("0", None)).is_none());
    }

    #[test]
    fn a_model_without_a_tokenizer_is_asked_for_no_text() {
        let baked = crate::app::examples::first_report();
        let lens = baked.lens.clone().expect("its lens");
        let geometry = Geometry {
            plan: lens.plan.clone(),
            prompts: 1,
            cosine_map: Vec::new(),
            line_shape_score: None,
            expodistance: None,
            trajectories: Trajectories::default(),
        };
        let lab = |prompt: Option<&str>, plan: &str| {
            let mut lab = Lab {
                original: lens.clone(),
                arranged: lens.clone(),
                geometry: [geometry.clone(), geometry.clone()],
            };
            lab.original.prompt = prompt.map(str::to_owned);
            lab.arranged.plan = plan.to_owned();
            Report { lab: Some(Box::new(lab)), ..baked.clone() }
        };
        assert_eq!(wanted(&lab(None, "0-1")), Vec::new());
        assert_eq!(wanted(&baked), Vec::new());
        let plans =
            |report: Report| wanted(&report).into_iter().map(|wish| wish.plan).collect::<Vec<_>>();
        assert_eq!(plans(lab(Some("a"), "0-1")), [None, Some("0-1".to_owned())]);
        assert_eq!(plans(lab(Some("a"), &lens.plan)), [None]);
    }

    #[test]
    fn line_breaks_and_a_text_of_spaces_can_be_seen() {
        let seen = |words: &str| Text { words: words.into(), state: TextState::Coming }.seen();
        assert_eq!(seen("is,\n\nso\tit"), "is,↵↵so⇥it");
        assert_eq!(seen("  \n"), "␣␣↵");
        assert_eq!(seen(" Rome."), " Rome.");
    }
}
