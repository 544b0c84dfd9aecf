//! Which words of a sentence name a role: "attention" in a sentence is as blue as its bars.

/// The role a word names, as a class of the style sheet.
fn role(word: &str) -> Option<&'static str> {
    match word {
        "embedding" => Some("embedding"),
        "attention" => Some("attention"),
        "MLP" | "MLPs" => Some("mlp"),
        "bias" => Some("bias"),
        "diversity" | "Diversity" => Some("diversity"),
        "MSE" | "mse" => Some("mse"),
        _ => None,
    }
}

/// A text cut into runs, each with the role it names.
pub fn runs(text: &str) -> Vec<(Option<&'static str>, String)> {
    let mut runs: Vec<(Option<&'static str>, String)> = Vec::new();
    for piece in text.split_inclusive(|c: char| !c.is_alphabetic()) {
        let word = piece.trim_end_matches(|c: char| !c.is_alphabetic());
        let rest = &piece[word.len()..];
        match role(word) {
            Some(role) => {
                runs.push((Some(role), word.to_owned()));
                runs.push((None, rest.to_owned()));
            }
            None => match runs.last_mut() {
                Some((None, plain)) => plain.push_str(piece),
                _ => runs.push((None, piece.to_owned())),
            },
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::runs;

    #[test]
    fn only_the_words_that_name_a_role_are_coloured() {
        let seen = runs("block 3's MLP, biased: bias − diversity");
        let named: Vec<&str> = seen.iter().filter_map(|(role, _)| *role).collect();
        assert_eq!(named, ["mlp", "bias", "diversity"]);
        let whole: String = seen.iter().map(|(_, run)| run.as_str()).collect();
        assert_eq!(whole, "block 3's MLP, biased: bias − diversity");
    }
}
