//! Names of kinds and of parts: short, `embedding`, `3a`, `3m`, `3h1`, and in words.

use crate::engine::MemberKind;
use crate::study::need::NeedPart;

/// The kind that a field names.
pub(super) fn kind(name: &str) -> Option<MemberKind> {
    match name {
        "embedding" => Some(MemberKind::Embedding),
        "attention" => Some(MemberKind::Attention),
        "mlp" => Some(MemberKind::Mlp),
        "bias" => Some(MemberKind::Bias),
        _ => None,
    }
}

/// By its place in the model's own order; a head as `3h1`.
pub(super) fn part_name(part: &NeedPart) -> String {
    match (part.head, part.kind) {
        (Some(head), _) => format!("{}h{head}", part.run),
        (None, MemberKind::Mlp) => format!("{}m", part.run),
        (None, _) => format!("{}a", part.run),
    }
}

/// The part in words, by its stored block; with its place where that is another.
pub(super) fn part_words(part: &NeedPart) -> String {
    let words = spoken(&part_name(&NeedPart { run: part.block, ..part.clone() }));
    if part.run == part.block { words } else { format!("{words} (place {})", part.run) }
}

/// A member's or a part's short name in words: `block 3's MLP`, `head 1 of block 3`.
pub(super) fn spoken(name: &str) -> String {
    let (short, run) = match name.split_once(':') {
        Some((short, run)) => (short, format!(" (run {run})")),
        None => (name, String::new()),
    };
    let digits = |c: char| c.is_ascii_digit();
    let (block, part) = short.split_at(short.find(|c| !digits(c)).unwrap_or(short.len()));
    let words = match (short, block, part) {
        ("emb" | "embedding", ..) => "the embedding".to_owned(),
        ("bias", ..) => "the read-out's bias".to_owned(),
        (_, block, "a") if !block.is_empty() => format!("block {block}'s attention"),
        (_, block, "m") if !block.is_empty() => format!("block {block}'s MLP"),
        (_, block, part) => match part.strip_prefix('h') {
            Some(head) if !block.is_empty() && head.chars().all(digits) => {
                format!("head {head} of block {block}")
            }
            _ => short.to_owned(),
        },
    };
    words + &run
}

#[cfg(test)]
mod tests {
    use super::spoken;

    #[test]
    fn short_names_are_said_in_words() {
        for (short, words) in [
            ("emb", "the embedding"),
            ("9m", "block 9's MLP"),
            ("10a", "block 10's attention"),
            ("10h3", "head 3 of block 10"),
            ("0m:2", "block 0's MLP (run 2)"),
            ("bias", "the read-out's bias"),
        ] {
            assert_eq!(spoken(short), words);
        }
    }
}
