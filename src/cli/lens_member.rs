//! `atelier lens --member`: one member by itself, in words.

use super::looks::{HeadLook, look_columns};
use super::table::columns;
use crate::chart::number::percent_tenths;
use crate::chart::option_beyond;
use crate::plan::Plan;
use crate::study::member::{Accounting, MemberAccount, TokenVote};
use crate::study::report::Lens;
use crate::study::{LoadedModel, Question, Running, StudyError};

/// Tokens of either kind that are printed; the report has more.
const PRINTED: usize = 6;

/// Runs it, with and without the member.
///
/// # Errors
/// No such member; when the engine fails.
pub fn account(
    model: &LoadedModel,
    question: &Question,
    plan: &Plan,
    name: &str,
) -> Result<Option<Box<MemberAccount>>, StudyError> {
    let mut run = Accounting::start(model, question, plan.clone(), name)?;
    while run.advance()?.is_some() {}
    Ok(run.report()?.member)
}

/// Describes one member: what it reads and writes, its vote, and the loss without it.
pub fn text(lens: &Lens, account: &MemberAccount) -> String {
    let mut text = format!("\nThe component {} by itself.\n", account.name);
    text += &reads(lens, account);
    let tokens = |votes: &[TokenVote]| {
        let named = votes.iter().take(PRINTED).map(|token| match &token.text {
            Some(text) => format!("{text:?} {:+.3}", token.vote),
            None => format!("id {} {:+.3}", token.id, token.vote),
        });
        named.collect::<Vec<_>>().join(", ")
    };
    text += &format!(
        "\nOf {} tokens it adds {:+.3} to a logit on average.\n  raises most  {}\n  lowers most  {}\n",
        account.vocabulary,
        account.mean_vote,
        tokens(&account.raises),
        tokens(&account.lowers),
    );
    text + &cost(lens, account)
}

/// Head by head the token that most weight lies on, and the one from which most is carried.
fn reads(lens: &Lens, account: &MemberAccount) -> String {
    if account.reads.is_empty() {
        return "It reads the last position alone.\n".to_owned();
    }
    let looks = account.reads.iter().filter_map(|head| {
        HeadLook::new(lens, (head.head, head.is_off), &head.weights, &head.carried)
    });
    format!("\n{}\n", look_columns(columns(looks), |look| look).text())
}

fn cost(lens: &Lens, account: &MemberAccount) -> String {
    let Some(without) = &account.without else {
        return "It cannot be left out.\n".to_owned();
    };
    let right = lens.answer;
    let beyond = match (&lens.vocabulary, &without.vocabulary) {
        (Some(before), Some(after)) => {
            let [before, after] = [before, after].map(|found| option_beyond(found, right));
            format!(", of all tokens from {before} to {after}")
        }
        _ => String::new(),
    };
    format!(
        "Without it (--plan {}) the logit difference goes from {:+.3} to {:+.3} logits, the right answer's share from {} to {}{beyond}.\n",
        without.plan,
        account.lead,
        without.lead,
        percent_tenths(lens.probabilities[right]),
        percent_tenths(without.probabilities[right])
    )
}
