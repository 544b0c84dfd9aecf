//! A lesson's words.

use atelier::chart::Figure;
use atelier::study::lessons::StepOutcome;

/// Writes down what a reader sees of a step: the question, each option's verdict and reason, and the answer.
pub fn transcript(outcome: &StepOutcome) -> String {
    let mut lines = vec![format!("── {} on {}", outcome.step, outcome.model)];
    lines.extend(outcome.source.iter().map(|source| format!("   {source}")));
    lines.push(format!("   {} {}", outcome.say, outcome.ask));
    lines.extend(outcome.options.iter().map(|option| {
        let verdict = format!("{:?}", option.holding);
        format!("   {verdict:30} {} | {}", option.text, option.why)
    }));
    lines.push(format!("   → {:?}: {} ({})", outcome.showing, outcome.reveal, outcome.caveat));
    lines.join("\n") + "\n\n"
}

/// Writes down what a reader sees of a step's figure: its sentence, its words, its axes and its legend.
pub fn of_figure(step: &str, figure: &Figure) -> String {
    let mut lines = vec![format!("── {step}: {}", figure.title)];
    let words = figure.words.iter().filter(|words| !words.is_empty());
    lines.extend(words.map(|words| format!("   {words}")));
    let panels = figure.plot.panels.iter();
    lines.extend(panels.map(|panel| format!("   {} | {}", panel.name, panel.x.name())));
    let pens: Vec<&str> = figure.plot.legend.iter().map(|pen| pen.name.as_str()).collect();
    lines.push(format!("   {} rows; {}", figure.table.rows.len(), pens.join(", ")));
    lines.join("\n") + "\n\n"
}

/// A number outside of braces that is no part of a name such as 1m and counts no block.
pub fn typed_number(text: &str) -> Option<String> {
    let mut outside = String::new();
    let mut depth = 0;
    for c in text.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ if depth == 0 => outside.push(c),
            _ => {}
        }
    }
    let words: Vec<&str> = outside.split_whitespace().collect();
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    for (n, word) in words.iter().enumerate() {
        let word = bare(word);
        let is_number = word.parse::<f64>().is_ok();
        let before = n.checked_sub(1).map(|at| bare(words[at])).unwrap_or_default();
        let before_that = n.checked_sub(2).map(|at| bare(words[at])).unwrap_or_default();
        let counts = ["block", "blocks", "head", "step"].map(str::to_owned);
        let before = before.to_lowercase();
        let is_name = counts.contains(&before)
            || (["and", "or", "to"].contains(&before.as_str())
                && before_that.parse::<f64>().is_ok());
        if is_number && !is_name {
            return Some(word);
        }
    }
    None
}

/// A count of the model's parts in words, as in "twelve blocks"; two blocks are any pair.
pub fn counted_part(text: &str) -> Option<String> {
    const COUNTS: [&str; 10] =
        ["three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    const PARTS: [&str; 6] = ["blocks", "heads", "members", "strokes", "attentions", "mlps"];
    let words: Vec<String> = text
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
        .collect();
    let counts =
        |pair: &&[String]| COUNTS.contains(&pair[0].as_str()) && PARTS.contains(&pair[1].as_str());
    words.windows(2).find(counts).map(|pair| pair.join(" "))
}
