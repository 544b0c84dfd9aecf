//! Where an attention's heads look from the prompt's last token.

use super::member_title;
use crate::chart::TableCell::{Number, Text};
use crate::chart::inside::{cut, largest};
use crate::chart::number::{percent, short};
use crate::chart::plot::{Axis, Panel, Patch, Plot, Ramp};
use crate::chart::{FigureDraft, Table, token};
use crate::study::member::MemberAccount;
use crate::study::report::Lens;

const CELL: u32 = 26;
/// Tokens side by side: of a longer prompt the last ones.
const TOKENS: usize = 32;

pub(super) fn figure(
    lens: &Lens,
    account: &MemberAccount,
    is_carried: bool,
) -> Option<FigureDraft> {
    let tokens = lens.token_ids.len();
    let first = tokens.saturating_sub(TOKENS);
    let (mut patches, mut rows) = (Vec::new(), Vec::new());
    let mut best: Option<(f32, usize, usize)> = None;
    for (y, head) in account.reads.iter().enumerate() {
        let numbers = if is_carried { &head.carried } else { &head.weights };
        let at = largest(numbers);
        if !head.is_off && best.is_none_or(|(most, ..)| numbers[at] > most) {
            best = Some((numbers[at], head.head, at));
        }
        let state = if head.is_off { ", switched off" } else { "" };
        for (t, &number) in numbers.iter().enumerate().take(tokens) {
            let (weight, length) = (head.weights[t], head.carried[t]);
            if t >= first {
                let [weight, length] = [weight, length].map(|x| short(x.into()));
                let (head, token) = (head.head, token(lens, t));
                let name = format!(
                    "head {head}{state}, at “{token}” ({t})\nweight {weight}, carried {length}"
                );
                patches.push(Patch::new([t - first, y], number.into(), name));
            }
            rows.push((head.head, state, t, [weight, length]));
        }
    }
    if account.reads.is_empty() {
        return None;
    }
    let looked = (first..tokens).map(|t| cut(&token(lens, t), 12)).collect();
    let heads = account.reads.iter().map(|head| head.head.to_string());
    let quantity = if is_carried { "value-weighted attention" } else { "weight" };
    let ramp = Ramp::over(quantity, patches.iter().map(|patch| patch.value).chain([0.0]));
    let panel = Panel::map(
        "row: a head; column: the token that it attends to",
        Axis::category("attended to", looked),
        Axis::category("", heads.collect()),
        patches,
    );
    let from = token(lens, tokens.saturating_sub(1));
    let title = match best {
        Some((most, head, at)) => format!(
            "From “{from}”, its head {head} attends most to “{}”: {quantity} {}",
            token(lens, at),
            short(most.into())
        ),
        None => "None of its heads attends".to_owned(),
    };
    let heads = account.reads.len();
    let behind = account.reads.iter();
    let behind = behind.map(|head| f64::from(head.weights[..first].iter().sum::<f32>()));
    let left = match first {
        0 => format!(
            "Every one of its {heads} heads shares out a weight of 1 over the prompt's {tokens} tokens."
        ),
        _ => format!(
            "The last {TOKENS} of {tokens} tokens are drawn; on those before lies {} of the weight on average.",
            percent(behind.sum::<f64>() / heads as f64)
        ),
    };
    Some(FigureDraft {
        key: "member-reads",
        title,
        words: [
            left,
            format!(
                "{} reads what stands at those places by then, and carries a part of it to the last token: the length of \
                 that part is what is carried.",
                member_title(lens, account)
            ),
        ],
        table: Table::of(
            rows,
            &[
                ("head", &|(head, state, ..)| Text(format!("head {head}{state}"))),
                ("attends to", &|(_, _, t, _)| Text(format!("{} ({t})", token(lens, *t)))),
                ("weight", &|(.., [weight, _])| Number((*weight).into())),
                ("value-weighted", &|(.., [_, length])| Number((*length).into())),
            ],
        ),
        plot: Plot::map(panel.tall(CELL * heads.max(3) as u32), ramp),
    })
}
