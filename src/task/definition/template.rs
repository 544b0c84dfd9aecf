//! `{name}` in a text stands for a value; `{{` and `}}` for braces.

/// Text and names in turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    parts: Vec<TemplatePart>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum TemplatePart {
    Text(String),
    Name(String),
}

impl Template {
    /// Reads a template such as `{text1} Is {text2} correct?`.
    ///
    /// # Errors
    /// A brace is not closed, or a name is empty; the text says which.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            let (before, brace) = rest.split_at(at);
            plain.push_str(before);
            if let Some(after) = brace.strip_prefix("{{").or(brace.strip_prefix("}}")) {
                plain.push_str(&brace[..1]);
                rest = after;
            } else if let Some((name, after)) =
                brace.strip_prefix('{').and_then(|b| b.split_once('}'))
            {
                let name = name.trim();
                if name.is_empty() || name.contains('{') {
                    return Err(format!("{text:?} has braces without a name in them"));
                }
                if !plain.is_empty() {
                    parts.push(TemplatePart::Text(std::mem::take(&mut plain)));
                }
                parts.push(TemplatePart::Name(name.to_string()));
                rest = after;
            } else {
                return Err(format!(
                    "{text:?} has a brace that is not closed (write {{{{ or }}}} for a brace itself)"
                ));
            }
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            parts.push(TemplatePart::Text(plain));
        }
        Ok(Self { parts })
    }

    /// Every name that stands in braces, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            TemplatePart::Name(name) => Some(name.as_str()),
            TemplatePart::Text(_) => None,
        })
    }

    /// Returns the text with every name's value in its place.
    ///
    /// # Errors
    /// `value` fails for a name.
    pub fn fill<E>(&self, mut value: impl FnMut(&str) -> Result<String, E>) -> Result<String, E> {
        let mut text = String::new();
        for part in &self.parts {
            match part {
                TemplatePart::Text(plain) => text.push_str(plain),
                TemplatePart::Name(name) => text.push_str(&value(name)?),
            }
        }
        Ok(text)
    }

    /// Takes off a name at the very end with the blanks before it, and gives those back.
    pub fn strip_end(&mut self, name: &str) -> Option<String> {
        self.parts.pop_if(|last| matches!(last, TemplatePart::Name(n) if n == name))?;
        let Some(TemplatePart::Text(text)) = self.parts.last_mut() else {
            return Some(String::new());
        };
        let kept = text.trim_end().len();
        let blanks = text.split_off(kept);
        Some(blanks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_filled_and_braces_kept() {
        let mut template = Template::parse("{a}: {{x}} {b} \n{answer}").expect("a template");
        assert_eq!(template.names().collect::<Vec<_>>(), ["a", "b", "answer"]);
        assert_eq!(template.strip_end("answer").as_deref(), Some(" \n"));
        assert_eq!(template.strip_end("answer"), None);
        let filled = template.fill(|name| Ok::<_, ()>(name.to_uppercase()));
        assert_eq!(filled, Ok("A: {x} B".to_string()));
    }

    #[test]
    fn open_braces_are_refused() {
        for text in ["{", "a {b", "b} c", "{}", "{a{b}"] {
            assert!(Template::parse(text).is_err(), "{text}");
        }
    }
}
