//! Text whose spaces and line breaks can be seen: drawn behind them, so that no letter moves.

use leptos::prelude::*;

/// Draws a text, with a dot in each space and a sign before each line break where they are asked for.
pub fn seen_text(text: &str, are_spaces_shown: bool) -> AnyView {
    if !are_spaces_shown {
        return text.to_owned().into_any();
    }
    let is_white = |c: char| matches!(c, ' ' | '\n' | '\t');
    text.split_inclusive(is_white)
        .map(|part| {
            let word = part.trim_end_matches(is_white);
            let white = part[word.len()..].to_owned();
            let class = match white.as_str() {
                "\n" => "white break",
                "\t" => "white tab",
                _ => "white",
            };
            view! {
                {word.to_owned()}
                {(!white.is_empty()).then(|| view! { <span class=class>{white}</span> })}
            }
        })
        .collect_view()
        .into_any()
}
