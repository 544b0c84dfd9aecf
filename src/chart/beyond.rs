//! The model's answer in its whole vocabulary, in words: the page and the command line show them wherever
//! they show shares among the options (docs/definitions.md, "Beyond the options").

use super::inside::seen;
use super::number::{per_cent, percent_tenths, short, significant, spelled, thousands};
use super::strokes::{differ_in_spaces, option_name};
use crate::measure::bits::bits;
use crate::measure::decomposition::argmax;
use crate::plan::Plan;
use crate::study::lens::BeyondMeans;
use crate::study::likeliest::Saying;
use crate::study::report::{AnswerVocabulary, Lens, LikelyToken};

/// Options that together hold less than this say little about the model: it is said at the answer.
const SMALL_MASS: f64 = 0.01;

/// A probability in the whole vocabulary: `"38.0 %"`, `"0.0024 %"`, `"3e−7 %"`.
pub fn whole_share(p: f64) -> String {
    match p {
        0.0 => per_cent(0),
        p if p < 1e-2 => per_cent(significant(100.0 * p, 2)),
        p => percent_tenths(p),
    }
}

/// One option in the whole vocabulary: `"38.0 %, rank 1"`.
pub fn option_beyond(vocabulary: &AnswerVocabulary, option: usize) -> String {
    share_and_rank(vocabulary, option).join(", ")
}

/// One option's probability and its rank in the whole vocabulary: `"38.0 %"` and `"rank 1"`.
pub fn share_and_rank(vocabulary: &AnswerVocabulary, option: usize) -> [String; 2] {
    let share = whole_share(vocabulary.option_probabilities[option]);
    [share, format!("rank {}", thousands(vocabulary.option_ranks[option]))]
}

/// Says in one sentence which token the model finds likeliest by itself, beside the right option.
pub fn says_first(lens: &Lens, is_judged: bool) -> String {
    let Some(vocabulary) = &lens.vocabulary else {
        return not_known(lens);
    };
    let Some(first) = vocabulary.top.first() else {
        return String::new();
    };
    let said = format!(
        "By itself the model says {} first, with {}",
        quoted(first),
        whole_share(first.probability)
    );
    let rank = vocabulary.option_ranks[lens.answer];
    match (is_judged, rank) {
        (false, _) => format!("{said}."),
        (true, 1) => format!("{said}: the right answer."),
        (true, rank) => format!(
            "{said}; the right answer {} has rank {}.",
            option_name(lens, lens.answer),
            thousands(rank)
        ),
    }
}

/// Names the likeliest of all tokens, and the likeliest of the options: `"by itself “is”, 30.2 %; among these three
/// options “Rome”"`.
pub fn first_words(lens: &Lens) -> String {
    let among = format!(
        "among these {} options {}",
        spelled(lens.logits.len()),
        option_name(lens, argmax(&lens.probabilities))
    );
    let first = lens.vocabulary.as_ref().and_then(|vocabulary| vocabulary.top.first());
    match first {
        Some(first) => {
            format!("by itself {}, {}; {among}", quoted(first), whole_share(first.probability))
        }
        None => among,
    }
}

/// Says how many of the vocabulary's tokens are offered as options, and their probability together.
pub fn offered(sayings: &[Saying], vocabulary: usize) -> String {
    let mass = sayings.iter().map(|saying| saying.probability).sum();
    format!(
        "Of {} tokens, the options are the {} likeliest that can be one. Together they hold {}.",
        thousands(vocabulary),
        spelled(sayings.len()),
        whole_share(mass)
    )
}

/// KL of a plan's answer from that of the model's own `order`, in a sentence; `None` of that order itself, and where the
/// whole vocabulary was not read.
pub fn kl_from_original(lens: &Lens, order: &[usize]) -> Option<String> {
    if let Some(kl) = lens.vocabulary.as_ref()?.kl {
        let kl = short(bits(kl));
        return Some(format!("KL from the original order over the whole vocabulary: {kl} bits."));
    }
    let is_original = Plan::whole(order).is_ok_and(|whole| whole.to_string() == lens.plan);
    (!is_original).then(|| {
        "KL from the original order is not known: that order has not run on this prompt.".to_owned()
    })
}

/// Says what the whole vocabulary adds to an accuracy among the options of many prompts.
pub fn prompts_beyond(means: Option<BeyondMeans>) -> String {
    match means {
        Some(means) => format!(
            "The right answer is the model's first word on {}; its mean surprise is {} bits.",
            percent_tenths(means.first_word),
            short(bits(-means.log_probability))
        ),
        None => "Not known: these runs did not read the whole vocabulary.".to_owned(),
    }
}

/// A warning where the options together hold next to nothing of what the model says.
pub fn small_mass(lens: &Lens) -> Option<String> {
    let mass = lens.vocabulary.as_ref()?.mass;
    (mass < SMALL_MASS).then(|| {
        format!(
            "These {} options together hold {} of what the model says. Shares among them say little about it.",
            spelled(lens.logits.len()),
            whole_share(mass)
        )
    })
}

/// A warning where some options begin or end with a space and others do not.
pub fn unlike_spaces(lens: &Lens) -> Option<&'static str> {
    differ_in_spaces(lens.options.as_deref()?).then_some(
        "These options differ in their spaces (␣). A model expects one form here, so do not compare their shares.",
    )
}

/// Whether the option with the largest share is right, and among how many: `"which is right among these
/// three options"`; without the last words where the right option is the model's first word of all.
pub fn verdict(lens: &Lens) -> String {
    let right = judged(lens.correct, lens.vocabulary.as_ref(), lens.answer, lens.logits.len());
    format!("which is {right}")
}

/// `"right"`, `"wrong"`, or `"right among these three options"` where the right option is not the first word of all.
pub fn judged(
    is_correct: bool,
    vocabulary: Option<&AnswerVocabulary>,
    answer: usize,
    options: usize,
) -> String {
    let is_first = vocabulary.is_some_and(|v| v.option_ranks[answer] == 1);
    match (is_correct, is_first) {
        (true, true) => "right".to_owned(),
        (true, false) => format!("right among these {} options", spelled(options)),
        (false, _) => "wrong".to_owned(),
    }
}

/// Why the whole vocabulary's numbers are missing.
pub fn not_known(lens: &Lens) -> String {
    match lens.vocabulary_lacks_bytes {
        Some(bytes) => format!(
            "Not known: the whole vocabulary needs {} MB more.",
            thousands(bytes.div_ceil(1_000_000))
        ),
        None => "Not known: this run did not read the whole vocabulary.".to_owned(),
    }
}

/// One of the likeliest tokens, as it is quoted.
pub fn quoted(token: &LikelyToken) -> String {
    match &token.text {
        Some(text) if !text.is_empty() => format!("“{}”", seen(text)),
        _ => format!("#{}", token.id),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likeliest_tokens_are_offered_with_what_they_hold_of_all() {
        let shares = [0.38, 0.138, 0.086, 0.075, 0.035];
        let sayings = shares.map(|probability| Saying { option: " a".to_owned(), probability });
        let expected = "Of 49,152 tokens, the options are the five likeliest that can be one. Together they hold 71.4\u{a0}%.";
        assert_eq!(offered(&sayings, 49_152), expected);
    }

    #[test]
    fn many_prompts_say_what_the_whole_vocabulary_says_of_them() {
        let means = BeyondMeans { first_word: 0.25, log_probability: -1.5 };
        let expected = "The right answer is the model's first word on 25.0\u{a0}%; its mean surprise is 2.16 bits.";
        assert_eq!(prompts_beyond(Some(means)), expected);
        let unknown = "Not known: these runs did not read the whole vocabulary.";
        assert_eq!(prompts_beyond(None), unknown);
    }

    #[test]
    fn a_plan_whose_original_order_has_not_run_says_so() {
        let text = include_str!("../../public/examples/first.atelier.json");
        let report = crate::study::report::Report::read(text).expect("the example");
        let (mut lens, order) = (report.lens.expect("a lens"), report.model.order);
        assert_eq!(kl_from_original(&lens, &order), None);

        lens.plan = "1,0".to_owned();
        let unknown =
            "KL from the original order is not known: that order has not run on this prompt.";
        assert_eq!(kl_from_original(&lens, &order).as_deref(), Some(unknown));
        let vocabulary = lens.vocabulary.as_mut().expect("the whole vocabulary");
        vocabulary.kl = Some(0.5);
        let known = "KL from the original order over the whole vocabulary: 0.721 bits.";
        assert_eq!(kl_from_original(&lens, &order).as_deref(), Some(known));
        lens.vocabulary = None;
        assert_eq!(kl_from_original(&lens, &order), None);
    }

    #[test]
    fn a_share_keeps_the_digits_that_it_has() {
        let shares = [1.0, 0.99999, 0.38029, 0.00092, 0.000024, 2.0e-9, 0.0];
        let said = shares.map(whole_share);
        let expected = ["100.0", "> 99.9", "38.0", "0.092", "0.0024", "2e−7", "0"];
        assert_eq!(said, expected.map(per_cent));
    }
}
