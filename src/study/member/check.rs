//! Does an account of a member fit the run beside it? People edit files.

use super::MemberAccount;
use crate::engine::member_names;
use crate::study::report::Lens;
use crate::study::report::check::{long, vocabulary};

/// # Errors
/// The rest of a sentence that names the account.
pub fn account(account: &MemberAccount, lens: Option<&Lens>) -> Result<(), String> {
    let lens = lens.ok_or_else(|| "its run is not there".to_owned())?;
    let names = member_names(&lens.members);
    if names.get(account.index) != Some(&account.name) {
        return Err(format!("its run has no member {}", account.name));
    }
    let tokens = lens.token_ids.len();
    refuse_if!(tokens == 0 && !account.reads.is_empty(), "its run has no tokens to read");
    for head in &account.reads {
        long("weights", head.weights.len(), tokens, "tokens")?;
        long("carried", head.carried.len(), tokens, "tokens")?;
    }
    if let Some(without) = &account.without {
        let k = lens.logits.len();
        long("logits", without.logits.len(), k, "options")?;
        long("probabilities", without.probabilities.len(), k, "options")?;
        without.vocabulary.as_ref().map_or(Ok(()), |beyond| vocabulary(beyond, k))?;
    }
    let votes = account.raises.iter().chain(&account.lowers);
    let reads = account.reads.iter();
    let reads = reads.flat_map(|head| head.weights.iter().chain(&head.carried));
    if !votes.map(|token| &token.vote).chain(reads).all(|x| x.is_finite()) {
        return Err("one of its numbers is too large".to_owned());
    }
    Ok(())
}
