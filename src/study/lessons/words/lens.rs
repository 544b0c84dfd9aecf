//! Words for the fields of one prompt.

use super::{column, decomposition, kind, spoken};
use crate::study::lessons::reading::{LOUDEST, OPPONENT};

pub fn words(parts: &[&str]) -> Option<String> {
    let plain = match *parts {
        ["right"] => "the right option",
        ["says"] => "what the model says",
        ["plan"] => "the order",
        ["lead"] => "logit difference (logits)",
        ["percent", "right"] => "share of the right option among these (%)",
        ["percent", "wrong"] => "share of the others among these (%)",
        ["percent", "of_all"] => "probability of the right option among all tokens (%)",
        ["members"] => "members",
        ["blocks"] => "blocks run",
        ["alone"] => "members whose largest vote is for the right option",
        ["alone_share"] => "members whose largest vote is for the right option (%)",
        ["sum_error"] => "what the members' sum is off by (logits)",
        ["largest_vote"] => "the member with the largest vote",
        ["own_error"] => "the model's own squared error (probabilities)",
        ["best_error"] => "least error of a member (probabilities)",
        ["best_member"] => "the member with the least error",
        ["beaten"] => "members that err more than the mean",
        ["beaten_share"] => "members that err more than the mean (%)",
        ["last_word"] => "the last word",
        ["most_doubt"] => "largest entropy at any depth (bits)",
        ["most_doubt_at"] => "depth of the largest entropy",
        ["last_doubt"] => "entropy at the last depth (bits)",
        ["uniform_doubt"] => "entropy where all words are equally likely (bits)",
        ["same_winner"] => "depths with the same likeliest word in both readings",
        _ => return detailed(parts),
    };
    Some(plain.to_owned())
}

fn detailed(parts: &[&str]) -> Option<String> {
    Some(match *parts {
        ["members_of", name] => format!("members: {}", kind(name)?),
        ["member", name] => called(name),
        ["block", name] => format!("block of {}", called(name)),
        ["vote", name] => format!("vote of {} (logits)", called(name)),
        ["lead_without", name] => {
            format!("logit difference less the vote of {} (logits)", called(name))
        }
        ["moved", name] => format!("members behind {} whose votes moved", called(name)),
        ["share", name, of] => {
            format!("part of the diversity by {} (%, {})", kind(name)?, column(of)?)
        }
        ["top", depth] => format!("likeliest word at depth {depth}"),
        ["top_percent", depth] => {
            format!("probability of the likeliest word at depth {depth} (%)")
        }
        ["doubt", depth] => format!("entropy at depth {depth} (bits)"),
        ["held_doubt", depth] => {
            format!("entropy at depth {depth}, the final norm frozen (bits)")
        }
        [what, of] => format!("{} ({})", decomposition(what)?, column(of)?),
        _ => return None,
    })
}

/// Says a member in words, also one that is named by its vote.
fn called(name: &str) -> String {
    match name {
        OPPONENT => "the attention that votes most against".to_owned(),
        LOUDEST => "the loudest component".to_owned(),
        _ => spoken(name),
    }
}
