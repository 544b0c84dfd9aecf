//! The terms of `docs/words.md`, found in a text so that each can tell its meaning where it stands.

use super::link::View;
use crate::chart::capital;
use crate::chart::number::with_whole_per_cents;

/// The one list of terms, which the documents print.
const WORDS: &str = include_str!("../../docs/words.md");

/// Words of the page's texts with the terms that explain them.
const MARKED: [(&str, &str); 43] = [
    ("token", "token"),
    ("vocabulary", "vocabulary"),
    ("logit", "logit"),
    ("logit lens", "logit lens"),
    ("logit difference", "logit difference"),
    ("component", "component"),
    ("block", "block"),
    ("attention", "attention"),
    ("attention head", "attention head"),
    ("head", "attention head"),
    ("value-weighted attention", "value-weighted attention"),
    ("MLP", "MLP"),
    ("residual stream", "residual stream"),
    ("stream", "residual stream"),
    ("trajectory", "trajectory"),
    ("junction point", "junction point"),
    ("unembedding", "unembedding"),
    ("frozen final norm", "frozen final norm"),
    ("Jacobian", "Jacobian"),
    ("checkpoint", "checkpoint"),
    ("vote", "vote"),
    ("net vote", "net vote"),
    ("own answer", "own answer"),
    ("margin", "margin"),
    ("running sum", "running sum"),
    ("bias", "bias"),
    ("diversity", "diversity"),
    ("MSE", "MSE"),
    ("offset", "offset"),
    ("surprise", "surprise"),
    ("entropy", "entropy"),
    ("KL", "KL"),
    ("mutual information", "mutual information"),
    ("copula", "copula"),
    ("Ω", "Ω"),
    ("Miller-Madow", "Miller-Madow"),
    ("chance level", "chance level"),
    ("surely", "surely"),
    ("coupling", "coupling"),
    ("plan", "plan"),
    ("original order", "original order"),
    ("sweep", "sweep"),
    ("survey", "survey"),
];

/// A piece of a text, and the term that explains it.
pub type MarkedPiece = (String, Option<&'static str>);

/// Every term that explains a word of the page, once, with its meaning.
pub fn terms() -> impl Iterator<Item = (&'static str, String)> {
    let mut terms: Vec<&str> = MARKED.into_iter().map(|(_, term)| term).collect();
    terms.sort_unstable();
    terms.dedup();
    terms.into_iter().filter_map(|term| Some((term, meaning(term)?)))
}

/// Returns a term's meaning in plain text; `None` where the list has no such term.
pub fn meaning(term: &str) -> Option<String> {
    let mut rows = WORDS.lines().filter_map(|line| line.strip_prefix("| **"));
    let row = rows.find_map(|row| row.strip_prefix(term)?.strip_prefix("** | "))?;
    let meaning = row.trim_end_matches([' ', '|']);
    // Names in files are for readers of files.
    let sentences = meaning.split_inclusive(". ").filter(|sentence| !sentence.contains('`'));
    Some(with_whole_per_cents(sentences.collect::<String>().trim_end()))
}

/// Cuts a text at the first place of each term that `is_explained` here.
pub fn marked(text: &str, mut is_explained: impl FnMut(&'static str) -> bool) -> Vec<MarkedPiece> {
    let mut places: Vec<(usize, usize, &str)> = MARKED
        .into_iter()
        .filter_map(|(word, term)| {
            let (start, end) = first_place(text, word)?;
            Some((start, end, term))
        })
        .collect();
    // Where two begin alike, the longer one first.
    places.sort_unstable_by_key(|&(start, end, _)| (start, usize::MAX - end));

    let (mut pieces, mut end) = (Vec::new(), 0);
    for (from, to, term) in places {
        if from < end || !is_explained(term) {
            continue;
        }
        pieces.push((text[end..from].to_owned(), None));
        pieces.push((text[from..to].to_owned(), Some(term)));
        end = to;
    }
    pieces.push((text[end..].to_owned(), None));
    pieces.retain(|(piece, _)| !piece.is_empty());
    pieces
}

/// Finds a word that stands by itself, or its plural, with a small or a capital first letter.
fn first_place(text: &str, word: &str) -> Option<(usize, usize)> {
    let capital = capital(word);

    let is_joined = |letter: Option<char>| {
        letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '-')
    };
    let whole = |start: usize| {
        let behind = &text[start + word.len()..];
        let plural = behind.strip_prefix('s').filter(|rest| !is_joined(rest.chars().next()));
        let end = match plural {
            Some(rest) => text.len() - rest.len(),
            None => start + word.len(),
        };
        let is_whole =
            !is_joined(text[..start].chars().next_back()) && !is_joined(text[end..].chars().next());
        is_whole.then_some((start, end))
    };
    let found = [word, &capital].into_iter().flat_map(|word| text.match_indices(word));
    found.filter_map(|(start, _)| whole(start)).min()
}

/// Which text of a view explains each term: the one that was drawn first.
#[derive(Debug, Default)]
pub struct FirstUses {
    uses: Vec<FirstUse>,
}

#[derive(Debug)]
struct FirstUse {
    view: View,
    term: &'static str,
    /// The text's number.
    text: usize,
}

impl FirstUses {
    /// Whether this text explains the term in the view, because no other text does.
    pub fn claim(&mut self, view: View, term: &'static str, text: usize) -> bool {
        let found = self.uses.iter().find(|first| (first.view, first.term) == (view, term));
        if let Some(first) = found {
            return first.text == text;
        }
        self.uses.push(FirstUse { view, term, text });
        true
    }

    /// Forgets a text that is no longer drawn.
    pub fn release(&mut self, text: usize) {
        self.uses.retain(|first| first.text != text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms_of(text: &str) -> Vec<String> {
        let pieces = marked(text, |_| true);
        let whole: String = pieces.iter().map(|(piece, _)| &**piece).collect();
        assert_eq!(whole, text);
        let terms = pieces.into_iter().filter(|(_, term)| term.is_some());
        terms.map(|(piece, _)| piece).collect()
    }

    #[test]
    fn every_marked_term_has_a_meaning() {
        for (word, term) in MARKED {
            let meaning = meaning(term).unwrap_or_default();
            assert!(meaning.ends_with('.') && !meaning.contains('`'), "{word}: {meaning:?}");
        }
        assert!(meaning("stroke").is_none());
        assert_eq!(terms().count(), MARKED.len() - 2, "head and stream have other terms");
    }

    #[test]
    fn a_text_is_cut_at_the_first_place_of_each_term() {
        let text = "Components have biases. Each component has a bias, and a bias is a number.";
        assert_eq!(terms_of(text), ["Components", "bias"]);
        assert_eq!(terms_of("The net vote, and a vote"), ["net vote"]);
        assert_eq!(terms_of("A vote, and the net vote"), ["vote", "net vote"]);
        assert_eq!(terms_of("Attention heads, then attention"), ["Attention heads"]);
        assert_eq!(terms_of("token-wise planes of headlines in KLs: Ω"), ["KLs", "Ω"]);
        assert_eq!(marked("Nothing.", |_| true), [("Nothing.".to_owned(), None)]);
    }

    #[test]
    fn a_view_explains_a_term_once() {
        let mut uses = FirstUses::default();
        assert!(uses.claim(View::Lens, "bias", 1));
        assert!(uses.claim(View::Lens, "bias", 1), "the same text drawn again");
        assert!(!uses.claim(View::Lens, "bias", 2));
        assert!(uses.claim(View::Lens, "MSE", 2) && uses.claim(View::Orders, "bias", 3));
        uses.release(1);
        assert!(uses.claim(View::Lens, "bias", 4) && !uses.claim(View::Lens, "MSE", 4));

        let pieces = marked("A bias and a margin.", |term| uses.claim(View::Lens, term, 5));
        let explained: Vec<&str> = pieces.iter().filter_map(|(_, term)| *term).collect();
        assert_eq!(explained, ["margin"]);
    }
}
