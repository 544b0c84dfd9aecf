//! Tokens set as text: with the spaces of the prompt they were cut from.

/// Each token with the space that stands before it in the prompt and belongs to no token: word-level
/// tokenizers cut at spaces and leave them out, others keep them inside the tokens.
pub fn spaced(prompt: &str, tokens: &[String]) -> Vec<(&'static str, String)> {
    let mut rest = prompt;
    tokens
        .iter()
        .map(|token| {
            if let Some(after) = rest.strip_prefix(token.as_str()) {
                rest = after;
                return ("", token.clone());
            }
            match rest.trim_start().strip_prefix(token.as_str()) {
                Some(after) => {
                    rest = after;
                    (" ", token.clone())
                }
                // A token that stands for no text, or one the tokenizer spells in its own way.
                None => ("", token.clone()),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::spaced;

    #[test]
    fn spaces_stand_where_the_prompt_has_them() {
        let line = |prompt: &str, tokens: &[&str]| {
            let tokens: Vec<String> = tokens.iter().map(|&token| token.to_owned()).collect();
            let spaced = spaced(prompt, &tokens);
            spaced.into_iter().map(|(space, token)| format!("{space}[{token}]")).collect::<String>()
        };
        assert_eq!(
            line("mood : it is", &["<bos>", "mood", ":", "it", "is"]),
            "[<bos>][mood] [:] [it] [is]"
        );
        assert_eq!(line("she likes", &["<s>", "she", " lik", "es"]), "[<s>][she][ lik][es]");
    }
}
