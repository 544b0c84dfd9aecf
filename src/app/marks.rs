//! A prompt cut where its tokens begin and end, so that each can be marked in the text itself.

/// Bytes of the prompt that one token may stand for where it is spelled otherwise than the prompt.
const MAX_SPELLING: usize = 32;

/// A piece of a prompt's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromptPiece<'a> {
    pub text: &'a str,
    /// Index of its token; `None` for text that is marked as no token.
    pub token: Option<usize>,
}

/// Cuts a prompt into its tokens and the text between them: joined, the pieces are the prompt.
///
/// Word-level tokenizers leave the spaces between tokens out, others keep them inside the tokens. A token that is
/// spelled otherwise than the prompt (a special token, a part of a character, a normalised word) takes the text
/// up to the next token that is found; where several such tokens share more than one character, none is marked.
pub fn prompt_pieces<'a>(prompt: &'a str, tokens: &[String]) -> Vec<PromptPiece<'a>> {
    let mut pieces = Vec::new();
    let mut rest = prompt;
    let mut unplaced: Vec<usize> = Vec::new();

    for (token, text) in tokens.iter().enumerate() {
        let Some(start) = find(rest, text, unplaced.len()) else {
            unplaced.push(token);
            continue;
        };
        pieces.extend(between(&rest[..start], &unplaced));
        unplaced.clear();
        let (found, after) = rest[start..].split_at(text.len());
        pieces.push(PromptPiece { text: found, token: Some(token) });
        rest = after;
    }

    pieces.extend(between(rest, &unplaced));
    pieces
}

/// Returns where a token's text begins in the rest of the prompt, after `unplaced` tokens that were not found.
fn find(rest: &str, token: &str, unplaced: usize) -> Option<usize> {
    if token.is_empty() {
        return None;
    }
    let spaces = rest.len() - rest.trim_start().len();
    let next = [0, spaces].into_iter().find(|&start| rest[start..].starts_with(token));
    if next.is_some() || unplaced == 0 {
        return next;
    }

    // Not further on than the tokens before it can reach.
    let reach = unplaced * MAX_SPELLING + token.len();
    let end = (reach..rest.len()).find(|&end| rest.is_char_boundary(end));
    rest[..end.unwrap_or(rest.len())].find(token)
}

/// Returns the text before a token that was found, as the piece of the tokens that were not.
fn between<'a>(text: &'a str, unplaced: &[usize]) -> Option<PromptPiece<'a>> {
    let is_whole = unplaced.len() == 1 || text.trim().chars().count() == 1;
    let token = unplaced.first().copied().filter(|_| is_whole && !text.trim().is_empty());
    (!text.is_empty()).then_some(PromptPiece { text, token })
}

#[cfg(test)]
mod tests {
    use super::prompt_pieces;

    /// Each token in brackets, the text between them bare.
    fn marked(prompt: &str, tokens: &[&str]) -> String {
        let tokens: Vec<String> = tokens.iter().map(|&token| token.to_owned()).collect();
        let pieces = prompt_pieces(prompt, &tokens);
        let joined: String = pieces.iter().map(|piece| piece.text).collect();
        assert_eq!(joined, prompt);
        let show = |piece: &super::PromptPiece<'_>| match piece.token {
            Some(_) => format!("[{}]", piece.text),
            None => piece.text.to_owned(),
        };
        pieces.iter().map(show).collect()
    }

    #[test]
    fn tokens_are_marked_with_the_spaces_that_are_theirs() {
        assert_eq!(
            marked("mood : it  is\n", &["<bos>", "mood", ":", "it", "is"]),
            "[mood] [:] [it]  [is]\n"
        );
        assert_eq!(
            marked("she likes\n\nit", &["<s>", "she", " lik", "es", "\n\n", "it"]),
            "[she][ lik][es][\n\n][it]"
        );
        assert_eq!(marked("", &["<s>"]), "");
        assert_eq!(marked("so it is", &[]), "so it is");
    }

    #[test]
    fn tokens_of_another_spelling_take_the_text_between_their_neighbours() {
        // Bytes of one character.
        assert_eq!(marked("Über uns", &["\u{fffd}", "\u{fffd}", "ber", " uns"]), "[Ü][ber][ uns]");
        // A tokenizer that lowers every letter.
        assert_eq!(marked("The capital of", &["the", "capital", "of"]), "[The ][capital] [of]");
    }

    #[test]
    fn what_cannot_be_told_apart_is_marked_as_no_token() {
        assert_eq!(marked("日本 is", &["\u{fffd}", "\u{fffd}", "\u{fffd}", " is"]), "日本[ is]");
        assert_eq!(marked("a b", &["x", "y"]), "a b");
    }
}
