//! One member of a run by itself: where it reads, and which tokens it writes for and against.

mod reads;
mod writes;

use super::strokes;
use super::{Figure, Theme};
use crate::study::member::MemberAccount;
use crate::study::report::Lens;

/// Draws the reading of an attention, and the writing of any member.
pub fn member_figures(
    lens: &Lens,
    account: &MemberAccount,
    is_carried: bool,
    theme: &Theme,
) -> Vec<Figure> {
    let reads = reads::figure(lens, account, is_carried);
    let writes = writes::figure(lens, account, theme);
    reads.into_iter().chain([writes]).map(|draft| draft.figure(theme)).collect()
}

/// A member in words, at the start of a sentence: `Block 3's attention`.
pub fn member_title(lens: &Lens, account: &MemberAccount) -> String {
    let names = strokes::names(&lens.members);
    let name = names.into_iter().nth(account.index);
    super::votes::capital(&name.unwrap_or_default())
}
