//! The terms of `docs/words.md`, found in a text so that each can tell its meaning where it stands.

/// The one list of terms, which the documents print.
const WORDS: &str = include_str!("../../docs/words.md");

/// Terms that a text of the page explains where they stand first; of two that begin alike, the longer one first.
const MARKED: [&str; 13] = [
    "component",
    "residual stream",
    "net vote",
    "logit difference",
    "margin",
    "bias",
    "diversity",
    "MSE",
    "surprise",
    "entropy",
    "KL",
    "coupling",
    "original order",
];

/// A piece of a text, and the meaning of the term that it is.
pub type MarkedPiece = (String, Option<String>);

/// Returns a term's meaning in plain text; `None` where the list has no such term.
pub fn meaning(term: &str) -> Option<String> {
    let rows = WORDS.lines().filter_map(|line| line.strip_prefix("| **"));
    let row = rows.into_iter().find_map(|row| row.strip_prefix(term)?.strip_prefix("** | "))?;
    let meaning = row.trim_end_matches([' ', '|']);
    // What files call it is for those who read files.
    let sentences = meaning.split_inclusive(". ").filter(|sentence| !sentence.contains('`'));
    Some(sentences.collect::<String>().trim_end().to_owned())
}

/// Cuts a text at the first place of each term.
pub fn marked(text: &str) -> Vec<MarkedPiece> {
    let mut places: Vec<(usize, usize, &str)> = MARKED
        .into_iter()
        .filter_map(|term| {
            let start = first_place(text, term)?;
            let plural = text[start + term.len()..].starts_with('s');
            Some((start, start + term.len() + usize::from(plural), term))
        })
        .collect();
    places.sort_unstable();

    let (mut pieces, mut end) = (Vec::new(), 0);
    for (from, to, term) in places {
        if from < end {
            continue;
        }
        pieces.push((text[end..from].to_owned(), None));
        pieces.push((text[from..to].to_owned(), meaning(term)));
        end = to;
    }
    pieces.push((text[end..].to_owned(), None));
    pieces.retain(|(piece, _)| !piece.is_empty());
    pieces
}

/// Finds a term as a whole word, or as its plural, with a small or a capital first letter.
fn first_place(text: &str, term: &str) -> Option<usize> {
    let (first, rest) = term.split_at(1);
    let capital = first.to_uppercase() + rest;
    let found = [term, &capital].into_iter().flat_map(|term| text.match_indices(term));
    let is_whole = |start: usize| {
        let before = text[..start].chars().next_back();
        let after = &text[start + term.len()..];
        let after = after.strip_prefix('s').unwrap_or(after).chars().next();
        let is_letter = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
        !is_letter(before) && !is_letter(after)
    };
    found.map(|(start, _)| start).filter(|&start| is_whole(start)).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_marked_term_has_a_meaning() {
        for term in MARKED {
            let meaning = meaning(term).unwrap_or_default();
            assert!(meaning.ends_with('.') && !meaning.contains('`'), "{term}: {meaning:?}");
        }
        assert!(meaning("stroke").is_none());
    }

    #[test]
    fn a_text_is_cut_at_the_first_place_of_each_term() {
        let pieces =
            marked("Components have biases. Each component has a bias, and a bias is a number.");
        let terms: Vec<&str> =
            pieces.iter().filter(|(_, told)| told.is_some()).map(|(text, _)| &**text).collect();
        assert_eq!(terms, ["Components", "bias"]);
        let whole: String = pieces.iter().map(|(text, _)| &**text).collect();
        assert_eq!(
            whole,
            "Components have biases. Each component has a bias, and a bias is a number."
        );
        assert_eq!(marked("No term."), [("No term.".to_owned(), None)]);
    }
}
